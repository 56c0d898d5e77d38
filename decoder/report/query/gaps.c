/*
 * Gaps, in two walks over all intervals: the first finds where each label's last interval on each
 * thread ends; the second sums what each thread did.
 *
 * What filled a label's gaps on a thread is all that the thread did from the label's first start
 * to its last end, less what it did inside the label's intervals. So a step of the walk costs as
 * much as the thread has labels around it, however many labels have a gap at the time.
 */
#include "gaps.h"

#include <stdlib.h>

#include "../../base/grow.h"
#include "../../base/sort.h"
#include "marked_walk.h"

#define GAP_NONE UINT32_MAX
/* In place of a group: the labels of a thread that are not told apart as fillers. */
#define GAP_OTHERS (UINT32_MAX - 1)

enum {
	GAPS_CELLS = 1 << 19,	/* about: bounds memory and time with very many labels */
	GAPS_LEAST_LABELS = 16, /* of a thread that are told apart, whatever their number */
};

/* Numbers keys from 0 in the order in which they come. Starts zeroed. */
struct gap_keys {
	struct hash_index index;
	uint64_t *at;
	size_t count, room;
};

/* What a thread did in intervals of a label. Differences in cells: below 0 on the way. */
struct gap_sums {
	int64_t ticks; /* in no interval nested in them */
	int64_t started, off_ns, tell_off;
};

/* A label on a thread. */
struct gap_pair {
	struct gap_sums sums; /* of all of its intervals, up to now */
	struct tally_group *group;
	uint32_t thread, next; /* next: pair of the thread; GAP_NONE: none */
	uint32_t filler;       /* the pair that stands for it in cells: itself or the others */
	uint64_t elapsed;      /* ticks, of all of its intervals */
	uint32_t file;
	uint64_t last_end;	/* ticks, of the selected ones */
	uint64_t end;		/* of those up to now */
	uint64_t count, inside; /* the selected ones; those that are open */
	bool has_begun, is_over;
};

/* What the thread of a pair did from the pair's first start to its last end, outside of the pair's
 * intervals, in those of another pair. */
struct gap_cell {
	struct gap_sums sums;
	uint32_t pair, filler;
};

/* An interval that is open in the walk. */
struct gap_open {
	uint64_t end, least_end; /* ticks; least_end: of it and those before it */
	uint64_t off_ns;
	uint32_t pair;
	bool is_selected;
	bool is_plain; /* nothing is nested in it, or overlaps it */
};

struct gap_thread {
	const struct task *task; /* of its last interval that the first walk read */
	uint32_t pairs;		 /* the first one is of no interval, the second of the others */
	uint64_t now;		 /* ticks */
	struct gap_open *open;
	size_t count, room;
	uint32_t *around; /* pairs with a selected interval that is open, each once */
	size_t naround, around_room;
};

struct gap_search {
	struct report *r;
	struct tally names;
	struct gap_keys thread_keys, pair_keys, cell_keys;
	struct gap_thread *threads;
	struct gap_pair *pairs;
	struct gap_cell *cells;
	size_t threads_room, pairs_room, cells_room;
	struct gap_row *rows; /* by group, or by pair */
	size_t nrows;
	struct gap_filler *fillers;
	size_t nfillers;
	bool has_intervals, by_thread;
};

/* ------------------------------------------------------------------------ tables */

static uint64_t gaps_hash(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 32;
}

