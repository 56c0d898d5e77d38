#include "sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct heap {
	uint8_t *base;
	size_t size;
	int (*compare)(const void *, const void *);
};

static uint8_t *at(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

/* Puts e where it belongs in the heap of n elements below i, whose own place is free. */
static void sift(const struct heap *h, size_t i, size_t n, const void *e)
{
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= n)
			break;
		if (child + 1 < n && h->compare(at(h, child), at(h, child + 1)) < 0)
			child++;
		if (h->compare(e, at(h, child)) >= 0)
			break;
		memcpy(at(h, i), at(h, child), h->size);
		i = child;
	}
	memcpy(at(h, i), e, h->size);
}

static bool sort_is_ordered(const struct heap *h, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (h->compare(at(h, i - 1), at(h, i)) > 0)
			return false;
	return true;
}

void sort_in_place(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct heap h = {.base = base, .size = size, .compare = compare};
	uint8_t e[SORT_MAX_SIZE];
	if (sort_is_ordered(&h, n))
		return;
	for (size_t i = n / 2; i-- > 0;) {
		memcpy(e, at(&h, i), size);
		sift(&h, i, n, e);
	}
	for (size_t left = n - 1; left > 0; left--) {
		memcpy(e, at(&h, left), size);
		memcpy(at(&h, left), base, size);
		sift(&h, 0, left, e);
	}
}
