#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/hash.h"
#include "../../../base/grow.h"

/* The key's number, a new one if it has none; false: no memory. */
static bool gaps_number_key(struct gap_keys *k, uint64_t key, uint32_t *number)
{
	uint64_t hash = hash_u64(key);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&k->index, &hash));)
		if (k->at[at - 1] == key) {
			*number = at - 1;
			return true;
		}
	if (k->count >= GAP_OTHERS || array_grow(&k->at, k->count, &k->room, sizeof *k->at) ||
		!hash_index_grow(&k->index, k->count + 1, &i))
		return false;
	*number = (uint32_t)k->count;
	k->at[k->count++] = key;
	for (; i < k->count; i++)
		hash_index_add(&k->index, hash_u64(k->at[i]), (uint32_t)i);
	return true;
}

static void gaps_free_keys(struct gap_keys *k)
{
	hash_index_free(&k->index);
	free(k->at);
}

static uint64_t gaps_join(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

struct gap_pair *gaps_find_pair(
	struct gap_search *s, uint32_t thread, uint32_t index, struct tally_group *g)
{
	const size_t before = s->pair_keys.count;
	uint32_t i;

	if (array_grow(&s->pairs, before, &s->pairs_room, sizeof *s->pairs) ||
		!gaps_number_key(&s->pair_keys, gaps_join(thread, index), &i))
		return NULL;
	if (i == before) {
		struct gap_thread *t = &s->threads[thread];
		struct gap_pair pair = {
			.group = g, .thread = thread, .next = GAP_NONE, .filler = i};

		if (index == GAP_NONE) {
			t->pairs = i;
		} else if (index == GAP_OTHERS) {
			s->pairs[t->pairs].next = i;
		} else {
			struct gap_pair *others = &s->pairs[s->pairs[t->pairs].next];

			pair.next = others->next;
			others->next = i;
		}
		s->pairs[i] = pair;
	}
	return &s->pairs[i];
}

uint32_t gaps_find_thread(struct gap_search *s, uint32_t machine, uint32_t tid)
{
	const size_t before = s->thread_keys.count;
	uint32_t i;

	if (array_grow(&s->threads, before, &s->threads_room, sizeof *s->threads) ||
		!gaps_number_key(&s->thread_keys, gaps_join(machine, tid), &i))
		return GAP_NONE;
	if (i == before) {
		s->threads[i] = (struct gap_thread){0};
		if (!gaps_find_pair(s, i, GAP_NONE, NULL) ||
			!gaps_find_pair(s, i, GAP_OTHERS, NULL))
			return GAP_NONE;
	}
	return i;
}

struct tally_group *gaps_find_group(struct gap_search *s, bool has_label, const char *label,
	uint32_t length, uint8_t major, uint8_t mm)
{
	const size_t before = s->names.count;
	struct tally_group *g = tally_group_of(&s->names, has_label, label, length, major, mm);

	if (g && s->names.count > before)
		g->index = (uint32_t)before;
	return g;
}

/* Sums of a hostile file may overflow. */
static void gaps_add_times(int64_t *to, int64_t v, int64_t times)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)v * (uint64_t)times);
}

int gaps_add_cell(struct gap_search *s, uint32_t pair, uint32_t filler, const struct gap_sums *sums,
	int64_t times)
{
	const size_t before = s->cell_keys.count;
	uint32_t i;

	if (array_grow(&s->cells, before, &s->cells_room, sizeof *s->cells) ||
		!gaps_number_key(&s->cell_keys, gaps_join(pair, filler), &i))
		return CPIDECODE_ENOMEM;
	if (i == before)
		s->cells[i] = (struct gap_cell){.pair = pair, .filler = filler};
	struct gap_sums *to = &s->cells[i].sums;
	gaps_add_times(&to->ticks, sums->ticks, times);
	gaps_add_times(&to->started, sums->started, times);
	gaps_add_times(&to->off_ns, sums->off_ns, times);
	gaps_add_times(&to->tell_off, sums->tell_off, times);
	return 0;
}

uint32_t gaps_find_row(const struct gap_search *s, const struct gap_pair *p)
{
	return s->by_thread ? (uint32_t)(p - s->pairs) : p->group->index;
}

size_t gaps_count_rows(const struct gap_search *s)
{
	return s->by_thread ? s->pair_keys.count : s->names.count;
}

int gaps_make_rows(struct gap_search *s, size_t n)
{
	if (!array_reserve(&s->rows, &s->rows_room, n + 1, sizeof *s->rows))
		return CPIDECODE_ENOMEM;
	if (n > s->nrows) {
		memset(&s->rows[s->nrows], 0, (n - s->nrows) * sizeof *s->rows);
		s->nrows = n;
	}
	return 0;
}

double gaps_duration_ns(const struct gap_pair *p, uint64_t ticks)
{
	return (double)ticks * 1e9 / (double)p->rate;
}

void gaps_free(struct gap_search *s)
{
	for (size_t i = 0; i < s->thread_keys.count; i++) {
		free(s->threads[i].open);
		free(s->threads[i].around);
	}
	for (size_t i = 0; s->rows && i < s->nrows; i++)
		histogram_free(&s->rows[i].gaps);
	gaps_free_keys(&s->thread_keys);
	gaps_free_keys(&s->pair_keys);
	gaps_free_keys(&s->cell_keys);
	hash_index_free(&s->machine_ids);
	free(s->threads);
	free(s->pairs);
	free(s->cells);
	free(s->rows);
	free(s->fillers);
	free(s->machines);
	tally_free(&s->names);
}
