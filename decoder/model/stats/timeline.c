#include "timeline.h"

#include <math.h>
#include <stdlib.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../../include/cpidecode.h"

enum {
	FIRST_ENTRIES = 4,
	MOST_POINTS = 64,  /* more become entries */
	KEY_SLOTS = 1024,  /* far above twice the cells and values that may be */
	LEAST_BLOCKS = 16, /* fewer do not show their own variance */
};

/* There is room for one more. */
static void timeline_count_entry(struct timeline *t, int64_t cell, uint64_t value, uint64_t n)
{
	uint64_t hash = hash_add_u64(hash_u64((uint64_t)cell), value);

	for (uint32_t found; (found = *hash_index_at(&t->index, hash)); hash++) {
		struct timeline_entry *e = &t->entries[found - 1];

		if (e->cell == cell && e->value == value) {
			e->count += n;
			return;
		}
	}
	hash_index_add(&t->index, hash, t->used);
	t->entries[t->used++] = (struct timeline_entry){cell, value, n};
}

/* The same entries in that much room, with coarser cells and values. */
static int timeline_rebuild_entries(struct timeline *t, uint32_t room, unsigned shift, unsigned cut)
{
	uint32_t n = t->used;

	if (!array_resize(&t->entries, room, sizeof *t->entries) ||
		!hash_index_reset(&t->index, room))
		return CPIDECODE_ENOMEM;
	t->room = room;
	t->used = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct timeline_entry e = t->entries[i];

		timeline_count_entry(
			t, e.cell >> (shift - t->shift), timeline_cut(e.value, cut), e.count);
	}
	t->shift = (uint8_t)shift;
	t->cut = (uint8_t)cut;
	return 0;
}

static int into_entries(struct timeline *t)
{
	struct timeline_point *points = t->points;
	uint32_t n = t->used;

	if (t->index.slots)
		return 0;
	t->entries = NULL;
	t->used = 0;
	int rc = timeline_rebuild_entries(t, n ? 2 * n : FIRST_ENTRIES, t->shift, t->cut);
	for (uint32_t i = 0; i < n && !rc; i++)
		timeline_count_entry(t, points[i].end_ns, points[i].value, 1);
	free(points);
	return rc;
}

static int by_cell(const void *a, const void *b)
{
	const struct timeline_entry *x = a, *y = b;

	int c = compare_i64(x->cell, y->cell);

	return c ? c : compare_u64(x->value, y->value);
}

/* Each once, with its count. */
static uint32_t join_equal(struct timeline_entry *all, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (kept && !by_cell(&all[kept - 1], &all[i]))
			all[kept - 1].count += all[i].count;
		else
			all[kept++] = all[i];
	}
	return kept;
}

struct timeline_entry *timeline_sorted(const struct timeline *t, uint32_t *n)
{
	struct timeline_entry *all = malloc((t->used + 1) * sizeof *all);

	*n = 0;
	if (!all)
		return NULL;
	for (uint32_t i = 0; i < t->used; i++)
		all[i] = t->index.slots ? t->entries[i]
					: (struct timeline_entry){
						  t->points[i].end_ns, t->points[i].value, 1};
	if (t->used)
		qsort(all, t->used, sizeof *all, by_cell);
	*n = join_equal(all, t->used);
	return all;
}

/* Different keys; starts zeroed. */
struct key_set {
	uint64_t keys[TIMELINE_CELLS + 1];
	uint32_t slots[KEY_SLOTS], count;
};

static void add_key(struct key_set *s, uint64_t key)
{
	const struct hash_index index = {.slot = s->slots, .slots = KEY_SLOTS};
	uint64_t hash = hash_u64(key);

	for (uint32_t found; (found = *hash_index_at(&index, hash)); hash++)
		if (s->keys[found - 1] == key)
			return;
	*hash_index_at(&index, hash) = s->count + 1;
	s->keys[s->count++] = key;
}

static bool has_few_cells(const struct timeline *t, unsigned shift)
{
	struct key_set s = {.count = 0};

	for (uint32_t i = 0; i < t->used && s.count <= TIMELINE_CELLS; i++)
		add_key(&s, (uint64_t)(t->entries[i].cell >> (shift - t->shift)));
	return s.count <= TIMELINE_CELLS;
}

static bool has_few_values(const struct timeline *t, unsigned cut)
{
	struct key_set s = {.count = 0};

	for (uint32_t i = 0; i < t->used && s.count <= TIMELINE_VALUES; i++)
		add_key(&s, timeline_cut(t->entries[i].value, cut));
	return s.count <= TIMELINE_VALUES;
}

int timeline_settle(struct timeline *t)
{
	unsigned shift = t->shift, cut = t->cut;

	if (t->used <= TIMELINE_VALUES)
		return 0;
	while (!has_few_cells(t, shift))
		shift++;
	while (cut < TIMELINE_BITS - 1 && !has_few_values(t, cut))
		cut++;
	return shift == t->shift && cut == t->cut
		       ? 0
		       : timeline_rebuild_entries(t, t->room, shift, cut);
}

/* Room for one entry more. A full table may only be too fine. */
static int timeline_reserve_entry(struct timeline *t)
{
	int rc = into_entries(t);

	if (rc || t->used < t->room)
		return rc;
	rc = timeline_settle(t);
	if (rc || t->used < t->room / 3 * 2)
		return rc;
	return timeline_rebuild_entries(t, 2 * t->room, t->shift, t->cut);
}

/* A point more, where there may be one. */
static int add_point(struct timeline *t, int64_t end_ns, uint64_t value)
{
	if (t->used == t->room) {
		unsigned room = t->room + 2U + t->room / 4;

		if (!array_resize(&t->points, room, sizeof *t->points))
			return CPIDECODE_ENOMEM;
		t->room = room;
	}
	t->points[t->used++] = (struct timeline_point){end_ns, value};
	t->total++;
	return 0;
}

