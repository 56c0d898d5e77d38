/*
 * Arrays that double, with the decoder's error code.
 *
 * decoder/base owns containers and spilling, and knows no trace. It includes no other room. Errors:
 * 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_BASE_GROW_H
#define SWT_DECODER_BASE_GROW_H

#include "../../formats/base/array.h"
#include "../../include/cpidecode.h"

/* Room for one more element after count. The array pointer is at *array. */
static inline int array_grow(void *array, size_t count, size_t *cap, size_t size)
{
	return array_reserve(array, cap, count + 1, size) ? 0 : CPIDECODE_ENOMEM;
}

#endif
