/* Gaps of partial results as bytes. The parser trusts nothing. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../../../formats/base/compare.h"
#include "../../../base/grow.h"
#include "../../../base/varint.h"
#include "../../../model/trace/clock/clock.h"
#include "tables.h"

/* More intervals than any trace has: sums of so many such counts cannot overflow. */
#define MOST_GAPS (UINT64_C(1) << 48)

enum {
	TASK_NAME = 16,
	/* Instead of a name, whose number is two more. */
	FILLER_NOTHING = 0,
	FILLER_OTHERS = 1,
	FILLER_NAME = 2,
	MACHINE_BYTES = 16,
};

/* ------------------------------------------------------------------------ writing */

/* The elements to write, in order; and for each number in *s its position, or GAP_NONE. */
struct gap_order {
	uint32_t *at, *place;
	uint32_t count;
};

struct gap_writer {
	struct buffer o;
	const struct gap_search *s;
	struct gap_order machines, names, pairs, cells;
};

static bool gaps_has_cell(const struct gap_sums *sums)
{
	return sums->ticks || sums->started || sums->off_ns || sums->tell_off;
}

static uint32_t gaps_machine_of(const struct gap_search *s, uint32_t pair)
{
	return (uint32_t)(s->thread_keys.at[s->pairs[pair].thread] >> 32);
}

static uint32_t gaps_tid_of(const struct gap_search *s, uint32_t pair)
{
	return (uint32_t)s->thread_keys.at[s->pairs[pair].thread];
}

static void gaps_use(struct gap_order *o, uint32_t i)
{
	if (o->place[i] != GAP_NONE)
		return;
	o->place[i] = 0;
	o->at[o->count++] = i;
}

static int gaps_begin_order(struct gap_order *o, size_t n)
{
	o->at = calloc(n + 1, sizeof *o->at);
	o->place = malloc((n + 1) * sizeof *o->place);
	if (!o->at || !o->place)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i <= n; i++)
		o->place[i] = GAP_NONE;
	return 0;
}

static void gaps_sort_order(
	struct gap_order *o, int (*compare)(const void *x, const void *y, void *ctx), void *ctx)
{
	if (o->count)
		qsort_r(o->at, o->count, sizeof *o->at, compare, ctx);
	for (uint32_t i = 0; i < o->count; i++)
		o->place[o->at[i]] = i;
}

static int gaps_compare_machines(const void *x, const void *y, void *ctx)
{
	const struct gap_writer *w = ctx;
	const uint32_t *a = x, *b = y;

	return memcmp(w->s->machines[*a], w->s->machines[*b], GAP_ID_BYTES);
}

static int gaps_compare_names(const void *x, const void *y, void *ctx)
{
	const struct gap_writer *w = ctx;
	const uint32_t *a = x, *b = y;

	return tally_compare_names(w->s->names.groups[*a], w->s->names.groups[*b]);
}

static int gaps_compare_pairs(const void *x, const void *y, void *ctx)
{
	const struct gap_writer *w = ctx;
	const uint32_t *a = x, *b = y;
	int c = compare_u64_pair(w->machines.place[gaps_machine_of(w->s, *a)],
		w->machines.place[gaps_machine_of(w->s, *b)], gaps_tid_of(w->s, *a),
		gaps_tid_of(w->s, *b));

	return c ? c
		 : compare_u64(w->names.place[w->s->pairs[*a].group->index],
			   w->names.place[w->s->pairs[*b].group->index]);
}

static uint32_t gaps_spell_filler(const struct gap_writer *w, const struct gap_cell *c)
{
	const struct gap_pair *filler = &w->s->pairs[c->filler];

	if (filler->group)
		return FILLER_NAME + w->names.place[filler->group->index];
	return w->s->threads[filler->thread].pairs == c->filler ? FILLER_NOTHING : FILLER_OTHERS;
}

