/* The intervals, one a row. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../../formats/cpuutil_hooks.h"
#include "../model/intervals/interval_stream.h"
#include "../sink/csv.h"
#include "../sink/escape.h"
#include "../sink/json.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "tallies.h"

static void csv_count(struct csv *c, uint64_t v)
{
	if (v == NOT_MEASURED)
		csv_empty(c);
	else
		csv_u64(c, v);
}

static void intervals_write_csv_util(struct csv *c, const struct interval *iv)
{
	csv_u64(c, iv->major);
	csv_fixed(c, iv->idle_pct, 4);
	csv_fixed(c, iv->intr_pct, 4);
	csv_fixed(c, iv->actual_perf_pct, 4);
	tallies_csv_methods(c, tally_method(iv->method));
}

static void csv_interval(struct csv *c, const struct interval *iv, bool util)
{
	csv_i64(c, iv->start_ns);
	csv_i64(c, iv->end_ns);
	csv_u64(c, iv->elapsed);
	if (iv->ring & TF_GUEST_RING)
		csv_empty(c);
	else
		csv_u64(c, iv->ring);
	if (iv->task)
		csv_u64(c, iv->task->pid);
	else
		csv_empty(c);
	csv_u64(c, iv->tid);
	csv_text(c, report_task_name(iv->task));
	csv_u64(c, iv->mm);
	if (iv->has_label)
		csv_string(c, iv->label, iv->label_len);
	else
		csv_empty(c);
	csv_u64(c, iv->depth);
	csv_u64(c, iv->types);
	if (iv->num_cpus)
		csv_u64(c, iv->num_cpus);
	else
		csv_empty(c);
	csv_fixed(c, iv->raw_cpi, 4);
	csv_fixed(c, iv->scaled_cpi, 4);
	csv_fixed(c, iv->busy_pct, 4);
	csv_fixed(c, iv->thread_cpi, 4);
	csv_count(c, iv->instructions);
	csv_count(c, iv->cycles);
	csv_count(c, iv->busy_cycles);
	csv_count(c, iv->thread_instructions);
	csv_count(c, iv->thread_cycles);
	csv_empty(c);
	report_flags(c->o, iv->flags);
	csv_count(c, iv->off_cpu_ns);
	csv_count(c, iv->ctx_switches);
	csv_count(c, iv->migrations);
	csv_count(c, iv->faults);
	if (util)
		intervals_write_csv_util(c, iv);
	csv_end(c);
}

static int intervals_csv(struct report *r, struct interval_stream *s, bool util)
{
	const char *names[] = {"start_ns", "end_ns", "elapsed_cycles", "cpu", "pid", "tid", "task",
		"minor", "label", "depth", "types", "num_cpus", "raw_cpi", "scaled_cpi", "busy_pct",
		"thread_cpi", "instructions", "cycles", "busy_cycles", "thread_instructions",
		"thread_cycles", "flags", "off_cpu_ns", "ctx_switches", "migrations", "faults",
		util ? "major" : NULL, "idle_pct", "intr_pct", "actual_perf_pct", "method", NULL};
	struct csv c = {.o = r->out};
	const struct interval *iv;
	int rc = 0;
	csv_header(&c, names);
	while (!r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
		csv_interval(&c, iv, util);
	return rc < 0 ? rc : 0;
}

static void json_count(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	if (v == NOT_MEASURED)
		json_null(j);
	else
		json_u64(j, v);
}

static void json_ratio(struct json *j, const char *key, double v)
{
	json_member_fixed(j, key, v, 4);
}

static void json_number(struct json *j, const char *key, uint64_t v, bool known)
{
	json_key(j, key);
	if (known)
		json_u64(j, v);
	else
		json_null(j);
}

static void json_util(struct json *j, double idle, double intr, double actual_perf)
{
	json_ratio(j, "idle_pct", idle);
	json_ratio(j, "intr_pct", intr);
	json_ratio(j, "actual_perf_pct", actual_perf);
}

static void json_cpus(struct json *j, const struct interval *iv)
{
	json_member_open(j, "cpus", '[');
	for (uint32_t i = 0; iv->cpus && i < iv->num_cpus; i++) {
		const struct interval_cpu *cpu = &iv->cpus[i];
		json_open(j, '{');
		json_number(j, "cpu", i, true);
		json_ratio(j, "raw_cpi", cpu->raw_cpi);
		json_ratio(j, "scaled_cpi", cpu->scaled_cpi);
		json_ratio(j, "busy_pct", cpu->busy_pct);
		json_count(j, "instructions", cpu->instructions);
		json_count(j, "cycles", cpu->cycles);
		json_count(j, "busy_cycles", cpu->busy_cycles);
		if (iv->utils)
			json_util(j, iv->utils[i].idle_pct, iv->utils[i].intr_pct,
				iv->utils[i].actual_perf_pct);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_flags(struct json *j, uint32_t flags)
{
	json_key(j, "flags");
	out_char(j->o, '"');
	report_flags(j->o, flags);
	out_char(j->o, '"');
	j->comma = true;
}

static void json_interval(struct json *j, const struct interval *iv)
{
	json_open(j, '{');
	json_member_i64(j, "start_ns", iv->start_ns);
	json_member_i64(j, "end_ns", iv->end_ns);
	json_number(j, "elapsed_cycles", iv->elapsed, true);
	json_number(j, "cpu", iv->ring, !(iv->ring & TF_GUEST_RING));
	json_number(j, "pid", iv->task ? iv->task->pid : 0, iv->task);
	json_number(j, "tid", iv->tid, true);
	json_member_text(j, "task", report_task_name(iv->task));
	json_number(j, "minor", iv->mm, true);
	json_key(j, "label");
	if (iv->has_label)
		json_string(j, iv->label, iv->label_len);
	else
		json_null(j);
	json_number(j, "depth", iv->depth, true);
	json_number(j, "types", iv->types, true);
	json_number(j, "num_cpus", iv->num_cpus, iv->num_cpus);
	json_ratio(j, "raw_cpi", iv->raw_cpi);
	json_ratio(j, "scaled_cpi", iv->scaled_cpi);
	json_ratio(j, "busy_pct", iv->busy_pct);
	json_ratio(j, "thread_cpi", iv->thread_cpi);
	json_count(j, "instructions", iv->instructions);
	json_count(j, "cycles", iv->cycles);
	json_count(j, "busy_cycles", iv->busy_cycles);
	json_count(j, "thread_instructions", iv->thread_instructions);
	json_count(j, "thread_cycles", iv->thread_cycles);
	json_flags(j, iv->flags);
	json_count(j, "off_cpu_ns", iv->off_cpu_ns);
	json_count(j, "ctx_switches", iv->ctx_switches);
	json_count(j, "migrations", iv->migrations);
	json_count(j, "faults", iv->faults);
	if (iv->major == CPUUTIL_MAJOR) {
		json_number(j, "major", iv->major, true);
		json_util(j, iv->idle_pct, iv->intr_pct, iv->actual_perf_pct);
		tallies_json_methods(j, "method", tally_method(iv->method));
	}
	json_cpus(j, iv);
	json_close(j, '}');
	json_end_line(j);
}

static int intervals_json(struct report *r, struct interval_stream *s)
{
	struct json j = {.o = r->out};
	const struct interval *iv;
	int rc = 0;
	while (!r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
		json_interval(&j, iv);
	return rc < 0 ? rc : 0;
}

static void text_label(struct out *o, const struct interval *iv)
{
	/* The nesting shows, up to where it would only push the label off the screen. */
	out_repeat(o, ' ', 2 * (size_t)(iv->depth < 12 ? iv->depth : 12));
	if (iv->has_label)
		escape_text(o, iv->label, iv->label_len);
	else
		out_printf(o, "minor 0x%02X", iv->mm);
}

