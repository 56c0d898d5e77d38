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

/* Makes sure that there are free ones. 0 or CPIDECODE_ENOMEM. */
int flame_slots_grow(struct flame_slots *s);

static inline int flame_slots_room(struct flame_slots *s)
{
	return s->at.at && s->count <= s->mask / 2 ? 0 : flame_slots_grow(s);
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

/* The first that may be it; 0: none is. */
static inline uint32_t flame_slots_likely(const struct flame_slots *s, uint32_t hash)
{
	for (uint32_t at = hash;; at++) {
		const struct flame_slot *slot = flame_slots_at(s, at);
		if (!slot->number || slot->hash == hash)
			return slot->number;
	}
}

#endif