static int gaps_compare_cells(const void *x, const void *y, void *ctx)
{
	const struct gap_writer *w = ctx;
	const struct gap_cell *a = &w->s->cells[*(const uint32_t *)x];
	const struct gap_cell *b = &w->s->cells[*(const uint32_t *)y];

	return compare_u64_pair(w->pairs.place[a->pair], w->pairs.place[b->pair],
		gaps_spell_filler(w, a), gaps_spell_filler(w, b));
}

static void gaps_use_pair(struct gap_writer *w, uint32_t pair)
{
	gaps_use(&w->pairs, pair);
	gaps_use(&w->machines, gaps_machine_of(w->s, pair));
	gaps_use(&w->names, w->s->pairs[pair].group->index);
}

/* Numbers the elements that the file holds. */
static int gaps_order_all(struct gap_writer *w)
{
	const struct gap_search *s = w->s;
	int rc = gaps_begin_order(&w->machines, s->nmachines);

	if (!rc)
		rc = gaps_begin_order(&w->names, s->names.count);
	if (!rc)
		rc = gaps_begin_order(&w->pairs, s->pair_keys.count);
	if (!rc)
		rc = gaps_begin_order(&w->cells, s->cell_keys.count);
	for (uint32_t i = 0; i < s->cell_keys.count && !rc; i++) {
		const struct gap_cell *c = &s->cells[i];

		if (!gaps_has_cell(&c->sums))
			continue;
		gaps_use(&w->cells, i);
		gaps_use_pair(w, c->pair);
		if (s->pairs[c->filler].group)
			gaps_use(&w->names, s->pairs[c->filler].group->index);
	}
	for (uint32_t i = 0; i < s->nrows && !rc; i++) {
		if (!s->rows[i].gaps.count)
			continue;
		if (s->by_thread)
			gaps_use_pair(w, i);
		else
			gaps_use(&w->names, i);
	}
	if (rc)
		return rc;
	gaps_sort_order(&w->machines, gaps_compare_machines, w);
	gaps_sort_order(&w->names, gaps_compare_names, w);
	gaps_sort_order(&w->pairs, gaps_compare_pairs, w);
	gaps_sort_order(&w->cells, gaps_compare_cells, w);
	return 0;
}

static int gaps_put_row(struct gap_writer *w, uint32_t i)
{
	struct gap_row *row = &w->s->rows[i];
	const int rc = histogram_settle(&row->gaps);

	if (rc)
		return rc;
	partial_put_histogram(&w->o, &row->gaps);
	varint_put(&w->o, row->total);
	return 0;
}

static void gaps_put_names(struct gap_writer *w)
{
	varint_put(&w->o, w->machines.count);
	for (uint32_t i = 0; i < w->machines.count; i++)
		buffer_add(&w->o, w->s->machines[w->machines.at[i]], MACHINE_BYTES);
	varint_put(&w->o, w->names.count);
	for (uint32_t i = 0; i < w->names.count; i++) {
		const struct tally_group *g = w->s->names.groups[w->names.at[i]];

		varint_put(&w->o, g->has_label);
		varint_put_string(&w->o, g->label, g->label_len);
		varint_put(&w->o, g->mm);
		varint_put(&w->o, g->major);
	}
}

/* Writes rows by name; rows by thread are with their pairs. */
static int gaps_put_rows(struct gap_writer *w)
{
	const struct gap_search *s = w->s;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < w->names.count && !s->by_thread; i++)
		n += s->rows[w->names.at[i]].gaps.count > 0;
	varint_put(&w->o, n);
	for (uint32_t i = 0; i < w->names.count && !s->by_thread && !rc; i++) {
		if (!s->rows[w->names.at[i]].gaps.count)
			continue;
		varint_put(&w->o, i);
		rc = gaps_put_row(w, w->names.at[i]);
	}
	return rc;
}

static void gaps_put_task(struct gap_writer *w, const struct task *task)
{
	varint_put(&w->o, task != NULL);
	if (task)
		varint_put_string(&w->o, task->name, strlen(task->name));
}

