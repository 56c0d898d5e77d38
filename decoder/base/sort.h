/* Sorting where the elements are: the C library's may take as much memory again. */
#ifndef SWT_DECODER_BASE_SORT_H
#define SWT_DECODER_BASE_SORT_H

#include <stddef.h>

enum { SORT_MAX_SIZE = 256 };

/* Elements of at most SORT_MAX_SIZE bytes. Not stable: equal ones come in any order. */
void sort_in_place(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
