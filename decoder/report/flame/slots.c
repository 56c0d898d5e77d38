#include "slots.h"

#include "../../../include/cpidecode.h"

enum {
	FIRST = 1024,
	MANY = 1 << 20, /* grows by 4 below, which saves time; by 2 above, which saves memory */
	SPARE_BITS = 2, /* numbers may grow by so many bits before all must be added again */
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
	uint64_t places = s->at.at ? (uint64_t)s->mask + 1 : FIRST;

	while (count > (places - 1) / 2)
		places *= places < MANY ? 4 : 2;
	if (most > FLAME_SLOTS_MOST || places - 1 > UINT32_MAX)
		return CPIDECODE_ENOMEM;
	/* Frees the old slots first: the new ones reuse their memory. */
	flame_slots_free(s);
	if (pages_grow(&s->at, places * sizeof(uint32_t)))
		return CPIDECODE_ENOMEM;
	s->mask = (uint32_t)(places - 1);
	s->numbers = bits_for(most);
	return 0;
}

void flame_slots_free(struct flame_slots *s)
{
	pages_free(&s->at);
	*s = (struct flame_slots){0};
}
