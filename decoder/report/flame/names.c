#include "names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../../include/cpidecode.h"
#include "../../base/seed.h"

static uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Names are short: inline comparison beats a call. The last two words may overlap. */
static bool same_bytes(const char *a, const char *b, size_t n)
{
	if (n < 8)
		return !n || memcmp(a, b, n) == 0;
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

static uint64_t flame_names_hash_bytes(const struct flame_names *names, const char *bytes, size_t n)
{
	return XXH3_64bits_withSeed(bytes, n, names->seed);
}

static uint64_t flame_names_hash(const struct flame_names *names, uint32_t number)
{
	struct flame_name name = flame_names_get(names, number);

	return flame_names_hash_bytes(names, name.at, name.len);
}

static uint64_t fours_of(size_t n)
{
	return ((uint64_t)n + (n < FLAME_LONG_NAME ? 1 : 1 + sizeof(uint32_t)) + 3) / 4;
}

/* Makes room for that much text, in units of 4 bytes. */
static int flame_names_reserve_text(struct flame_names *names, uint64_t fours)
{
	if (!names->used) {
		names->used = 1;
		names->seed = seed_make();
	}
	uint64_t end = names->used + fours;
	return end > FLAME_SLOTS_MOST || pages_room(&names->text, end, 4) ? CPIDECODE_ENOMEM : 0;
}

static void names_index_some(struct flame_names *names, const uint32_t *numbers, unsigned n)
{
	uint64_t hash[FLAME_WANTED];

	for (unsigned i = 0; i < n; i++) {
		hash[i] = flame_names_hash(names, numbers[i]);
		__builtin_prefetch(hash_index_at(&names->slots.index, hash[i]), 1);
	}
	for (unsigned i = 0; i < n; i++)
		flame_slots_add(&names->slots, numbers[i], hash[i]);
}

/* Makes room in the index for n more names, whose text is reserved. */
static int make_slots(struct flame_names *names, uint32_t n, uint64_t fours)
{
	uint64_t end = names->used + fours;

	if (flame_slots_fit(&names->slots, n, end))
		return 0;
	if (flame_slots_renew(&names->slots, (uint64_t)names->count + n, end))
		return CPIDECODE_ENOMEM;
	uint32_t some[FLAME_WANTED];
	unsigned waiting = 0;
	for (uint32_t k = 1; k < names->used; k = flame_names_next(names, k)) {
		some[waiting++] = k;
		if (waiting == FLAME_WANTED) {
			names_index_some(names, some, waiting);
			waiting = 0;
		}
	}
	names_index_some(names, some, waiting);
	return 0;
}

static uint32_t flame_names_append(struct flame_names *names, const char *bytes, size_t n)
{
	uint32_t number = names->used, len = (uint32_t)n;
	char *at = (char *)((uint32_t *)names->text.at + number);

	if (n < FLAME_LONG_NAME) {
		*at++ = (char)n;
	} else {
		*at++ = (char)FLAME_LONG_NAME;
		memcpy(at, &len, sizeof len);
		at += sizeof len;
	}
	if (n)
		memcpy(at, bytes, n);
	names->used += (uint32_t)fours_of(n);
	names->count++;
	return number;
}

/* The number of the name, new or not. at: the first slot that may hold it. */
static uint32_t flame_names_find_number(
	struct flame_names *names, uint64_t at, uint64_t hash, const char *bytes, size_t n)
{
	for (;; at = flame_slots_likely(&names->slots, at + 1, hash)) {
		uint32_t number = flame_slots_number(&names->slots, at);

		if (!number) {
			number = flame_names_append(names, bytes, n);
			flame_slots_set(&names->slots, at, number, hash);
			return number;
		}
		if (is_name(names, number, bytes, n))
			return number;
	}
}

uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n)
{
	uint64_t fours = fours_of(n);

	if (n > UINT32_MAX || flame_names_reserve_text(names, fours) || make_slots(names, 1, fours))
		return 0;
	uint64_t hash = flame_names_hash_bytes(names, bytes, n);
	return flame_names_find_number(
		names, flame_slots_likely(&names->slots, hash, hash), hash, bytes, n);
}

int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n)
{
	uint64_t fours = 0;

	for (unsigned i = 0; i < n; i++)
		fours += fours_of(wanted[i].len);
	if (flame_names_reserve_text(names, fours) || make_slots(names, n, fours))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		wanted[i].hash = flame_names_hash_bytes(names, wanted[i].bytes, wanted[i].len);
		__builtin_prefetch(hash_index_at(&names->slots.index, wanted[i].hash), 1);
	}
	for (unsigned i = 0; i < n; i++) {
		struct flame_wanted *w = &wanted[i];

		w->at = flame_slots_likely(&names->slots, w->hash, w->hash);
		flame_names_ask(names, flame_slots_number(&names->slots, w->at));
	}
	/* A slot that was free above may hold an earlier name of this batch by now. */
	for (unsigned i = 0; i < n; i++) {
		struct flame_wanted *w = &wanted[i];

		w->at = flame_slots_likely(&names->slots, w->at, w->hash);
		w->number = flame_names_find_number(names, w->at, w->hash, w->bytes, w->len);
	}
	return 0;
}

int flame_names_merge(struct flame_names *names, const struct flame_names *from, uint32_t *map)
{
	struct flame_wanted wanted[FLAME_WANTED];
	uint32_t numbers[FLAME_WANTED];
	int rc = 0;

	for (uint32_t k = 1; k < from->used && !rc;) {
		unsigned n = 0;

		for (; n < FLAME_WANTED && k < from->used; n++, k = flame_names_next(from, k)) {
			struct flame_name name = flame_names_get(from, k);

			numbers[n] = k;
			wanted[n] = (struct flame_wanted){.bytes = name.at, .len = name.len};
		}
		rc = flame_names_add_all(names, wanted, n);
		for (unsigned i = 0; i < n && !rc; i++)
			map[numbers[i]] = wanted[i].number;
	}
	return rc;
}

void flame_names_close(struct flame_names *names)
{
	flame_slots_free(&names->slots);
}

void flame_names_free(struct flame_names *names)
{
	pages_free(&names->text);
	flame_slots_free(&names->slots);
	*names = (struct flame_names){0};
}
