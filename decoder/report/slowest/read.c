/* The slowest intervals of partial results as bytes: the reader, which trusts nothing. */
#include <string.h>

#include "../../../formats/bytes.h"
#include "../../base/varint.h"
#include "kept.h"

/* More intervals than any trace has: sums of so many such counts cannot overflow. */
#define MOST_INTERVALS (UINT64_C(1) << 48)

enum {
	SLOWEST_TASK_NAME = 16,
	/* Least encoded size of an element. */
	CHILD_BYTES = 10,
	VALUE_BYTES = 2,
	PARENT_BYTES = 9,
	OVERLAP_BYTES = 26,
	FILE_BYTES = 17,
	NAME_BYTES = 4,
	THREAD_BYTES = 27,
	WAKER_BYTES = 18,
};

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

/* Reads a count of elements that have at least that many bytes each. */
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
	if (length > SLOWEST_TASK_NAME || (length && memchr(name, 0, length)))
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

static void slowest_get_thread_name(struct slowest_reader *r, char name[KERNEL_NAME_BYTES + 1])
{
	uint32_t length;
	const uint8_t *bytes = varint_get_string(&r->in, &length);

	if (length > KERNEL_NAME_BYTES || (length && memchr(bytes, 0, length)))
		varint_fail(&r->in, "an invalid thread's name");
	else if (length)
		memcpy(name, bytes, length);
}

static void slowest_get_thread(struct slowest_reader *r, struct ran_thread *t)
{
	t->pid = (uint32_t)slowest_get(r, UINT32_MAX);
	t->tid = (uint32_t)slowest_get(r, UINT32_MAX);
	t->has_name = slowest_get(r, 1);
	if (t->has_name)
		slowest_get_thread_name(r, t->name);
	slowest_get_times(r, t);
}

static void slowest_get_ran(struct slowest_reader *r, struct slowest_row *row)
{
	const uint64_t flags =
		slowest_get(r, SLOWEST_RECORDED | SLOWEST_LOST | SLOWEST_LOST_NUMBER);

	if ((flags && !(flags & SLOWEST_RECORDED)) ||
		(flags & SLOWEST_LOST_NUMBER && !(flags & SLOWEST_LOST)))
		varint_fail(&r->in, "invalid switches");
	if (!flags || slowest_is_over(r))
		return;
	struct ran *ran = slowest_alloc(r, 1, sizeof *ran);
	if (!ran)
		return;
	row->ran = ran;
	ran->has_lost = flags & SLOWEST_LOST;
	ran->has_lost_number = flags & SLOWEST_LOST_NUMBER;
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

static void slowest_get_waits(struct slowest_reader *r, struct waker *t)
{
	t->waits = slowest_get(r, MOST_INTERVALS);
	t->waited_ns = slowest_get_real(r);
	t->to_run_ns = slowest_get_real(r);
}

static void slowest_get_waker(struct slowest_reader *r, struct waker *t)
{
	t->is_interrupt = slowest_get(r, 1);
	if (!t->is_interrupt) {
		t->pid = (uint32_t)slowest_get(r, UINT32_MAX);
		t->tid = (uint32_t)slowest_get(r, KERNEL_TID_UNKNOWN - 1);
		t->has_name = slowest_get(r, 1);
	}
	if (t->has_name)
		slowest_get_thread_name(r, t->name);
	slowest_get_waits(r, t);
}

/* Returns whether wake-ups were recorded. */
static bool slowest_get_row_wakers(struct slowest_reader *r, struct slowest_row *row)
{
	const bool is_recorded = slowest_get(r, 1);

	if (is_recorded && !row->ran)
		varint_fail(&r->in, "invalid wake-ups");
	if (!is_recorded || slowest_is_over(r))
		return false;
	struct ran *ran = slowest_alloc(r, 1, sizeof *ran);
	if (!ran)
		return false;
	*ran = *row->ran;
	row->ran = ran;
	struct wakers *w = &ran->wakers;
	w->is_recorded = true;
	w->count = slowest_get_number(r, WAKER_BYTES);
	if (w->count > WAKERS_MOST)
		varint_fail(&r->in, "too many wakers");
	w->at = slowest_alloc(r, w->count, sizeof *w->at);
	for (size_t i = 0; i < w->count && !slowest_is_over(r); i++)
		slowest_get_waker(r, &w->at[i]);
	slowest_get_waits(r, &w->others);
	slowest_get_waits(r, &w->unknown);
	/* The same answer has one spelling. */
	if (w->unknown.to_run_ns > 0 ||
		(ran->why && (w->count || w->others.waits || w->unknown.waits)))
		varint_fail(&r->in, "invalid wake-ups");
	return true;
}

static void slowest_get_wakers(struct slowest_reader *r, size_t first_row)
{
	const struct slowest_kept *k = r->kept;
	bool has_any = false;

	if (slowest_is_over(r) || r->in.p == r->in.end)
		return;
	for (size_t i = first_row; i < k->nrows && !slowest_is_over(r); i++)
		has_any |= slowest_get_row_wakers(r, &k->rows[i]);
	if (!has_any)
		varint_fail(&r->in, "something follows its intervals");
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
	slowest_get_wakers(r, first_row);
	if (!r->in.why && r->in.p < r->in.end)
		varint_fail(&r->in, "something follows its intervals");
}

int slowest_kept_get(struct slowest_kept *k, const struct partial *p)
{
	struct varint_in all = {p->answers.bytes.p, NULL, NULL};

	if (!p->answers.count)
		return 0;
	all.end = p->answers.bytes.p + p->answers.bytes.n;
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
