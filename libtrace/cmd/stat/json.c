/*
 * stat: JSON output, one object per line, the total last.
 */
#include <math.h>

#include "../print_stream.h"
#include "stat.h"

static double stat_running_percent(const struct stat_row *row)
{
	return row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0;
}

static void stat_json_count(struct json *j, const char *key, bool measured, uint64_t count)
{
	json_key(j, key);
	if (measured)
		json_u64(j, count);
	else
		json_null(j);
}

static void stat_json_row(struct json *j, const struct stat_row *row)
{
	char name[EVENT_NAME_MAX + 8];
	bool measured = row->measured, has_figure = measured && row->has_figure;

	json_open(j, '{');
	json_member_text(j, "event", stat_event_name(row->event, name));
	stat_json_count(j, "cpu", row->cpu >= 0, (uint64_t)row->cpu);
	json_member_bool(j, "user_only", row->event->user_only);
	stat_json_count(j, "count", measured, row->count);
	json_member_text(j, "unit", measured && stat_event_is_time(row->event) ? "ns" : NULL);
	stat_json_count(j, "enabled_ns", measured, row->enabled);
	stat_json_count(j, "running_ns", measured, row->running);
	json_member_fixed(j, "running_pct", measured ? stat_running_percent(row) : NAN, 4);
	stat_json_count(j, "places", true, row->targets);
	stat_json_count(j, "places_counted", true, measured ? row->measured_targets : 0);
	json_member_fixed(j, "figure", has_figure ? row->figure : NAN,
		has_figure ? (unsigned)row->decimals : 0);
	json_member_text(j, "figure_unit", has_figure ? row->figure_unit : NULL);
	json_member_text(j, "why", measured ? NULL : row->why);
	json_close(j, '}');
}

static void stat_json_total(struct json *j, const struct stat_report *r)
{
	bool has_times = r->has_command && r->user_us != UINT64_MAX;

	json_member_text(j, "target", r->target);
	json_key(j, "exit_code");
	if (r->has_command)
		json_i64(j, r->exit_code);
	else
		json_null(j);
	json_member_fixed(j, "user_s", has_times ? (double)r->user_us / 1e6 : NAN, 6);
	json_member_fixed(j, "system_s", has_times ? (double)r->system_us / 1e6 : NAN, 6);
}

void stat_print_json(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	struct json j = {.o = o, .spaced = true};

	(void)p;
	json_open(&j, '{');
	json_member_text(&j, "kind", r->total ? "total" : "interval");
	json_member_fixed(&j, "time_s", (double)r->at / 1e9, 9);
	json_member_fixed(&j, "elapsed_s", (double)r->elapsed / 1e9, 9);
	json_member_open(&j, "events", '[');
	for (unsigned i = 0; i < r->rows; i++)
		stat_json_row(&j, &r->row[i]);
	json_close(&j, ']');
	if (r->total)
		stat_json_total(&j, r);
	json_close(&j, '}');
	json_end_line(&j);
}
