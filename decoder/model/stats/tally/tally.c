#include "tally.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/hash.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../../../../include/cpidecode.h"
#include "../../intervals/elapsed.h"
#include "../../../base/grow.h"

static bool same_name(const struct tally_group *g, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	if (g->mm != mm || g->major != major || g->has_label != has_label ||
		g->label_len != label_len)
		return false;
	return !label_len || memcmp(g->label, label, label_len) == 0;
}

static uint32_t hash_name(
	bool has_label, const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint64_t seed = (uint64_t)major << 9 | (uint64_t)mm << 1 | has_label;

	return (uint32_t)XXH3_64bits_withSeed(label_len ? label : "", label_len, seed);
}

uint32_t tally_hash(const struct interval *iv)
{
	return hash_name(iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
}

/* All groups, with room for n. Does not fail if there was room for n before. */
static int tally_index_groups(struct tally *t, size_t n)
{
	if (!hash_index_reset(&t->by_name, n))
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		hash_index_add(&t->by_name, t->groups[i]->hash, (uint32_t)i);
	return 0;
}

/* Room for n groups in all. */
static int tally_reserve_groups(struct tally *t, size_t n)
{
	if (!array_reserve(&t->groups, &t->cap, n, sizeof(struct tally_group *)))
		return CPIDECODE_ENOMEM;
	return n <= t->by_name.slots / 2 ? 0 : tally_index_groups(t, n);
}

/* Zeroed, and for as long as the tally lives; NULL: no memory. */
static void *new_zeroed(struct tally *t, size_t size)
{
	void *p = arena_alloc(&t->memory, size);

	return p ? memset(p, 0, size) : NULL;
}

/* There is room for it. */
static struct tally_group *new_group(struct tally *t, uint32_t hash, bool has_label,
	const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	size_t size = offsetof(struct tally_group, label) + label_len + 1;
	struct tally_group *g = new_zeroed(t, size > sizeof *g ? size : sizeof *g);

	if (!g)
		return NULL;
	g->label_len = label_len;
	g->has_label = has_label;
	g->major = major;
	g->mm = mm;
	g->hash = hash;
	if (label_len)
		memcpy(g->label, label, label_len);
	hash_index_add(&t->by_name, hash, (uint32_t)t->count);
	t->groups[t->count++] = g;
	t->has_util |= major == CPUUTIL_MAJOR;
	return g;
}

static struct tally_group *tally_find_group(const struct tally *t, uint32_t hash, bool has_label,
	const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint64_t at = hash;

	for (uint32_t found; (found = hash_index_next(&t->by_name, &at));) {
		struct tally_group *g = t->groups[found - 1];

		if (g->hash == hash && same_name(g, has_label, label, label_len, major, mm))
			return g;
	}
	return NULL;
}

static struct tally_group *find_or_add(struct tally *t, uint32_t hash, bool has_label,
	const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	if (tally_reserve_groups(t, t->count + 1))
		return NULL;
	struct tally_group *g = tally_find_group(t, hash, has_label, label, label_len, major, mm);
	return g ? g : new_group(t, hash, has_label, label, label_len, major, mm);
}

/* A hash of some bytes at both ends: faster than a good hash, and mostly as good. */
static unsigned recent_index(const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint64_t ends = label_len ^ (uint64_t)major << 32;

	if (label_len >= 8)
		ends ^= get_le64(label) ^ get_le64(label + label_len - 8);
	else if (label_len >= 4)
		ends ^= (uint64_t)get_le32(label) << 32 ^ get_le32(label + label_len - 4);
	return (unsigned)hash_u64(ends ^ mm) % TALLY_RECENT;
}

struct tally_group *tally_group_of(struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	struct tally_group **recent = &t->recent[recent_index(label, label_len, major, mm)];

	if (!*recent || !same_name(*recent, has_label, label, label_len, major, mm))
		*recent = find_or_add(t, hash_name(has_label, label, label_len, major, mm),
			has_label, label, label_len, major, mm);
	return *recent;
}

struct tally_extra *tally_need_extra(struct tally *t, struct tally_group *g)
{
	if (!g->extra) {
		g->extra = new_zeroed(t, sizeof *g->extra);
		if (g->extra)
			g->extra->columns.width =
				tally_is_util(g) ? COLUMN_UTIL_RATIOS : COLUMN_CPI_RATIOS;
	}
	return g->extra;
}

const struct tally_extra *tally_extra(const struct tally_group *g)
{
	static const struct tally_extra none;

	return g->extra ? g->extra : &none;
}

const struct tally_spread *tally_spread(const struct tally_group *g, enum tally_value value)
{
	return g->extra && g->extra->spreads ? g->extra->spreads[value] : NULL;
}

struct tally_spread *tally_need_spread(
	struct tally *t, struct tally_group *g, enum tally_value value)
{
	struct tally_extra *extra = tally_need_extra(t, g);

	if (!extra)
		return NULL;
	if (!extra->spreads)
		extra->spreads = new_zeroed(t, TALLY_VALUES * sizeof *extra->spreads);
	if (extra->spreads && !extra->spreads[value])
		extra->spreads[value] = new_zeroed(t, sizeof(struct tally_spread));
	return extra->spreads ? extra->spreads[value] : NULL;
}

struct timeline *tally_need_order(struct tally *t, struct tally_group *g)
{
	if (!g->order)
		g->order = new_zeroed(t, sizeof *g->order);
	return g->order;
}

static int add_value(struct tally *t, struct tally_group *g, enum tally_value which, uint64_t value)
{
	struct tally_spread *s = tally_need_spread(t, g, which);

	if (!s)
		return CPIDECODE_ENOMEM;
	exact_add(&s->sum, value);
	return histogram_add(&s->values, value);
}

/* An interval's own CPI, by the rule of ratio_add. */
static int add_cpi(struct tally *t, struct tally_group *g, enum tally_value which, uint64_t cycles,
	uint64_t instructions, double cpi)
{
	const double counted = figure_ratio(cycles, instructions);

	if (!isnan(counted))
		cpi = counted;
	return isnan(cpi) ? 0 : add_value(t, g, which, exact_round(cpi * TALLY_CPI_ONE));
}

static int add_count(struct tally *t, struct tally_group *g, enum tally_value which, uint64_t count)
{
	return count == NOT_MEASURED ? 0 : add_value(t, g, which, count);
}

static int add_values(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	int rc = add_cpi(
		t, g, TALLY_THREAD_CPI, iv->thread_cycles, iv->thread_instructions, iv->thread_cpi);

	if (!rc)
		rc = add_cpi(
			t, g, TALLY_SCALED_CPI, iv->busy_cycles, iv->instructions, iv->scaled_cpi);
	if (!rc)
		rc = add_cpi(t, g, TALLY_RAW_CPI, iv->cycles, iv->instructions, iv->raw_cpi);
	if (!rc)
		rc = add_count(t, g, TALLY_THREAD_INSTRUCTIONS, iv->thread_instructions);
	return rc ? rc : add_count(t, g, TALLY_INSTRUCTIONS, iv->instructions);
}

static int add_order(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	struct timeline *order = tally_need_order(t, g);

	return order ? timeline_add(order, iv->end_ns, exact_round(iv->elapsed_ns))
		     : CPIDECODE_ENOMEM;
}

/* Grows the room by a quarter more than needed, so that the next sums rarely grow it again. */
static int put_packed(struct tally *t, struct tally_group *g, const struct sums *s)
{
	uint64_t packed[SUMS_PACKED];
	unsigned n = sums_pack(s, packed), room = g->room ? n + n / 4 : n;

	if (n > g->room) {
		g->room = (uint8_t)(room < SUMS_PACKED ? (room + 1) & ~1U : SUMS_PACKED);
		g->packed = arena_alloc(&t->memory, g->room * sizeof *packed);
		if (!g->packed)
			return CPIDECODE_ENOMEM;
	}
	if (n)
		memcpy(g->packed, packed, n * sizeof *packed);
	return 0;
}

int tally_set_sums(struct tally *t, struct tally_group *g, const struct sums *s)
{
	if (histogram_exact(&g->time) && !t->is_brief)
		return put_packed(t, g, s);
	g->sums = arena_alloc(&t->memory, sizeof *g->sums);
	if (!g->sums)
		return CPIDECODE_ENOMEM;
	*g->sums = *s;
	g->has_sums = true;
	return 0;
}

const struct sums *tally_sums(const struct tally_group *g, struct sums *scratch)
{
	if (g->has_sums)
		return g->sums;
	sums_unpack(scratch, g->packed);
	return scratch;
}

static int add_figures(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	struct sums s;

	if (g->has_sums) {
		sums_add(g->sums, iv);
		return 0;
	}
	sums_unpack(&s, g->packed);
	sums_add(&s, iv);
	return tally_set_sums(t, g, &s);
}

static int merge_figures(struct tally *t, struct tally_group *g, const struct tally_group *from)
{
	struct sums s, scratch;

	/* Times alone. */
	if (!from->packed)
		return 0;
	const struct sums *more = tally_sums(from, &scratch);

	if (g->has_sums) {
		sums_merge(g->sums, more);
		return 0;
	}
	sums_unpack(&s, g->packed);
	sums_merge(&s, more);
	return tally_set_sums(t, g, &s);
}

static int add_methods(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	uint32_t methods = tally_method(iv->method);

	if (methods && !tally_need_extra(t, g))
		return CPIDECODE_ENOMEM;
	if (methods)
		g->extra->methods |= methods;
	return 0;
}

static int tally_see_container(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	const char *name = tally_container_of(t, iv);

	if (!tally_extra(g)->containers && tally_is_of_owner(t, name))
		return 0;
	struct tally_extra *extra = tally_need_extra(t, g);
	int rc = extra ? tally_list_owner(t, extra, g->time.count - 1) : CPIDECODE_ENOMEM;
	return rc ? rc : tally_add_container(t, extra, name);
}

static uint32_t tally_see(const struct interval *iv)
{
	if (iv->major != CPI_MAJOR)
		return 0;
	return TALLY_SEEN_CPI | iv->flags | (iv->types & CPI_HOOK_THREAD ? TALLY_SEEN_THREAD : 0) |
	       (iv->on_cpu_ns != NOT_MEASURED ? TALLY_SEEN_ON_CPU : 0);
}

int tally_add(struct tally *t, const struct interval *iv)
{
	struct tally_group *g =
		tally_group_of(t, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	int rc = g ? histogram_add(&g->time, elapsed_whole_ns(iv)) : CPIDECODE_ENOMEM;

	if (rc)
		return rc;
	t->seen |= tally_see(iv);
	exact_add(&g->total, elapsed_exact(iv));
	if (iv->flags & IV_CHILDREN_LOST) {
		t->children_lost++;
		exact_add(&t->children_lost_time, elapsed_exact(iv));
	}
	rc = add_methods(t, g, iv);
	if (!rc)
		rc = tally_add_columns(t, g, iv);
	if (!rc && iv->num_values)
		rc = tally_add_events(t, g, iv);
	if (!rc && t->wanted & TALLY_WANT_VALUES)
		rc = add_values(t, g, iv);
	if (!rc && t->wanted & TALLY_WANT_ORDER)
		rc = add_order(t, g, iv);
	if (!rc && t->wanted & TALLY_WANT_CONTAINERS)
		rc = tally_see_container(t, g, iv);
	return rc ? rc : add_figures(t, g, iv);
}

static int merge_spread(struct tally *t, struct tally_group *g, enum tally_value value,
	const struct tally_spread *from)
{
	struct tally_spread *s = tally_need_spread(t, g, value);

	if (!s)
		return CPIDECODE_ENOMEM;
	exact_add(&s->sum, from->sum);
	return histogram_merge(&s->values, &from->values);
}

static int merge_extra(struct tally *t, struct tally_group *g, const struct tally_group *from)
{
	struct tally_extra *extra = tally_need_extra(t, g);

	if (!extra)
		return CPIDECODE_ENOMEM;
	extra->methods |= from->extra->methods;
	int rc = columns_merge(
		&extra->columns, &from->extra->columns, histogram_exact(&g->time), &t->buffer);
	if (!rc)
		rc = tally_merge_events(t, g, from);
	for (unsigned v = 0; v < TALLY_VALUES && !rc; v++)
		if (t->wanted & TALLY_WANT_VALUES && tally_spread(from, v))
			rc = merge_spread(t, g, v, tally_spread(from, v));
	return rc;
}

static int merge_order(struct tally *t, struct tally_group *g, const struct timeline *from)
{
	struct timeline *order = tally_need_order(t, g);

	return order ? timeline_merge(order, from) : CPIDECODE_ENOMEM;
}

/* Before the times. owner: of the tally that `from` is in. */
static int merge_containers(
	struct tally *t, struct tally_group *g, const struct tally_group *from, const char *owner)
{
	const struct tally_extra *more = tally_extra(from);

	if (!tally_extra(g)->containers && !more->containers && tally_is_of_owner(t, owner))
		return 0;
	struct tally_extra *extra = tally_need_extra(t, g);
	int rc = extra ? tally_list_owner(t, extra, g->time.count) : CPIDECODE_ENOMEM;
	return rc ? rc : tally_merge_containers(t, extra, more, owner);
}

int tally_show_containers(struct tally *t, const char *hidden)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tally_extra *extra = tally_need_extra(t, t->groups[i]);

		if (!extra)
			return CPIDECODE_ENOMEM;
		extra->shows_container = true;
	}
	return tally_spell_containers(t, hidden);
}

