/* The intervals, one a row. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../model/intervals/interval_stream.h"
#include "../model/stats/tally.h"
#include "../sink/escape.h"
#include "values/columns.h"
#include "values/metrics.h"

/* Columns that many traces say nothing for: of CPU utilisation, of the thread's time, of quality
 * hooks, and of time that no switch explains. */
enum {
	HAS_UTIL = 1 << 0,
	HAS_TIME = 1 << 1,
	HAS_LIFE = 1 << 2,
	HAS_UNEXPLAINED = 1 << 3,
	HAS_MAJOR = 1 << 4,    /* another than CPI's */
	HAS_OWN_COST = 1 << 5, /* of CSV and JSON */
};

struct cpu_row {
	uint32_t cpu;
	struct interval_cpu counts;
	struct interval_util util;
};

static const struct column cpu_columns[] = {{"cpu", NULL, COLUMN_AT(struct cpu_row, cpu)},
	{"raw_cpi", COLUMN_AT(struct cpu_row, counts.raw_cpi), .decimals = 4},
	{"scaled_cpi", COLUMN_AT(struct cpu_row, counts.scaled_cpi), .decimals = 4},
	{"busy_pct", COLUMN_AT(struct cpu_row, counts.busy_pct), .decimals = 4},
	{"instructions", COLUMN_COUNT_AT(struct cpu_row, counts.instructions)},
	{"cycles", COLUMN_COUNT_AT(struct cpu_row, counts.cycles)},
	{"busy_cycles", COLUMN_COUNT_AT(struct cpu_row, counts.busy_cycles)},
	{"idle_pct", .when = HAS_UTIL, COLUMN_AT(struct cpu_row, util.idle_pct), .decimals = 4},
	{"intr_pct", .when = HAS_UTIL, COLUMN_AT(struct cpu_row, util.intr_pct), .decimals = 4},
	{"actual_perf_pct", .when = HAS_UTIL, COLUMN_AT(struct cpu_row, util.actual_perf_pct),
		.decimals = 4},
	{.name = NULL}};

static void interval_nest_cpus(struct json *j, const void *row)
{
	const struct interval *iv = row;

	json_open(j, '[');
	for (uint32_t i = 0; iv->cpus && i < iv->num_cpus; i++) {
		struct cpu_row cpu = {.cpu = i, .counts = iv->cpus[i]};

		if (iv->utils)
			cpu.util = iv->utils[i];
		rows_write_object(j, cpu_columns, IN_JSON, iv->utils ? HAS_UTIL : 0, &cpu);
	}
	json_close(j, ']');
}

static struct cell interval_get_cpu(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->ring, !(iv->ring & TF_GUEST_RING) && !(iv->flags & IV_OPEN));
}

static struct cell interval_get_start_cpu(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->start_cpu, iv->start_cpu < TF_GUEST_RING);
}

static struct cell interval_get_pid(const void *row)
{
	const struct task *task = ((const struct interval *)row)->task;

	return cell_u64(task ? task->pid : 0, task);
}

static struct cell interval_get_task(const void *row)
{
	const char *name = report_task_name(((const struct interval *)row)->task);

	return cell_string(name, name ? strlen(name) : 0, name);
}

static struct cell interval_get_label(const void *row)
{
	const struct interval *iv = row;

	return cell_string(iv->label, iv->label_len, iv->has_label);
}

static struct cell interval_get_num_cpus(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->num_cpus, iv->num_cpus);
}

static struct cell interval_get_flags(const void *row)
{
	const struct interval *iv = row;

	return (struct cell){.kind = CELL_WORDS, .u = iv->flags, .words = report_flags};
}

static struct cell interval_get_time_source(const void *row)
{
	static const char *const names[INTERVAL_TIME_SOURCES] = {
		[INTERVAL_TIME_NONE] = "none",
		[INTERVAL_TIME_PAGE] = "page",
		[INTERVAL_TIME_RECORDS] = "records",
		[INTERVAL_TIME_CLOCK] = "clock",
		[INTERVAL_TIME_SCHEDSTAT] = "schedstat",
	};
	uint64_t source = ((const struct interval *)row)->time_source;
	const char *name = source < INTERVAL_TIME_SOURCES ? names[source] : NULL;

	return cell_string(name, name ? strlen(name) : 0, name);
}

static struct cell interval_get_method(const void *row)
{
	return cell_methods(tally_method(((const struct interval *)row)->method));
}

static void interval_spell_code(struct out *o, const void *row)
{
	const struct interval *iv = row;

	report_code(o, iv->major, iv->mm);
}

