/*
 * An interval as a flame graph's log has it: read from its end, it says how it was written,
 * its name, its owner, ticks, and what words there are. Numbers take as few bytes as they need.
 */
#ifndef SWT_DECODER_REPORT_FLAME_RECORD_H
#define SWT_DECODER_REPORT_FLAME_RECORD_H

#include <string.h>

#include "measures.h"

struct flame_record {
	uint64_t elapsed, weight;
	uint64_t after;		/* it ended so long after the one before it in its segment */
	uint32_t name, owner;	/* its writer's; owner: below 2^16 */
	struct flame_part part; /* in pictures only; what of it is time is not written */
};

enum {
	FLAME_MAX_RECORD = 64, /* with what is written, or read, behind it for a moment */
	/* Its name comes later: where it is, from the record's end, in 4 bytes. */
	FLAME_NO_NAME = UINT32_MAX,
	FLAME_NAME_FROM_END = 6,
};

/* Its last two bytes. */
enum flame_shape {
	FLAME_AFTER = 0, /* two bits: how many bytes after has, and elapsed */
	FLAME_ELAPSED = 2,
	FLAME_LONG_NAME_BIT = 1 << 4,  /* 4 bytes, not 2 */
	FLAME_LONG_OWNER_BIT = 1 << 5, /* 2, not 1 */
	FLAME_HAS_WEIGHT = 1 << 6,     /* words: */
	FLAME_HAS_COUNTS = 1 << 7,
	FLAME_HAS_VALUE = 1 << 8,
	FLAME_KIND = 9,
};

static inline unsigned flame_code_bytes(unsigned code)
{
	static const uint8_t bytes[] = {2, 3, 4, 8};

	return bytes[code & 3];
}

static inline uint8_t *flame_put_word(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

/* What stands behind its bytes is written over by what comes next. */
static inline uint8_t *flame_put_ticks(uint8_t *p, uint64_t ticks, unsigned shift, uint32_t *shape)
{
	static const uint8_t code_of[] = {[3] = 1, [4] = 2, [5] = 3, 3, 3, 3}; /* by their bytes */
	unsigned code = code_of[(71 - (unsigned)__builtin_clzll(ticks | 1)) / 8];

	*shape |= code << shift;
	memcpy(p, &ticks, sizeof ticks);
	return p + flame_code_bytes(code);
}

static inline uint8_t *flame_put_number(
	uint8_t *p, uint32_t number, unsigned few, uint32_t bit, uint32_t *shape)
{
	memcpy(p, &number, sizeof number);
	if (number >> 8 * few == 0)
		return p + few;
	*shape |= bit;
	return p + 2 * few;
}

/* Returns its end. */
static inline uint8_t *flame_record_put(uint8_t *p, const struct flame_record *r)
{
	uint32_t shape = (uint32_t)r->part.kind << FLAME_KIND;

	if (r->weight != r->elapsed) {
		shape |= FLAME_HAS_WEIGHT;
		p = flame_put_word(p, r->weight);
	}
	if (r->part.kind != FLAME_CPI_NONE) {
		if (r->part.above != NOT_MEASURED || r->part.below != NOT_MEASURED) {
			shape |= FLAME_HAS_COUNTS;
			p = flame_put_word(flame_put_word(p, r->part.above), r->part.below);
		}
		if (!isnan(r->part.value)) {
			shape |= FLAME_HAS_VALUE;
			memcpy(p, &r->part.value, sizeof r->part.value);
			p += sizeof r->part.value;
		}
	}
	p = flame_put_ticks(p, r->after, FLAME_AFTER, &shape);
	p = flame_put_ticks(p, r->elapsed, FLAME_ELAPSED, &shape);
	p = flame_put_number(p, r->owner, 1, FLAME_LONG_OWNER_BIT, &shape);
	p = flame_put_number(p, r->name, 2, FLAME_LONG_NAME_BIT, &shape);
	uint16_t last = (uint16_t)shape;
	memcpy(p, &last, sizeof last);
	return p + sizeof last;
}

static inline uint64_t flame_word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The record that stands before p; returns where it begins. */
static inline const uint8_t *flame_record_back(const uint8_t *p, struct flame_record *r)
{
	static const uint64_t mask[] = {0xFFFF, 0xFFFFFF, 0xFFFFFFFF, UINT64_MAX};

/* The bytes of all numbers, and of the words. */
#define FLAME_AFTERS(n) n + 2, n + 3, n + 4, n + 8
#define FLAME_TICKS(n)                                                                             \
	FLAME_AFTERS(n + 2), FLAME_AFTERS(n + 3), FLAME_AFTERS(n + 4), FLAME_AFTERS(n + 8)
	static const uint8_t number_bytes[] = {
		FLAME_TICKS(1 + 2), FLAME_TICKS(1 + 4), FLAME_TICKS(2 + 2), FLAME_TICKS(2 + 4)};
	static const uint8_t word_bytes[] = {0, 8, 16, 24, 8, 16, 24, 32};
#undef FLAME_AFTERS
#undef FLAME_TICKS
	uint16_t shape;
	p -= sizeof shape;
	memcpy(&shape, p, sizeof shape);
	const uint8_t *numbers = p - number_bytes[shape % FLAME_HAS_WEIGHT];
	const uint8_t *begin = numbers - word_bytes[shape / FLAME_HAS_WEIGHT % 8], *words = begin;
	unsigned after = shape >> FLAME_AFTER & 3, elapsed = shape >> FLAME_ELAPSED & 3;
	r->after = flame_word_at(numbers) & mask[after];
	numbers += flame_code_bytes(after);
	r->elapsed = r->weight = r->part.elapsed = flame_word_at(numbers) & mask[elapsed];
	numbers += flame_code_bytes(elapsed);
	uint64_t rest = flame_word_at(numbers);
	r->owner = shape & FLAME_LONG_OWNER_BIT ? (uint16_t)rest : (uint8_t)rest;
	rest >>= shape & FLAME_LONG_OWNER_BIT ? 16 : 8;
	r->name = shape & FLAME_LONG_NAME_BIT ? (uint32_t)rest : (uint16_t)rest;
	r->part.kind = shape >> FLAME_KIND & 3;
	r->part.above = r->part.below = NOT_MEASURED;
	r->part.value = NAN;
	if (shape & FLAME_HAS_WEIGHT) {
		r->weight = flame_word_at(words);
		words += sizeof(uint64_t);
	}
	if (shape & FLAME_HAS_COUNTS) {
		r->part.above = flame_word_at(words);
		r->part.below = flame_word_at(words + sizeof(uint64_t));
		words += 2 * sizeof(uint64_t);
	}
	if (shape & FLAME_HAS_VALUE)
		memcpy(&r->part.value, words, sizeof r->part.value);
	return begin;
}

#endif