static int add_many(struct timeline *t, int64_t cell, uint64_t value, uint64_t n)
{
	int rc = timeline_reserve_entry(t);

	if (rc)
		return rc;
	t->total += n;
	timeline_count_entry(t, cell, value, n);
	return 0;
}

int timeline_add(struct timeline *t, int64_t end_ns, uint64_t value)
{
	if (!t->index.slots && !t->shift && !t->cut && t->used < MOST_POINTS)
		return add_point(t, end_ns, value);
	int rc = timeline_reserve_entry(t);
	if (rc)
		return rc;
	t->total++;
	timeline_count_entry(t, end_ns >> t->shift, timeline_cut(value, t->cut), 1);
	return 0;
}

int timeline_add_entry(struct timeline *t, const struct timeline_entry *e)
{
	return add_many(t, e->cell, e->value, e->count);
}

int timeline_merge(struct timeline *t, const struct timeline *from)
{
	int rc = 0;

	if (!from->index.slots) {
		for (uint32_t i = 0; i < from->used && !rc; i++)
			rc = timeline_add(t, from->points[i].end_ns, from->points[i].value);
		return rc;
	}
	unsigned shift = t->shift > from->shift ? t->shift : from->shift;
	unsigned cut = t->cut > from->cut ? t->cut : from->cut;
	rc = into_entries(t);
	if (!rc && (shift != t->shift || cut != t->cut))
		rc = timeline_rebuild_entries(t, t->room, shift, cut);
	for (uint32_t i = 0; i < from->used && !rc; i++) {
		const struct timeline_entry *e = &from->entries[i];

		/* Making room may have made it coarser meanwhile. */
		rc = timeline_reserve_entry(t);
		if (!rc)
			timeline_count_entry(t, e->cell >> (t->shift - from->shift),
				timeline_cut(e->value, t->cut), e->count);
	}
	t->total += from->total;
	return rc;
}

void timeline_free(struct timeline *t)
{
	free(t->entries);
	hash_index_free(&t->index);
	*t = (struct timeline){0};
}

/* How wide the bucket is that begins at value. */
static double width_of(uint64_t value, unsigned cut)
{
	unsigned length = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
	unsigned bits = TIMELINE_BITS - cut;

	return length > bits ? ldexp(1, (int)(length - bits)) : 1;
}

/* The middle; or how much of the bucket is up to the limit. */
static double score_of(const struct timeline *t, uint64_t value, double limit)
{
	double width = width_of(value, t->cut), into = limit - (double)value;

	if (isnan(limit))
		return (double)value + (width - 1) / 2;
	if (into < 0)
		return 0;
	return into + 1 > width ? 1 : (into + 0.5) / width;
}

/* The sums of scores, less their mean, of each cell; and what one value varies. */
static uint32_t sum_cells(const struct timeline *t, const struct timeline_entry *e, uint32_t n,
	double limit, double sums[TIMELINE_CELLS], double *variance)
{
	double mean = 0, squares = 0;
	uint32_t cells = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += (double)e[i].count * score_of(t, e[i].value, limit);
	mean /= (double)t->total;
	for (uint32_t i = 0; i < n; i++) {
		double off = score_of(t, e[i].value, limit) - mean;

		squares += (double)e[i].count * off * off;
		if (i && e[i].cell == e[i - 1].cell)
			sums[cells - 1] += (double)e[i].count * off;
		else
			sums[cells++] = (double)e[i].count * off;
	}
	*variance = squares / (double)t->total;
	return cells;
}

/* Blocks of twice as many cells; the rest of an odd one joins the last. */
static uint32_t join_pairs(double *sums, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++)
		sums[i] = sums[2 * i] + sums[2 * i + 1];
	if (n % 2 && n > 1)
		sums[n / 2 - 1] += sums[n - 1];
	return n / 2;
}

static struct timeline_evidence judge_blocks(
	double *sums, uint32_t blocks, double variance, double n)
{
	for (; blocks >= LEAST_BLOCKS; blocks = join_pairs(sums, blocks)) {
		double squares = 0, products = 0;

		for (uint32_t i = 0; i < blocks; i++) {
			squares += sums[i] * sums[i];
			products += i ? sums[i] * sums[i - 1] : 0;
		}
		double neighbours = squares > 0 ? products / squares : 0;
		if (neighbours > 1 / sqrt(blocks))
			continue;
		double inflation = squares * blocks / (blocks - 1.0) / (n * variance);
		if (neighbours > 0)
			inflation *= 1 + 2 * neighbours;
		/* One standard error more: only runs that seem independent enough are judged. */
		inflation *= 1 + sqrt(2 / (blocks - 1.0));
		return (struct timeline_evidence){
			.effective = n / (inflation > 1 ? inflation : 1), .df = blocks - 1};
	}
	return (struct timeline_evidence){.effective = NAN, .df = NAN};
}

int timeline_judge(const struct timeline *t, double limit, struct timeline_evidence *result)
{
	double sums[TIMELINE_CELLS], variance;
	uint32_t n;
	struct timeline_entry *e = timeline_sorted(t, &n);

	if (!e)
		return CPIDECODE_ENOMEM;
	uint32_t cells = sum_cells(t, e, n, limit, sums, &variance);
	free(e);
	*result = (struct timeline_evidence){.effective = (double)t->total, .df = cells - 1.0};
	/* Values that are all the same depend on nothing. */
	if (variance > 0)
		*result = judge_blocks(sums, cells, variance, (double)t->total);
	return 0;
}
