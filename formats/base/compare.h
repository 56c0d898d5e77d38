/* The smaller and larger of two numbers, and the parts of comparators: -1, 0 or 1 as a sorts
 * before, with or after b. */
#ifndef SWT_FORMATS_BASE_COMPARE_H
#define SWT_FORMATS_BASE_COMPARE_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static inline int compare_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* By the first keys, and where these are equal by the second ones. */
static inline int compare_u64_pair(uint64_t a, uint64_t b, uint64_t second_a, uint64_t second_b)
{
	return a != b ? compare_u64(a, b) : compare_u64(second_a, second_b);
}

#endif
