/*
 * An LZ4 block of hook records. LZ4's own compressor tries a match at every few bytes. Records need
 * no search: most bytes of one equal those of the last one of its kind (size, major, minor,
 * number of words and strings). Each record is compared with that one only, 56 bytes at a time,
 * and equal runs become matches. Needs less than half of the time, for blocks that are a few
 * percent larger.
 *
 * Invariants: reads nothing outside the records and writes nothing outside the room, whatever the
 * records' sizes say. The block follows LZ4's rules for its end: the last 5 bytes are literals,
 * and the last match begins 12 bytes before the end or earlier.
 */
#include "pack_records.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if defined(__SSE2__) && !defined(PACK_RECORDS_PORTABLE)
#include <emmintrin.h>
#endif

#include "../../formats/base/hash.h"
#include "../../formats/bytes.h"
#include "../../formats/record.h"

enum {
	WINDOW = 56, /* bytes compared at once: a bit each, and room for 3 bits on both sides */
	LOADED = 64, /* bytes that a comparison reads */
	END_LITERALS = 12,
	KINDS_BITS = 10,
	DISTANCE_MAX = 65535,
	MATCH_MIN = 4,
	NIBBLE_MAX = 15, /* a length that continues in further bytes */
	COPIED_SHORT = 16,
	COPIED = 32,
	ROOM_SPARE = COPIED + 8, /* copies may overrun */
};

/* In one function the block stays in registers: stores of bytes could alias it otherwise. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A block under construction. A match stays open as long as it may grow. */
struct block {
	const uint8_t *from;
	uint8_t *to, *end;
	uint32_t literals;		     /* where those begin that are not written yet */
	uint32_t match, match_end, distance; /* the open match; distance 0: none */
	bool is_full;
};

/* ------------------------------------------------------------------ comparing */

#if defined(__SSE2__) && !defined(PACK_RECORDS_PORTABLE)
static uint64_t compare_16(const uint8_t *a, const uint8_t *b)
{
	__m128i x = _mm_loadu_si128((const void *)a), y = _mm_loadu_si128((const void *)b);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
}

static uint64_t compare_window(const uint8_t *a, const uint8_t *b)
{
	return compare_16(a, b) | compare_16(a + 16, b + 16) << 16 |
	       compare_16(a + 32, b + 32) << 32 | compare_16(a + 48, b + 48) << 48;
}
#else
static uint64_t compare_8(const uint8_t *a, const uint8_t *b)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t x = get_le64(a) ^ get_le64(b);
	uint64_t zeros = ~(((x & low) + low) | x | low); /* bit 7 of each byte that is 0 */

	/* The products of the bits meet nowhere; bits 56 to 63 collect one of each byte. */
	return ((zeros >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

static uint64_t compare_window(const uint8_t *a, const uint8_t *b)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < WINDOW; i += 8)
		equal |= compare_8(a + i, b + i) << i;
	return equal;
}
#endif

/* Keeps the runs of at least MATCH_MIN among the first `size` bits. Bits before the first count as
 * equal if `continues`, and those behind the last always: the next window may continue a run. */
static uint64_t keep_long_runs(uint64_t equal, uint32_t size, bool continues)
{
	uint64_t runs = equal << 3 | (continues ? 7 : 0) | UINT64_C(7) << (size + 3);

	runs &= runs >> 1;
	runs &= runs >> 2;
	runs |= runs << 1;
	runs |= runs << 2;
	return runs >> 3 & ((UINT64_C(1) << size) - 1);
}

/* ------------------------------------------------------------------- writing */

static uint8_t *put_length(uint8_t *to, uint32_t rest)
{
	for (; rest >= 255; rest -= 255)
		*to++ = 255;
	*to++ = (uint8_t)rest;
	return to;
}

static uint8_t *put_literals(uint8_t *to, const uint8_t *from, uint32_t size)
{
	if (size > COPIED)
		memcpy(to, from, size);
	else
		memcpy(to, from, COPIED);
	return to + size;
}

/* Writes the literals so far and the open match; a short one stays literals. */
ALWAYS_INLINE void block_end_match(struct block *b)
{
	uint32_t size = b->match_end - b->match, literals = b->match - b->literals;
	uint32_t more = size - MATCH_MIN, distance = b->distance;
	const uint8_t *from = b->from + b->literals;
	uint8_t *to = b->to, *token = to++;

	b->distance = 0;
	if (distance == 0 || size < MATCH_MIN)
		return;
	if ((size_t)(b->end - b->to) <
		(size_t)literals + literals / 255 + more / 255 + ROOM_SPARE) {
		b->is_full = true;
		return;
	}
	if (literals < NIBBLE_MAX) {
		*token = (uint8_t)(literals << 4);
		memcpy(to, from, COPIED_SHORT);
		to += literals;
	} else {
		*token = NIBBLE_MAX << 4;
		to = put_literals(put_length(to, literals - NIBBLE_MAX), from, literals);
	}
	put_le16(to, (uint16_t)distance);
	to += 2;
	*token |= (uint8_t)(more < NIBBLE_MAX ? more : NIBBLE_MAX);
	b->to = more < NIBBLE_MAX ? to : put_length(to, more - NIBBLE_MAX);
	b->literals = b->match_end;
}

