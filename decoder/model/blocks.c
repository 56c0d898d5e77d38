#include "blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* So many more blocks at once as there have been areas: few are not worth much memory. */
enum { MOST_AT_ONCE = 32 };

static int add_area(struct blocks *b)
{
	if (grow(&b->areas, b->nareas, &b->areas_cap, sizeof *b->areas))
		return CPIDECODE_ENOMEM;
	size_t n = b->nareas < MOST_AT_ONCE ? b->nareas + 1 : MOST_AT_ONCE;
	/* All of it will be used: that takes less time than page after page. */
	char *at = mmap(NULL, n * BLOCK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (at == MAP_FAILED)
		return CPIDECODE_ENOMEM;
	b->areas[b->nareas++] = (struct blocks_area){at, n * BLOCK_BYTES};
	while (n > 0)
		blocks_put(b, at + --n * BLOCK_BYTES);
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
	free(from->areas);
	*from = (struct blocks){0};
	return 0;
}

void blocks_free(struct blocks *b)
{
	for (size_t i = 0; i < b->nareas; i++)
		munmap(b->areas[i].at, b->areas[i].bytes);
	free(b->areas);
	*b = (struct blocks){0};
}

void block_array_free(struct block_array *a)
{
	free(a->blocks);
	*a = (struct block_array){0};
}
