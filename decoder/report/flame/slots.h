/*
 * An open hash of numbers, of names or of frames, in little room: beside a number, a slot has
 * as many bits of its hash as are left. Whoever asks compares what a number stands for, and
 * puts all of them again when more room is needed.
 */
#ifndef SWT_DECODER_REPORT_FLAME_SLOTS_H
#define SWT_DECODER_REPORT_FLAME_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/pages.h"

/* No number is above it. */
#define FLAME_SLOTS_MOST INT32_MAX

/* Starts zeroed. */
struct flame_slots {
	struct pages at; /* uint32_t; 0: free */
	uint32_t mask, count;
	uint32_t numbers; /* the bits of a slot that are its number */
};

/*
 * Empties it, with room for that many, none above most. 0 or
 * CPIDECODE_ENOMEM, which may leave it empty and without room.
 */
int flame_slots_renew(struct flame_slots *s, uint64_t count, uint64_t most);
void flame_slots_free(struct flame_slots *s);
/* Random bits for hashes, so that nobody can write a trace in which they collide. */
uint64_t flame_slots_seed(void);

/* Are half of the slots free even with n more, and their numbers, none above most, not too large?
 */
static inline bool flame_slots_fit(const struct flame_slots *s, uint32_t n, uint64_t most)
{
	return s->count + (uint64_t)n <= s->mask / 2 && most <= s->numbers;
}

/* Where what has that hash may stand; if it does not, in the next ones up to a free one. */
static inline uint32_t *flame_slots_at(const struct flame_slots *s, uint64_t at)
{
	return (uint32_t *)s->at.at + (at & s->mask);
}

/* The number that is in a slot; 0: free. */
static inline uint32_t flame_slots_number(const struct flame_slots *s, uint64_t at)
{
	return *flame_slots_at(s, at) & s->numbers;
}

/* Where the first that may be it stands, from there on; else the free one. */
static inline uint64_t flame_slots_likely(const struct flame_slots *s, uint64_t at, uint64_t hash)
{
	uint32_t rest = (uint32_t)(hash >> 32);

	for (;; at++) {
		uint32_t slot = *flame_slots_at(s, at);

		if (!slot || !((slot ^ rest) & ~s->numbers))
			return at;
	}
}

/* Into the free one at that place. */
static inline void flame_slots_set(
	struct flame_slots *s, uint64_t at, uint32_t number, uint64_t hash)
{
	*flame_slots_at(s, at) = ((uint32_t)(hash >> 32) & ~s->numbers) | number;
	s->count++;
}

/* One that is not there. */
static inline void flame_slots_put(struct flame_slots *s, uint32_t number, uint64_t hash)
{
	uint64_t at = hash;

	while (*flame_slots_at(s, at))
		at++;
	flame_slots_set(s, at, number, hash);
}

#endif
