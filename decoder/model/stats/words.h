/*
 * Packs mostly zero words: a bitmap of the non-zero ones, then their values. An array of similar
 * elements gets more zeros by storing each word as the difference to the same word of the
 * previous element. Packing is lossless.
 */
#ifndef SWT_DECODER_MODEL_STATS_WORDS_H
#define SWT_DECODER_MODEL_STATS_WORDS_H

#include <stdint.h>

/* The packed size of n words: of the bitmap alone, and at most. */
#define WORDS_MAPS(n) (((n) + 63) / 64)
#define WORDS_PACKED(n) (WORDS_MAPS(n) + (n))

/* Packs; returns the words of packed used. */
unsigned words_pack(const uint64_t *words, unsigned n, uint64_t *packed);
/* XORs the unpacked values into words, so zeros become the values. Returns the words of packed
 * read. */
unsigned words_add_packed(uint64_t *words, unsigned n, const uint64_t *packed);

/* Converts elements of that size to differences, and back. */
static inline void words_to_differences(uint64_t *words, unsigned n, unsigned size)
{
	for (unsigned i = n; i-- > size;)
		words[i] ^= words[i - size];
}

static inline void words_from_differences(uint64_t *words, unsigned n, unsigned size)
{
	for (unsigned i = size; i < n; i++)
		words[i] ^= words[i - size];
}

#endif
