/* The slowest intervals of partial results as bytes. The parser trusts nothing. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/bytes.h"
#include "../../base/sort.h"
#include "../../base/varint.h"
#include "slowest_kept.h"

/* More intervals than any trace has: sums of so many such counts cannot overflow. */
#define MOST_INTERVALS (UINT64_C(1) << 48)

enum {
	TASK_NAME = 16,
	/* Least encoded size of an element. */
	CHILD_BYTES = 10,
	VALUE_BYTES = 2,
	PARENT_BYTES = 9,
	OVERLAP_BYTES = 26,
	FILE_BYTES = 17,
	NAME_BYTES = 4,
	THREAD_BYTES = 27,
	/* How the records were lost, and whether there are any of the row. */
	RAN_RECORDED = 1,
	RAN_LOST = 2,
	RAN_LOST_NUMBER = 4,
};

/* ------------------------------------------------------------------------ writing */

struct slowest_writer {
	struct varint_out o;
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
		varint_raw(&w->o, bytes, sizeof bytes);
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
			tally_find(&w->names, n->label, label, n->length, n->major, n->mm)->place);
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
	slowest_put(w, RAN_RECORDED | (r->has_lost ? RAN_LOST : 0) |
			       (r->has_lost_number ? RAN_LOST_NUMBER : 0));
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
}

