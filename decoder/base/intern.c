#include "intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CHUNK = 1 << 18, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(ALIGN) char bytes[];
};

void *arena_alloc(struct intern *in, size_t n)
{
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!in->chunks || n > in->size - in->used) {
		size_t size = n > CHUNK ? n : CHUNK;
		struct arena_chunk *c = malloc(sizeof *c + size);

		if (!c)
			return NULL;
		c->next = in->chunks;
		in->chunks = c;
		in->used = 0;
		in->size = size;
		in->bytes += size;
	}
	void *p = in->chunks->bytes + in->used;
	in->used += n;
	return p;
}

static struct intern_entry *intern_find_entry(
	const struct intern *in, uint64_t hash, const char *at, uint32_t length)
{
	size_t i = hash & (in->places - 1);

	for (;; i = (i + 1) & (in->places - 1)) {
		struct intern_entry *e = &in->table[i];

		if (!e->at ||
			(e->hash == hash && e->length == length && memcmp(e->at, at, length) == 0))
			return e;
	}
}

static int intern_grow_table(struct intern *in)
{
	struct intern bigger = {.places = in->places ? in->places * 2 : 64};

	bigger.table = calloc(bigger.places, sizeof *bigger.table);
	if (!bigger.table)
		return -1;
	for (size_t i = 0; i < in->places; i++) {
		const struct intern_entry *e = &in->table[i];

		if (e->at)
			*intern_find_entry(&bigger, e->hash, e->at, e->length) = *e;
	}
	free(in->table);
	in->table = bigger.table;
	in->places = bigger.places;
	return 0;
}

const char *intern_bytes(struct intern *in, const char *at, uint32_t length)
{
	if (in->count >= in->places / 2 && intern_grow_table(in))
		return NULL;
	uint64_t hash = XXH3_64bits(at, length);
	struct intern_entry *e = intern_find_entry(in, hash, at, length);
	if (e->at)
		return e->at;
	char *copy = arena_alloc(in, (size_t)length + 1);
	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, at, length);
	copy[length] = 0;
	*e = (struct intern_entry){.hash = hash, .at = copy, .length = length};
	in->count++;
	return copy;
}

void intern_take(struct intern *in, struct intern *from)
{
	if (!in->chunks) {
		*in = *from;
	} else if (from->chunks) {
		/* Inserts behind the newest chunk, which is still being filled. */
		struct arena_chunk *last = from->chunks;

		while (last->next)
			last = last->next;
		last->next = in->chunks->next;
		in->chunks->next = from->chunks;
		in->bytes += from->bytes;
	}
	*from = (struct intern){0};
}

void intern_free(struct intern *in)
{
	while (in->chunks) {
		struct arena_chunk *next = in->chunks->next;

		free(in->chunks);
		in->chunks = next;
	}
	free(in->table);
	*in = (struct intern){0};
}