static void text_count(struct table *t, uint64_t v)
{
	if (v == NOT_MEASURED)
		out_str(table_right(t), "n/a");
	else
		out_u64(table_right(t), v);
}

static void text_life(struct table *t, const struct interval *iv)
{
	units_duration(
		table_right(t), iv->off_cpu_ns == NOT_MEASURED ? NAN : (double)iv->off_cpu_ns);
	text_count(t, iv->ctx_switches);
	text_count(t, iv->migrations);
	text_count(t, iv->faults);
}

static bool has_life(const struct interval *iv)
{
	return iv->off_cpu_ns != NOT_MEASURED || iv->ctx_switches != NOT_MEASURED ||
	       iv->migrations != NOT_MEASURED || iv->faults != NOT_MEASURED;
}

/* Columns that most traces say nothing for: those of quality hooks, of CPU utilisation. */
struct columns {
	bool life, util;
};

static void text_interval(struct table *t, const struct interval *iv, struct columns columns)
{
	out_seconds(table_right(t), iv->start_ns);
	units_duration(table_right(t), iv->elapsed_ns);
	struct out *o = table_right(t);
	if (iv->ring & TF_GUEST_RING)
		out_char(o, '-');
	else
		out_u64(o, iv->ring);
	out_u64(table_right(t), iv->tid);
	const char *task = report_task_name(iv->task);
	o = table_left(t);
	if (task)
		escape_text(o, task, strlen(task));
	else
		out_char(o, '-');
	units_fixed(table_right(t), iv->raw_cpi, 4);
	units_fixed(table_right(t), iv->scaled_cpi, 4);
	units_fixed(table_right(t), iv->thread_cpi, 4);
	units_fixed(table_right(t), iv->busy_pct, 2);
	if (columns.util) {
		units_fixed(table_right(t), iv->idle_pct, 2);
		units_fixed(table_right(t), iv->intr_pct, 2);
		units_fixed(table_right(t), iv->actual_perf_pct, 2);
		report_methods_text(table_left(t), tally_method(iv->method));
	}
	if (columns.life)
		text_life(t, iv);
	report_code(table_right(t), iv->major, iv->mm);
	text_label(table_left(t), iv);
	report_flags(table_left(t), iv->flags);
	table_end_row(t);
}

