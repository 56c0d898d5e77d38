/*
 * stat: output for programs. A report is a JSON object on a line, the total last; in CSV each of
 * its events is a record. Unmeasured values are empty, null in JSON.
 */
#include <math.h>

#include "../../../decoder/sink/document.h"
#include "../print_stream.h"
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

struct stat_figures {
	struct stat_row row;
	const char *event, *unit, *figure_unit;
	struct cell cpu, count, enabled, running, figure;
	double running_percent;
	uint64_t measured_targets;
	bool user_only;
};

#define AT(member) COLUMN_AT(struct stat_figures, member)
static const struct column event_columns[] = {
	{"cpu", AT(cpu), .in = IN_CSV},
	{"event", AT(event)},
	{"cpu", AT(cpu), .in = IN_JSON},
	{"user_only", AT(user_only), .in = IN_JSON},
	{"count", AT(count)},
	{"unit", AT(unit)},
	{"enabled_ns", AT(enabled)},
	{"running_ns", AT(running)},
	{"running_pct", AT(running_percent), .decimals = 4},
	{"places", AT(row.targets)},
	{"places_counted", AT(measured_targets)},
	{"figure", AT(figure)},
	{"figure_unit", AT(figure_unit)},
	{"why", AT(row.why)},
	{.name = NULL},
};

static struct stat_times stat_get_times(const struct stat_report *r)
{
	const bool has_times = r->has_command && r->user_us != UINT64_MAX;

	return (struct stat_times){.kind = r->total ? "total" : "interval",
		.time = (double)r->at / 1e9,
		.elapsed = (double)r->elapsed / 1e9,
		.target = r->target,
		.exit_code = r->has_command ? cell_i64(r->exit_code) : cell_u64(0, false),
		.user = has_times ? (double)r->user_us / 1e6 : NAN,
		.system = has_times ? (double)r->system_us / 1e6 : NAN};
}

static struct stat_figures stat_get_figures(
	const struct stat_row *row, char name[EVENT_NAME_MAX + 8])
{
	const bool measured = row->measured, has_figure = measured && row->has_figure;
	const double running =
		row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0;

	return (struct stat_figures){.row = *row,
		.event = stat_event_name(row->event, name),
		.cpu = cell_u64((uint64_t)row->cpu, row->cpu >= 0),
		.user_only = row->event->user_only,
		.count = cell_u64(row->count, measured),
		.unit = measured && stat_event_is_time(row->event) ? "ns" : NULL,
		.enabled = cell_u64(row->enabled, measured),
		.running = cell_u64(row->running, measured),
		.running_percent = measured ? running : NAN,
		.measured_targets = measured ? row->measured_targets : 0,
		.figure = cell_real(has_figure ? row->figure : NAN, (unsigned)row->decimals),
		.figure_unit = has_figure ? row->figure_unit : NULL};
}

void stat_print_csv(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	const struct stat_times times = stat_get_times(r);
	char name[EVENT_NAME_MAX + 8];
	struct csv c = {.o = o};

	if (!p->begun) {
		column_write_names(&c, times_columns, 0);
		column_write_names(&c, event_columns, 0);
		csv_end(&c);
	}
	for (unsigned i = 0; i < r->rows; i++) {
		const struct stat_figures row = stat_get_figures(&r->row[i], name);

		column_write_fields(&c, times_columns, 0, &times);
		column_write_fields(&c, event_columns, 0, &row);
		csv_end(&c);
	}
}

void stat_print_json(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	const struct stat_times times = stat_get_times(r);
	char name[EVENT_NAME_MAX + 8];
	struct json j = {.o = o, .spaced = true};
	struct document d = {.j = &j};

	(void)p;
	json_open(&j, '{');
	document_add(&d, times_columns, 0, &times);
	for (document_begin_list(&d, "events", event_columns, 0); document_pass(&d);)
		for (unsigned i = 0; i < r->rows; i++) {
			const struct stat_figures row = stat_get_figures(&r->row[i], name);

			document_add_row(&d, &row);
		}
	if (r->total)
		document_add(&d, total_columns, 0, &times);
	json_close(&j, '}');
	json_end_line(&j);
}
