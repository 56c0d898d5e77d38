/*
 * Memory in blocks of one size that are given back while others are asked for: what was just in
 * use comes before the system's. And arrays in them, which grow without being moved. For one
 * thread at a time.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_BLOCKS_H
#define SWT_DECODER_MODEL_INTERVALS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../../base/pages.h"

#define BLOCK_BYTES ((size_t)48 << 10)

/* Starts zeroed. */
struct blocks {
	struct blocks_unused {
		struct blocks_unused *next;
	} * unused;
	struct pages *areas; /* of the system's memory */
	size_t nareas, areas_cap;
	bool slow; /* large pages are */
};

/* With whatever is in it; NULL: out of memory. */
void *blocks_get(struct blocks *b);
void blocks_put(struct blocks *b, void *block);
/* Some were in large pages, which were quick to be had. */
bool blocks_large(const struct blocks *b);
/* All of from's become b's. 0 or CPIDECODE_ENOMEM: they are still from's. */
int blocks_join(struct blocks *b, struct blocks *from);
/* All of them, whether they were given back or not. */
void blocks_free(struct blocks *b);

/* Starts zeroed. The size of its elements is the same in all calls. */
struct block_array {
	void **blocks;
	size_t count, cap;
};

static inline void *block_array_at(const struct block_array *a, size_t i, size_t size)
{
	size_t each = BLOCK_BYTES / size;

	return (char *)a->blocks[i / each] + i % each * size;
}

/* Room for element i, once there is for all before it. 0 or CPIDECODE_ENOMEM. */
static inline int block_array_room(
	struct block_array *a, struct blocks *blocks, size_t i, size_t size)
{
	if (i / (BLOCK_BYTES / size) < a->count)
		return 0;
	void *block =
		grow(&a->blocks, a->count, &a->cap, sizeof *a->blocks) ? NULL : blocks_get(blocks);
	if (!block)
		return CPIDECODE_ENOMEM;
	a->blocks[a->count++] = block;
	return 0;
}

/* Its blocks stay what they are. */
void block_array_free(struct block_array *a);

#endif
