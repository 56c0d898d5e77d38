/*
 * The hash table of both halves: an index of an array's elements by open addressing. A slot holds
 * an element's index + 1, or 0 while it is free. At least half of the slots stay free, so that
 * every search ends. Not for several threads at once.
 */
#ifndef SWT_FORMATS_BASE_HASH_INDEX_H
#define SWT_FORMATS_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Starts zeroed. */
struct hash_index {
	uint32_t *slot;
	size_t slots; /* a power of two, or 0 */
};

/*
 * Frees every slot, and makes room for that many elements. False: no memory for more slots than
 * there are, and nothing has changed.
 */
static inline bool hash_index_reset(struct hash_index *x, size_t elements)
{
	size_t slots = x->slots ? x->slots : 32;
	uint32_t *more;

	while (slots < 2 * elements)
		slots *= 2;
	if (slots == x->slots) {
		memset(x->slot, 0, slots * sizeof *x->slot);
		return true;
	}
	more = calloc(slots, sizeof *more);
	if (!more)
		return false;
	free(x->slot);
	*x = (struct hash_index){.slot = more, .slots = slots};
	return true;
}

/*
 * Makes room for that many elements. *from: the first one to add, which is the last one, or 0 where
 * that freed every slot: add them at once. False: as hash_index_reset.
 */
static inline bool hash_index_grow(struct hash_index *x, size_t elements, size_t *from)
{
	const bool fits = 2 * elements <= x->slots;

	*from = fits ? elements - 1 : 0;
	return fits || hash_index_reset(x, 2 * elements);
}

/* The slot of a hash; a search goes on at hash + 1, hash + 2, ... up to the first free one. */
static inline uint32_t *hash_index_at(const struct hash_index *x, uint64_t hash)
{
	return &x->slot[hash & (x->slots - 1)];
}

/* Continues that search: returns the number + 1 of the next element that may have the hash, and
 * advances the hash; 0 at the end. */
static inline uint32_t hash_index_next(const struct hash_index *x, uint64_t *hash)
{
	return x->slots ? *hash_index_at(x, (*hash)++) : 0;
}

/* There must be room for the element. */
static inline void hash_index_add(struct hash_index *x, uint64_t hash, uint32_t element)
{
	while (*hash_index_at(x, hash))
		hash++;
	*hash_index_at(x, hash) = element + 1;
}

static inline void hash_index_free(struct hash_index *x)
{
	free(x->slot);
	*x = (struct hash_index){0};
}

#endif
