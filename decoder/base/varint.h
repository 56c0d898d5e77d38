/*
 * Sequences of numbers and byte strings, as in formats/partial.md. A buffer remembers an
 * allocation failure, a reader malformed bytes, so that callers check once at the end.
 */
#ifndef SWT_DECODER_BASE_VARINT_H
#define SWT_DECODER_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../formats/base/buffer.h"
#include "../../formats/bytes.h"
#include "exact.h"

enum { VARINT_U64_MAX = 10 }; /* bytes */

/* Seven bits a byte, the lowest first. Returns where it ends. */
static inline void *varint_store(void *to, uint64_t v)
{
	uint8_t *p = to;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static inline void varint_put(struct buffer *o, exact_sum v)
{
	enum { MOST = (sizeof v * 8 + 6) / 7 };

	if (!buffer_reserve(o, MOST))
		return;
	uint8_t *p = o->p + o->n;
	/* Fast path: most numbers fit into one word, which needs fewer instructions to shift. */
	if (v <= UINT64_MAX) {
		p = varint_store(p, (uint64_t)v);
	} else {
		for (; v >= 0x80; v >>= 7)
			*p++ = (uint8_t)(v | 0x80);
		*p++ = (uint8_t)v;
	}
	o->n = (size_t)(p - o->p);
}

static inline void varint_put_signed(struct buffer *o, int64_t v)
{
	varint_put(o, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static inline void varint_put_string(struct buffer *o, const void *p, size_t n)
{
	varint_put(o, n);
	buffer_add(o, p, n);
}

/* Never reads beyond end. */
struct varint_in {
	const uint8_t *p, *end;
	const char *why; /* NULL: no error. After an error every read returns 0. */
};

static inline void varint_fail(struct varint_in *in, const char *why)
{
	if (!in->why)
		in->why = why;
	in->p = in->end;
}

/* The low seven bits of each byte, joined. */
static inline uint64_t varint_join(uint64_t bytes)
{
	bytes = (bytes & 0x007F007F007F007F) | (bytes & 0x7F007F007F007F00) >> 1;
	bytes = (bytes & 0x00003FFF00003FFF) | (bytes & 0x3FFF00003FFF0000) >> 2;
	return (bytes & 0x000000000FFFFFFF) | (bytes & 0x0FFFFFFF00000000) >> 4;
}

static inline exact_sum varint_get(struct varint_in *in)
{
	exact_sum v = 0;

	/* Most numbers of a partial result are 0 or small. */
	if (in->p < in->end && *in->p < 0x80)
		return *in->p++;
	/* Read up to eight bytes at once; only times have nine. */
	if (in->end - in->p >= 8) {
		const uint64_t bytes = get_le64(in->p);
		const uint64_t ends = ~bytes & UINT64_C(0x8080808080808080);
		const unsigned bits = ends ? (unsigned)__builtin_ctzll(ends) + 1 : 0;

		/* A last byte of 0 is an error. */
		if (bits && bytes >> (bits - 8) & 0xFF) {
			in->p += bits / 8;
			return varint_join(bytes & UINT64_MAX >> (64 - bits));
		}
		if (!bits && in->end - in->p > 8 && in->p[8] && in->p[8] < 0x80) {
			in->p += 9;
			return varint_join(bytes) | (uint64_t)in->p[-1] << 56;
		}
	}
	for (unsigned shift = 0; in->p < in->end; shift += 7) {
		uint8_t byte = *in->p++;

		if ((shift == 126 && byte > 3) || (shift && !byte)) {
			varint_fail(in, "a number is too large or not in its shortest form");
			return 0;
		}
		v |= (exact_sum)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			return v;
	}
	varint_fail(in, "it ends too soon");
	return 0;
}

/* Skips that many numbers, whatever they are: the last byte of each is below 0x80. */
static inline void varint_skip(struct varint_in *in, uint64_t count)
{
	while (count && in->end - in->p >= 8) {
		uint64_t ends = ~get_le64(in->p) & UINT64_C(0x8080808080808080);
		const uint64_t n = (ends >> 7) * UINT64_C(0x0101010101010101) >> 56;

		if (n >= count) {
			while (--count)
				ends &= ends - 1;
			in->p += __builtin_ctzll(ends) / 8 + 1;
			return;
		}
		count -= n;
		in->p += 8;
	}
	for (; count && in->p < in->end; in->p++)
		count -= *in->p < 0x80;
	if (count)
		varint_fail(in, "it ends too soon");
}

/* Reads a number of at most `most`. */
static inline uint64_t varint_get_max(struct varint_in *in, uint64_t most)
{
	if (in->p < in->end && *in->p < 0x80 && *in->p <= most)
		return *in->p++;
	exact_sum v = varint_get(in);

	if (v <= most)
		return (uint64_t)v;
	varint_fail(in, "a number is larger than it can be");
	return 0;
}

static inline int64_t varint_get_signed(struct varint_in *in)
{
	uint64_t v = varint_get_max(in, UINT64_MAX);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* Returns n bytes in place; NULL if fewer are left. */
static inline const uint8_t *varint_get_raw(struct varint_in *in, uint64_t n)
{
	const uint8_t *p = in->p;

	if (n > (uint64_t)(in->end - in->p)) {
		varint_fail(in, "it ends too soon");
		return NULL;
	}
	in->p += n;
	return p;
}

static inline const uint8_t *varint_get_string(struct varint_in *in, uint32_t *n)
{
	*n = (uint32_t)varint_get_max(in, UINT32_MAX);
	const uint8_t *p = varint_get_raw(in, *n);
	if (!p)
		*n = 0;
	return p;
}

#endif
