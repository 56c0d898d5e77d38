/* The growing array of both halves: array_reserve, or array_resize where doubling wastes memory. */
#ifndef SWT_FORMATS_BASE_ARRAY_H
#define SWT_FORMATS_BASE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sets the room to that many elements, for a caller with a rule of growth of its own. The array
 * pointer is at *array; NULL is an empty array. False: no memory, and the array is as before.
 */
static inline bool array_resize(void *array, size_t room, size_t size)
{
	void *p;

	if (room > SIZE_MAX / 2 / size)
		return false;
	memcpy(&p, array, sizeof p);
	p = realloc(p, room * size);
	if (!p)
		return false;
	memcpy(array, &p, sizeof p);
	return true;
}

/* Doubles a room, which is not 0, until it has `need` elements; less if that cannot be. */
static inline size_t array_double_room(size_t room, size_t need)
{
	while (room < need && room <= SIZE_MAX / 2)
		room *= 2;
	return room;
}

/*
 * Makes room for `need` elements of `size` bytes in all. The array pointer is at *array, NULL while
 * *room is 0; the caller frees it. False: no memory, and the array is as before. The room doubles,
 * so that n elements cost n copies at most.
 */
static inline bool array_reserve(void *array, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return true;
	const size_t more = array_double_room(*room ? *room : 16, need);
	if (more < need || !array_resize(array, more, size))
		return false;
	*room = more;
	return true;
}

#endif
