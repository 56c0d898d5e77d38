/* In-place sorting: the C library's qsort may allocate as much memory again. */
#ifndef SWT_DECODER_BASE_SORT_H
#define SWT_DECODER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { SORT_MAX_SIZE = 256 };

/* Sorts elements of at most SORT_MAX_SIZE bytes. Not stable. */
void sort_in_place(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
