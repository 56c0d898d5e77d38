#include "flame_names.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../include/cpidecode.h"

static uint64_t word_at(const char *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof word);
	return word;
}

/* Names are short: a call takes longer than comparing them. The last words may overlap. */
static bool same_bytes(const char *a, const char *b, size_t n)
{
	if (n < 8)
		return !n || !memcmp(a, b, n);
	for (size_t i = 0; i < n - 8; i += 8)
		if (word_at(a + i) != word_at(b + i))
			return false;
	return word_at(a + n - 8) == word_at(b + n - 8);
}

static bool is_name(const struct flame_names *names, uint32_t number, const char *bytes, size_t n)
{
	struct flame_name name = flame_names_get(names, number);
	return name.len == n && same_bytes(name.at, bytes, n);
}

static uint32_t add(struct flame_names *names, const char *bytes, size_t n)
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
	return names->count++;
}

static uint32_t hash_of(const char *bytes, size_t n)
{
	uint64_t wide = XXH3_64bits(bytes, n);
	return (uint32_t)(wide ^ wide >> 32);
}

/* Its number, new or not, once there is room; at: where the first that may be it stands. */
static uint32_t find(
	struct flame_names *names, uint32_t at, uint32_t hash, const char *bytes, size_t n)
{
	for (;; at = flame_slots_likely(&names->slots, at + 1, hash)) {
		struct flame_slot *slot = flame_slots_at(&names->slots, at);
		if (slot->number && slot->hash == hash && is_name(names, slot->number, bytes, n))
			return slot->number;
		if (slot->number)
			continue;
		uint32_t number = add(names, bytes, n);
		if (number)
			flame_slots_set(&names->slots, slot, number, hash);
		return number;
	}
}

uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n)
{
	uint32_t hash = hash_of(bytes, n);
	if (flame_slots_room(&names->slots, 1))
		return 0;
	return find(names, flame_slots_likely(&names->slots, hash, hash), hash, bytes, n);
}

int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n)
{
	if (flame_slots_room(&names->slots, FLAME_WANTED))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		wanted[i].hash = hash_of(wanted[i].bytes, wanted[i].len);
		__builtin_prefetch(flame_slots_at(&names->slots, wanted[i].hash), 1);
	}
	for (unsigned i = 0; i < n; i++) {
		struct flame_wanted *w = &wanted[i];
		w->at = flame_slots_likely(&names->slots, w->hash, w->hash);
		w->number = flame_slots_at(&names->slots, w->at)->number;
		if (w->number)
			flame_names_ask(names, w->number);
	}
	for (unsigned i = 0; i < n; i++)
		if (wanted[i].number)
			flame_names_ask_bytes(names, wanted[i].number);
	for (unsigned i = 0; i < n; i++) {
		struct flame_wanted *w = &wanted[i];
		w->number = find(names, w->at, w->hash, w->bytes, w->len);
		if (!w->number)
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

void flame_names_free(struct flame_names *names)
{
	pages_free(&names->text);
	pages_free(&names->places);
	pages_free(&names->slots.at);
	*names = (struct flame_names){0};
}
