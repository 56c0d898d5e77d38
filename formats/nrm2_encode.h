/*
 * Writes NRM2: gathers hooks in a section's data, and writes its header. Shared by all writers of
 * the format. Little-endian; hooks are never split.
 * Uses xxHash.
 */
#ifndef SWT_FORMATS_NRM2_ENCODE_H
#define SWT_FORMATS_NRM2_ENCODE_H

#include <xxhash.h>

#include "nrm2.h"

/* Values common to all sections of a file. */
struct nrm2_file {
	uint32_t mode, cpus, clock;
	uint32_t flags; /* NRM2_X_, without HAS_LOSS */
	uint64_t ticks_per_second;
	uint64_t sync[3]; /* ticks, CLOCK_REALTIME ns, CLOCK_MONOTONIC ns */
	uint8_t trace_id[16];
};

/* A section being built. data has NRM2_SECTION_ROOM bytes, or as many as it needs. */
struct nrm2_section {
	uint8_t *data;
	uint32_t used;
	uint32_t type, cpu, ring;
	/* The thread of the next hooks, as a reader would know it (0: unknown), and their group. */
	uint32_t tid;
	uint64_t group;
	bool grouped;
	uint32_t lost;
	bool full;	      /* the header's flag */
	bool has_loss;	      /* loss is set */
	uint64_t loss[7];     /* in the order of a LOSS entry */
	uint64_t kernel[4];   /* offset and size of the copies of kallsyms and modules */
	uint64_t first, last; /* stamps; 0, 0: no hooks */
};

/* A hook in the form of a record; wide (NRM2_T_INDEX) names integers above 32 bits. */
struct nrm2_hook_data {
	uint8_t major, nstrings;
	uint16_t nwords;
	uint32_t minor;
	uint64_t stamp;
	const uint8_t *words, *strings;
	const uint8_t *wide; /* nwide u32 each, increasing; NULL: none */
	uint32_t nwide;
};

/* Bytes of the hook, 0: the format cannot hold it. */
static inline uint32_t nrm2_hook_bytes(const struct nrm2_hook_data *h)
{
	uint64_t size = NRM2_HK_HEADER_SIZE + 8 * ((uint64_t)h->nwords - h->nwide);
	const uint8_t *s = h->strings;

	if (!h->major)
		return 0;
	if (h->nstrings)
		size += 8;
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length = get_le32(s);

		size += 8 + (((uint64_t)length + 7) & ~UINT64_C(7));
		if (size > NRM2_HK_MAX)
			return 0;
		s += rec_string_bytes(length);
	}
	return size > NRM2_HK_MAX ? 0 : (uint32_t)size;
}

static inline uint8_t *nrm2_put_hook_header(
	uint8_t *to, uint32_t size, unsigned type, uint16_t major, uint32_t minor, uint64_t stamp)
{
	put_le16(to + NRM2_HK_LENGTH, (uint16_t)(size | type));
	put_le16(to + NRM2_HK_MAJOR, major);
	put_le32(to + NRM2_HK_MINOR, minor);
	put_le64(to + NRM2_HK_STAMP, stamp);
	return to + NRM2_HK_DATA;
}

/* size: the result of nrm2_hook_bytes, not 0. */
static inline void nrm2_put_hook(uint8_t *to, const struct nrm2_hook_data *h, uint32_t size)
{
	const uint8_t *s = h->strings;
	uint32_t wide = 0;

	to = nrm2_put_hook_header(to, size, h->nstrings ? NRM2_HK_MIXED : NRM2_HK_INTEGERS,
		h->major, h->minor, h->stamp);
	if (h->nstrings) {
		put_le64(to, h->nwords - h->nwide);
		to += 8;
	}
	for (uint32_t i = 0; i < h->nwords; i++, to += 8) {
		bool pair = wide < h->nwide && get_le32(h->wide + 4 * wide) == i;

		put_le64(to, pair ? get_hl64(h->words + 4 * i) : get_le32(h->words + 4 * i));
		wide += pair;
		i += pair;
	}
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length = get_le32(s), padded = (length + 7u) & ~7u;

		put_le64(to, length);
		memcpy(to + 8, s + 4, length);
		memset(to + 8 + length, 0, padded - length);
		to += 8 + padded;
		s += rec_string_bytes(length);
	}
}

/*
 * The hook that names the thread of the following hooks: mixed, without strings. An integer, if
 * any, is the stamp of their group in an original file, whose hooks have stamps of their own.
 */
enum { NRM2_DISPATCH_BYTES = NRM2_HK_HEADER_SIZE + 16 };

static inline bool nrm2_has_room(const struct nrm2_section *s, uint32_t size)
{
	return !s->used || s->used + size + NRM2_DISPATCH_BYTES <= NRM2_SECTION_BYTES;
}

static inline void nrm2_note_stamp(struct nrm2_section *s, uint64_t stamp)
{
	if (!s->used || stamp < s->first)
		s->first = stamp;
	if (!s->used || stamp > s->last)
		s->last = stamp;
}

