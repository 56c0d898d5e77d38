/*
 * Records of a run in the sorter's file, each as its difference from the one before: most of their
 * words are equal or differ in the low bytes, so that a third of the bytes are written and read.
 *
 * A record is its size (two bytes), the lengths of its first PACK_WORDS words (of up to 8 in four
 * bytes, else in eight; four bits each, the first word's the lowest), these words' low bytes after
 * an exclusive or with the record before, and the other words as they are.
 */
#ifndef SWT_DECODER_BASE_SORTER_PACK_H
#define SWT_DECODER_BASE_SORTER_PACK_H

#include <stdbool.h>

#include "../../../formats/bytes.h"
#include "../grow.h"
#include "sorter.h"

enum {
	PACK_WORDS = 16,
	PACK_HEAD = 2 + 8,
	PACK_SLACK = 8, /* bytes after a record that packing may write, and unpacking may read */
};

/* The first words of the record before, and zeros after its end. Starts zeroed. */
struct packer {
	uint64_t words[PACK_WORDS];
	unsigned count;
};

/* The most bytes of a record that is packed. */
static inline size_t pack_most(size_t size)
{
	return PACK_HEAD + size;
}

static inline unsigned pack_length(uint64_t word)
{
	return word ? 8 - (unsigned)__builtin_clzll(word) / 8 : 0;
}

/* Where the words begin, after the size and the lengths. */
static inline unsigned pack_head(unsigned count)
{
	return count > 8 ? PACK_HEAD : PACK_HEAD - 4;
}

/* Returns its end. */
static inline uint8_t *pack_record(struct packer *p, uint8_t *to, const struct sorter_record *r)
{
	const unsigned all = r->size / 8, count = all < PACK_WORDS ? all : PACK_WORDS;
	const uint8_t *from = (const uint8_t *)r;
	uint8_t *at = to + pack_head(count);
	uint64_t lengths = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t word;

		memcpy(&word, from + 8 * (size_t)i, 8);
		const uint64_t change = word ^ p->words[i];
		const unsigned length = pack_length(change);
		p->words[i] = word;
		put_le64(at, change);
		at += length;
		lengths = lengths >> 4 | (uint64_t)length << 60;
	}
	lengths >>= 4 * (PACK_WORDS - count);
	for (unsigned i = count; i < p->count; i++)
		p->words[i] = 0;
	p->count = count;
	put_le16(to, r->size);
	if (count > 8)
		put_le64(to + 2, lengths);
	else
		put_le32(to + 2, (uint32_t)lengths);
	const size_t rest = 8 * (size_t)(all - count);
	if (rest)
		memcpy(at, from + 8 * (size_t)count, rest);
	return at + rest;
}

/* The bytes of a packed record, unpacked. */
static inline size_t pack_size(const uint8_t *from)
{
	return get_le16(from);
}

/* Whether a packed record is among that many bytes; false: perhaps not all of it. */
static inline bool pack_is_whole(const uint8_t *from, size_t bytes)
{
	return bytes >= PACK_HEAD && bytes >= pack_most(pack_size(from));
}

/* The record unpacked last; its words up to PACK_WORDS are zero after its end. Starts zeroed. */
struct unpacker {
	uint64_t *words;
	size_t room; /* in words */
	size_t size; /* of the record */
};

/* Room for a record of that size. 0 or CPIDECODE_ENOMEM. */
static inline int unpack_reserve(struct unpacker *u, size_t size)
{
	const size_t had = u->room, words = size / 8;

	if (had >= PACK_WORDS && had >= words)
		return 0;
	if (!array_reserve(
		    &u->words, &u->room, words > PACK_WORDS ? words : PACK_WORDS, sizeof *u->words))
		return CPIDECODE_ENOMEM;
	if (!had)
		memset(u->words, 0, PACK_WORDS * sizeof *u->words);
	return 0;
}

static inline const uint8_t *unpack_words(struct unpacker *u, const uint8_t *from)
{
	static const uint64_t masks[] = {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF,
		0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, UINT64_MAX};
	const unsigned all = (unsigned)pack_size(from) / 8;
	const unsigned count = all < PACK_WORDS ? all : PACK_WORDS;
	const uint8_t *at = from + pack_head(count);
	uint64_t lengths = count > 8 ? get_le64(from + 2) : get_le32(from + 2);

	for (unsigned i = 0; i < count; i++, lengths >>= 4) {
		u->words[i] ^= get_le64(at) & masks[lengths & 15];
		at += lengths & 15;
	}
	for (unsigned i = count; i < PACK_WORDS && i < u->size / 8; i++)
		u->words[i] = 0;
	u->size = pack_size(from);
	const size_t rest = 8 * (size_t)(all - count);
	if (rest)
		memcpy(u->words + count, at, rest);
	return at + rest;
}

/* The next record is a run's first one. */
static inline void unpack_rewind(struct unpacker *u)
{
	if (u->size)
		memset(u->words, 0, PACK_WORDS * sizeof *u->words);
	u->size = 0;
}

/* Unpacks the record at *from, and moves *from to its end. NULL: no memory. */
static inline const struct sorter_record *unpack_record(struct unpacker *u, const uint8_t **from)
{
	if (unpack_reserve(u, pack_size(*from)))
		return NULL;
	*from = unpack_words(u, *from);
	return (const void *)u->words;
}

#endif