/* The key's number, a new one if it has none; false: no memory. */
static bool gaps_number_key(struct gap_keys *k, uint64_t key, uint32_t *number)
{
	uint64_t hash = gaps_hash(key);

	for (uint32_t at; k->count && (at = *hash_index_at(&k->index, hash)); hash++)
		if (k->at[at - 1] == key) {
			*number = at - 1;
			return true;
		}
	if (k->count >= GAP_OTHERS || grow(&k->at, k->count, &k->room, sizeof *k->at))
		return false;
	if (2 * (k->count + 1) > k->index.slots) {
		if (!hash_index_reset(&k->index, 2 * (k->count + 1)))
			return false;
		for (size_t i = 0; i < k->count; i++)
			hash_index_add(&k->index, gaps_hash(k->at[i]), (uint32_t)i);
	}
	*number = (uint32_t)k->count;
	k->at[k->count++] = key;
	hash_index_add(&k->index, gaps_hash(key), *number);
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

/* place: the group's, GAP_NONE or GAP_OTHERS without one. NULL: no memory. */
static struct gap_pair *gaps_find_pair(
	struct gap_search *s, uint32_t thread, uint32_t place, struct tally_group *g)
{
	const size_t before = s->pair_keys.count;
	uint32_t i;

	if (grow(&s->pairs, before, &s->pairs_room, sizeof *s->pairs) ||
		!gaps_number_key(&s->pair_keys, gaps_join(thread, place), &i))
		return NULL;
	if (i == before) {
		struct gap_thread *t = &s->threads[thread];
		struct gap_pair pair = {
			.group = g, .thread = thread, .next = GAP_NONE, .filler = i};

		if (place == GAP_NONE) {
			t->pairs = i;
		} else if (place == GAP_OTHERS) {
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

/* GAP_NONE: no memory. */
static uint32_t gaps_find_thread(struct gap_search *s, const struct interval *iv)
{
	const size_t before = s->thread_keys.count;
	uint32_t i;

	if (grow(&s->threads, before, &s->threads_room, sizeof *s->threads) ||
		!gaps_number_key(&s->thread_keys, gaps_join(iv->machine, iv->tid), &i))
		return GAP_NONE;
	if (i == before) {
		s->threads[i] = (struct gap_thread){0};
		if (!gaps_find_pair(s, i, GAP_NONE, NULL) ||
			!gaps_find_pair(s, i, GAP_OTHERS, NULL))
			return GAP_NONE;
	}
	return i;
}

static struct tally_group *gaps_find_group(struct gap_search *s, const struct interval *iv)
{
	const size_t before = s->names.count;
	struct tally_group *g = tally_group_of(
		&s->names, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);

	if (g && s->names.count > before)
		g->place = (uint32_t)before;
	return g;
}

static struct gap_pair *gaps_pair_of(struct gap_search *s, const struct interval *iv)
{
	struct tally_group *g = gaps_find_group(s, iv);
	const uint32_t thread = g ? gaps_find_thread(s, iv) : GAP_NONE;

	return thread == GAP_NONE ? NULL : gaps_find_pair(s, thread, g->place, g);
}

/* Adds to a cell, or takes from it. 0 or CPIDECODE_ENOMEM. */
static int gaps_add_cell(struct gap_search *s, uint32_t pair, uint32_t filler,
	const struct gap_sums *sums, int64_t times)
{
	const size_t before = s->cell_keys.count;
	uint32_t i;

	if (grow(&s->cells, before, &s->cells_room, sizeof *s->cells) ||
		!gaps_number_key(&s->cell_keys, gaps_join(pair, filler), &i))
		return CPIDECODE_ENOMEM;
	if (i == before)
		s->cells[i] = (struct gap_cell){.pair = pair, .filler = filler};
	struct gap_sums *to = &s->cells[i].sums;
	to->ticks += times * sums->ticks;
	to->started += times * sums->started;
	to->off_ns += times * sums->off_ns;
	to->tell_off += times * sums->tell_off;
	return 0;
}

/* ------------------------------------------------------------------------ the walks */

static int gaps_see_interval(struct gap_search *s, const struct interval *iv, bool selected)
{
	struct gap_pair *p = gaps_pair_of(s, iv);

	if (!p)
		return CPIDECODE_ENOMEM;
	p->file = iv->file;
	p->elapsed += iv->elapsed;
	s->threads[p->thread].task = iv->task;
	if (!selected)
		return 0;
	s->has_intervals = true;
	p->count++;
	if (iv->end_ticks > p->last_end)
		p->last_end = iv->end_ticks;
	return 0;
}

static int gaps_compare_elapsed(const void *x, const void *y)
{
	const struct gap_pair *a = *(const struct gap_pair *const *)x;
	const struct gap_pair *b = *(const struct gap_pair *const *)y;

	if (a->elapsed != b->elapsed)
		return a->elapsed > b->elapsed ? -1 : 1;
	return compare_u64(a->group->place, b->group->place);
}

/* Of a thread with more labels than so many, those with the longest time are told apart. pairs:
 * room for all of them. */
static void gaps_choose_of_thread(
	struct gap_search *s, const struct gap_thread *t, struct gap_pair **pairs, size_t most)
{
	const uint32_t others = s->pairs[t->pairs].next;
	size_t n = 0;

	for (uint32_t i = s->pairs[others].next; i != GAP_NONE; i = s->pairs[i].next)
		pairs[n++] = &s->pairs[i];
	if (n <= most)
		return;
	qsort(pairs, n, sizeof *pairs, gaps_compare_elapsed);
	s->pairs[others].next = GAP_NONE;
	for (size_t i = n; i--;)
		if (i >= most) {
			pairs[i]->filler = others;
		} else {
			pairs[i]->next = s->pairs[others].next;
			s->pairs[others].next = (uint32_t)(pairs[i] - s->pairs);
		}
}

static int gaps_choose_fillers(struct gap_search *s)
{
	const size_t count = s->pair_keys.count;
	const size_t most = count ? GAPS_CELLS / count : 0;
	struct gap_pair **pairs = calloc(count + 1, sizeof *pairs);

	if (!pairs)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < s->thread_keys.count; i++)
		gaps_choose_of_thread(s, &s->threads[i], pairs,
			most < GAPS_LEAST_LABELS ? GAPS_LEAST_LABELS : most);
	free(pairs);
	/* One alone has no gap. */
	for (size_t i = 0; i < count; i++)
		s->pairs[i].is_over = s->pairs[i].count < 2;
	return 0;
}

/* All that the thread did up to now. */
static int gaps_add_all(struct gap_search *s, uint32_t pair, int64_t times)
{
	int rc = 0;

	for (uint32_t i = s->threads[s->pairs[pair].thread].pairs; i != GAP_NONE && !rc;
		i = s->pairs[i].next)
		rc = gaps_add_cell(s, pair, i, &s->pairs[i].sums, times);
	return rc;
}

/* Something that the thread did in a pair's intervals. It is in no gap of those around it. */
static int gaps_count(struct gap_search *s, const struct gap_thread *t, uint32_t filler,
	const struct gap_sums *sums)
{
	filler = s->pairs[filler].filler;
	struct gap_sums *to = &s->pairs[filler].sums;
	int rc = 0;

	to->ticks += sums->ticks;
	to->started += sums->started;
	to->off_ns += sums->off_ns;
	to->tell_off += sums->tell_off;
	for (size_t i = 0; i < t->naround && !rc; i++)
		rc = gaps_add_cell(s, t->around[i], filler, sums, -1);
	return rc;
}

static int gaps_pass_time(struct gap_search *s, struct gap_thread *t, uint64_t until)
{
	const struct gap_sums sums = {.ticks = (int64_t)(until - t->now)};

	if (until <= t->now)
		return 0;
	t->now = until;
	return gaps_count(s, t, t->count ? t->open[t->count - 1].pair : t->pairs, &sums);
}

static void gaps_leave(struct gap_thread *t, uint32_t pair)
{
	for (size_t i = 0; i < t->naround; i++)
		if (t->around[i] == pair) {
			t->around[i] = t->around[--t->naround];
			return;
		}
}

/* The open interval that ends first, whose end the walk has come to. */
static int gaps_close_interval(struct gap_search *s, struct gap_thread *t)
{
	size_t at = t->count - 1;

	while (t->open[at].end != t->open[t->count - 1].least_end)
		t->open[at--].is_plain = false;
	const struct gap_open own = t->open[at];
	const struct gap_sums off = {.off_ns = (int64_t)own.off_ns, .tell_off = 1};
	int rc = 0;

	for (t->count--; at < t->count; at++) {
		t->open[at] = t->open[at + 1];
		t->open[at].least_end = t->open[at].end;
		if (at && t->open[at - 1].least_end < t->open[at].least_end)
			t->open[at].least_end = t->open[at - 1].least_end;
	}
	if (own.is_plain && own.off_ns != NOT_MEASURED && own.off_ns <= INT64_MAX)
		rc = gaps_count(s, t, own.pair, &off);
	struct gap_pair *p = &s->pairs[own.pair];
	if (!own.is_selected || --p->inside || p->is_over || rc)
		return rc;
	gaps_leave(t, own.pair);
	if (own.end < p->last_end)
		return 0;
	p->is_over = true;
	return gaps_add_all(s, own.pair, 1);
}

static int gaps_go_to(struct gap_search *s, struct gap_thread *t, uint64_t until)
{
	int rc = 0;

	while (t->count && t->open[t->count - 1].least_end <= until && !rc) {
		rc = gaps_pass_time(s, t, t->open[t->count - 1].least_end);
		if (!rc)
			rc = gaps_close_interval(s, t);
	}
	return rc ? rc : gaps_pass_time(s, t, until);
}

/* The number of the row that tells a pair's gaps. */
static uint32_t gaps_find_row(const struct gap_search *s, const struct gap_pair *p)
{
	return s->by_thread ? (uint32_t)(p - s->pairs) : p->group->place;
}

static int gaps_end_gap(struct gap_search *s, struct gap_pair *p, uint64_t start)
{
	struct gap_row *row = &s->rows[gaps_find_row(s, p)];
	const double ns = trace_duration_ns(trace_file(s->r->trace, p->file), start - p->end);

	exact_add(&row->total, exact_time(ns));
	return histogram_add(&row->gaps, exact_round(ns));
}

/* A selected interval: it may end a gap. */
static int gaps_begin_selected(
	struct gap_search *s, struct gap_thread *t, uint32_t pair, const struct interval *iv)
{
	struct gap_pair *p = &s->pairs[pair];
	int rc = 0;

	if (!p->inside && p->has_begun)
		rc = gaps_end_gap(s, p, iv->start_ticks);
	else if (!p->has_begun && !p->is_over)
		rc = gaps_add_all(s, pair, -1);
	p->has_begun = true;
	if (iv->end_ticks > p->end)
		p->end = iv->end_ticks;
	if (rc || p->inside++ || p->is_over)
		return rc;
	if (grow(&t->around, t->naround, &t->around_room, sizeof *t->around))
		return CPIDECODE_ENOMEM;
	t->around[t->naround++] = pair;
	return 0;
}

static int gaps_add_interval(struct gap_search *s, const struct interval *iv, bool selected)
{
	const struct gap_pair *p = gaps_pair_of(s, iv);
	static const struct gap_sums one = {.started = 1};

	if (!p)
		return CPIDECODE_ENOMEM;
	const uint32_t pair = (uint32_t)(p - s->pairs);
	struct gap_thread *t = &s->threads[p->thread];
	/* The thread's first: nothing is known of the time before it. */
	if (!t->room)
		t->now = iv->start_ticks;
	int rc = gaps_go_to(s, t, iv->start_ticks);
	if (!rc && selected)
		rc = gaps_begin_selected(s, t, pair, iv);
	if (!rc)
		rc = gaps_count(s, t, pair, &one);
	if (rc || grow(&t->open, t->count, &t->room, sizeof *t->open))
		return rc ? rc : CPIDECODE_ENOMEM;
	struct gap_open own = {.end = iv->end_ticks,
		.least_end = iv->end_ticks,
		.off_ns = iv->off_cpu_ns,
		.pair = pair,
		.is_selected = selected,
		.is_plain = true};
	if (t->count) {
		struct gap_open *around = &t->open[t->count - 1];

		around->is_plain = false;
		if (around->least_end < own.end)
			own.least_end = around->least_end;
	}
	t->open[t->count++] = own;
	return 0;
}

static int gaps_end_thread(struct gap_search *s, struct gap_thread *t)
{
	int rc = 0;

	while (t->count && !rc)
		rc = gaps_go_to(s, t, t->open[t->count - 1].least_end);
	return rc;
}

static int gaps_walk(struct gap_search *s)
{
	struct marked_walk walk = {0};
	const struct interval *iv;
	bool selected;
	int rc = marked_walk_open(&walk, s->r, WANT_QUALITY, s->r->found);

	while (!rc && (rc = marked_walk_next(&walk, &iv, &selected)) > 0)
		rc = gaps_see_interval(s, iv, selected);
	s->nrows = s->by_thread ? s->pair_keys.count : s->names.count;
	s->rows = calloc(s->nrows + 1, sizeof *s->rows);
	if (!rc)
		rc = gaps_choose_fillers(s);
	if (!rc)
		rc = s->rows ? marked_walk_rewind(&walk) : CPIDECODE_ENOMEM;
	while (!rc && (rc = marked_walk_next(&walk, &iv, &selected)) > 0)
		rc = gaps_add_interval(s, iv, selected);
	for (size_t i = 0; i < s->thread_keys.count && !rc; i++)
		rc = gaps_end_thread(s, &s->threads[i]);
	marked_walk_close(&walk);
	return rc;
}

/* ------------------------------------------------------------------------ the answer */

static int gaps_compare_fillers(const void *x, const void *y)
{
	const struct gap_filler *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (!a->group != !b->group)
		return a->group ? -1 : 1;
	if (!a->group)
		return (int)b->is_others - (int)a->is_others;
	return compare_u64(a->group->place, b->group->place);
}

/* Of one row: those with a name, by time. */
static int gaps_compare_times(const void *x, const void *y)
{
	const struct gap_filler *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return tally_compare_names(a->group, b->group);
}

static void gaps_add_filler(struct gap_filler *to, const struct gap_filler *from)
{
	exact_add(&to->time, from->time);
	to->count += from->count;
	to->off_ns += from->off_ns;
	to->tell_off += from->tell_off;
}

/* Threads' cells as fillers of rows, each once. */
static int gaps_make_fillers(struct gap_search *s)
{
	size_t n = 0, kept = 0;

	s->fillers = calloc(s->cell_keys.count + 1, sizeof *s->fillers);
	if (!s->fillers)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < s->cell_keys.count; i++) {
		const struct gap_cell *c = &s->cells[i];
		const struct gap_pair *p = &s->pairs[c->pair];
		const struct trace_file *f = trace_file(s->r->trace, p->file);

		if (c->sums.ticks <= 0 && c->sums.started <= 0)
			continue;
		s->fillers[n++] = (struct gap_filler){.row = gaps_find_row(s, p),
			.group = s->pairs[c->filler].group,
			.is_others = !s->pairs[c->filler].group &&
				     s->threads[p->thread].pairs != c->filler,
			.time = exact_time(trace_duration_ns(f, (uint64_t)c->sums.ticks)),
			.count = (uint64_t)c->sums.started,
			.off_ns = (uint64_t)c->sums.off_ns,
			.tell_off = (uint64_t)c->sums.tell_off};
	}
	if (n)
		qsort(s->fillers, n, sizeof *s->fillers, gaps_compare_fillers);
	for (size_t i = 0; i < n; i++)
		if (kept && !gaps_compare_fillers(&s->fillers[kept - 1], &s->fillers[i]))
			gaps_add_filler(&s->fillers[kept - 1], &s->fillers[i]);
		else
			s->fillers[kept++] = s->fillers[i];
	s->nfillers = kept;
	return 0;
}

/* Of one row: the first n of the array. */
static void gaps_set_fillers(
	struct gap_row *row, struct gap_filler *fillers, size_t n, enum report_format format)
{
	const size_t most = format == FORMAT_TEXT ? GAPS_FILLERS_TEXT : GAPS_FILLERS;

	if (n && !fillers[n - 1].group && !fillers[n - 1].is_others)
		row->nothing = fillers[--n];
	if (n && fillers[n - 1].is_others)
		row->others = fillers[--n];
	if (n)
		qsort(fillers, n, sizeof *fillers, gaps_compare_times);
	row->fillers = fillers;
	row->nfillers = n < most ? n : most;
	for (size_t i = row->nfillers; i < n; i++)
		gaps_add_filler(&row->others, &fillers[i]);
}

static int gaps_compare_rows(const void *x, const void *y)
{
	const struct gap_row *a = *(const struct gap_row *const *)x;
	const struct gap_row *b = *(const struct gap_row *const *)y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	int c = tally_compare_names(a->group, b->group);
	if (!c)
		c = compare_u64(a->machine, b->machine);
	return c ? c : compare_u64(a->tid, b->tid);
}

static void gaps_name_row(struct gap_search *s, size_t i)
{
	struct gap_row *row = &s->rows[i];

	if (!s->by_thread) {
		row->group = s->names.groups[i];
		return;
	}
	const struct gap_pair *p = &s->pairs[i];
	const uint64_t key = s->thread_keys.at[p->thread];
	row->group = p->group;
	row->machine = (uint32_t)(key >> 32);
	row->tid = (uint32_t)key;
	row->task = s->threads[p->thread].task;
}

static int gaps_answer(struct gap_search *s)
{
	const struct gap_row **rows = calloc(s->nrows + 1, sizeof *rows);
	size_t count = 0;
	int rc = rows ? gaps_make_fillers(s) : CPIDECODE_ENOMEM;

	for (size_t i = 0, next; i < s->nfillers && !rc; i = next) {
		for (next = i + 1; next < s->nfillers && s->fillers[next].row == s->fillers[i].row;)
			next++;
		gaps_set_fillers(
			&s->rows[s->fillers[i].row], &s->fillers[i], next - i, s->r->format);
	}
	for (size_t i = 0; i < s->nrows && !rc; i++) {
		gaps_name_row(s, i);
		rc = histogram_settle(&s->rows[i].gaps);
		if (s->rows[i].gaps.count)
			rows[count++] = &s->rows[i];
	}
	if (!rc && count)
		qsort(rows, count, sizeof *rows, gaps_compare_rows);
	if (!rc)
		gaps_print(s->r, rows, count);
	free(rows);
	return rc;
}

static void gaps_free(struct gap_search *s)
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
	free(s->threads);
	free(s->pairs);
	free(s->cells);
	free(s->rows);
	free(s->fillers);
	tally_free(&s->names);
}

int report_gaps(struct report *r)
{
	struct gap_search s = {.r = r, .by_thread = r->by_list != NULL};
	int rc = gaps_walk(&s);

	if (!rc) {
		/* They count. */
		begins_free(&r->found->begins);
		if (!s.has_intervals)
			report_note_no_intervals(r);
		rc = gaps_answer(&s);
	}
	gaps_free(&s);
	return rc;
}