static int slowest_compare_files(const struct slowest_file *a, const struct slowest_file *b)
{
	const int c = memcmp(a->trace_id, b->trace_id, sizeof a->trace_id);

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
		varint_raw(&w->o, k->files[order[i]].trace_id, sizeof k->files->trace_id);
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
	/* Sort pointers, not the table: places in it are numbers. */
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

		g->place = (uint32_t)i;
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

/* ------------------------------------------------------------------------ reading */

struct slowest_reader {
	struct varint_in in;
	const uint8_t *begin;
	const struct tally *groups;
	struct slowest_kept *kept;
	struct kin_name *names;
	uint32_t nnames, first_file, nfiles;
	int rc;
};

static bool slowest_is_over(const struct slowest_reader *r)
{
	return r->rc || r->in.why;
}

static uint64_t slowest_get(struct slowest_reader *r, uint64_t most)
{
	return varint_get_max(&r->in, most);
}

/* Reads a count of elements that take at least so many bytes each. */
static size_t slowest_get_number(struct slowest_reader *r, unsigned bytes)
{
	const uint64_t n = varint_get_max(&r->in, UINT32_MAX);

	if (n > (uint64_t)(r->in.end - r->in.p) / bytes)
		varint_fail(&r->in, "it ends too soon");
	return r->in.why ? 0 : (size_t)n;
}

static void *slowest_alloc(struct slowest_reader *r, size_t n, size_t size)
{
	void *p = slowest_is_over(r) ? NULL : arena_alloc(&r->kept->memory, (n + 1) * size);

	if (!p) {
		r->rc = r->in.why ? r->rc : CPIDECODE_ENOMEM;
		return NULL;
	}
	return memset(p, 0, (n + 1) * size);
}

static double slowest_get_real(struct slowest_reader *r)
{
	const uint8_t *bytes = varint_get_raw(&r->in, 8);
	const uint64_t bits = bytes ? get_le64(bytes) : 0;
	double v;

	memcpy(&v, &bits, sizeof v);
	if (!(v >= 0 && v <= 0x1p64))
		varint_fail(&r->in, "an invalid time");
	return r->in.why ? 0 : v;
}

static uint64_t slowest_get_count(struct slowest_reader *r)
{
	return slowest_get(r, UINT64_MAX) - 1;
}

static struct kin_name slowest_get_name(struct slowest_reader *r)
{
	const uint64_t i = slowest_get(r, UINT32_MAX);

	if (i >= r->nnames)
		varint_fail(&r->in, "an invalid name");
	return r->in.why ? (struct kin_name){0} : r->names[i];
}

static void slowest_get_key(struct slowest_reader *r, struct slowest_key *key)
{
	const uint64_t file = slowest_get(r, UINT32_MAX);

	if (file >= r->nfiles)
		varint_fail(&r->in, "an invalid file");
	key->file = r->first_file + (r->in.why ? 0 : (uint32_t)file);
	key->start = slowest_get(r, UINT64_MAX);
	key->ring = (uint32_t)slowest_get(r, UINT32_MAX);
	key->position = slowest_get(r, UINT64_MAX);
}

static void slowest_get_children(struct slowest_reader *r, struct kin *k)
{
	k->is_found = true;
	k->elapsed_ns = slowest_get_real(r);
	k->self_ns = slowest_get_real(r);
	const size_t n = slowest_get_number(r, CHILD_BYTES);
	k->children = slowest_alloc(r, n, sizeof *k->children);
	for (size_t i = 0; i < n && !slowest_is_over(r); i++) {
		k->children[i].name = slowest_get_name(r);
		k->children[i].count = slowest_get(r, MOST_INTERVALS);
		k->children[i].self_ns = slowest_get_real(r);
		k->nchildren++;
	}
	k->others.count = slowest_get(r, MOST_INTERVALS);
	k->others.self_ns = slowest_get_real(r);
}

static void slowest_get_task(struct slowest_reader *r, struct interval *iv)
{
	uint32_t length;

	if (!slowest_get(r, 1))
		return;
	const uint8_t *name = varint_get_string(&r->in, &length);
	const uint32_t pid = (uint32_t)slowest_get(r, UINT32_MAX);
	if (length > TASK_NAME || (length && memchr(name, 0, length)))
		varint_fail(&r->in, "an invalid thread's name");
	struct task *task = slowest_alloc(r, 1, sizeof *task);
	if (!task)
		return;
	task->tid = iv->tid;
	task->pid = pid;
	if (length)
		memcpy(task->name, name, length);
	iv->task = task;
}

static void slowest_get_value(
	struct slowest_reader *r, uint32_t i, struct trace_text *name, struct interval_value *v)
{
	const uint8_t *at = varint_get_string(&r->in, &name->length);

	name->at = at ? (const char *)at : "";
	v->name = i;
	v->type = (uint8_t)slowest_get(r, INTERVAL_ARG_TEXT);
	if (v->type == INTERVAL_ARG_TEXT) {
		at = varint_get_string(&r->in, &v->length);
		v->at = at ? (uint64_t)(at - r->begin) : 0;
	} else if (v->type) {
		v->u = slowest_get(r, UINT64_MAX);
	}
}

static void slowest_get_values(
	struct slowest_reader *r, struct slowest_row *row, struct interval *iv)
{
	const size_t n = slowest_get_number(r, VALUE_BYTES);
	struct interval_value *values = slowest_alloc(r, n, sizeof *values);
	struct trace_text *names = slowest_alloc(r, n, sizeof *names);

	for (size_t i = 0; i < n && !slowest_is_over(r); i++)
		slowest_get_value(r, (uint32_t)i, &names[i], &values[i]);
	iv->values = values;
	iv->value_texts = (const char *)r->begin;
	iv->num_values = (uint32_t)n;
	row->names = names;
}

static void slowest_get_overlap(struct slowest_reader *r, struct meanwhile_name *m)
{
	m->count = slowest_get(r, MOST_INTERVALS);
	m->overlap_ns = slowest_get_real(r);
	m->start_cpu_ns = slowest_get_real(r);
	m->cpu_ns = slowest_get_real(r);
}

static void slowest_get_around(struct slowest_reader *r, struct slowest_row *row)
{
	const size_t n = slowest_get_number(r, PARENT_BYTES);
	struct kin_parent *parents = slowest_alloc(r, n, sizeof *parents);

	for (size_t i = 0; i < n && !slowest_is_over(r); i++) {
		parents[i].name = slowest_get_name(r);
		parents[i].elapsed_ns = slowest_get_real(r);
	}
	row->kin.parents = parents;
	row->kin.nparents = n;
}

static void slowest_get_overlaps(struct slowest_reader *r, struct meanwhile *m)
{
	const size_t n = slowest_get_number(r, OVERLAP_BYTES);

	m->names = slowest_alloc(r, n, sizeof *m->names);
	for (size_t i = 0; i < n && !slowest_is_over(r); i++) {
		m->names[i].name = slowest_get_name(r);
		slowest_get_overlap(r, &m->names[i]);
	}
	m->count = n;
	slowest_get_overlap(r, &m->others);
}

static void slowest_get_times(struct slowest_reader *r, struct ran_thread *t)
{
	t->instead_ns = slowest_get_real(r);
	t->start_cpu_ns = slowest_get_real(r);
	t->cpu_ns = slowest_get_real(r);
}

static void slowest_get_thread(struct slowest_reader *r, struct ran_thread *t)
{
	uint32_t length;

	t->pid = (uint32_t)slowest_get(r, UINT32_MAX);
	t->tid = (uint32_t)slowest_get(r, UINT32_MAX);
	t->has_name = slowest_get(r, 1);
	if (t->has_name) {
		const uint8_t *name = varint_get_string(&r->in, &length);

		if (length > KERNEL_NAME_BYTES || (length && memchr(name, 0, length)))
			varint_fail(&r->in, "an invalid thread's name");
		else if (length)
			memcpy(t->name, name, length);
	}
	slowest_get_times(r, t);
}

static void slowest_get_ran(struct slowest_reader *r, struct slowest_row *row)
{
	const uint64_t flags = slowest_get(r, RAN_RECORDED | RAN_LOST | RAN_LOST_NUMBER);

	if ((flags && !(flags & RAN_RECORDED)) || (flags & RAN_LOST_NUMBER && !(flags & RAN_LOST)))
		varint_fail(&r->in, "invalid switches");
	if (!flags || slowest_is_over(r))
		return;
	struct ran *ran = slowest_alloc(r, 1, sizeof *ran);
	if (!ran)
		return;
	row->ran = ran;
	ran->has_lost = flags & RAN_LOST;
	ran->has_lost_number = flags & RAN_LOST_NUMBER;
	ran->lost = slowest_get(r, UINT64_MAX);
	ran->why = (enum ran_why)slowest_get(r, RAN_WHYS - 1);
	ran->switches = slowest_get(r, MOST_INTERVALS);
	ran->preempted_ns = slowest_get_real(r);
	ran->waiting_ns = slowest_get_real(r);
	ran->start_cpu_unknown_ns = slowest_get_real(r);
	ran->cpu_unknown_ns = slowest_get_real(r);
	ran->count = slowest_get_number(r, THREAD_BYTES);
	ran->threads = slowest_alloc(r, ran->count, sizeof *ran->threads);
	for (size_t i = 0; i < ran->count && !slowest_is_over(r); i++)
		slowest_get_thread(r, &ran->threads[i]);
	slowest_get_times(r, &ran->others);
	/* The same answer has one spelling. */
	if ((ran->lost && !ran->has_lost) ||
		(ran->why && (ran->switches || ran->preempted_ns > 0 || ran->waiting_ns > 0)))
		varint_fail(&r->in, "invalid switches");
}

static void slowest_get_rans(struct slowest_reader *r, size_t first_row)
{
	const struct slowest_kept *k = r->kept;
	bool has_any = false;

	if (slowest_is_over(r) || r->in.p == r->in.end)
		return;
	for (size_t i = first_row; i < k->nrows && !slowest_is_over(r); i++) {
		slowest_get_ran(r, &k->rows[i]);
		has_any |= k->rows[i].ran != NULL;
	}
	if (!has_any)
		varint_fail(&r->in, "something follows its intervals");
}

static const struct tally_group *slowest_find_group(
	struct slowest_reader *r, const struct kin_name *name)
{
	const struct tally_group *g =
		r->in.why ? NULL
			  : tally_find(r->groups, name->label, name->label ? name->label : "",
				    name->length, name->major, name->mm);

	if (!g)
		varint_fail(&r->in, "an interval of no group");
	return g;
}

static void slowest_get_row(struct slowest_reader *r)
{
	struct slowest_row *row = slowest_kept_row(r->kept);
	struct interval *iv = slowest_alloc(r, 1, sizeof *iv);

	if (!row || !iv) {
		r->rc = r->rc || r->in.why ? r->rc : CPIDECODE_ENOMEM;
		return;
	}
	slowest_get_key(r, &row->key);
	row->rank = slowest_get(r, UINT64_MAX);
	const struct kin_name name = slowest_get_name(r);
	slowest_find_group(r, &name);
	slowest_get_children(r, &row->kin);
	*iv = (struct interval){.has_label = name.label != NULL,
		.label = name.label,
		.label_len = name.length,
		.mm = name.mm,
		.major = name.major,
		.ring = row->key.ring,
		.elapsed_ns = row->kin.elapsed_ns};
	row->kin.iv = iv;
	iv->start_ns = varint_get_signed(&r->in);
	iv->end_ns = varint_get_signed(&r->in);
	iv->tid = (uint32_t)slowest_get(r, UINT32_MAX);
	slowest_get_task(r, iv);
	iv->start_cpu = slowest_get_count(r);
	iv->on_cpu_ns = slowest_get_count(r);
	iv->off_cpu_ns = slowest_get_count(r);
	iv->ctx_switches = slowest_get_count(r);
	slowest_get_around(r, row);
	slowest_get_values(r, row, iv);
	slowest_get_overlaps(r, &row->meanwhile);
}

static void slowest_get_median(struct slowest_reader *r)
{
	struct slowest_median *m = slowest_kept_median(r->kept);

	if (!m) {
		r->rc = CPIDECODE_ENOMEM;
		return;
	}
	slowest_get_key(r, &m->key);
	const struct kin_name name = slowest_get_name(r);
	m->group = slowest_find_group(r, &name);
	m->ns = slowest_get(r, UINT64_MAX);
	slowest_get_children(r, &m->kin);
}

static void slowest_get_files(struct slowest_reader *r)
{
	const size_t n = slowest_get_number(r, FILE_BYTES);

	r->first_file = (uint32_t)r->kept->nfiles;
	for (size_t i = 0; i < n && !slowest_is_over(r); i++) {
		const uint8_t *id = varint_get_raw(&r->in, sizeof r->kept->files->trace_id);
		struct slowest_file *f = slowest_kept_file(r->kept);

		if (!f)
			r->rc = CPIDECODE_ENOMEM;
		if (!f || !id)
			return;
		memcpy(f->trace_id, id, sizeof f->trace_id);
		f->fingerprint = slowest_get(r, UINT64_MAX);
		r->nfiles++;
	}
}

static void slowest_get_names(struct slowest_reader *r)
{
	const size_t n = slowest_get_number(r, NAME_BYTES);

	r->names = slowest_alloc(r, n, sizeof *r->names);
	for (size_t i = 0; i < n && !slowest_is_over(r); i++) {
		struct kin_name *name = &r->names[i];
		const bool has_label = slowest_get(r, 1);
		const uint8_t *label = varint_get_string(&r->in, &name->length);

		name->label = has_label ? (label ? (const char *)label : "") : NULL;
		name->mm = (uint8_t)slowest_get(r, UINT8_MAX);
		name->major = (uint8_t)slowest_get(r, UINT8_MAX);
		if (!has_label && name->length)
			varint_fail(&r->in, "an invalid label");
		r->nnames++;
	}
}

/* The first hook is the earliest of all. */
static void slowest_get_start(struct slowest_reader *r)
{
	struct slowest_kept *k = r->kept;

	if (!slowest_get(r, 1))
		return;
	const int64_t start = varint_get_signed(&r->in);
	k->start = !k->has_start || start < k->start ? start : k->start;
	k->has_start = true;
}

static void slowest_get_part(struct slowest_reader *r, bool is_first)
{
	const uint64_t most = slowest_get(r, SLOWEST_MOST);
	const size_t first_row = r->kept->nrows;

	if (!is_first && most != r->kept->most)
		varint_fail(&r->in, "another number of intervals");
	r->kept->most = (size_t)most;
	slowest_get_start(r);
	slowest_get_files(r);
	slowest_get_names(r);
	for (size_t n = slowest_get_number(r, 1); n && !slowest_is_over(r); n--)
		slowest_get_row(r);
	for (size_t n = slowest_get_number(r, 1); n && !slowest_is_over(r); n--)
		slowest_get_median(r);
	slowest_get_rans(r, first_row);
	if (!r->in.why && r->in.p < r->in.end)
		varint_fail(&r->in, "something follows its intervals");
}

int slowest_kept_get(struct slowest_kept *k, const struct partial *p)
{
	struct varint_in all = {p->answers.bytes, NULL, NULL};

	if (!p->answers.count)
		return 0;
	all.end = p->answers.bytes + p->answers.n;
	for (size_t i = 0; i < p->answers.count; i++) {
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);
		struct slowest_reader r = {.in = {bytes, bytes ? bytes + length : NULL, NULL},
			.begin = bytes,
			.groups = &p->tally,
			.kept = k};

		slowest_get_part(&r, i == 0);
		if (r.rc)
			return r.rc;
		if (all.why || r.in.why)
			return CPIDECODE_EINVAL;
	}
	return slowest_kept_reduce(k) ? 0 : CPIDECODE_EINVAL;
}

int slowest_kept_settle(struct partial *p)
{
	struct slowest_kept k = {0};
	int rc;

	if (p->answers.count < 2)
		return 0;
	rc = slowest_kept_get(&k, p);
	if (!rc) {
		partial_clear_answers(p);
		rc = slowest_kept_put(p, &k);
	}
	slowest_kept_free(&k);
	return rc;
}
