#include "flame_slots.h"

#include "../../include/cpidecode.h"

enum { FIRST = 256, AT_ONCE = 64 };

static void put(struct flame_slots *s, struct flame_slot slot)
{
	uint32_t at = slot.hash;
	while (flame_slots_at(s, at)->number)
		at++;
	flame_slots_set(s, flame_slots_at(s, at), slot.number, slot.hash);
}

int flame_slots_grow(struct flame_slots *s)
{
	const struct flame_slot *from = s->at.at;
	size_t before = from ? (size_t)s->mask + 1 : 0, places = from ? 2 * before : FIRST;
	struct flame_slots bigger = {.mask = (uint32_t)(places - 1)};
	if (places > UINT32_MAX || pages_grow(&bigger.at, places * sizeof *from))
		return CPIDECODE_ENOMEM;
	/*
	 * In the order of the table: what is written lies in two runs. Nobody can guess which ones
	 * are free, so they are left out without a branch.
	 */
	for (size_t i = 0; i < before; i += AT_ONCE) {
		struct flame_slot used[AT_ONCE];
		unsigned n = 0;
		for (unsigned k = 0; k < AT_ONCE; k++) {
			used[n] = from[i + k];
			n += from[i + k].number != 0;
		}
		for (unsigned k = 0; k < n; k++)
			put(&bigger, used[k]);
	}
	pages_free(&s->at);
	*s = bigger;
	return 0;
}
