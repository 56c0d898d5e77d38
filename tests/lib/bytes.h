/* A growing run of bytes: a payload or a whole file. Starts zeroed; aborts without memory. */
#ifndef SWT_TESTS_LIB_BYTES_H
#define SWT_TESTS_LIB_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

/* p NULL: zeros. */
static inline void bytes_put(struct bytes *b, const void *p, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = 2 * (b->n + n) + 256;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	if (n && p)
		memcpy(b->p + b->n, p, n);
	else if (n)
		memset(b->p + b->n, 0, n);
	b->n += n;
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
	uint8_t le[4];

	put_le32(le, v);
	bytes_put(b, le, sizeof le);
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
	put_u32(b, (uint32_t)v);
	put_u32(b, (uint32_t)(v >> 32));
}

/* Zeros up to a multiple of a power of 2. */
static inline void bytes_align(struct bytes *b, size_t multiple)
{
	bytes_put(b, NULL, -b->n & (multiple - 1));
}

static inline void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){0};
}

#endif
