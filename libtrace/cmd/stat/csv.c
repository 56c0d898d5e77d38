/*
 * stat: for spreadsheets. As cpidecode's CSV: lines end as RFC 4180 says, what was not
 * measured is empty.
 */
#include "stat.h"

static void put_measured(FILE *f, const struct stat_row *row)
{
	const char *unit = stat_event_is_time(row->event) ? "ns" : "";

	fprintf(f, ",%llu,%s,%llu,%llu,%.4f,%u,%u,", (unsigned long long)row->count, unit,
		(unsigned long long)row->enabled, (unsigned long long)row->running,
		row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0,
		row->places, row->measured_places);
	if (row->has_figure)
		fprintf(f, "%.*f,%s,", row->decimals, row->figure, row->figure_unit);
	else
		fputs(",,", f);
}

void stat_print_csv(struct stat_printer *p, FILE *f, const struct stat_report *r)
{
	char name[EVENT_NAME_MAX + 8];

	if (!p->begun)
		fputs("kind,time_s,elapsed_s,cpu,event,count,unit,enabled_ns,running_ns,running_pct,places,places_counted,figure,figure_unit,why\r\n",
			f);
	for (unsigned i = 0; i < r->rows; i++) {
		const struct stat_row *row = &r->row[i];

		fprintf(f, "%s,%.9f,%.9f,", r->total ? "total" : "interval", (double)r->at / 1e9,
			(double)r->elapsed / 1e9);
		if (row->cpu >= 0)
			fprintf(f, "%d", row->cpu);
		fputc(',', f);
		put_csv(f, stat_event_name(row->event, name));
		if (row->measured) {
			put_measured(f, row);
		} else {
			fprintf(f, ",,,,,,%u,0,,,", row->places);
			put_csv(f, row->why);
		}
		fputs("\r\n", f);
	}
}