static void interval_spell_label(struct out *o, const void *row)
{
	const struct interval *iv = row;

	/* The nesting shows, up to where it would only push the label off the screen. */
	out_repeat(o, ' ', 2 * (size_t)(iv->depth < 12 ? iv->depth : 12));
	if (iv->has_label)
		escape_text(o, iv->label, iv->label_len);
	else
		out_printf(o, "minor 0x%02X", iv->mm);
}

#define AT(member) COLUMN_AT(struct interval, member)
#define COUNT_AT(member) COLUMN_COUNT_AT(struct interval, member)
#define RATIO_AT(member) AT(member), .decimals = 4
#define PERCENT_AT(member) RATIO_AT(member), .unit = UNIT_PERCENT, .place = 1

static const struct column columns[] = {
	{"start_ns", "start (s)", AT(start_ns), .unit = UNIT_SECONDS},
	{NULL, "elapsed", AT(elapsed_ns), .unit = UNIT_DURATION}, {"end_ns", AT(end_ns)},
	{"elapsed_cycles", NULL, AT(elapsed)}, {"cpu", "cpu", .get = interval_get_cpu, .none = "-"},
	{"pid", NULL, .get = interval_get_pid}, {"tid", "tid", AT(tid)},
	{"task", "task", .get = interval_get_task, .none = "-", .left = true},
	{"minor", "mm", AT(mm), .text = interval_spell_code, .place = 3},
	{"label", "label", .get = interval_get_label, .text = interval_spell_label, .left = true,
		.place = 3},
	{"depth", NULL, AT(depth)}, {"types", NULL, AT(types)},
	{"num_cpus", NULL, .get = interval_get_num_cpus}, {"raw_cpi", "raw CPI", RATIO_AT(raw_cpi)},
	{"scaled_cpi", "scaled", RATIO_AT(scaled_cpi)}, {"busy_pct", "busy%", PERCENT_AT(busy_pct)},
	{"thread_cpi", "thread", RATIO_AT(thread_cpi)},
	{"instructions", NULL, COUNT_AT(instructions)}, {"cycles", NULL, COUNT_AT(cycles)},
	{"busy_cycles", NULL, COUNT_AT(busy_cycles)},
	{"thread_instructions", NULL, COUNT_AT(thread_instructions)},
	{"thread_cycles", NULL, COUNT_AT(thread_cycles)},
	{"flags", "flags", .get = interval_get_flags, .left = true, .place = 3},
	{"off_cpu_ns", "off CPU", COUNT_AT(off_cpu_ns), .unit = UNIT_DURATION, .when = HAS_TIME,
		.place = 2},
	{"ctx_switches", "switches", COUNT_AT(ctx_switches), .when = HAS_TIME, .place = 2},
	{"migrations", "migr", COUNT_AT(migrations), .when = HAS_LIFE, .place = 2},
	{"faults", "faults", COUNT_AT(faults), .when = HAS_LIFE, .place = 2},
	{"on_cpu_ns", NULL, COUNT_AT(on_cpu_ns), .when = HAS_TIME},
	{"unexplained_ns", "unexplained", COUNT_AT(unexplained_ns), .unit = UNIT_DURATION,
		.when = HAS_UNEXPLAINED, .place = 2},
	{"time_source", NULL, .get = interval_get_time_source, .when = HAS_TIME},
	{"start_cpu", NULL, .get = interval_get_start_cpu, .when = HAS_TIME},
	{"major", NULL, AT(major), .when = HAS_MAJOR},
	{"idle_pct", "idle%", PERCENT_AT(idle_pct), .when = HAS_UTIL},
	{"intr_pct", "intr%", PERCENT_AT(intr_pct), .when = HAS_UTIL},
	{"actual_perf_pct", "perf%", PERCENT_AT(actual_perf_pct), .when = HAS_UTIL},
	{"method", "method", .get = interval_get_method, .left = true, .when = HAS_UTIL,
		.place = 1},
	{"own_inside_ns", NULL, COUNT_AT(own_inside_ns), .when = HAS_OWN_COST},
	{"own_nested_ns", NULL, COUNT_AT(own_nested_ns), .when = HAS_OWN_COST},
	{"cpus", NULL, .source = COLUMN_NEST, .nest = interval_nest_cpus, .in = IN_JSON},
	{.name = NULL}};

/* By what the interval is, whatever was measured. */
static unsigned intervals_has(const struct interval *iv)
{
	return (iv->major == CPUUTIL_MAJOR ? HAS_UTIL : 0) |
	       (iv->major != CPI_MAJOR ? HAS_MAJOR : 0);
}

