/*
 * stat: CSV output, like cpidecode's: RFC 4180 line ends; unmeasured values are empty.
 */
#include <math.h>

#include "../print_stream.h"
#include "stat.h"

static const char *const stat_columns[] = {"kind", "time_s", "elapsed_s", "cpu", "event", "count",
	"unit", "enabled_ns", "running_ns", "running_pct", "places", "places_counted", "figure",
	"figure_unit", "why", NULL};

static void stat_put_counts(struct csv *c, const struct stat_row *row)
{
	csv_u64(c, row->count);
	csv_text(c, stat_event_is_time(row->event) ? "ns" : NULL);
	csv_u64(c, row->enabled);
	csv_u64(c, row->running);
	csv_fixed(c, row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0, 4);
}

static void stat_put_row(struct csv *c, const struct stat_report *r, const struct stat_row *row)
{
	bool has_figure = row->measured && row->has_figure;
	char name[EVENT_NAME_MAX + 8];

	csv_text(c, r->total ? "total" : "interval");
	csv_fixed(c, (double)r->at / 1e9, 9);
	csv_fixed(c, (double)r->elapsed / 1e9, 9);
	if (row->cpu >= 0)
		csv_i64(c, row->cpu);
	else
		csv_empty(c);
	csv_text(c, stat_event_name(row->event, name));
	if (row->measured)
		stat_put_counts(c, row);
	else
		csv_empties(c, 5);
	csv_u64(c, row->targets);
	csv_u64(c, row->measured ? row->measured_targets : 0);
	csv_fixed(c, has_figure ? row->figure : NAN, has_figure ? (unsigned)row->decimals : 0);
	csv_text(c, has_figure ? row->figure_unit : NULL);
	csv_text(c, row->measured || !*row->why ? NULL : row->why);
	csv_end(c);
}

void stat_print_csv(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	struct csv c = {.o = o};

	if (!p->begun)
		csv_header(&c, stat_columns);
	for (unsigned i = 0; i < r->rows; i++)
		stat_put_row(&c, r, &r->row[i]);
}
