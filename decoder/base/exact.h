/*
 * Sums in integers. They come out the same in any order and cut into any parts, which sums
 * of doubles do not. One that grows too large stays at EXACT_MAX: far beyond what any trace
 * of real events can hold, and still the same in any order.
 */
#ifndef SWT_DECODER_BASE_EXACT_H
#define SWT_DECODER_BASE_EXACT_H

#include <math.h>
#include <stdint.h>

typedef unsigned __int128 exact_sum;

#define EXACT_MAX (~(exact_sum)0)

/* Elapsed time in sums: parts of a nanosecond. The rounding of one interval is below 1 ps. */
#define EXACT_PER_NS 1024

static inline void exact_add(exact_sum *to, exact_sum v)
{
	if (__builtin_add_overflow(*to, v, to))
		*to = EXACT_MAX;
}

/* x, not negative, to the nearest integer (halves to even); UINT64_MAX if that is more. */
static inline uint64_t exact_round(double x)
{
	/* Adding 2^52 leaves no room for a fraction: faster than a call. */
	if (x < 0x1p51)
		return x > 0 ? (uint64_t)(x + 0x1p52 - 0x1p52) : 0;
	if (x < 0x1p62)
		return (uint64_t)llrint(x);
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

/* A duration in parts of a nanosecond. */
static inline exact_sum exact_time(double ns)
{
	if (ns < 0x1p52)
		return exact_round(ns * EXACT_PER_NS);
	return ns < 0x1p117 ? (exact_sum)ns * EXACT_PER_NS : EXACT_MAX;
}

/* To the nearest integer, halves to even. by is not 0. */
static inline exact_sum exact_divide(exact_sum sum, exact_sum by)
{
	exact_sum q = sum / by, rest = sum % by;
	if (rest > by - rest || (rest == by - rest && q & 1))
		q++;
	return q;
}

#endif
