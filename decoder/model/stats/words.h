/*
 * Words of which most are zero, in little memory: a bitmap of those that are not zero, then
 * their values. An array of like elements gets more zeros when each word is told as its
 * difference to the same word of the element before. Packed or not, the numbers are the same.
 */
#ifndef SWT_DECODER_MODEL_STATS_WORDS_H
#define SWT_DECODER_MODEL_STATS_WORDS_H

#include <stdint.h>

/* Words that n words take packed: of the bitmap, which is always there, and at most. */
#define WORDS_MAPS(n) (((n) + 63) / 64)
#define WORDS_PACKED(n) (WORDS_MAPS(n) + (n))

/* How many words of packed are used. */
unsigned words_pack(const uint64_t *words, unsigned n, uint64_t *packed);
/* Changes words by exclusive or with what was packed: zeros become it. How many words of packed
 * were read. */
unsigned words_add_packed(uint64_t *words, unsigned n, const uint64_t *packed);

/* Elements of that size: by their differences, and back. */
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
