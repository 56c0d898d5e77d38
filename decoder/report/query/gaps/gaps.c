/*
 * Gaps, in two walks over all intervals: the first finds where each label's last interval on each
 * thread ends; the second sums what each thread did.
 *
 * A label's gaps on a thread are filled by all of the thread's work from the label's first start to
 * its last end, less its work inside the label's intervals. So a step of the walk costs as
 * much as the thread has labels around it, however many labels have a gap at the time.
 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/compare.h"
#include "../../../base/grow.h"
#include "../../partial/machine_ids.h"
#include "../selection_walk.h"

enum {
	GAPS_CELLS = 1 << 19,	/* about: bounds memory and time with very many labels */
	GAPS_LEAST_LABELS = 16, /* of a thread that are distinguished, whatever their number */
};

/* ------------------------------------------------------------------------ the walks */

static struct gap_pair *gaps_pair_of(struct gap_search *s, const struct interval *iv)
{
	struct tally_group *g =
		gaps_find_group(s, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	const uint32_t thread = g ? gaps_find_thread(s, iv->machine, iv->tid) : GAP_NONE;

	return thread == GAP_NONE ? NULL : gaps_find_pair(s, thread, g->index, g);
}

/* The slice's ticks on the thread's machine: only these count. */
static struct tick_range gaps_slice(const struct gap_search *s, uint32_t machine)
{
	return s->r->slices ? s->r->slices[machine] : ALL_TICKS;
}

static bool gaps_is_in(struct tick_range slice, uint64_t tick)
{
	return tick >= slice.first && tick <= slice.last;
}

static int gaps_see_interval(struct gap_search *s, const struct interval *iv, bool selected)
{
	struct gap_pair *p = gaps_pair_of(s, iv);

	if (!p)
		return CPIDECODE_ENOMEM;
	p->rate = trace_file(s->r->trace, iv->file)->clock->rate;
	p->elapsed += iv->elapsed;
	s->threads[p->thread].task = iv->task;
	s->threads[p->thread].slice = gaps_slice(s, iv->machine);
	if (!selected)
		return 0;
	s->has_intervals = true;
	if (gaps_is_in(s->threads[p->thread].slice, iv->end_ticks))
		report_count_children_lost(&s->lost, iv);
	p->count++;
	if (iv->end_ticks > p->last_end)
		p->last_end = iv->end_ticks;
	return 0;
}

static int gaps_compare_elapsed(const void *x, const void *y)
{
	const struct gap_pair *a = *(const struct gap_pair *const *)x;
	const struct gap_pair *b = *(const struct gap_pair *const *)y;

	return compare_u64_pair(b->elapsed, a->elapsed, a->group->index, b->group->index);
}

/* If a thread has more than `most` labels, distinguishes those with the longest time. pairs: room
 * for all of them. */
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
	const uint64_t from = t->now > t->slice.first ? t->now : t->slice.first;
	const uint64_t to = until > t->slice.last ? t->slice.last + 1 : until;
	const struct gap_sums sums = {.ticks = (int64_t)(to - from)};

