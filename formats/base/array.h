/*
 * The growing array of both halves. Its room doubles, so that n elements cost n copies at most.
 */
#ifndef SWT_FORMATS_BASE_ARRAY_H
#define SWT_FORMATS_BASE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes room for `need` elements of `size` bytes in all. The array pointer is at *array, NULL while
 * *room is 0; the caller frees it. False: no memory, and the array is as before.
 */
static inline bool array_reserve(void *array, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : 16;
	void *p;

	if (need <= *room)
		return true;
	while (more < need && more <= SIZE_MAX / 2)
		more *= 2;
	if (more < need || more > SIZE_MAX / 2 / size)
		return false;
	memcpy(&p, array, sizeof p);
	p = realloc(p, more * size);
	if (!p)
		return false;
	memcpy(array, &p, sizeof p);
	*room = more;
	return true;
}

#endif
