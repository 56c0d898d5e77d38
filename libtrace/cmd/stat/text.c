/*
 * stat: text output.
 */
#include <string.h>

#include "../../../formats/base/quantity.h"
#include "../../../formats/base/time_ns.h"
#include "../print_stream.h"
#include "stat.h"

/* Prints 1234567 as "1,234,567". */
static void stat_put_grouped(struct out *o, uint64_t value)
{
	if (value >= 1000) {
		stat_put_grouped(o, value / 1000);
		out_printf(o, ",%03u", (unsigned)(value % 1000));
	} else {
		out_u64(o, value);
	}
}

static void put_count(const struct stat_printer *p, struct table *t, const struct stat_row *row)
{
	const bool is_time = row->measured && stat_event_is_time(row->event);
	struct out *o = table_right(t);

	if (!row->measured) {
		table_colour(t, p->coloured ? COLOUR_BAD : "");
		out_str(o, "n/a");
	} else if (is_time) {
		stat_put_grouped(o, row->count / 1000000);
		out_printf(o, ".%02u", (unsigned)(row->count / 10000 % 100));
	} else {
		stat_put_grouped(o, row->count);
	}
	table_text(t, is_time ? "ms" : "");
}

/* Prints a figure; large rates get a K, M or G unit. */
static void put_figure(struct table *t, const struct stat_row *row)
{
	const bool is_large = strcmp(row->figure_unit, "/s") == 0 && row->figure.real >= 99999.95;
	double value = row->figure.real;
	const char *prefix = is_large ? quantity_scale(&value) : "";

	out_fixed(table_right(t), value, is_large ? 3 : row->figure.decimals);
	out_printf(table_left(t), "%s%s", prefix, row->figure_unit);
}

/* Prints what a reader must know to trust the count. */
static void stat_print_remarks(struct out *o, const struct stat_row *row)
{
	const char *gap = row->figure_unit ? "  " : " ";

	if (row->measured_targets < row->targets && row->cpu < 0 && row->measured) {
		out_printf(o, "%s(%u of %u processors)", gap, row->measured_targets, row->targets);
		gap = "  ";
	}
	if (row->running < row->enabled && row->measured) {
		out_printf(o, "%s(", gap);
		out_fixed(o, row->running_percent, 1);
		out_str(o, " %)");
	}
}

static void put_row(const struct stat_printer *p, struct table *t, const struct stat_report *r,
	const struct stat_row *row)
{
	out_fixed(table_right(t), time_seconds(r->at), 6);
	if (row->cpu >= 0)
		out_printf(table_left(t), "cpu%d", row->cpu);
	else
		table_text(t, "all");
	put_count(p, t, row);
	print_plain_out(table_left(t), row->name);
	if (row->figure_unit)
		put_figure(t, row);
	else if (!row->measured && (r->total || !p->begun || !row->event->error))
		table_printf(
			t, " (%s)", row->why); /* a reason that does not change is printed once */
	else
		table_left(t);
	stat_print_remarks(&t->row, row);
	table_end_row(t);
}

static void put_seconds(struct table *t, double seconds, const char *name)
{
	table_printf(t, "\t");
	out_fixed(table_right(t), seconds, 6);
	table_printf(t, "s\t%s\n", name);
}

static void put_total(struct table *t, const struct stat_report *r)
{
	out_char(t->o, '\n');
	put_seconds(t, time_seconds(r->elapsed), "elapsed");
	if (!r->has_command || r->user_us == UINT64_MAX)
		return;
	put_seconds(t, (double)r->user_us / 1e6, "user");
	put_seconds(t, (double)r->system_us / 1e6, "system");
}

void stat_print_text(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	/* time, cpu, count, unit, event, figure */
	static const unsigned widths[] = {12, 6, 18, 2, 20, 14, 0};
	struct table t;

	table_begin_fixed(&t, o, widths, 1);
	if (r->total)
		table_hide(&t, 0);
	if (!p->per_cpu)
		table_hide(&t, 1);
	if (!p->begun && !r->total)
		table_printf(&t, ">time s\tcpu\t>count\t\tevent\n");
	if (r->total) {
		out_str(o, p->begun ? "\nswtrace stat: " : "swtrace stat: ");
		print_plain_out(o, r->target);
		out_str(o, "\n\n");
	}
	for (unsigned i = 0; i < r->rows; i++)
		/* Print an unavailable event once, not per processor. */
		if (r->row[i].cpu < 0 || !r->row[i].event->error)
			put_row(p, &t, r, &r->row[i]);
	if (r->total)
		put_total(&t, r);
	table_free(&t);
}