	if (until <= t->now)
		return 0;
	t->now = until;
	if (to <= from)
		return 0;
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
	if (own.is_plain && own.off_ns != NOT_MEASURED && own.off_ns <= INT64_MAX &&
		gaps_is_in(t->slice, own.end))
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

static int gaps_end_gap(struct gap_search *s, struct gap_pair *p, uint64_t start)
{
	struct gap_row *row = &s->rows[gaps_find_row(s, p)];
	const double ns = gaps_duration_ns(p, start - p->end);

	if (!gaps_is_in(s->threads[p->thread].slice, start))
		return 0;
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
	if (array_grow(&t->around, t->naround, &t->around_room, sizeof *t->around))
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
	if (!rc && gaps_is_in(t->slice, iv->start_ticks))
		rc = gaps_count(s, t, pair, &one);
	if (rc || array_grow(&t->open, t->count, &t->room, sizeof *t->open))
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
	struct selection_walk walk = {0};
	const struct interval *iv;
	bool selected;
	int rc = selection_walk_open(&walk, s->r, WANT_QUALITY, s->r->found);

	while (!rc && (rc = selection_walk_next(&walk, &iv, &selected)) > 0)
		rc = gaps_see_interval(s, iv, selected);
	if (!rc)
		rc = gaps_make_rows(s, gaps_count_rows(s));
	if (!rc)
		rc = gaps_choose_fillers(s);
	if (!rc)
		rc = selection_walk_rewind(&walk);
	while (!rc && (rc = selection_walk_next(&walk, &iv, &selected)) > 0)
		rc = gaps_add_interval(s, iv, selected);
	for (size_t i = 0; i < s->thread_keys.count && !rc; i++)
		rc = gaps_end_thread(s, &s->threads[i]);
	selection_walk_close(&walk);
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
	return compare_u64(a->group->index, b->group->index);
}

/* Orders the fillers of one row: those with a name, by time. */
static int gaps_compare_times(const void *x, const void *y)
{
	const struct gap_filler *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	int c = compare_u64(b->count, a->count);

	return c ? c : tally_compare_names(a->group, b->group);
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

		if (c->sums.ticks <= 0 && c->sums.started <= 0)
			continue;
		s->fillers[n++] = (struct gap_filler){.row = gaps_find_row(s, p),
			.group = s->pairs[c->filler].group,
			.is_others = !s->pairs[c->filler].group &&
				     s->threads[p->thread].pairs != c->filler,
			.time = exact_time(gaps_duration_ns(p, (uint64_t)c->sums.ticks)),
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

/* Gives the row the first n of the array. */
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
	if (!c && a->machine_id && b->machine_id)
		c = memcmp(a->machine_id, b->machine_id, GAP_ID_BYTES);
	return c ? c : compare_u64_pair(a->machine, b->machine, a->tid, b->tid);
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
	row->machine_id = s->machines[row->machine];
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
		rc = gaps_print(s->r, rows, count);
	free(rows);
	return rc;
}

/* Fills *s, which starts zeroed. */
static int gaps_find(struct gap_search *s, struct report *r)
{
	s->r = r;
	s->by_thread = r->by_list != NULL;
	s->machines = machine_ids_make(r->trace);
	if (!s->machines)
		return CPIDECODE_ENOMEM;
	s->nmachines = trace_nfiles(r->trace);
	int rc = gaps_walk(s);
	if (rc)
		return rc;
	/* Gaps count open intervals, so none is reported as left out. */
	begins_free(&r->found->begins);
	if (!s->has_intervals)
		report_note_no_intervals(r);
	return 0;
}

int report_gaps(struct report *r)
{
	struct gap_search s = {0};
	int rc = gaps_find(&s, r);

	if (!rc)
		rc = gaps_answer(&s);
	if (!rc)
		report_note_counted_lost(
			r, &s.lost, ", and gaps between them may hide overwritten ones");
	gaps_free(&s);
	return rc;
}

int report_gaps_partial(struct report *r, struct partial *p)
{
	struct gap_search s = {0};
	int rc = gaps_find(&s, r);

	if (!rc)
		rc = gaps_put(p, &s);
	gaps_free(&s);
	return rc;
}

int report_gaps_merged(struct report *r, const struct partial *p)
{
	struct gap_search s = {.r = r};
	int rc = gaps_get(&s, p);

	if (!rc && s.by_thread != (r->by_list != NULL)) {
		report_note(r, "--by: the partial results were made with%s --by " GAPS_BY_THREAD,
			s.by_thread ? "" : "out");
		r->is_misused = true;
		rc = CPIDECODE_EINVAL;
	} else if (!rc) {
		rc = gaps_answer(&s);
	} else if (rc == CPIDECODE_EINVAL) {
		report_note(r, "the gaps of a partial result are damaged");
	}
	gaps_free(&s);
	return rc;
}
