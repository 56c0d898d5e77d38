/*
 * Integer sums: the result does not depend on the order or on how the terms are split, unlike
 * sums of doubles. A sum saturates at EXACT_MAX, far beyond any trace of real events, so that it
 * stays independent of the order.
 */
#ifndef SWT_DECODER_BASE_EXACT_H
#define SWT_DECODER_BASE_EXACT_H

#include <math.h>
#include <stdint.h>

typedef unsigned __int128 exact_sum;

#define EXACT_MAX (~(exact_sum)0)

/* The unit of elapsed time in sums: a fraction of a nanosecond. One interval is rounded by less
 * than 1 ps. */
#define EXACT_PER_NS 1024

static inline void exact_add(exact_sum *to, exact_sum v)
{
	if (__builtin_add_overflow(*to, v, to))
		*to = EXACT_MAX;
}

/* Rounds x >= 0 to the nearest integer (halves to even); saturates at UINT64_MAX. */
static inline uint64_t exact_round(double x)
{
	/* Adding 2^52 rounds the fraction away: faster than a call. */
	if (x < 0x1p51)
		return x > 0 ? (uint64_t)(x + 0x1p52 - 0x1p52) : 0;
	if (x < 0x1p62)
		return (uint64_t)llrint(x);
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

/* Converts a duration in nanoseconds to the unit of sums. */
static inline exact_sum exact_time(double ns)
{
	if (ns < 0x1p52)
		return exact_round(ns * EXACT_PER_NS);
	return ns < 0x1p117 ? (exact_sum)ns * EXACT_PER_NS : EXACT_MAX;
}

/* Divides, rounding to the nearest integer (halves to even); by != 0. */
static inline exact_sum exact_divide(exact_sum sum, exact_sum by)
{
	exact_sum q = sum / by, rest = sum % by;

	if (rest > by - rest || (rest == by - rest && q & 1))
		q++;
	return q;
}

#endif
