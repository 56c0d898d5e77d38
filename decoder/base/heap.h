/* The binary heap: an array whose element at i comes before those at 2 * i + 1 and 2 * i + 2. */
#ifndef SWT_DECODER_BASE_HEAP_H
#define SWT_DECODER_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef bool heap_before_fn(const void *ctx, const void *a, const void *b);

/*
 * Places `moved` into the subtree below i: the smaller children move up, from i on, whose element
 * is overwritten. `moved` lies outside of the array, which has `count` elements of `size` bytes.
 * Always inline: size and before are then constants of each caller's copy.
 */
static inline __attribute__((always_inline)) void heap_sift_down(void *heap, size_t count, size_t i,
	const void *moved, size_t size, heap_before_fn *before, const void *ctx)
{
	uint8_t *base = heap;

	for (size_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count &&
			before(ctx, base + (child + 1) * size, base + child * size))
			child++;
		if (!before(ctx, base + child * size, moved))
			break;
		memcpy(base + i * size, base + child * size, size);
	}
	memcpy(base + i * size, moved, size);
}

/* Adds `added`, which lies outside of the array, as element `count` of an array with room for it.
 */
static inline __attribute__((always_inline)) void heap_sift_up(void *heap, size_t count,
	const void *added, size_t size, heap_before_fn *before, const void *ctx)
{
	uint8_t *base = heap;
	size_t i = count;

	for (size_t parent; i && before(ctx, added, base + (parent = (i - 1) / 2) * size);
		i = parent)
		memcpy(base + i * size, base + parent * size, size);
	memcpy(base + i * size, added, size);
}

#endif
