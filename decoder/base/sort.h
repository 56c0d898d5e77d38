/* In-place sorting: the C library's qsort may take as much memory again. */
#ifndef SWT_DECODER_BASE_SORT_H
#define SWT_DECODER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { SORT_MAX_SIZE = 256 };

/* Sorts elements of at most SORT_MAX_SIZE bytes. Not stable. */
void sort_in_place(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));

/* How many of n elements are below key, in an array that is sorted by the number at that offset. */
static inline size_t sort_count_below(
	const void *array, size_t n, size_t size, size_t offset, uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const void *at = (const char *)array + middle * size + offset;

		if (*(const uint64_t *)at < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* -1, 0 or 1: a sorts before, equal to or after b. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

#endif
