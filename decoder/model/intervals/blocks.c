#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"

/*
 * LARGE: a large page of most machines; where they are of another size it is only a number. A
 * large page is cleared as a whole, which mostly takes less time than many small ones; but where
 * a host backs its guest's memory only then, much more: then it is left at that.
 */
enum { LARGE = 2 << 20, FIRST_AREAS = 8, SLOW_NS = 1500000 };

static int add_area(struct blocks *b)
{
	/* Little, as long as little is asked for. */
	bool few = b->nareas < FIRST_AREAS;
	struct pages area = {.large = !few && !b->slow};

	if (grow(&b->areas, b->nareas, &b->areas_cap, sizeof *b->areas) ||
		pages_grow(&area, few ? (b->nareas + 1) * BLOCK_BYTES : LARGE))
		return CPIDECODE_ENOMEM;
	uint64_t begin = time_ns_monotonic();
	pages_touch(&area);
	if (area.large)
		b->slow = time_ns_monotonic() - begin > SLOW_NS;
	b->areas[b->nareas++] = area;
	for (size_t n = area.bytes / BLOCK_BYTES; n > 0; n--)
		blocks_put(b, (char *)area.at + (n - 1) * BLOCK_BYTES);
	return 0;
}

void *blocks_get(struct blocks *b)
{
	if (!b->unused && add_area(b))
		return NULL;
	struct blocks_unused *block = b->unused;
	b->unused = block->next;
	return block;
}

void blocks_put(struct blocks *b, void *block)
{
	struct blocks_unused *unused = block;

	unused->next = b->unused;
	b->unused = unused;
}

bool blocks_large(const struct blocks *b)
{
	return b->nareas > FIRST_AREAS && !b->slow;
}

int blocks_join(struct blocks *b, struct blocks *from)
{
	for (size_t i = 0; i < from->nareas; i++)
		if (grow(&b->areas, b->nareas + i, &b->areas_cap, sizeof *b->areas))
			return CPIDECODE_ENOMEM;
	if (from->nareas)
		memcpy(b->areas + b->nareas, from->areas, from->nareas * sizeof *b->areas);
	b->nareas += from->nareas;
	for (struct blocks_unused *block = from->unused, *next; block; block = next) {
		next = block->next;
		blocks_put(b, block);
	}
	b->slow |= from->slow;
	free(from->areas);
	*from = (struct blocks){0};
	return 0;
}

void blocks_free(struct blocks *b)
{
	for (size_t i = 0; i < b->nareas; i++)
		pages_free(&b->areas[i]);
	free(b->areas);
	*b = (struct blocks){0};
}

void block_array_free(struct block_array *a)
{
	free(a->blocks);
	*a = (struct block_array){0};
}
