#include "blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/*
 * LARGE: a large page of most machines; where they are of another size it is only a number. A
 * large page is cleared as a whole, which mostly takes less time than many small ones; but where a
 * host backs its guest's memory only then, much more: then it is left at that.
 */
enum { LARGE = 2 << 20, FIRST_AREAS = 8, SLOW_NS = 1500000 };

static char *map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static char *map_large(void)
{
	char *p = map(2 * (size_t)LARGE);
	if (p == MAP_FAILED)
		return p;
	size_t before = -(uintptr_t)p & (LARGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + LARGE, LARGE - before);
	return p + before;
}

/* All of it will be used: that takes less time than page after page. */
static void populate(char *at, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	madvise(at, bytes, MADV_POPULATE_WRITE);
#else
	(void)at;
	(void)bytes;
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void populate_large(struct blocks *b, char *at)
{
	if (b->slow) {
		populate(at, LARGE);
		return;
	}
	madvise(at, LARGE, MADV_HUGEPAGE); /* a hint */
	uint64_t begin = now_ns();
	populate(at, LARGE);
	b->slow = now_ns() - begin > SLOW_NS;
}

static int add_area(struct blocks *b)
{
	if (grow(&b->areas, b->nareas, &b->areas_cap, sizeof *b->areas))
		return CPIDECODE_ENOMEM;
	/* Little, as long as little is asked for. */
	bool few = b->nareas < FIRST_AREAS;
	size_t bytes = few ? (b->nareas + 1) * BLOCK_BYTES : LARGE;
	char *at = few ? map(bytes) : map_large();
	if (at == MAP_FAILED)
		return CPIDECODE_ENOMEM;
	if (few)
		populate(at, bytes);
	else
		populate_large(b, at);
	b->areas[b->nareas++] = (struct blocks_area){at, bytes};
	for (size_t n = bytes / BLOCK_BYTES; n > 0; n--)
		blocks_put(b, at + (n - 1) * BLOCK_BYTES);
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
		munmap(b->areas[i].at, b->areas[i].bytes);
	free(b->areas);
	*b = (struct blocks){0};
}

void block_array_free(struct block_array *a)
{
	free(a->blocks);
	*a = (struct block_array){0};
}
