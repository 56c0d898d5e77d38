/*
 * Arrays that may become large: they grow without being copied, and untouched parts use no memory.
 */
#ifndef SWT_DECODER_BASE_PAGES_H
#define SWT_DECODER_BASE_PAGES_H

#include <stddef.h>

/* Starts zeroed. */
struct pages {
	void *at;
	size_t bytes;
};

/* Grows to at least that many bytes, which may move; new ones are 0. 0 or CPIDECODE_ENOMEM. */
int pages_grow(struct pages *p, size_t bytes);
void pages_free(struct pages *p);

/* Room for one more of that size after count, by doubling. 0 or CPIDECODE_ENOMEM. */
static inline int pages_room(struct pages *p, size_t count, size_t size)
{
	size_t needed = (count + 1) * size;

	return needed <= p->bytes ? 0
				  : pages_grow(p, 2 * p->bytes > needed ? 2 * p->bytes : needed);
}

#endif
