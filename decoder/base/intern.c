#include "intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../formats/base/array.h"

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

/* Makes room for one more string. */
static bool intern_grow(struct intern *in)
{
	size_t i;

	if (!array_reserve(&in->strings, &in->room, in->count + 1, sizeof *in->strings) ||
		!hash_index_grow(&in->index, in->count + 1, &i))
		return false;
	for (; i < in->count; i++)
		hash_index_add(&in->index, in->strings[i].hash, (uint32_t)i);
	return true;
}

const char *intern_bytes(struct intern *in, const char *at, uint32_t length)
{
	if (!intern_grow(in))
		return NULL;
	const uint64_t hash = XXH3_64bits(at, length);
	uint64_t next = hash;
	for (uint32_t found; (found = hash_index_next(&in->index, &next));) {
		const struct intern_entry *e = &in->strings[found - 1];

		if (e->hash == hash && e->length == length && memcmp(e->at, at, length) == 0)
			return e->at;
	}
	char *copy = arena_alloc(in, (size_t)length + 1);
	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, at, length);
	copy[length] = 0;
	in->strings[in->count] = (struct intern_entry){.hash = hash, .at = copy, .length = length};
	hash_index_add(&in->index, hash, (uint32_t)in->count++);
	return copy;
}

void intern_absorb(struct intern *in, struct intern *from)
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
	free(in->strings);
	hash_index_free(&in->index);
	*in = (struct intern){0};
}