static void gaps_put_cells(struct gap_writer *w, uint32_t pair, uint32_t *next)
{
	uint32_t end = *next;

	while (end < w->cells.count && w->s->cells[w->cells.at[end]].pair == pair)
		end++;
	varint_put(&w->o, end - *next);
	for (; *next < end; ++*next) {
		const struct gap_cell *c = &w->s->cells[w->cells.at[*next]];

		varint_put(&w->o, gaps_spell_filler(w, c));
		varint_put_signed(&w->o, c->sums.ticks);
		varint_put_signed(&w->o, c->sums.started);
		varint_put_signed(&w->o, c->sums.off_ns);
		varint_put_signed(&w->o, c->sums.tell_off);
	}
}

static int gaps_put_pairs(struct gap_writer *w)
{
	uint32_t next = 0;
	int rc = 0;

	varint_put(&w->o, w->pairs.count);
	for (uint32_t i = 0; i < w->pairs.count && !rc; i++) {
		const uint32_t pair = w->pairs.at[i];
		const struct gap_pair *p = &w->s->pairs[pair];

		varint_put(&w->o, w->machines.place[gaps_machine_of(w->s, pair)]);
		varint_put(&w->o, gaps_tid_of(w->s, pair));
		varint_put(&w->o, w->names.place[p->group->index]);
		varint_put(&w->o, p->rate);
		if (w->s->by_thread) {
			gaps_put_task(w, w->s->threads[p->thread].task);
			rc = gaps_put_row(w, pair);
		}
		gaps_put_cells(w, pair, &next);
	}
	return rc;
}

static void gaps_free_order(struct gap_order *o)
{
	free(o->at);
	free(o->place);
}

int gaps_put(struct partial *p, const struct gap_search *s)
{
	struct gap_writer w = {.s = s};
	int rc = gaps_order_all(&w);

	if (!rc) {
		varint_put(&w.o, s->by_thread);
		gaps_put_names(&w);
		rc = gaps_put_rows(&w);
	}
	if (!rc)
		rc = gaps_put_pairs(&w);
	if (!rc)
		rc = w.o.failed ? CPIDECODE_ENOMEM
				: partial_add_answer(p, PARTIAL_GAPS, w.o.p, w.o.n);
	gaps_free_order(&w.machines);
	gaps_free_order(&w.names);
	gaps_free_order(&w.pairs);
	gaps_free_order(&w.cells);
	free(w.o.p);
	return rc;
}

/* ------------------------------------------------------------------------ reading */

struct gap_reader {
	struct varint_in in;
	struct gap_search *s;
	uint32_t *machines; /* their numbers in *s */
	struct tally_group **names;
	uint32_t nmachines, nnames;
};

/* Reads a count of elements that have at least that many bytes each. */
static uint32_t gaps_get_number(struct gap_reader *r, unsigned bytes)
{
	const uint64_t n = varint_get_max(&r->in, GAP_OTHERS - 1);

	if (n > (uint64_t)(r->in.end - r->in.p) / bytes)
		varint_fail(&r->in, "it ends too soon");
	return r->in.why ? 0 : (uint32_t)n;
}

/* Reads a number below n. */
static uint32_t gaps_get_index(struct gap_reader *r, uint32_t n)
{
	const uint64_t i = varint_get_max(&r->in, UINT32_MAX);

	if (i >= n)
		varint_fail(&r->in, "a number out of range");
	return r->in.why ? 0 : (uint32_t)i;
}

static int gaps_find_machine(struct gap_search *s, const uint8_t *id, uint32_t *number)
{
	uint64_t hash = XXH3_64bits(id, GAP_ID_BYTES);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&s->machine_ids, &hash));) {
		*number = at - 1;
		if (memcmp(s->machines[at - 1], id, GAP_ID_BYTES) == 0)
			return 0;
	}
	if (array_grow(&s->machines, s->nmachines, &s->machines_room, sizeof *s->machines) ||
		!hash_index_grow(&s->machine_ids, s->nmachines + 1, &i))
		return CPIDECODE_ENOMEM;
	*number = (uint32_t)s->nmachines;
	memcpy(s->machines[s->nmachines++], id, GAP_ID_BYTES);
	for (; i < s->nmachines; i++)
		hash_index_add(
			&s->machine_ids, XXH3_64bits(s->machines[i], GAP_ID_BYTES), (uint32_t)i);
	return 0;
}