static void text_headings(struct table *t, struct columns columns)
{
	table_heading(t, "start (s)");
	table_heading(t, "elapsed");
	table_heading(t, "cpu");
	table_heading(t, "tid");
	table_text(t, "task");
	table_heading(t, "raw CPI");
	table_heading(t, "scaled");
	table_heading(t, "thread");
	table_heading(t, "busy%");
	if (columns.util) {
		table_heading(t, "idle%");
		table_heading(t, "intr%");
		table_heading(t, "perf%");
		table_text(t, "method");
	}
	if (columns.life) {
		table_heading(t, "off CPU");
		table_heading(t, "switches");
		table_heading(t, "migr");
		table_heading(t, "faults");
	}
	table_heading(t, "mm");
	table_text(t, "label");
	table_text(t, "flags");
	table_end_row(t);
}

static int intervals_text(struct report *r, struct interval_stream *s, struct columns columns)
{
	struct table t;
	const struct interval *iv;
	int rc = 0;
	report_scripted_line(r);
	for (table_begin(&t, r->out); rc >= 0 && table_pass(&t);) {
		text_headings(&t, columns);
		rc = interval_stream_rewind(s);
		while (rc >= 0 && !r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
			text_interval(&t, iv, columns);
	}
	table_free(&t);
	return rc < 0 ? rc : 0;
}

struct taking {
	const struct report *r;
	atomic_bool any, life, util; /* there are intervals, and such that have those columns */
};

static bool intervals_filter_interval(void *ctx, const struct interval *iv)
{
	struct taking *t = ctx;
	if (!filter_interval(t->r->filter, iv))
		return false;
	atomic_store_explicit(&t->any, true, memory_order_relaxed);
	if (has_life(iv))
		atomic_store_explicit(&t->life, true, memory_order_relaxed);
	if (iv->major == CPUUTIL_MAJOR)
		atomic_store_explicit(&t->util, true, memory_order_relaxed);
	return true;
}

int report_intervals(struct report *r)
{
	struct taking taking = {.r = r};
	struct interval_stream_options how = {.filter = intervals_filter_interval,
		.ctx = &taking,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.from_ns = r->filter->from,
		.threads = r->threads,
		.wants = r->format == FORMAT_JSON ? WANT_ALL : WANT_ALL & ~WANT_CPUS};
	struct interval_stream *s;
	int rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (rc)
		return rc;
	const struct columns columns = {atomic_load(&taking.life), atomic_load(&taking.util)};
	if (r->format == FORMAT_CSV)
		rc = intervals_csv(r, s, columns.util);
	else if (r->format == FORMAT_JSON)
		rc = intervals_json(r, s);
	else
		rc = intervals_text(r, s, columns);
	interval_stream_close(s);
	if (!rc && !atomic_load(&taking.any))
		report_note_no_intervals(r);
	return rc;
}
