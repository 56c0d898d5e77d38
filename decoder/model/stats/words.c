#include "words.h"

/* A bit for each non-zero word, without a branch: it would be mispredicted. */
static uint64_t map_of(const uint64_t *words, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits |= (uint64_t)(words[i] != 0) << i;
	return bits;
}

unsigned words_pack(const uint64_t *words, unsigned n, uint64_t *packed)
{
	unsigned used = WORDS_MAPS(n);

	for (unsigned from = 0; from < n; from += 64) {
		uint64_t left = map_of(words + from, n - from < 64 ? n - from : 64);

		packed[from / 64] = left;
		for (; left; left &= left - 1)
			packed[used++] = words[from + (unsigned)__builtin_ctzll(left)];
	}
	return used;
}

unsigned words_add_packed(uint64_t *words, unsigned n, const uint64_t *packed)
{
	unsigned used = WORDS_MAPS(n);

	for (unsigned map = 0; map < WORDS_MAPS(n); map++)
		for (uint64_t left = packed[map]; left; left &= left - 1)
			words[64 * map + (unsigned)__builtin_ctzll(left)] ^= packed[used++];
	return used;
}
