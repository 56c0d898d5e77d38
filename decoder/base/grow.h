/*
 * Arrays that double.
 *
 * decoder/base owns containers and spilling, and knows no trace. It includes no other room.
 * Errors: 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_BASE_GROW_H
#define SWT_DECODER_BASE_GROW_H

#include <stdint.h>
#include <stdlib.h>

#include "../../include/cpidecode.h"

/* Room for one more element after count. The array pointer is at *array. */
static inline int grow(void *array, size_t count, size_t *cap, size_t size)
{
	void **p = array;
	if (count < *cap)
		return 0;
	size_t more = *cap ? *cap * 2 : 16;
	if (more > SIZE_MAX / 2 / size)
		return CPIDECODE_ENOMEM;
	void *bigger = realloc(*p, more * size);
	if (!bigger)
		return CPIDECODE_ENOMEM;
	*p = bigger;
	*cap = more;
	return 0;
}

#endif