static unsigned intervals_find_columns(const struct interval *iv)
{
	unsigned has = intervals_has(iv);

	if (iv->off_cpu_ns != NOT_MEASURED || iv->ctx_switches != NOT_MEASURED)
		has |= HAS_TIME;
	if (iv->migrations != NOT_MEASURED || iv->faults != NOT_MEASURED)
		has |= HAS_LIFE;
	if (iv->unexplained_ns != NOT_MEASURED && iv->unexplained_ns > 0)
		has |= HAS_UNEXPLAINED;
	return has;
}

struct taking {
	const struct report *r;
	atomic_bool any; /* there are intervals */
	atomic_uint has; /* the columns that some of them have */
	struct value_columns values;
};

static bool intervals_filter_interval(void *ctx, const struct interval *iv)
{
	struct taking *t = ctx;

	if (!filter_interval(t->r->filter, iv))
		return false;
	atomic_store_explicit(&t->any, true, memory_order_relaxed);
	unsigned has = intervals_find_columns(iv);

	/* Most intervals add nothing: an atomic or for each would be slow. */
	if (has & ~atomic_load_explicit(&t->has, memory_order_relaxed))
		atomic_fetch_or_explicit(&t->has, has, memory_order_relaxed);
	if (iv->num_values)
		value_columns_see(&t->values, iv);
	return true;
}

static int intervals_print(
	struct report *r, struct interval_stream *s, const struct column *values, unsigned has)
{
	struct rows rows;
	const struct interval *iv;
	int rc = 0;

	for (rows_begin_more(&rows, r, columns, values, has); rc >= 0 && rows_pass(&rows);) {
		rc = interval_stream_rewind(s);
		while (rc >= 0 && !r->out->error && (rc = interval_stream_next(s, &iv)) > 0) {
			rows.has = (has & ~(HAS_UTIL | HAS_MAJOR)) | intervals_has(iv);
			rows_add(&rows, iv);
		}
	}
	rows_end(&rows);
	return rc < 0 ? rc : 0;
}

static struct cell interval_get_metric(const void *row, const void *of)
{
	return cell_real(derived_of_interval(of, row), METRIC_DECIMALS);
}

/* Columns of values and derived metrics; *more: to be freed. */
static int intervals_find_more(struct report *r, const struct value_columns *values,
	struct derived_set *metrics, struct column **more)
{
	struct event_names names = {0};
	const char *taken[DERIVED_TAKEN];
	int rc = 0;

	for (size_t i = 0; i < values->count && !rc; i++) {
		struct trace_text text = trace_text_at(r->trace, values->names[i].name);

		if (values->names[i].kind == VALUE_EVENT)
			rc = event_names_add(&names, text.at, text.length);
	}
	if (!rc)
		rc = derived_make(metrics, r, &names, taken, derived_list_names(columns, taken));
	if (!rc)
		*more = derived_add_columns(metrics, values->columns, interval_get_metric, true);
	event_names_free(&names);
	return rc || *more ? rc : CPIDECODE_ENOMEM;
}

/* The stream is there. */
static int intervals_report(struct report *r, struct interval_stream *s, struct taking *taking)
{
	int rc = value_columns_make(&taking->values, r->format, columns);
	struct derived_set metrics = {0};
	struct column *more = NULL;

	if (!rc)
		rc = intervals_find_more(r, &taking->values, &metrics, &more);
	if (!rc)
		rc = intervals_print(r, s, more,
			atomic_load(&taking->has) |
				(r->format != FORMAT_TEXT ? HAS_TIME | HAS_LIFE | HAS_UNEXPLAINED |
								    HAS_OWN_COST
							  : 0));
	if (!rc && !atomic_load(&taking->any))
		report_note_no_intervals(r);
	if (!rc && r->format != FORMAT_TEXT && taking->values.count > VALUE_COLUMNS_MAX)
		report_note(r, "%zu names of values have no column: only the first %d do",
			taking->values.count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	free(more);
	derived_free(&metrics);
	return rc;
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
		.wants = WANT_VALUES | WANT_OWN_COST |
			 (r->format == FORMAT_JSON ? WANT_ALL : WANT_ALL & ~WANT_CPUS),
		.nested_cost = true,
		.open = true,
		.compensate = r->compensate};
	struct interval_stream *s;
	/* What is taken off an interval must be complete. */
	if (r->compensate)
		how.from_ns = INT64_MIN;
	int rc = value_columns_init(&taking.values, r->trace);

	if (!rc)
		rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (!rc) {
		report_note_compensated(r, interval_stream_told(s), interval_stream_count(s));
		rc = intervals_report(r, s, &taking);
		interval_stream_close(s);
		/* They have rows. */
		begins_free(&r->found->begins);
	}
	value_columns_free(&taking.values);
	return rc;
}
