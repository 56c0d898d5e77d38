/*
 * stat: for programs. One object a line, the total last.
 */
#include "stat.h"

static void put_measured(FILE *f, const struct stat_row *row)
{
	fprintf(f,
		"\"count\": %llu, \"unit\": %s, \"enabled_ns\": %llu, \"running_ns\": %llu, "
		"\"running_pct\": %.4f, ",
		(unsigned long long)row->count, stat_event_is_time(row->event) ? "\"ns\"" : "null",
		(unsigned long long)row->enabled, (unsigned long long)row->running,
		row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0);
	fprintf(f, "\"places\": %u, \"places_counted\": %u, ", row->places, row->measured_places);
	if (row->has_figure)
		fprintf(f, "\"figure\": %.*f, \"figure_unit\": \"%s\", ", row->decimals,
			row->figure, row->figure_unit);
	else
		fputs("\"figure\": null, \"figure_unit\": null, ", f);
	fputs("\"why\": null}", f);
}

static void put_row(FILE *f, const struct stat_row *row)
{
	char name[EVENT_NAME_MAX + 8];

	fputs("{\"event\": ", f);
	put_json(f, stat_event_name(row->event, name));
	if (row->cpu >= 0)
		fprintf(f, ", \"cpu\": %d, ", row->cpu);
	else
		fputs(", \"cpu\": null, ", f);
	fprintf(f, "\"user_only\": %s, ", row->event->user_only ? "true" : "false");
	if (row->measured) {
		put_measured(f, row);
		return;
	}
	fprintf(f,
		"\"count\": null, \"unit\": null, \"enabled_ns\": null, \"running_ns\": null, "
		"\"running_pct\": null, \"places\": %u, \"places_counted\": 0, "
		"\"figure\": null, \"figure_unit\": null, \"why\": ",
		row->places);
	put_json(f, row->why);
	fputc('}', f);
}

static void put_total(FILE *f, const struct stat_report *r)
{
	fputs(", \"target\": ", f);
	put_json(f, r->target);
	if (!r->has_command) {
		fputs(", \"exit_code\": null, \"user_s\": null, \"system_s\": null", f);
		return;
	}
	fprintf(f, ", \"exit_code\": %d", r->exit_code);
	if (r->user_us == UINT64_MAX)
		fputs(", \"user_s\": null, \"system_s\": null", f);
	else
		fprintf(f, ", \"user_s\": %.6f, \"system_s\": %.6f", (double)r->user_us / 1e6,
			(double)r->system_us / 1e6);
}

void stat_print_json(struct stat_printer *p, FILE *f, const struct stat_report *r)
{
	(void)p;
	fprintf(f, "{\"kind\": \"%s\", \"time_s\": %.9f, \"elapsed_s\": %.9f, \"events\": [",
		r->total ? "total" : "interval", (double)r->at / 1e9, (double)r->elapsed / 1e9);
	for (unsigned i = 0; i < r->rows; i++) {
		if (i)
			fputs(", ", f);
		put_row(f, &r->row[i]);
	}
	fputc(']', f);
	if (r->total)
		put_total(f, r);
	fputs("}\n", f);
}
