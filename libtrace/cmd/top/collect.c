#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/bytes.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../../../formats/record.h"

const char *const top_key_names[TOP_KEYS] = {
	"rate", "count", "mean", "p50", "p99", "max", "cpi", "on", "off", "label"};

/* ---------------------------------------------------------------------- looking */

/* Adds up the hooks of a writer while they follow each other. */
static void count_headers(void *arg, uint32_t ring, const uint8_t *records, uint32_t bytes)
{
	struct top *t = arg;
	uint32_t number = 0, hooks = 0, size = 0, at = 0, control;

	(void)ring;
	for (; rec_read_control(records, at, bytes, &control); at += rec_control_size(control)) {
		if (!rec_control_is_hook(control))
			continue;
		uint32_t writer = get_le32(records + at + REC_TID);

		if (writer != number && hooks) {
			top_programs_add(&t->programs, &t->tasks, number, hooks, size);
			hooks = size = 0;
		}
		number = writer;
		hooks++;
		size += rec_control_size(control);
	}
	if (hooks)
		top_programs_add(&t->programs, &t->tasks, number, hooks, size);
}

static bool collect_is_wanted(struct top *t, struct event *e)
{
	if (!t->options.has_condition)
		return true;
	if (t->options.condition.asks_task) {
		e->task = tasks_find(&t->tasks, e->number);
		e->tid = tasks_thread(&t->tasks, e->number, e->stamp);
	}
	if (t->options.condition.asks_time)
		e->end_ns = cmd_unix_time(&t->session, e->stamp);
	return condition_holds(&t->options.condition, e, t->session.geometry.ticks_per_second);
}

static bool count_event(void *arg, struct event *e)
{
	struct top *t = arg;

	if (!collect_is_wanted(t, e))
		return true;
	top_programs_add(&t->programs, &t->tasks, e->number, e->hooks, e->bytes);
	/* CPU utilisation is no interval of a program's work. */
	if (e->has_elapsed && e->major != CPUUTIL_MAJOR)
		top_labels_add(&t->labels, e, t->ns_per_tick);
	return true;
}

void top_collect_poll(struct top *t)
{
	if (t->options.counts)
		watch_poll_headers(&t->watch, count_headers, t);
	else
		watch_poll(&t->watch, count_event, t);
}

/* ---------------------------------------------------------------------- sorting */

static double key_of(const struct top_row *row, enum top_key key)
{
	switch (key) {
	case TOP_BY_COUNT:
		return (double)row->total.count;
	case TOP_BY_MEAN:
		return row->last.mean_ns;
	case TOP_BY_P50:
		return row->last.p50_ns;
	case TOP_BY_P99:
		return row->last.p99_ns;
	case TOP_BY_MAX:
		return row->last.max_ns;
	case TOP_BY_CPI:
		return row->last.cpi;
	case TOP_BY_ON_CPU:
		return row->last.on_cpu_ns;
	case TOP_BY_OFF_CPU:
		return row->last.off_cpu_ns;
	default:
		return (double)row->last.count;
	}
}

/* Unlabelled ones last. */
static int compare_names(const struct top_label *a, const struct top_label *b)
{
	uint32_t n = a->length < b->length ? a->length : b->length;

	if (!a->name || !b->name)
		return a->name ? -1 : b->name ? 1 : compare_u64(a->mm, b->mm);
	int c = memcmp(a->name, b->name, n);

	return c ? c : compare_u64(a->length, b->length);
}