/* owner: of the tally that `from` is in. */
static int merge_group(
	struct tally *t, struct tally_group *g, const struct tally_group *from, const char *owner)
{
	int rc = t->wanted & TALLY_WANT_CONTAINERS ? merge_containers(t, g, from, owner) : 0;

	if (!rc)
		rc = histogram_merge(&g->time, &from->time);

	exact_add(&g->total, from->total);
	if (!rc && from->extra)
		rc = merge_extra(t, g, from);
	if (!rc && t->wanted & TALLY_WANT_ORDER && from->order)
		rc = merge_order(t, g, from->order);
	return rc ? rc : merge_figures(t, g, from);
}

static int tally_merge_owned(struct tally *t, const struct tally_group *from, const char *owner)
{
	struct tally_group *g = find_or_add(t, from->hash, from->has_label, from->label,
		from->label_len, from->major, from->mm);

	return g ? merge_group(t, g, from, owner) : CPIDECODE_ENOMEM;
}

int tally_merge_group_as(
	struct tally *t, const struct tally_group *from, const char *label, uint32_t label_len)
{
	struct tally_group *g =
		tally_group_of(t, from->has_label, label, label_len, from->major, from->mm);

	return g ? merge_group(t, g, from, tally_owner(t)) : CPIDECODE_ENOMEM;
}

