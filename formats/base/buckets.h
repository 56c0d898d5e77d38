/*
 * Buckets of equal relative width for any 64-bit value: 2^bits for each doubling. The values below
 * 2^bits have one each.
 */
#ifndef SWT_FORMATS_BASE_BUCKETS_H
#define SWT_FORMATS_BASE_BUCKETS_H

#include <stdint.h>

/* How many buckets there are. */
#define BUCKETS_COUNT(bits) ((64 - (bits) + 1) << (bits))

/* The number of a value's bucket. */
static inline uint32_t bucket_of(uint64_t value, unsigned bits)
{
	if (value >> bits == 0)
		return (uint32_t)value;
	const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - bits;

	return (shift << bits) + (uint32_t)(value >> shift);
}

/* A bucket's least value; of the number after the last one, the greatest value there is. */
static inline uint64_t bucket_low(uint32_t bucket, unsigned bits)
{
	const uint32_t block = bucket >> bits;
	const uint64_t in = bucket & ((1u << bits) - 1);

	if (!block)
		return bucket;
	return block + bits > 64 ? UINT64_MAX : ((UINT64_C(1) << bits) + in) << (block - 1);
}

/* Its greatest value. */
static inline uint64_t bucket_high(uint32_t bucket, unsigned bits)
{
	const uint32_t block = bucket >> bits;

	return bucket_low(bucket, bits) + ((UINT64_C(1) << (block ? block - 1 : 0)) - 1);
}

static inline uint64_t bucket_middle(uint32_t bucket, unsigned bits)
{
	const uint64_t low = bucket_low(bucket, bits);

	return low + (bucket_high(bucket, bits) - low) / 2;
}

#endif
