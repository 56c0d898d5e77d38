/* The slowest intervals of partial results as bytes: the writer. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/bytes.h"
#include "../../base/varint.h"
#include "kept.h"

struct slowest_writer {
	struct buffer o;
	const struct slowest_kept *kept;
	struct tally names; /* names to write, sorted once all are known */
	uint32_t *numbers;  /* numbers of files in the output; UINT32_MAX: not written */
	uint32_t nfiles;
	bool is_counting; /* the names, not the bytes */
};

static void slowest_put(struct slowest_writer *w, exact_sum v)
{
	if (!w->is_counting)
		varint_put(&w->o, v);
}

static void slowest_put_real(struct slowest_writer *w, double v)
{
	uint8_t bytes[8];
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	put_le64(bytes, bits);
	if (!w->is_counting)
		buffer_add(&w->o, bytes, sizeof bytes);
}

static void slowest_put_text(struct slowest_writer *w, const char *s, size_t n)
{
	if (!w->is_counting)
		varint_put_string(&w->o, s, n);
}

static void slowest_put_signed(struct slowest_writer *w, int64_t v)
{
	if (!w->is_counting)
		varint_put_signed(&w->o, v);
}

/* 0: not measured. */
static void slowest_put_count(struct slowest_writer *w, uint64_t v)
{
	slowest_put(w, v + 1);
}

static void slowest_put_name(struct slowest_writer *w, const struct kin_name *n)
{
	const char *label = n->label ? n->label : "";

	if (!w->is_counting)
		varint_put(&w->o,
			tally_find(&w->names, n->label, label, n->length, n->major, n->mm)->index);
	else if (!tally_group_of(
			 &w->names, n->label, label, n->label ? n->length : 0, n->major, n->mm))
		w->o.failed = true;
}

static void slowest_put_key(struct slowest_writer *w, const struct slowest_key *key)
{
	slowest_put(w, w->is_counting ? 0 : w->numbers[key->file]);
	slowest_put(w, key->start);
	slowest_put(w, key->ring);
	slowest_put(w, key->position);
	if (w->is_counting)
		w->numbers[key->file] = 0;
}

static void slowest_put_children(struct slowest_writer *w, const struct kin *k)
{
	slowest_put_real(w, k->elapsed_ns);
	slowest_put_real(w, k->self_ns);
	slowest_put(w, k->nchildren);
	for (size_t i = 0; i < k->nchildren; i++) {
		slowest_put_name(w, &k->children[i].name);
		slowest_put(w, k->children[i].count);
		slowest_put_real(w, k->children[i].self_ns);
	}
	slowest_put(w, k->others.count);
	slowest_put_real(w, k->others.self_ns);
}

static void slowest_put_values(struct slowest_writer *w, const struct slowest_row *row)
{
	const struct interval *iv = row->kin.iv;

	slowest_put(w, iv->num_values);
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];
		const bool has_value = v->type >= INTERVAL_ARG_U64 && v->type <= INTERVAL_ARG_TEXT;

		slowest_put_text(w, row->names[i].at, row->names[i].length);
		slowest_put(w, has_value ? v->type : 0);
		if (v->type == INTERVAL_ARG_TEXT)
			slowest_put_text(w, iv->value_texts + v->at, v->length);
		else if (has_value)
			slowest_put(w, v->u);
	}
}

static void slowest_put_overlap(struct slowest_writer *w, const struct meanwhile_name *m)
{
	slowest_put(w, m->count);
	slowest_put_real(w, m->overlap_ns);
	slowest_put_real(w, m->start_cpu_ns);
	slowest_put_real(w, m->cpu_ns);
}