/* Writes the last literals. Returns the block's size, or 0. */
static uint32_t block_end(struct block *b, uint8_t *begin, uint32_t bytes)
{
	block_end_match(b);
	uint32_t literals = bytes - b->literals;

	if (b->is_full || (size_t)(b->end - b->to) < (size_t)literals + literals / 255 + 2)
		return 0;
	if (literals < NIBBLE_MAX) {
		*b->to++ = (uint8_t)(literals << 4);
	} else {
		*b->to++ = NIBBLE_MAX << 4;
		b->to = put_length(b->to, literals - NIBBLE_MAX);
	}
	memcpy(b->to, b->from + b->literals, literals);
	return (uint32_t)(b->to + literals - begin);
}

/* ------------------------------------------------------------------ matching */

/* Whether the open match, which ends where another begins, is short and a part of that one too. */
static bool is_covered(const struct block *b, uint32_t distance)
{
	uint32_t size = b->match_end - b->match, last = b->match_end - 8;

	if (size > 8 || b->match_end < distance + 8)
		return false;
	uint64_t differs = get_le64(b->from + last) ^ get_le64(b->from + last - distance);
	return differs >> (64 - 8 * size) == 0;
}

ALWAYS_INLINE void block_add_match(struct block *b, uint32_t from, uint32_t to, uint32_t distance)
{
	if (b->distance && b->match_end == from && is_covered(b, distance)) {
		b->distance = distance;
		b->match_end = to;
		return;
	}
	block_end_match(b);
	b->match = from;
	b->match_end = to;
	b->distance = distance;
}

/* Matches the bytes [at, end) with those `distance` before. */
ALWAYS_INLINE void block_match_record(
	struct block *b, uint32_t at, uint32_t end, uint32_t distance, uint32_t limit)
{
	for (; at < end && at <= limit && !b->is_full; at += WINDOW) {
		uint32_t size = end - at < WINDOW ? end - at : WINDOW;
		uint64_t mask = (UINT64_C(1) << size) - 1;
		bool continues = b->distance == distance && b->match_end == at;
		uint64_t runs = compare_window(b->from + at, b->from + at - distance) & mask;

		runs = keep_long_runs(runs, size, continues);
		if (continues && (runs & 1)) {
			b->match_end += (uint32_t)__builtin_ctzll(~runs);
			runs &= runs + 1;
		}
		while (runs) {
			uint64_t rest = runs + (runs & -runs); /* carries through the lowest run */

			block_add_match(b, at + (uint32_t)__builtin_ctzll(runs),
				at + (uint32_t)__builtin_ctzll(rest), distance);
			runs &= rest;
		}
	}
}

/* A slot for records of this size, major, minor and counts. */
static uint32_t kind_of(const uint8_t *record, uint32_t size)
{
	uint64_t key = get_le64(record + REC_MAJOR) ^ (uint64_t)size << 24;

	return (uint32_t)(hash_u64(key) >> (32 - KINDS_BITS));
}

uint32_t pack_records_lz4(const uint8_t *records, uint32_t bytes, uint8_t *to, uint32_t room)
{
	struct block b = {.from = records, .to = to, .end = to + room};
	uint32_t last[1 << KINDS_BITS] = {0}; /* by kind: offset + 1 of the last one */
	uint32_t at = 0, before = 0;

	if (bytes > LOADED + END_LITERALS) {
		const uint32_t limit = bytes - LOADED - END_LITERALS;

		while (at <= limit && !b.is_full) {
			uint32_t size = rec_control_size(get_le32(records + at));
			uint32_t *kind = &last[kind_of(records + at, size)];
			/* The first of its kind is compared with the record before it. */
			uint32_t distance = at - (*kind ? *kind - 1 : before);

			if (size < 8)
				break;
			if (distance - 1 < DISTANCE_MAX)
				block_match_record(&b, at, at + size, distance, limit);
			*kind = at + 1;
			before = at;
			at += size;
		}
	}
	return block_end(&b, to, bytes);
}