/* Largest first; NAN is below all numbers. */
static int compare_values(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int compare_rows(const void *left, const void *right, void *arg)
{
	const struct top_row *a = left, *b = right;
	const struct top *t = arg;
	const enum top_key key = t->options.sort;
	int order = key == TOP_BY_LABEL ? 0 : compare_values(key_of(a, key), key_of(b, key));

	if (order == 0 && key != TOP_BY_LABEL)
		order = compare_values((double)a->total.count, (double)b->total.count);
	return order ? order : compare_names(&t->labels.row[a->label], &t->labels.row[b->label]);
}

static int compare_programs(const void *left, const void *right, void *arg)
{
	const struct top_programs *p = arg;
	const struct top_program *a = &p->row[*(const uint32_t *)left];
	const struct top_program *b = &p->row[*(const uint32_t *)right];
	int order = compare_values((double)a->last.hooks, (double)b->last.hooks);

	if (order == 0)
		order = compare_values((double)a->total.hooks, (double)b->total.hooks);
	if (order == 0)
		order = compare_values((double)a->total.lost, (double)b->total.lost);
	if (order == 0)
		order = compare_u64(a->pid, b->pid);
	return order ? order : strcmp(a->name, b->name);
}

void top_collect_sort(struct top *t)
{
	qsort_r(t->row, t->rows, sizeof *t->row, compare_rows, t);
}

static bool list_rows(struct top *t)
{
	const struct top_labels *l = &t->labels;

	t->rows = 0;
	if (!array_reserve(&t->row, &t->rows_room, l->count + 1, sizeof *t->row))
		return false;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->row[i].total.elapsed.count)
			t->row[t->rows++] = (struct top_row){.label = i,
				.last = top_summarize(&l->row[i].last, t->round_s, t->ns_per_tick),
				.total = top_summarize(&l->row[i].total, t->all_s, t->ns_per_tick)};
	top_collect_sort(t);
	return true;
}

static bool list_programs(struct top *t)
{
	t->shown_programs = 0;
	if (!array_reserve(
		    &t->program, &t->programs_room, t->programs.count + 1, sizeof *t->program))
		return false;
	for (uint32_t i = 0; i < t->programs.count; i++)
		if (t->programs.row[i].total.hooks || t->programs.row[i].total.lost)
			t->program[t->shown_programs++] = i;
	qsort_r(t->program, t->shown_programs, sizeof *t->program, compare_programs, &t->programs);
	return true;
}

/* ----------------------------------------------------------------------- rounds */

bool top_collect_close_round(struct top *t)
{
	uint64_t now = time_ns_monotonic();

	t->time_ns = time_ns_now(CLOCK_REALTIME);
	t->round_s = time_seconds(now - t->round_began);
	t->all_s = time_seconds(now - t->began);
	t->round_began = now;
	t->state = __atomic_load_n(&t->session.control->state, __ATOMIC_RELAXED);
	/* Read the tasks' losses first: a loss is counted in the ring before its task. */
	top_programs_add_losses(&t->programs, &t->tasks, &t->session);
	top_rings_close_round(&t->rings, &t->watch, &t->session);
	top_programs_close_round(&t->programs, &t->session, t->rings.sum.all_lost);
	top_labels_close_round(&t->labels);
	return list_rows(t) && list_programs(t);
}

int top_collect_open(struct top *t)
{
	struct session_error error = {"unknown error"};

	if (watch_open(&t->watch, &t->session, &error) != 0)
		return cmd_fail(t->verb, "%s", error.text);
	tasks_open(&t->tasks, &t->session);
	t->open = true;
	t->ns_per_tick = (double)TIME_SECOND_NS / (double)t->session.geometry.ticks_per_second;
	t->began = t->round_began = time_ns_monotonic();
	top_programs_begin_losses(&t->programs, &t->session);
	if (!top_rings_open(&t->rings, &t->watch)) {
		top_collect_close(t);
		return cmd_fail(t->verb, "table of rings: not enough memory");
	}
	top_programs_begin_losses(&t->programs, &t->session);
	return EXIT_FINE;
}

void top_collect_close(struct top *t)
{
	if (!t->open)
		return;
	t->open = false;
	watch_close(&t->watch);
	tasks_close(&t->tasks);
	top_rings_close(&t->rings);
	top_programs_free(&t->programs);
	top_labels_free(&t->labels);
	free(t->row);
	free(t->program);
	t->row = NULL;
	t->program = NULL;
	t->rows = t->rows_room = t->shown_programs = t->programs_room = 0;
}
