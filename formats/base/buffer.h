/*
 * Bytes that grow. A buffer remembers that there was no memory, so that callers check once at the
 * end: later additions are ignored.
 */
#ifndef SWT_FORMATS_BASE_BUFFER_H
#define SWT_FORMATS_BASE_BUFFER_H

#include "array.h"

/* Starts zeroed; p is the owner's to free. */
struct buffer {
	uint8_t *p;
	size_t n, cap;
	bool failed;
};

/* Makes room for so many bytes at p + n; they count once n is raised. False: no memory. */
static inline bool buffer_reserve(struct buffer *b, size_t more)
{
	if (!b->failed && b->cap - b->n < more)
		b->failed =
			more > SIZE_MAX - b->n || !array_reserve(&b->p, &b->cap, b->n + more, 1);
	return !b->failed;
}

static inline void buffer_add(struct buffer *b, const void *p, size_t n)
{
	if (!n || !buffer_reserve(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void buffer_free(struct buffer *b)
{
	free(b->p);
	*b = (struct buffer){0};
}

#endif
