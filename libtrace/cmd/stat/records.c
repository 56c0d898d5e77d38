/*
 * stat: output for programs. A report is a JSON object on a line, the total last; in CSV each of
 * its events is a record. Unmeasured values are empty, null in JSON.
 */
#include <math.h>

#include "../../../formats/base/time_ns.h"
#include "../../../decoder/sink/document.h"
#include "stat.h"

struct stat_times {
	const char *kind, *target;
	double time, elapsed, user, system; /* s */
	struct cell exit_code;
};

#define AT(member) COLUMN_AT(struct stat_times, member)
static const struct column times_columns[] = {
	{"kind", AT(kind)},
	{"time_s", AT(time), .decimals = 9},
	{"elapsed_s", AT(elapsed), .decimals = 9},
	{.name = NULL},
};

static const struct column total_columns[] = {
	{"target", AT(target)},
	{"exit_code", AT(exit_code)},
	{"user_s", AT(user), .decimals = 6},
	{"system_s", AT(system), .decimals = 6},
	{.name = NULL},
};
#undef AT

static struct cell stat_get_cpu(const void *row)
{
	const int cpu = ((const struct stat_row *)row)->cpu;

	return cell_u64((uint64_t)cpu, cpu >= 0);
}

#define AT(member) COLUMN_AT(struct stat_row, member)
static const struct column event_columns[] = {
	{"cpu", .get = stat_get_cpu, .in = IN_CSV},
	{"event", COLUMN_CHARS_AT(struct stat_row, name)},
	{"cpu", .get = stat_get_cpu, .in = IN_JSON},
	{"user_only", AT(user_only), .in = IN_JSON},
	{"count", COLUMN_COUNT_AT(struct stat_row, count)},
	{"unit", AT(unit)},
	{"enabled_ns", COLUMN_COUNT_AT(struct stat_row, enabled)},
	{"running_ns", COLUMN_COUNT_AT(struct stat_row, running)},
	{"running_pct", AT(running_percent), .decimals = 4},
	{"places", AT(targets)},
	{"places_counted", AT(measured_targets)},
	{"figure", AT(figure)},
	{"figure_unit", AT(figure_unit)},
	{"why", AT(why)},
	{.name = NULL},
};

static struct stat_times stat_get_times(const struct stat_report *r)
{
	const bool has_times = r->has_command && r->user_us != UINT64_MAX;

	return (struct stat_times){.kind = r->total ? "total" : "interval",
		.time = time_seconds(r->at),
		.elapsed = time_seconds(r->elapsed),
		.target = r->target,
		.exit_code = r->has_command ? cell_i64(r->exit_code) : cell_u64(0, false),
		.user = has_times ? (double)r->user_us / 1e6 : NAN,
		.system = has_times ? (double)r->system_us / 1e6 : NAN};
}

void stat_print_csv(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	const struct stat_times times = stat_get_times(r);
	struct csv c = {.o = o};

	if (!p->begun) {
		column_write_names(&c, times_columns, 0);
		column_write_names(&c, event_columns, 0);
		csv_end(&c);
	}
	for (unsigned i = 0; i < r->rows; i++) {
		column_write_fields(&c, times_columns, 0, &times);
		column_write_fields(&c, event_columns, 0, &r->row[i]);
		csv_end(&c);
	}
}

void stat_print_json(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	const struct stat_times times = stat_get_times(r);
	struct json j = {.o = o, .spaced = true};
	struct document d = {.j = &j};

	(void)p;
	json_open(&j, '{');
	document_add(&d, times_columns, 0, &times);
	for (document_begin_list(&d, "events", event_columns, 0); document_pass(&d);)
		for (unsigned i = 0; i < r->rows; i++)
			document_add_row(&d, &r->row[i]);
	if (r->total)
		document_add(&d, total_columns, 0, &times);
	json_close(&j, '}');
	json_end_line(&j);
}
