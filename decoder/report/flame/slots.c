#include "slots.h"

#include "../../../include/cpidecode.h"

enum {
	FIRST = 1024,
	MANY = 1 << 20, /* grows by 4 below, which saves time; by 2 above, which saves memory */
	SPARE_BITS = 2, /* numbers may grow by this many bits before all must be added again */
};

static uint32_t bits_for(uint64_t most)
{
	uint32_t numbers = FIRST - 1;

	while (numbers < most || (numbers >> SPARE_BITS < most && numbers < FLAME_SLOTS_MOST))
		numbers = numbers << 1 | 1;
	return numbers;
}

int flame_slots_renew(struct flame_slots *s, uint64_t count, uint64_t most)
{
	uint64_t room = count < FIRST / 2 ? FIRST / 2 : count < MANY / 2 ? 2 * count : count;

	/* Frees the old slots first: the new ones reuse their memory. */
	flame_slots_free(s);
	if (most > FLAME_SLOTS_MOST || !hash_index_reset(&s->index, room))
		return CPIDECODE_ENOMEM;
	s->numbers = bits_for(most);
	return 0;
}

void flame_slots_free(struct flame_slots *s)
{
	hash_index_free(&s->index);
	*s = (struct flame_slots){0};
}
