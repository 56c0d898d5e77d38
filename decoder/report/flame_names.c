#include "flame_names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../model/grow.h"

static int more_slots(struct flame_names *names)
{
	size_t places = names->table ? 2 * ((size_t)names->mask + 1) : 256;
	struct name_slot *table = places <= UINT32_MAX / 2 ? calloc(places, sizeof *table) : NULL;
	if (!table)
		return CPIDECODE_ENOMEM;
	uint32_t mask = (uint32_t)places - 1;
	/* In the order of the table: what is written lies in two runs. */
	for (size_t i = 0; names->table && i <= names->mask; i++) {
		uint32_t at = names->table[i].hash;
		if (!names->table[i].name)
			continue;
		while (table[at & mask].name)
			at++;
		table[at & mask] = names->table[i];
	}
	free(names->table);
	names->table = table;
	names->mask = mask;
	return 0;
}

static bool is_name(const struct flame_name *name, const char *bytes, size_t n)
{
	return name->len == n && !memcmp(name->at, bytes, n);
}

static uint32_t add(struct flame_names *names, struct name_slot *slot, uint32_t hash,
	const char *bytes, size_t n)
{
	if (!names->count)
		names->count = 1;
	if (n > UINT32_MAX || grow(&names->at, names->count, &names->cap, sizeof *names->at))
		return 0;
	char *copy = arena_alloc(&names->memory, n ? n : 1);
	if (!copy)
		return 0;
	if (n)
		memcpy(copy, bytes, n);
	names->at[names->count] = (struct flame_name){copy, (uint32_t)n, hash};
	*slot = (struct name_slot){names->count, hash};
	return names->count++;
}

static uint32_t hash_of(const char *bytes, size_t n)
{
	uint64_t wide = XXH3_64bits(bytes, n);
	return (uint32_t)(wide ^ wide >> 32);
}

static uint32_t find(struct flame_names *names, uint32_t hash, const char *bytes, size_t n)
{
	if (!names->table || names->count > names->mask / 2)
		if (more_slots(names))
			return 0;
	for (uint32_t at = hash;; at++) {
		struct name_slot *slot = &names->table[at & names->mask];
		if (!slot->name)
			return add(names, slot, hash, bytes, n);
		if (slot->hash == hash && is_name(&names->at[slot->name], bytes, n))
			return slot->name;
	}
}

uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n)
{
	return find(names, hash_of(bytes, n), bytes, n);
}

/* The first that may be it; 0: none is. */
static uint32_t likely(const struct flame_names *names, uint32_t hash)
{
	for (uint32_t at = hash;; at++) {
		const struct name_slot *slot = &names->table[at & names->mask];
		if (!slot->name || slot->hash == hash)
			return slot->name;
	}
}

int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n)
{
	if (!names->table && more_slots(names))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		wanted[i].hash = hash_of(wanted[i].bytes, wanted[i].len);
		__builtin_prefetch(&names->table[wanted[i].hash & names->mask], 1);
	}
	for (unsigned i = 0; i < n; i++) {
		wanted[i].number = likely(names, wanted[i].hash);
		if (wanted[i].number)
			__builtin_prefetch(&names->at[wanted[i].number]);
	}
	for (unsigned i = 0; i < n; i++)
		if (wanted[i].number)
			__builtin_prefetch(names->at[wanted[i].number].at);
	for (unsigned i = 0; i < n; i++) {
		struct flame_wanted *w = &wanted[i];
		w->number = find(names, w->hash, w->bytes, w->len);
		if (!w->number)
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

void flame_names_free(struct flame_names *names)
{
	intern_free(&names->memory);
	free(names->at);
	free(names->table);
	*names = (struct flame_names){0};
}
