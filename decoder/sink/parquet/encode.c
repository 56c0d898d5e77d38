#include "encode.h"

#include "../../../formats/bytes.h"

/* Packs numbers of `width` bits, the lowest bits first, 64 bits at a time. */
struct packer {
	char *p;
	uint64_t bits;
	unsigned have, width; /* have: below 64; width: 1 to 64 */
};

static inline void parquet_pack(struct packer *to, uint64_t v)
{
	to->bits |= v << to->have;
	to->have += to->width;
	if (to->have < 64)
		return;
	put_le64(to->p, to->bits);
	to->p += 8;
	to->have -= 64;
	to->bits = to->have ? v >> (to->width - to->have) : 0;
}

/* Writes the rest, a multiple of 8 bits. */
static void parquet_pack_end(struct packer *to, struct out *o)
{
	for (; to->have; to->have -= 8, to->bits >>= 8)
		*to->p++ = (char)to->bits;
	out_reach(o, to->p);
}

/* Packs n numbers; n is a multiple of 8. */
static void parquet_put_packed(struct out *o, const uint32_t *values, size_t n, unsigned width)
{
	out_varint(o, (uint64_t)(n / 8) << 1 | 1);
	struct packer to = {.p = out_reserve(o, n / 8 * width), .width = width};
	if (!to.p)
		return;
	for (size_t i = 0; i < n; i++)
		parquet_pack(&to, values[i]);
	parquet_pack_end(&to, o);
}

void parquet_put_run(struct out *o, uint32_t value, size_t n, unsigned width)
{
	out_varint(o, (uint64_t)n << 1);
	for (unsigned k = 0; k < width; k += 8)
		out_char(o, (char)(value >> k));
}

void parquet_put_indices(struct out *o, uint32_t *values, size_t n, unsigned width)
{
	size_t done = 0;

	for (size_t i = 0; i < n;) {
		size_t run = 1;

		while (i + run < n && values[i + run] == values[i])
			run++;
		/* Packed values before a run come in groups of eight. */
		size_t odd = (i - done) % 8 ? 8 - (i - done) % 8 : 0;
		if (run < odd + 8) {
			i += run;
			continue;
		}
		i += odd;
		run -= odd;
		if (i > done)
			parquet_put_packed(o, values + done, i - done, width);
		parquet_put_run(o, values[i], run, width);
		done = i += run;
	}
	if (done == n)
		return;
	/* Fills the last group of eight with zeros, for which the array has room. */
	while ((n - done) % 8)
		values[n++] = 0;
	parquet_put_packed(o, values + done, n - done, width);
}

enum { DELTA_BLOCK = 128, DELTA_PARTS = 4, DELTA_PART = DELTA_BLOCK / DELTA_PARTS };

static void parquet_zigzag(struct out *o, uint64_t v)
{
	out_varint(o, v << 1 ^ ((int64_t)v < 0 ? UINT64_MAX : 0));
}

static void parquet_put_part(struct out *o, const uint64_t *values, unsigned width)
{
	struct packer to = {.p = out_reserve(o, DELTA_PART / 8 * width), .width = width};

	if (!to.p || !width)
		return;
	for (unsigned i = 0; i < DELTA_PART; i++)
		parquet_pack(&to, values[i]);
	parquet_pack_end(&to, o);
}

/* Up to a block of differences. */
static void parquet_put_block(struct out *o, uint64_t *deltas, size_t n)
{
	uint64_t least = deltas[0];
	uint8_t widths[DELTA_PARTS];

	for (size_t i = 1; i < n; i++)
		if ((int64_t)deltas[i] < (int64_t)least)
			least = deltas[i];
	for (size_t i = 0; i < n; i++)
		deltas[i] -= least;
	memset(deltas + n, 0, (DELTA_BLOCK - n) * sizeof *deltas);
	for (size_t part = 0; part < DELTA_PARTS; part++) {
		uint64_t bits = 0;

		for (size_t i = 0; i < DELTA_PART; i++)
			bits |= deltas[part * DELTA_PART + i];
		widths[part] = bits ? (uint8_t)(64 - __builtin_clzll(bits)) : 0;
	}
	parquet_zigzag(o, least);
	out_bytes(o, widths, sizeof widths);
	for (size_t i = 0; i < n; i += DELTA_PART)
		parquet_put_part(o, deltas + i, widths[i / DELTA_PART]);
}

void parquet_put_deltas(struct out *o, const uint64_t *values, size_t count)
{
	uint64_t deltas[DELTA_BLOCK];

	out_varint(o, DELTA_BLOCK);
	out_varint(o, DELTA_PARTS);
	out_varint(o, count);
	parquet_zigzag(o, count ? values[0] : 0);
	for (size_t i = 1; i < count;) {
		size_t n = 0;

		for (; n < DELTA_BLOCK && i < count; i++)
			deltas[n++] = values[i] - values[i - 1];
		parquet_put_block(o, deltas, n);
	}
}
