/* An open hash of numbers, of names or of frames: whoever asks compares what they stand for. */
#ifndef SWT_DECODER_FLAME_SLOTS_H
#define SWT_DECODER_FLAME_SLOTS_H

#include <stdint.h>

#include "../model/pages.h"

struct flame_slot {
	uint32_t number; /* 0: free */
	uint32_t hash;
};

/* Starts zeroed. */
struct flame_slots {
	struct pages at;
	uint32_t mask, count;
};

int flame_slots_grow(struct flame_slots *s);

/* Makes sure that many are free, even once n more are used. 0 or CPIDECODE_ENOMEM. */
static inline int flame_slots_room(struct flame_slots *s, uint32_t n)
{
	return s->at.at && s->count + (uint64_t)n <= s->mask / 4 ? 0 : flame_slots_grow(s);
}

/* Where what has that hash may stand; if it does not, in the next ones up to a free one. */
static inline struct flame_slot *flame_slots_at(const struct flame_slots *s, uint32_t hash)
{
	return (struct flame_slot *)s->at.at + (hash & s->mask);
}

static inline void flame_slots_set(
	struct flame_slots *s, struct flame_slot *slot, uint32_t number, uint32_t hash)
{
	*slot = (struct flame_slot){number, hash};
	s->count++;
}

/* Where the first that may be it stands, from there on; else the free one. */
static inline uint32_t flame_slots_likely(const struct flame_slots *s, uint32_t at, uint32_t hash)
{
	for (;; at++) {
		const struct flame_slot *slot = flame_slots_at(s, at);
		if (!slot->number || slot->hash == hash)
			return at;
	}
}

#endif
