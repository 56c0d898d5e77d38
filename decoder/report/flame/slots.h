/*
 * The index of names and of frames: their numbers in a hash_index, each with a tag from its hash in
 * the bits that the number leaves, so that most mismatches are seen without a cache miss (without
 * tags a picture of a million stacks is 6 % slower). The caller compares the names or frames of the
 * numbers, and adds all of them again when the index must grow.
 */
#ifndef SWT_DECODER_REPORT_FLAME_SLOTS_H
#define SWT_DECODER_REPORT_FLAME_SLOTS_H

#include "../../../formats/base/hash_index.h"

/* The largest number. */
#define FLAME_SLOTS_MOST INT32_MAX

/* Starts zeroed. */
struct flame_slots {
	struct hash_index index;
	uint32_t count;
	uint32_t numbers; /* mask of a slot's bits that hold the number */
};

/*
 * Empties the index and makes room for `count` numbers, none above `most`. 0 or CPIDECODE_ENOMEM,
 * which leaves it without slots.
 */
int flame_slots_renew(struct flame_slots *s, uint64_t count, uint64_t most);
void flame_slots_free(struct flame_slots *s);

/* Whether at least half of the slots stay free with n more numbers, none above `most`. */
static inline bool flame_slots_fit(const struct flame_slots *s, uint32_t n, uint64_t most)
{
	return s->count + (uint64_t)n <= s->index.slots / 2 && most <= s->numbers;
}

/* The slot's number; 0: free. */
static inline uint32_t flame_slots_number(const struct flame_slots *s, uint64_t at)
{
	return *hash_index_at(&s->index, at) & s->numbers;
}

/* The first slot from `at` on whose tag matches, or that is free. */
static inline uint64_t flame_slots_likely(const struct flame_slots *s, uint64_t at, uint64_t hash)
{
	uint32_t rest = (uint32_t)(hash >> 32);

	for (;; at++) {
		uint32_t slot = *hash_index_at(&s->index, at);

		if (!slot || !((slot ^ rest) & ~s->numbers))
			return at;
	}
}

/* Fills a free slot. */
static inline void flame_slots_set(
	struct flame_slots *s, uint64_t at, uint32_t number, uint64_t hash)
{
	*hash_index_at(&s->index, at) = ((uint32_t)(hash >> 32) & ~s->numbers) | number;
	s->count++;
}

/* Adds a number that is not in the index. */
static inline void flame_slots_add(struct flame_slots *s, uint32_t number, uint64_t hash)
{
	uint64_t at = hash;

	while (*hash_index_at(&s->index, at))
		at++;
	flame_slots_set(s, at, number, hash);
}

#endif