/* Adds a hook of thread tid and of size bytes; it must fit. group: its group's stamp or its own. */
static inline void nrm2_add(struct nrm2_section *s, const struct nrm2_hook_data *h, uint32_t size,
	uint32_t tid, uint64_t group)
{
	bool grouped = group != h->stamp;

	nrm2_note_stamp(s, h->stamp);
	if (tid != s->tid || grouped != s->grouped || (grouped && group != s->group)) {
		uint32_t bytes = NRM2_DISPATCH_BYTES - (grouped ? 0 : 8);
		uint8_t *count = nrm2_put_hook_header(
			s->data + s->used, bytes, NRM2_HK_MIXED, NRM2_DISPATCH, tid, h->stamp);

		put_le64(count, grouped);
		if (grouped)
			put_le64(count + 8, group);
		s->used += bytes;
		s->tid = tid;
		s->grouped = grouped;
		s->group = group;
	}
	nrm2_put_hook(s->data + s->used, h, size);
	s->used += size;
}

/* A hook of a table section: 64-bit integers, at most one string. It must fit. */
static inline uint32_t nrm2_table_bytes(unsigned n, const char *string, uint32_t length)
{
	return NRM2_HK_HEADER_SIZE + 8 * n + (string ? 16 + ((length + 7u) & ~7u) : 0);
}

static inline void nrm2_add_table(struct nrm2_section *s, uint16_t major, uint32_t minor,
	uint64_t stamp, const uint64_t *integers, unsigned n, const char *string, uint32_t length)
{
	uint32_t size = nrm2_table_bytes(n, string, length);
	uint8_t *to = s->data + s->used;

	nrm2_note_stamp(s, stamp);
	memset(to, 0, size);
	to = nrm2_put_hook_header(
		to, size, string ? NRM2_HK_MIXED : NRM2_HK_INTEGERS, major, minor, stamp);
	if (string) {
		put_le64(to, n);
		to += 8;
	}
	for (unsigned i = 0; i < n; i++, to += 8)
		put_le64(to, integers[i]);
	if (string) {
		put_le64(to, length);
		memcpy(to + 8, string, length);
	}
	s->used += size;
}

/* The header of a section whose data is complete. */
static inline void nrm2_put_header(
	uint8_t header[NRM2_HEADER_SIZE], const struct nrm2_file *f, const struct nrm2_section *s)
{
	memset(header, 0, NRM2_HEADER_SIZE);
	memcpy(header + NRM2_H_MAGIC, NRM2_MAGIC, 4);
	memcpy(header + NRM2_H_MARK, NRM2_MARK_LITTLE, 4);
	header[NRM2_H_NEWLINE] = '\n';
	put_le32(header + NRM2_H_HEADER_SIZE, NRM2_HEADER_SIZE);
	put_le32(header + NRM2_H_DATA_SIZE, s->used);
	put_le32(header + NRM2_H_CPU, s->cpu);
	put_le32(header + NRM2_H_MODE, f->mode);
	put_le64(header + NRM2_H_START, s->first);
	put_le64(header + NRM2_H_STOP, s->last);
	put_le32(header + NRM2_H_FLAG, s->full ? NRM2_FLAG_FULL : 0);
	put_le32(header + NRM2_H_CPUS, f->cpus);
	put_le32(header + NRM2_H_UNPACKED_SIZE, s->used);
	put_le32(header + NRM2_H_WORD_SIZE, NRM2_WORD_64);
	for (int i = 0; i < 4; i++)
		put_le64(header + NRM2_H_KALLSYMS + 8 * i, s->kernel[i]);
	put_le32(header + NRM2_H_LOST, s->lost);
	put_le32(header + NRM2_H_TYPE, s->type);
	memcpy(header + NRM2_H_OS, NRM2_OS_LINUX, sizeof NRM2_OS_LINUX);
	memcpy(header + NRM2_X_MAGIC, NRM2_EXTENSION, 8);
	put_le32(header + NRM2_X_RING, s->ring);
	put_le32(header + NRM2_X_FLAGS, f->flags | (s->has_loss ? NRM2_X_HAS_LOSS : 0));
	put_le32(header + NRM2_X_CLOCK, f->clock);
	put_le64(header + NRM2_X_TICKS_PER_SECOND, f->ticks_per_second);
	for (int i = 0; i < 3; i++)
		put_le64(header + NRM2_X_SYNC + 8 * i, f->sync[i]);
	memcpy(header + NRM2_X_TRACE_ID, f->trace_id, 16);
	for (int i = 0; i < 7; i++)
		put_le64(header + NRM2_X_LOSS + 8 * i, s->loss[i]);
	put_le64(header + NRM2_X_DATA_CHECKSUM,
		XXH3_64bits(s->used ? (const void *)s->data : "", s->used));
	put_le64(header + NRM2_X_CHECKSUM, XXH3_64bits(header, NRM2_X_CHECKSUM));
}

/* Empties the section for its next hooks. */
static inline void nrm2_section_emptied(struct nrm2_section *s)
{
	s->used = s->tid = s->lost = 0;
	s->first = s->last = 0;
	s->full = s->has_loss = s->grouped = false;
	memset(s->loss, 0, sizeof s->loss);
}

#endif