static int gaps_get_machines(struct gap_reader *r)
{
	int rc = 0;

	r->nmachines = gaps_get_number(r, MACHINE_BYTES);
	r->machines = calloc(r->nmachines + 1u, sizeof *r->machines);
	if (!r->machines)
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < r->nmachines && !r->in.why && !rc; i++) {
		const uint8_t *id = varint_get_raw(&r->in, MACHINE_BYTES);

		if (id)
			rc = gaps_find_machine(r->s, id, &r->machines[i]);
	}
	return rc;
}

static int gaps_get_names(struct gap_reader *r)
{
	r->nnames = gaps_get_number(r, 4);
	r->names = calloc(r->nnames + 1u, sizeof(struct tally_group *));
	if (!r->names)
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < r->nnames && !r->in.why; i++) {
		uint32_t length;
		const bool has_label = varint_get_max(&r->in, 1);
		const uint8_t *label = varint_get_string(&r->in, &length);
		const uint8_t mm = (uint8_t)varint_get_max(&r->in, UINT8_MAX);
		const uint8_t major = (uint8_t)varint_get_max(&r->in, UINT8_MAX);

		if (!has_label && length)
			varint_fail(&r->in, "an invalid label");
		if (r->in.why)
			break;
		r->names[i] =
			gaps_find_group(r->s, has_label, (const char *)label, length, major, mm);
		if (!r->names[i])
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static int gaps_get_row(struct gap_reader *r, uint32_t i)
{
	struct histogram h = {0};
	int rc = gaps_make_rows(r->s, i + 1u);

	if (rc)
		return rc;
	rc = partial_get_histogram(&r->in, &h, MOST_GAPS);
	const exact_sum total = varint_get(&r->in);
	if (!rc && !r->in.why) {
		exact_add(&r->s->rows[i].total, total);
		rc = histogram_merge(&r->s->rows[i].gaps, &h);
	}
	histogram_free(&h);
	return rc;
}

static int gaps_get_rows(struct gap_reader *r)
{
	const uint32_t n = gaps_get_number(r, 3);
	int rc = 0;

	if (n && r->s->by_thread)
		varint_fail(&r->in, "rows of names beside those of threads");
	for (uint32_t i = 0; i < n && !r->in.why && !rc; i++) {
		const uint32_t name = gaps_get_index(r, r->nnames);

		if (!r->in.why)
			rc = gaps_get_row(r, r->names[name]->index);
	}
	return rc;
}

static int gaps_read_task(struct gap_reader *r, uint32_t thread)
{
	uint32_t length;

	if (!varint_get_max(&r->in, 1))
		return 0;
	const uint8_t *name = varint_get_string(&r->in, &length);
	if (length > TASK_NAME || (length && memchr(name, 0, length)))
		varint_fail(&r->in, "an invalid thread's name");
	if (r->in.why)
		return 0;
	struct task *task = arena_alloc(&r->s->names.memory, sizeof *task);
	if (!task)
		return CPIDECODE_ENOMEM;
	*task = (struct task){.pid = 0};
	if (length)
		memcpy(task->name, name, length);
	/* All parts of a trace have the same thread names. */
	const struct task *known = r->s->threads[thread].task;
	if (!known || strcmp(known->name, task->name) < 0)
		r->s->threads[thread].task = task;
	return 0;
}

/* The pair of a thread that represents a filler; GAP_NONE: no memory. */
static uint32_t gaps_read_filler(struct gap_reader *r, uint32_t thread)
{
	const uint32_t nothing = r->s->threads[thread].pairs;
	const uint32_t filler = gaps_get_index(r, FILLER_NAME + r->nnames);

	if (r->in.why || filler == FILLER_NOTHING)
		return nothing;
	if (filler == FILLER_OTHERS)
		return r->s->pairs[nothing].next;
	struct tally_group *g = r->names[filler - FILLER_NAME];
	const struct gap_pair *p = gaps_find_pair(r->s, thread, g->index, g);
	return p ? (uint32_t)(p - r->s->pairs) : GAP_NONE;
}

static int gaps_get_cells(struct gap_reader *r, uint32_t thread, uint32_t pair)
{
	const uint32_t n = gaps_get_number(r, 5);
	int rc = 0;

	for (uint32_t i = 0; i < n && !r->in.why && !rc; i++) {
		const uint32_t filler = gaps_read_filler(r, thread);
		struct gap_sums sums = {.ticks = varint_get_signed(&r->in)};

		sums.started = varint_get_signed(&r->in);
		sums.off_ns = varint_get_signed(&r->in);
		sums.tell_off = varint_get_signed(&r->in);
		if (filler == GAP_NONE)
			return CPIDECODE_ENOMEM;
		if (!r->in.why)
			rc = gaps_add_cell(r->s, pair, filler, &sums, 1);
	}
	return rc;
}

static int gaps_get_pair(struct gap_reader *r)
{
	const uint32_t machine = gaps_get_index(r, r->nmachines);
	const uint32_t tid = (uint32_t)varint_get_max(&r->in, UINT32_MAX);
	const uint32_t name = gaps_get_index(r, r->nnames);
	const uint64_t rate = varint_get_max(&r->in, CLOCK_MAX_RATE);
	int rc = 0;

	if (!rate)
		varint_fail(&r->in, "a clock without a rate");
	if (r->in.why)
		return 0;
	struct tally_group *g = r->names[name];
	const uint32_t thread = gaps_find_thread(r->s, r->machines[machine], tid);
	struct gap_pair *p = thread == GAP_NONE ? NULL : gaps_find_pair(r->s, thread, g->index, g);
	if (!p)
		return CPIDECODE_ENOMEM;
	p->rate = rate > p->rate ? rate : p->rate;
	const uint32_t pair = (uint32_t)(p - r->s->pairs);
	if (r->s->by_thread) {
		rc = gaps_read_task(r, thread);
		if (!rc)
			rc = gaps_get_row(r, pair);
	}
	return rc ? rc : gaps_get_cells(r, thread, pair);
}

static int gaps_get_part(struct gap_reader *r, bool is_first)
{
	const bool by_thread = varint_get_max(&r->in, 1);

	if (!is_first && by_thread != r->s->by_thread)
		varint_fail(&r->in, "gaps by threads and by labels");
	r->s->by_thread = by_thread;
	int rc = gaps_get_machines(r);
	if (!rc && !r->in.why)
		rc = gaps_get_names(r);
	if (!rc && !r->in.why)
		rc = gaps_get_rows(r);
	for (uint32_t n = rc ? 0 : gaps_get_number(r, 5); n && !rc && !r->in.why; n--)
		rc = gaps_get_pair(r);
	if (!rc && !r->in.why && r->in.p < r->in.end)
		varint_fail(&r->in, "something follows its gaps");
	free(r->machines);
	free(r->names);
	return rc;
}

int gaps_get(struct gap_search *s, const struct partial *p)
{
	struct varint_in all = {p->answers.bytes.p, NULL, NULL};
	int rc = 0;

	if (p->answers.count)
		all.end = p->answers.bytes.p + p->answers.bytes.n;
	for (size_t i = 0; i < p->answers.count && !rc; i++) {
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);
		struct gap_reader r = {.in = {bytes, bytes ? bytes + length : NULL, NULL}, .s = s};

		rc = gaps_get_part(&r, i == 0);
		if (!rc && (all.why || r.in.why))
			rc = CPIDECODE_EINVAL;
	}
	return rc ? rc : gaps_make_rows(s, gaps_count_rows(s));
}

int gaps_settle(struct partial *p)
{
	struct gap_search s = {0};
	int rc = gaps_get(&s, p);

	if (!rc) {
		partial_clear_answers(p);
		rc = gaps_put(p, &s);
	}
	gaps_free(&s);
	return rc;
}
