#include "flame_names.h"

#include <string.h>
#include <xxhash.h>

#include "../../include/cpidecode.h"

struct slot {
	uint32_t name; /* 0: free */
	uint32_t hash;
};

static int more_slots(struct flame_names *names)
{
	const struct slot *from = names->table.at;
	struct pages bigger = {0};
	size_t before = from ? (size_t)names->mask + 1 : 0, places = from ? 2 * before : 256;
	if (places > UINT32_MAX || pages_grow(&bigger, places * sizeof *from))
		return CPIDECODE_ENOMEM;
	struct slot *to = bigger.at;
	uint32_t mask = (uint32_t)places - 1;
	/* In the order of the table: what is written lies in two runs. */
	for (size_t i = 0; i < before; i++) {
		uint32_t at = from[i].hash;
		if (!from[i].name)
			continue;
		while (to[at & mask].name)
			at++;
		to[at & mask] = from[i];
	}
	pages_free(&names->table);
	names->table = bigger;
	names->mask = mask;
	return 0;
}

static bool is_name(const struct flame_names *names, uint32_t number, const char *bytes, size_t n)
{
	struct flame_name name = flame_names_get(names, number);
	return name.len == n && !memcmp(name.at, bytes, n);
}

static uint32_t add(
	struct flame_names *names, struct slot *slot, uint32_t hash, const char *bytes, size_t n)
{
	if (!names->count)
		names->count = 1;
	uint64_t fours = 1 + ((uint64_t)n + 3) / 4;
	if (n > UINT32_MAX || names->used + fours > UINT32_MAX || names->count == UINT32_MAX ||
		pages_room(&names->places, names->count, sizeof(uint32_t)) ||
		pages_room(&names->text, names->used + fours, 4))
		return 0;
	uint32_t *at = (uint32_t *)names->text.at + names->used;
	*at = (uint32_t)n;
	if (n)
		memcpy(at + 1, bytes, n);
	((uint32_t *)names->places.at)[names->count] = (uint32_t)names->used;
	names->used += fours;
	*slot = (struct slot){names->count, hash};
	return names->count++;
}

static uint32_t hash_of(const char *bytes, size_t n)
{
	uint64_t wide = XXH3_64bits(bytes, n);
	return (uint32_t)(wide ^ wide >> 32);
}

static uint32_t find(struct flame_names *names, uint32_t hash, const char *bytes, size_t n)
{
	if (!names->table.at || names->count > names->mask / 2)
		if (more_slots(names))
			return 0;
	struct slot *table = names->table.at;
	for (uint32_t at = hash;; at++) {
		struct slot *slot = &table[at & names->mask];
		if (!slot->name)
			return add(names, slot, hash, bytes, n);
		if (slot->hash == hash && is_name(names, slot->name, bytes, n))
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
	const struct slot *table = names->table.at;
	for (uint32_t at = hash;; at++) {
		const struct slot *slot = &table[at & names->mask];
		if (!slot->name || slot->hash == hash)
			return slot->name;
	}
}

int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n)
{
	if (!names->table.at && more_slots(names))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		wanted[i].hash = hash_of(wanted[i].bytes, wanted[i].len);
		__builtin_prefetch(
			(struct slot *)names->table.at + (wanted[i].hash & names->mask), 1);
	}
	for (unsigned i = 0; i < n; i++) {
		wanted[i].number = likely(names, wanted[i].hash);
		if (wanted[i].number)
			flame_names_ask(names, wanted[i].number);
	}
	for (unsigned i = 0; i < n; i++)
		if (wanted[i].number)
			flame_names_ask_bytes(names, wanted[i].number);
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
	pages_free(&names->text);
	pages_free(&names->places);
	pages_free(&names->table);
	*names = (struct flame_names){0};
}
