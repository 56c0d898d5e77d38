#include "sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "heap.h"

struct heap {
	uint8_t *base;
	size_t size;
	int (*compare)(const void *, const void *);
};

static uint8_t *heap_sort_at(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

static bool sorts_after(const void *ctx, const void *a, const void *b)
{
	const struct heap *h = ctx;

	return h->compare(a, b) > 0;
}

static void sort_sift_down(struct heap *h, size_t i, size_t n, const void *e)
{
	heap_sift_down(h->base, n, i, e, h->size, sorts_after, h);
}

static bool sort_is_ordered(const struct heap *h, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (h->compare(heap_sort_at(h, i - 1), heap_sort_at(h, i)) > 0)
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
		memcpy(e, heap_sort_at(&h, i), size);
		sort_sift_down(&h, i, n, e);
	}
	for (size_t left = n - 1; left > 0; left--) {
		memcpy(e, heap_sort_at(&h, left), size);
		memcpy(heap_sort_at(&h, left), base, size);
		sort_sift_down(&h, 0, left, e);
	}
}