int tally_merge_group(struct tally *t, const struct tally_group *from)
{
	return tally_merge_owned(t, from, tally_owner(t));
}

void tally_merge_facts(struct tally *t, const struct tally *from)
{
	t->cpus_left_out += from->cpus_left_out;
	t->seen |= from->seen;
	t->children_lost += from->children_lost;
	t->events_left_out |= from->events_left_out;
	exact_add(&t->children_lost_time, from->children_lost_time);
}

int tally_merge(struct tally *t, const struct tally *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->count && !rc; i++)
		rc = tally_merge_owned(t, from->groups[i], tally_owner(from));
	tally_merge_facts(t, from);
	return rc;
}

int tally_absorb(struct tally *t, struct tally *from)
{
	if (tally_reserve_groups(t, t->count + from->count))
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < from->count; i++) {
		hash_index_add(&t->by_name, from->groups[i]->hash, (uint32_t)t->count);
		t->groups[t->count++] = from->groups[i];
	}
	t->has_util |= from->has_util;
	tally_merge_facts(t, from);
	intern_absorb(&t->memory, &from->memory);
	from->count = 0;
	tally_free(from);
	return 0;
}

int tally_compare_names(const struct tally_group *a, const struct tally_group *b)
{
	if (a->has_label != b->has_label)
		return a->has_label ? 1 : -1;
	size_t common = a->label_len < b->label_len ? a->label_len : b->label_len;
	int order = common ? memcmp(a->label, b->label, common) : 0;
	if (order)
		return order;
	int c = compare_u64_pair(a->label_len, b->label_len, a->mm, b->mm);

	return c ? c : compare_u64(a->major, b->major);
}

