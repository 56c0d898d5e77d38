#include "tally.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../../formats/cpuutil_hooks.h"
#include "../../../include/cpidecode.h"
#include "../intervals/elapsed.h"
#include "../../base/grow.h"

static bool same_name(const struct tally_group *g, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	if (g->mm != mm || g->major != major || g->has_label != has_label ||
		g->label_len != label_len)
		return false;
	return !label_len || !memcmp(g->label, label, label_len);
}

static uint64_t hash_name(
	bool has_label, const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint64_t seed = (uint64_t)major << 9 | (uint64_t)mm << 1 | has_label;
	return XXH3_64bits_withSeed(label_len ? label : "", label_len, seed);
}

uint64_t tally_hash(const struct interval *iv)
{
	return hash_name(iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
}

/* A group that is not in it yet. */
static void put_in_table(struct tally *t, struct tally_group *g)
{
	size_t at = g->hash & (t->places - 1);
	while (t->table[at])
		at = (at + 1) & (t->places - 1);
	t->table[at] = g;
}

static int more_places(struct tally *t)
{
	size_t places = t->places ? 2 * t->places : 64;
	struct tally_group **table = calloc(places, sizeof *table);
	if (!table)
		return CPIDECODE_ENOMEM;
	free(t->table);
	t->table = table;
	t->places = places;
	for (size_t i = 0; i < t->count; i++)
		put_in_table(t, t->groups[i]);
	return 0;
}

static struct tally_group *new_group(struct tally *t, struct tally_group **place, uint64_t hash,
	bool has_label, const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	struct tally_group *g = arena_alloc(&t->memory, sizeof *g);
	char *copy = arena_alloc(&t->memory, (size_t)label_len + 1);
	if (!g || !copy || grow(&t->groups, t->count, &t->cap, sizeof(struct tally_group *)))
		return NULL;
	*g = (struct tally_group){.label = copy,
		.label_len = label_len,
		.has_label = has_label,
		.major = major,
		.mm = mm,
		.hash = hash};
	if (major == CPUUTIL_MAJOR) {
		g->util = arena_alloc(&t->memory, sizeof *g->util);
		if (!g->util)
			return NULL;
		*g->util = (struct util_ratios){0};
	}
	if (label_len)
		memcpy(copy, label, label_len);
	copy[label_len] = 0;
	t->groups[t->count++] = g;
	t->has_util |= g->util != NULL;
	*place = g;
	return g;
}

static struct tally_group *find_or_add(struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	if (t->count >= t->places / 2 && more_places(t))
		return NULL;
	uint64_t hash = hash_name(has_label, label, label_len, major, mm);
	size_t at = hash & (t->places - 1);
	for (; t->table[at]; at = (at + 1) & (t->places - 1)) {
		struct tally_group *g = t->table[at];
		if (g->hash == hash && same_name(g, has_label, label, label_len, major, mm))
			return g;
	}
	return new_group(t, &t->table[at], hash, has_label, label, label_len, major, mm);
}

/* Of some bytes at both ends: it takes less time than a good hash, and mostly is as good. */
static unsigned recent_place(const char *label, uint32_t label_len, uint8_t major, uint8_t mm)
{
	uint64_t ends = label_len ^ (uint64_t)major << 32;
	if (label_len >= 8)
		ends ^= get_le64(label) ^ get_le64(label + label_len - 8);
	else if (label_len >= 4)
		ends ^= (uint64_t)get_le32(label) << 32 ^ get_le32(label + label_len - 4);
	return (unsigned)(((ends ^ mm) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % TALLY_RECENT;
}

struct tally_group *tally_group_of(struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm)
{
	struct tally_group **recent = &t->recent[recent_place(label, label_len, major, mm)];
	if (!*recent || !same_name(*recent, has_label, label, label_len, major, mm))
		*recent = find_or_add(t, has_label, label, label_len, major, mm);
	return *recent;
}

static int more_util_columns(struct tally_group *g, uint32_t cap)
{
	struct util_ratios *more = realloc(g->util_columns, cap * sizeof *more);
	if (!more)
		return CPIDECODE_ENOMEM;
	memset(more + g->columns_cap, 0, (cap - g->columns_cap) * sizeof *more);
	g->util_columns = more;
	return 0;
}

int tally_need_columns(struct tally_group *g, uint32_t n)
{
	if (n > g->columns_cap) {
		uint32_t cap = n <= 4 ? 4 : n > TALLY_CPUS / 2 ? n : 2 * n;
		struct tally_column *more = realloc(g->columns, cap * sizeof *more);
		if (!more)
			return CPIDECODE_ENOMEM;
		memset(more + g->columns_cap, 0, (cap - g->columns_cap) * sizeof *more);
		g->columns = more;
		if (g->util && more_util_columns(g, cap))
			return CPIDECODE_ENOMEM;
		g->columns_cap = cap;
	}
	if (n > g->ncolumns)
		g->ncolumns = n;
	return 0;
}

static int add_columns(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	uint32_t n = iv->num_cpus;
	if (n > TALLY_CPUS) {
		t->cpus_left_out++;
		n = TALLY_CPUS;
	}
	if (tally_need_columns(g, n))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct interval_cpu *cpu = &iv->cpus[i];
		struct tally_column *c = &g->columns[i];
		ratio_add(&c->raw, cpu->cycles, cpu->instructions, cpu->raw_cpi, iv->elapsed);
		ratio_add(&c->scaled, cpu->busy_cycles, cpu->instructions, cpu->scaled_cpi,
			iv->elapsed);
		ratio_add(
			&c->busy, cpu->busy_cycles, cpu->cycles, cpu->busy_pct / 100, iv->elapsed);
	}
	for (uint32_t i = 0; iv->utils && i < n; i++)
		util_ratios_add(&g->util_columns[i], iv->utils[i].idle_pct, iv->utils[i].intr_pct,
			iv->utils[i].actual_perf_pct, iv->elapsed);
	return 0;
}

static int add_value(struct tally_spread *s, uint64_t value)
{
	exact_add(&s->sum, value);
	return histogram_add(&s->values, value);
}

/* An interval's own CPI, by the rule of ratio_add. */
static int add_cpi(struct tally_spread *s, uint64_t cycles, uint64_t instructions, double cpi)
{
	if (cycles != NOT_MEASURED && instructions != NOT_MEASURED && instructions)
		cpi = (double)cycles / (double)instructions;
	return isnan(cpi) ? 0 : add_value(s, exact_round(cpi * TALLY_CPI_ONE));
}

static int add_count(struct tally_spread *s, uint64_t count)
{
	return count == NOT_MEASURED ? 0 : add_value(s, count);
}

static int add_spreads(struct tally_spread *s, const struct interval *iv)
{
	int rc = add_cpi(
		&s[TALLY_THREAD_CPI], iv->thread_cycles, iv->thread_instructions, iv->thread_cpi);
	if (!rc)
		rc = add_cpi(
			&s[TALLY_SCALED_CPI], iv->busy_cycles, iv->instructions, iv->scaled_cpi);
	if (!rc)
		rc = add_cpi(&s[TALLY_RAW_CPI], iv->cycles, iv->instructions, iv->raw_cpi);
	if (!rc)
		rc = add_count(&s[TALLY_THREAD_INSTRUCTIONS], iv->thread_instructions);
	return rc ? rc : add_count(&s[TALLY_INSTRUCTIONS], iv->instructions);
}

static void add_sums(struct tally_detail *d, const struct interval *iv)
{
	ratios_add(&d->ratios, iv);
	d->scripted += (iv->flags & IV_SCRIPTED) != 0;
	d->quality += (iv->flags & IV_QUALITY) != 0;
	if (iv->flags & IV_FLAGGED) {
		d->flagged++;
		for (unsigned i = 0; i < TALLY_FLAGS; i++)
			d->by_flag[i] += (iv->flags & (IV_MULTIPLEXED << i)) != 0;
	}
}

static int add_detail(struct tally_detail *d, const struct interval *iv)
{
	int rc = d->spreads ? add_spreads(d->spreads, iv) : 0;
	add_sums(d, iv);
	if (!rc && d->order)
		rc = timeline_add(d->order, iv->end_ns, exact_round(iv->elapsed_ns));
	return rc;
}

static struct interval interval_of(const struct tally_first *f)
{
	return (struct interval){.end_ns = f->end_ns,
		.elapsed_ns = f->elapsed_ns,
		.elapsed = f->elapsed,
		.instructions = f->instructions,
		.cycles = f->cycles,
		.busy_cycles = f->busy_cycles,
		.thread_instructions = f->thread_instructions,
		.thread_cycles = f->thread_cycles,
		.raw_cpi = f->raw_cpi,
		.scaled_cpi = f->scaled_cpi,
		.thread_cpi = f->thread_cpi,
		.busy_pct = f->busy_pct,
		.flags = f->flags};
}

static bool says_more_than_time(const struct tally *t, const struct interval *iv)
{
	return t->wanted & TALLY_WANT_ORDER ||
	       iv->flags & (IV_SCRIPTED | IV_QUALITY | IV_FLAGGED) ||
	       iv->instructions != NOT_MEASURED || iv->cycles != NOT_MEASURED ||
	       iv->busy_cycles != NOT_MEASURED || iv->thread_instructions != NOT_MEASURED ||
	       iv->thread_cycles != NOT_MEASURED || !isnan(iv->raw_cpi) || !isnan(iv->scaled_cpi) ||
	       !isnan(iv->thread_cpi) || !isnan(iv->busy_pct);
}

/* Intervals that a group keeps as they are. Of what has to be put in order only one: it needs none.
 */
static unsigned most_first(const struct tally *t)
{
	enum { FEW = 4 };
	return t->wanted & (TALLY_WANT_COUNTS | TALLY_WANT_ORDER) ? 1 : FEW;
}

static unsigned count_first(const struct tally_group *g)
{
	unsigned n = 0;
	for (const struct tally_first *f = g->first; f; f = f->next)
		n++;
	return n;
}

static int keep_first(struct tally *t, struct tally_group *g, const struct tally_first *f)
{
	struct tally_first *copy = arena_alloc(&t->memory, sizeof *copy);
	if (!copy)
		return CPIDECODE_ENOMEM;
	*copy = *f;
	copy->next = g->first;
	g->first = copy;
	return 0;
}

struct tally_detail *tally_need_detail(struct tally *t, struct tally_group *g)
{
	if (g->detail)
		return g->detail;
	struct tally_detail *d = arena_alloc(&t->memory, sizeof *d);
	if (!d)
		return NULL;
	*d = (struct tally_detail){0};
	if (t->wanted & TALLY_WANT_COUNTS) {
		d->spreads = arena_alloc(&t->memory, TALLY_VALUES * sizeof *d->spreads);
		if (!d->spreads)
			return NULL;
		memset(d->spreads, 0, TALLY_VALUES * sizeof *d->spreads);
	}
	if (t->wanted & TALLY_WANT_ORDER) {
		d->order = arena_alloc(&t->memory, sizeof *d->order);
		if (!d->order)
			return NULL;
		*d->order = (struct timeline){0};
	}
	g->detail = d;
	for (const struct tally_first *f = g->first; f; f = f->next) {
		const struct interval iv = interval_of(f);
		if (add_detail(d, &iv))
			return NULL;
	}
	g->first = NULL;
	return d;
}

const struct tally_detail *tally_detail(const struct tally_group *g, struct tally_scratch *s)
{
	if (g->detail)
		return g->detail;
	*s = (struct tally_scratch){0};
	/* Of one interval, this needs no memory: a single value is in the histogram itself. */
	if (!g->first || !g->first->next)
		s->detail.spreads = s->spreads;
	for (const struct tally_first *f = g->first; f; f = f->next) {
		const struct interval iv = interval_of(f);
		add_detail(&s->detail, &iv);
	}
	return &s->detail;
}

static int add_figures(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	if (g->detail)
		return add_detail(g->detail, iv);
	if (!says_more_than_time(t, iv))
		return 0;
	if (count_first(g) == most_first(t)) {
		struct tally_detail *d = tally_need_detail(t, g);
		return d ? add_detail(d, iv) : CPIDECODE_ENOMEM;
	}
	return keep_first(t, g,
		&(struct tally_first){.end_ns = iv->end_ns,
			.elapsed_ns = iv->elapsed_ns,
			.elapsed = iv->elapsed,
			.instructions = iv->instructions,
			.cycles = iv->cycles,
			.busy_cycles = iv->busy_cycles,
			.thread_instructions = iv->thread_instructions,
			.thread_cycles = iv->thread_cycles,
			.raw_cpi = iv->raw_cpi,
			.scaled_cpi = iv->scaled_cpi,
			.thread_cpi = iv->thread_cpi,
			.busy_pct = iv->busy_pct,
			.flags = iv->flags});
}

int tally_add(struct tally *t, const struct interval *iv)
{
	struct tally_group *g =
		tally_group_of(t, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	int rc = g ? histogram_add(&g->time, elapsed_whole_ns(iv)) : CPIDECODE_ENOMEM;
	if (rc)
		return rc;
	exact_add(&g->total, elapsed_exact(iv));
	g->methods |= tally_method(iv->method);
	if (g->util)
		util_ratios_add(
			g->util, iv->idle_pct, iv->intr_pct, iv->actual_perf_pct, iv->elapsed);
	if (t->wanted & TALLY_WANT_CPUS && iv->cpus)
		rc = add_columns(t, g, iv);
	return rc ? rc : add_figures(t, g, iv);
}

static int merge_columns(struct tally_group *g, const struct tally_group *from)
{
	if (tally_need_columns(g, from->ncolumns))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < from->ncolumns; i++) {
		ratio_merge(&g->columns[i].raw, &from->columns[i].raw);
		ratio_merge(&g->columns[i].scaled, &from->columns[i].scaled);
		ratio_merge(&g->columns[i].busy, &from->columns[i].busy);
		if (g->util)
			util_ratios_merge(&g->util_columns[i], &from->util_columns[i]);
	}
	return 0;
}

static int merge_detail(struct tally_detail *d, const struct tally_detail *from)
{
	int rc = 0;
	ratios_merge(&d->ratios, &from->ratios);
	d->scripted += from->scripted;
	d->quality += from->quality;
	d->flagged += from->flagged;
	for (unsigned i = 0; i < TALLY_FLAGS; i++)
		d->by_flag[i] += from->by_flag[i];
	for (unsigned i = 0; i < TALLY_VALUES && !rc && d->spreads && from->spreads; i++) {
		exact_add(&d->spreads[i].sum, from->spreads[i].sum);
		rc = histogram_merge(&d->spreads[i].values, &from->spreads[i].values);
	}
	if (!rc && d->order && from->order)
		rc = timeline_merge(d->order, from->order);
	return rc;
}

static int merge_figures(struct tally *t, struct tally_group *g, const struct tally_group *from)
{
	int rc = 0;
	if (from->detail) {
		struct tally_detail *d = tally_need_detail(t, g);
		return d ? merge_detail(d, from->detail) : CPIDECODE_ENOMEM;
	}
	for (const struct tally_first *f = from->first; f && !rc; f = f->next) {
		const struct interval iv = interval_of(f);
		rc = add_figures(t, g, &iv);
	}
	return rc;
}

static int merge_group(struct tally *t, struct tally_group *g, const struct tally_group *from)
{
	int rc = histogram_merge(&g->time, &from->time);
	exact_add(&g->total, from->total);
	if (g->util)
		util_ratios_merge(g->util, from->util);
	g->methods |= from->methods;
	if (!rc && from->ncolumns)
		rc = merge_columns(g, from);
	return rc ? rc : merge_figures(t, g, from);
}

int tally_merge_group(struct tally *t, const struct tally_group *from)
{
	struct tally_group *g = tally_group_of(
		t, from->has_label, from->label, from->label_len, from->major, from->mm);
	return g ? merge_group(t, g, from) : CPIDECODE_ENOMEM;
}

int tally_merge(struct tally *t, const struct tally *from)
{
	int rc = 0;
	for (size_t i = 0; i < from->count && !rc; i++)
		rc = tally_merge_group(t, from->groups[i]);
	t->cpus_left_out += from->cpus_left_out;
	return rc;
}

/* For so many groups more. */
static int make_room(struct tally *t, size_t n)
{
	size_t cap = t->count + n;
	while (t->places / 2 <= cap)
		if (more_places(t))
			return CPIDECODE_ENOMEM;
	if (cap <= t->cap)
		return 0;
	struct tally_group **more = realloc(t->groups, cap * sizeof *more);
	if (!more)
		return CPIDECODE_ENOMEM;
	t->groups = more;
	t->cap = cap;
	return 0;
}

int tally_take(struct tally *t, struct tally *from)
{
	if (make_room(t, from->count))
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < from->count; i++) {
		put_in_table(t, from->groups[i]);
		t->groups[t->count++] = from->groups[i];
	}
	t->has_util |= from->has_util;
	t->cpus_left_out += from->cpus_left_out;
	intern_take(&t->memory, &from->memory);
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
	if (a->label_len != b->label_len)
		return a->label_len < b->label_len ? -1 : 1;
	if (a->mm != b->mm)
		return a->mm < b->mm ? -1 : 1;
	return (a->major > b->major) - (a->major < b->major);
}

static int compare_groups(const void *x, const void *y)
{
	const struct tally_group *a = *(const struct tally_group *const *)x;
	const struct tally_group *b = *(const struct tally_group *const *)y;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return tally_compare_names(a, b);
}

int tally_settle(struct tally *t)
{
	int rc = 0;
	for (size_t i = 0; i < t->count && !rc; i++) {
		struct tally_group *g = t->groups[i];
		struct tally_detail *d = g->detail;
		rc = histogram_settle(&g->time);
		for (unsigned v = 0; d && d->spreads && v < TALLY_VALUES && !rc; v++)
			rc = histogram_settle(&d->spreads[v].values);
		if (!rc && d && d->order)
			rc = timeline_settle(d->order);
	}
	if (t->count)
		qsort(t->groups, t->count, sizeof(struct tally_group *), compare_groups);
	for (size_t i = 0; i < t->count; i++)
		t->groups[i]->place = i;
	return rc;
}

const struct tally_group *tally_find(const struct tally *t, const struct tally_group *key)
{
	uint64_t hash = hash_name(key->has_label, key->label, key->label_len, key->major, key->mm);
	if (!t->places)
		return NULL;
	for (size_t at = hash & (t->places - 1); t->table[at]; at = (at + 1) & (t->places - 1)) {
		const struct tally_group *g = t->table[at];
		if (g->hash == hash && same_name(g, key->has_label, key->label, key->label_len,
					       key->major, key->mm))
			return g;
	}
	return NULL;
}

void tally_free(struct tally *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tally_group *g = t->groups[i];
		struct tally_detail *d = g->detail;
		histogram_free(&g->time);
		for (unsigned v = 0; d && d->spreads && v < TALLY_VALUES; v++)
			histogram_free(&d->spreads[v].values);
		if (d && d->order)
			timeline_free(d->order);
		free(g->columns);
		free(g->util_columns);
	}
	free(t->groups);
	free(t->table);
	intern_free(&t->memory);
	*t = (struct tally){0};
}