static void slowest_put_row(struct slowest_writer *w, const struct slowest_row *row)
{
	const struct interval *iv = row->kin.iv;
	const struct kin_name name = {
		iv->has_label ? iv->label : NULL, iv->label_len, iv->mm, iv->major};

	slowest_put_key(w, &row->key);
	slowest_put(w, row->rank);
	slowest_put_name(w, &name);
	slowest_put_children(w, &row->kin);
	slowest_put_signed(w, iv->start_ns);
	slowest_put_signed(w, iv->end_ns);
	slowest_put(w, iv->tid);
	slowest_put(w, iv->task != NULL);
	if (iv->task) {
		slowest_put_text(w, iv->task->name, strlen(iv->task->name));
		slowest_put(w, iv->task->pid);
	}
	slowest_put_count(w, iv->start_cpu);
	slowest_put_count(w, iv->on_cpu_ns);
	slowest_put_count(w, iv->off_cpu_ns);
	slowest_put_count(w, iv->ctx_switches);
	slowest_put(w, row->kin.nparents);
	for (size_t i = 0; i < row->kin.nparents; i++) {
		slowest_put_name(w, &row->kin.parents[i].name);
		slowest_put_real(w, row->kin.parents[i].elapsed_ns);
	}
	slowest_put_values(w, row);
	slowest_put(w, row->meanwhile.count);
	for (size_t i = 0; i < row->meanwhile.count; i++) {
		slowest_put_name(w, &row->meanwhile.names[i].name);
		slowest_put_overlap(w, &row->meanwhile.names[i]);
	}
	slowest_put_overlap(w, &row->meanwhile.others);
}

static void slowest_put_times(struct slowest_writer *w, const struct ran_thread *t)
{
	slowest_put_real(w, t->instead_ns);
	slowest_put_real(w, t->start_cpu_ns);
	slowest_put_real(w, t->cpu_ns);
}

static void slowest_put_ran(struct slowest_writer *w, const struct ran *r)
{
	if (!r) {
		slowest_put(w, 0);
		return;
	}
	slowest_put(w, SLOWEST_RECORDED | (r->has_lost ? SLOWEST_LOST : 0) |
			       (r->has_lost_number ? SLOWEST_LOST_NUMBER : 0));
	slowest_put(w, r->lost);
	slowest_put(w, r->why);
	slowest_put(w, r->switches);
	slowest_put_real(w, r->preempted_ns);
	slowest_put_real(w, r->waiting_ns);
	slowest_put_real(w, r->start_cpu_unknown_ns);
	slowest_put_real(w, r->cpu_unknown_ns);
	slowest_put(w, r->count);
	for (size_t i = 0; i < r->count; i++) {
		const struct ran_thread *t = &r->threads[i];

		slowest_put(w, t->pid);
		slowest_put(w, t->tid);
		slowest_put(w, t->has_name);
		if (t->has_name)
			slowest_put_text(w, t->name, strlen(t->name));
		slowest_put_times(w, t);
	}
	slowest_put_times(w, &r->others);
}

/* Nothing if no row has any: the bytes are then those of readers without them. */
static void slowest_put_rans(struct slowest_writer *w)
{
	const struct slowest_kept *k = w->kept;
	bool has_any = false;

	for (size_t i = 0; i < k->nrows; i++)
		has_any |= k->rows[i].ran != NULL;
	for (size_t i = 0; has_any && i < k->nrows; i++)
		slowest_put_ran(w, k->rows[i].ran);
}

static void slowest_put_waker(struct slowest_writer *w, const struct waker *t)
{
	slowest_put(w, t->waits);
	slowest_put_real(w, t->waited_ns);
	slowest_put_real(w, t->to_run_ns);
}

static void slowest_put_row_wakers(struct slowest_writer *w, const struct ran *ran)
{
	const struct wakers *wakers = ran ? &ran->wakers : NULL;

	slowest_put(w, wakers && wakers->is_recorded);
	if (!wakers || !wakers->is_recorded)
		return;
	slowest_put(w, wakers->count);
	for (size_t i = 0; i < wakers->count; i++) {
		const struct waker *t = &wakers->at[i];

		slowest_put(w, t->is_interrupt);
		if (!t->is_interrupt) {
			slowest_put(w, t->pid);
			slowest_put(w, t->tid);
			slowest_put(w, t->has_name);
		}
		if (t->has_name)
			slowest_put_text(w, t->name, strlen(t->name));
		slowest_put_waker(w, t);
	}
	slowest_put_waker(w, &wakers->others);
	slowest_put_waker(w, &wakers->unknown);
}

/* Writes nothing, too, if no row has any. */
static void slowest_put_wakers(struct slowest_writer *w)
{
	const struct slowest_kept *k = w->kept;
	bool has_any = false;

	for (size_t i = 0; i < k->nrows; i++)
		has_any |= k->rows[i].ran && k->rows[i].ran->wakers.is_recorded;
	for (size_t i = 0; has_any && i < k->nrows; i++)
		slowest_put_row_wakers(w, k->rows[i].ran);
}

