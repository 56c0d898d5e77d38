/*
 * stat: prints reports. Text is a table, a JSON object is on a line, the total last; in CSV each of
 * its events is a record. Unmeasured values are n/a in text, else empty, null in JSON.
 */
#include <math.h>
#include <string.h>

#include "../../../formats/base/quantity.h"
#include "../../../formats/base/time_ns.h"
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

/* ------------------------------------------------------------------------- cells of text */

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

static void stat_spell_cpu(struct out *o, const void *at)
{
	const struct stat_row *row = at;

	out_printf(o, row->cpu < 0 ? "all" : "cpu%d", row->cpu);
}

static bool stat_is_ms(const struct stat_row *row)
{
	return row->measured && stat_event_is_time(row->event);
}

static void stat_spell_count(struct out *o, const void *at)
{
	const struct stat_row *row = at;

	if (!row->measured) {
		out_str(o, "n/a");
	} else if (stat_is_ms(row)) {
		stat_put_grouped(o, row->count / 1000000);
		out_printf(o, ".%02u", (unsigned)(row->count / 10000 % 100));
	} else {
		stat_put_grouped(o, row->count);
	}
}

static const char *stat_colour_count(const void *at)
{
	const struct stat_row *row = at;

	return row->measured ? "" : row->colour;
}

static void stat_spell_unit(struct out *o, const void *at)
{
	out_str(o, stat_is_ms(at) ? "ms" : "");
}

static void stat_spell_name(struct out *o, const void *at)
{
	print_plain_out(o, ((const struct stat_row *)at)->name);
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

/* A figure, of which large rates get a k, M or G, or the reason for none, and remarks. */
static void stat_spell_figure(struct out *o, const void *at)
{
	const struct stat_row *row = at;

	if (row->figure_unit) {
		const bool is_large =
			strcmp(row->figure_unit, "/s") == 0 && row->figure.real >= 99999.95;
		double value = row->figure.real;
		const char *prefix = is_large ? quantity_scale(&value) : "";

		out_printf(o, "%14.*f %s%s", (int)(is_large ? 3 : row->figure.decimals), value,
			prefix, row->figure_unit);
	} else if (row->tells_why) {
		out_printf(o, " (%s)", row->why);
	}
	stat_print_remarks(o, row);
}

/* ------------------------------------------------------------------------------ columns */

static struct cell stat_get_cpu(const void *row)
{
	const int cpu = ((const struct stat_row *)row)->cpu;

	return cell_u64((uint64_t)cpu, cpu >= 0);
}

enum { IN_INTERVAL = 1, PER_CPU = 2 /* columns of text */ };
#define AT(member) COLUMN_AT(struct stat_row, member)
static const struct column event_columns[] = {
	{.heading = "time s", AT(time), .decimals = 6, .width = 12, .when = IN_INTERVAL},
	{.heading = "cpu", .text = stat_spell_cpu, .left = true, .width = 6, .when = PER_CPU},
	{"cpu", .get = stat_get_cpu, .in = IN_CSV},
	{"event", "event", COLUMN_CHARS_AT(struct stat_row, name), .left = true, .width = 20,
		.place = 1, .text = stat_spell_name},
	{"cpu", .get = stat_get_cpu, .in = IN_JSON},
	{"user_only", AT(user_only), .in = IN_JSON},
	{"count", "count", COLUMN_COUNT_AT(struct stat_row, count), .width = 18,
		.text = stat_spell_count, .colour = stat_colour_count},
	{"unit", "", AT(unit), .left = true, .width = 2, .text = stat_spell_unit},
	{"enabled_ns", COLUMN_COUNT_AT(struct stat_row, enabled)},
	{"running_ns", COLUMN_COUNT_AT(struct stat_row, running)},
	{"running_pct", AT(running_percent), .decimals = 4},
	{"places", AT(targets)},
	{"places_counted", AT(measured_targets)},
	{"figure", "", AT(figure), .left = true, .place = 2, .text = stat_spell_figure},
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

static void put_seconds(struct table *t, double seconds, const char *name)
{
	table_text(t, "");
	out_fixed(table_right(t), seconds, 6);
	table_printf(t, "s\t%s\n", name);
}

static void put_total(const struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	static const unsigned widths[] = {6, 18, 2, 0};
	struct table t;

	table_begin_fixed(&t, o, widths, 1);
	if (!p->per_cpu)
		table_hide(&t, 0);
	out_char(o, '\n');
	put_seconds(&t, time_seconds(r->elapsed), "elapsed");
	if (r->has_command && r->user_us != UINT64_MAX) {
		put_seconds(&t, (double)r->user_us / 1e6, "user");
		put_seconds(&t, (double)r->system_us / 1e6, "system");
	}
	table_free(&t);
}

void stat_print_text(struct stat_printer *p, struct out *o, const struct stat_report *r)
{
	const unsigned has = (r->total ? 0 : IN_INTERVAL) | (p->per_cpu ? PER_CPU : 0);
	struct document d = {.o = o, .gap = 1, .has_no_headings = p->begun || r->total};

	if (r->total) {
		out_str(o, p->begun ? "\nswtrace stat: " : "swtrace stat: ");
		print_plain_out(o, r->target);
		out_str(o, "\n\n");
	}
	for (document_begin_list(&d, "events", event_columns, has); document_pass(&d);)
		for (struct stat_row *row = r->row; row < r->row + r->rows; row++) {
			/* Print an unavailable event once, not per processor. */
			if (row->cpu >= 0 && row->event->error)
				continue;
			row->time = time_seconds(r->at);
			row->colour = p->coloured ? COLOUR_BAD : "";
			/* A reason that does not change is printed once. */
			row->tells_why =
				!row->measured && (r->total || !p->begun || !row->event->error);
			document_add_row(&d, row);
		}
	if (r->total)
		put_total(p, o, r);
}