static int compare_groups(const void *x, const void *y)
{
	const struct tally_group *a = *(const struct tally_group *const *)x;
	const struct tally_group *b = *(const struct tally_group *const *)y;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return tally_compare_names(a, b);
}

static int settle_group(struct tally_group *g)
{
	int rc = histogram_settle(&g->time);

	for (unsigned v = 0; v < TALLY_VALUES && !rc; v++)
		if (tally_spread(g, v))
			rc = histogram_settle(&g->extra->spreads[v]->values);
	return rc || !g->order ? rc : timeline_settle(g->order);
}

int tally_settle(struct tally *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++)
		rc = settle_group(t->groups[i]);
	if (t->count)
		qsort(t->groups, t->count, sizeof(struct tally_group *), compare_groups);
	for (size_t i = 0; i < t->count; i++)
		t->groups[i]->index = (uint32_t)i;
	return rc || !t->count ? rc : tally_index_groups(t, t->count);
}

const struct tally_group *tally_find(const struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint32_t hash = hash_name(has_label, label, label_len, major, mm);

	return t->count ? tally_find_group(t, hash, has_label, label, label_len, major, mm) : NULL;
}

static void free_extra(struct tally_extra *extra)
{
	for (unsigned v = 0; extra->spreads && v < TALLY_VALUES; v++)
		if (extra->spreads[v])
			histogram_free(&extra->spreads[v]->values);
	columns_free(&extra->columns);
}

void tally_free(struct tally *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tally_group *g = t->groups[i];

		histogram_free(&g->time);
		if (g->extra)
			free_extra(g->extra);
		if (g->order)
			timeline_free(g->order);
	}
	free(t->groups);
	hash_index_free(&t->by_name);
	free(t->buffer.words);
	intern_free(&t->memory);
	*t = (struct tally){0};
}