static void slowest_put_median(struct slowest_writer *w, const struct slowest_median *m)
{
	const struct tally_group *g = m->group;
	const struct kin_name name = {
		g->has_label ? g->label : NULL, g->label_len, g->mm, g->major};

	slowest_put_key(w, &m->key);
	slowest_put_name(w, &name);
	slowest_put(w, m->ns);
	slowest_put_children(w, &m->kin);
}

static void slowest_put_all(struct slowest_writer *w)
{
	const struct slowest_kept *k = w->kept;

	slowest_put(w, k->nrows);
	for (size_t i = 0; i < k->nrows; i++)
		slowest_put_row(w, &k->rows[i]);
	slowest_put(w, k->nmedians);
	for (size_t i = 0; i < k->nmedians; i++)
		slowest_put_median(w, &k->medians[i]);
	slowest_put_rans(w);
	slowest_put_wakers(w);
}

static int slowest_compare_files(const struct slowest_file *a, const struct slowest_file *b)
{
	int c = memcmp(a->trace_id, b->trace_id, sizeof a->trace_id);

	return c ? c : compare_u64(a->fingerprint, b->fingerprint);
}

static int slowest_compare_numbers(const void *x, const void *y, void *ctx)
{
	const struct slowest_kept *k = ctx;
	const uint32_t *a = x, *b = y;

	return slowest_compare_files(&k->files[*a], &k->files[*b]);
}

/* Writes each file that has an interval, once and in order. */
static int slowest_put_files(struct slowest_writer *w)
{
	const struct slowest_kept *k = w->kept;
	uint32_t *order = calloc(k->nfiles + 1, sizeof *order), n = 0, last = 0;

	if (!order)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < k->nfiles; i++)
		if (w->numbers[i] != UINT32_MAX)
			order[n++] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof *order, slowest_compare_numbers, (void *)k);
	for (uint32_t i = 0; i < n; i++) {
		last += i && slowest_compare_numbers(&order[i - 1], &order[i], (void *)k) != 0;
		w->numbers[order[i]] = last;
	}
	varint_put(&w->o, n ? last + 1 : 0);
	for (uint32_t i = 0; i < n; i++) {
		if (i && w->numbers[order[i - 1]] == w->numbers[order[i]])
			continue;
		buffer_add(&w->o, k->files[order[i]].trace_id, sizeof k->files->trace_id);
		varint_put(&w->o, k->files[order[i]].fingerprint);
	}
	free(order);
	return 0;
}

static int slowest_compare_groups(const void *x, const void *y)
{
	return tally_compare_names(
		*(const struct tally_group *const *)x, *(const struct tally_group *const *)y);
}

static void slowest_put_names(struct slowest_writer *w)
{
	struct tally *names = &w->names;

	varint_put(&w->o, names->count);
	/* Sort pointers, not the table: indexes in it are numbers. */
	struct tally_group **order = calloc(names->count + 1, sizeof(struct tally_group *));
	if (!order) {
		w->o.failed = true;
		return;
	}
	for (size_t i = 0; i < names->count; i++)
		order[i] = names->groups[i];
	if (names->count)
		qsort(order, names->count, sizeof(struct tally_group *), slowest_compare_groups);
	for (size_t i = 0; i < names->count; i++) {
		struct tally_group *g = order[i];

		g->index = (uint32_t)i;
		varint_put(&w->o, g->has_label);
		varint_put_string(&w->o, g->label, g->label_len);
		varint_put(&w->o, g->mm);
		varint_put(&w->o, g->major);
	}
	free(order);
}

int slowest_kept_put(struct partial *p, const struct slowest_kept *k)
{
	struct slowest_writer w = {.kept = k, .is_counting = true};
	int rc = 0;

	w.numbers = calloc(k->nfiles + 1, sizeof *w.numbers);
	if (!w.numbers)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < k->nfiles; i++)
		w.numbers[i] = UINT32_MAX;
	slowest_put_all(&w);
	w.is_counting = false;
	varint_put(&w.o, k->most);
	varint_put(&w.o, k->has_start);
	if (k->has_start)
		varint_put_signed(&w.o, k->start);
	rc = slowest_put_files(&w);
	if (!rc && !w.o.failed) {
		slowest_put_names(&w);
		if (!w.o.failed)
			slowest_put_all(&w);
	}
	if (!rc)
		rc = w.o.failed ? CPIDECODE_ENOMEM
				: partial_add_answer(p, PARTIAL_SLOWEST, w.o.p, w.o.n);
	free(w.o.p);
	free(w.numbers);
	tally_free(&w.names);
	return rc;
}
