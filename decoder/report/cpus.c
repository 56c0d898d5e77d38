/* Per label, minor and major: the system and every processor side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tallies.h"

enum row {
	ROW_CPI,
	ROW_CPI_WB,
	ROW_IDLE,
	ROW_BUSY,
	ROWS,
	ROW_INTR = ROWS, /* CPU utilisation */
	ROW_PERF,
	ALL_ROWS,
};

struct cpus_row {
	const struct tally_group *group;
	struct cell cpu;
	double figures[ALL_ROWS];
	bool scripted;
};

/* util: the column has ratios of CPU utilisation. */
static double cpus_figure(const struct ratio *column, bool util, enum row row)
{
	switch (row) {
	case ROW_CPI:
		return ratio_cpi(&column[COLUMN_RAW]);
	case ROW_CPI_WB:
		return ratio_cpi(&column[COLUMN_SCALED]);
	case ROW_IDLE:
		return util ? 100 * ratio_value(&column[COLUMN_IDLE])
			    : 100 - 100 * ratio_value(&column[COLUMN_BUSY]);
	case ROW_INTR:
		return util ? 100 * ratio_value(&column[COLUMN_INTR]) : NAN;
	case ROW_PERF:
		return util ? 100 * ratio_value(&column[COLUMN_PERF]) : NAN;
	default:
		return 100 * ratio_value(&column[COLUMN_BUSY]);
	}
}

static void read_system(const struct tally_group *g, struct ratio column[COLUMN_UTIL_RATIOS])
{
	struct columns_reader reader;
	struct sums scratch;
	const struct ratios *r = &tally_sums(g, &scratch)->ratios;

	memcpy(column, tally_util(g, &reader), COLUMN_UTIL_RATIOS * sizeof *column);
	column[COLUMN_RAW] = r->raw;
	column[COLUMN_SCALED] = r->scaled;
	column[COLUMN_BUSY] = r->busy;
}

static void text_cell(struct out *o, double v)
{
	enum { WIDTH = 6 };
	struct out text;

	out_memory(&text);
	if (isnan(v))
		out_str(&text, "n/a");
	else
		out_fixed(&text, v, 2);
	out_repeat(o, ' ', text.len < WIDTH ? WIDTH - text.len : 0);
	out_bytes(o, text.buf, text.len);
	out_discard(&text);
}

enum {
	CPUS_NAME = 7, /* cells of a row's name, */
	CPUS_CELL = 8, /* and of each column but the first */
};

/* A block: the system, and the processors from `from` to `to`. */
static void cpus_text_block(struct out *o, const struct tally_group *g, uint32_t from, uint32_t to)
{
	static const char *const rows[ALL_ROWS] = {
		"cpi   ", "cpi_wb", "idle% ", "busy% ", "intr% ", "perf% "};
	/* CPU utilisation has no CPIs, and CPI groups have no other ratios. */
	const bool util = tally_is_util(g);
	const int first = util ? ROW_IDLE : 0, end = util ? ALL_ROWS : ROWS;
	struct ratio system[COLUMN_UTIL_RATIOS];
	struct columns_reader r;

	read_system(g, system);
	out_str(o, "\n       System");
	for (uint32_t cpu = from; cpu < to; cpu++) {
		char name[16];
		int n = snprintf(name, sizeof name, "CPU%u", cpu);

		out_repeat(o, ' ', n < 7 ? (size_t)(8 - n) : 1);
		out_str(o, name);
	}
	for (int row = first; row < end; row++) {
		out_char(o, '\n');
		out_str(o, rows[row]);
		out_char(o, ' ');
		text_cell(o, cpus_figure(system, util, row));
		tally_first_processor(g, &r);
		for (uint32_t cpu = 0; cpu < to; cpu++) {
			const struct ratio *column = columns_next(&r);

			if (cpu < from)
				continue;
			out_str(o, "  ");
			text_cell(o, cpus_figure(column, util, row));
		}
	}
	out_char(o, '\n');
}

/* Processors beyond the width go to further blocks below. */
static void matrix_text(struct out *o, const struct tally_group *g, unsigned width)
{
	const uint32_t cpus = tally_processors(g);
	const uint32_t fit = !width ? cpus
			     : width >= CPUS_NAME + 2 * CPUS_CELL
				     ? (width - CPUS_NAME) / CPUS_CELL - 1
				     : 1;
	uint32_t from = 0;

	/* Without containers: this report does not read them from a trace, but a partial result may
	 * have them. */
	tallies_text_heading(o, g, false);
	do {
		const uint32_t to = cpus - from > fit ? from + fit : cpus;

		cpus_text_block(o, g, from, to);
		from = to;
	} while (from < cpus);
	out_char(o, '\n');
}

#define CPUS_AT(member) COLUMN_AT(struct cpus_row, member)
#define FIGURE_AT(row) CPUS_AT(figures[row]), .decimals = 4, .in = IN_CSV | IN_NESTED

/* Of CSV and JSON, where the system and each processor are objects inside the group. */
enum { HAS_CPU = TALLIES_HAS_NEXT };
static const struct column cpus_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{TALLIES_COUNT},
	{"scripted", .in = IN_JSON, CPUS_AT(scripted)},
	{TALLIES_METHOD, .in = IN_JSON},
	{"cpu", CPUS_AT(cpu), .in = IN_CSV | IN_NESTED, .when = HAS_CPU},
	{"cpi", FIGURE_AT(ROW_CPI)},
	{"cpi_wb", FIGURE_AT(ROW_CPI_WB)},
	{"idle_pct", FIGURE_AT(ROW_IDLE)},
	{"busy_pct", FIGURE_AT(ROW_BUSY)},
	{TALLIES_MAJOR, .in = IN_CSV},
	{"intr_pct", FIGURE_AT(ROW_INTR), .when = TALLIES_HAS_UTIL},
	{"actual_perf_pct", FIGURE_AT(ROW_PERF), .when = TALLIES_HAS_UTIL},
	{TALLIES_METHOD, .in = IN_CSV},
	{.name = NULL},
};

static void cpus_fill_row(struct cpus_row *row, const struct ratio *column)
{
	for (unsigned i = 0; i < ALL_ROWS; i++)
		row->figures[i] = cpus_figure(column, tally_is_util(row->group), i);
}

static void cpus_add_group(const struct report *r, struct rows *rows, const struct tally_group *g)
{
	struct cpus_row row = {
		.group = g, .scripted = r->scripted, .cpu = cell_string("system", 6, true)};
	const bool is_json = rows->format == FORMAT_JSON;
	const unsigned has = tallies_has(g);
	struct ratio system[COLUMN_UTIL_RATIOS];
	struct columns_reader reader;
	struct json *j = &rows->json;

	read_system(g, system);
	cpus_fill_row(&row, system);
	if (is_json) {
		json_open(j, '{');
		rows_write_host(j, r);
		column_write_members(j, cpus_columns, IN_JSON, has, &row);
		json_key(j, "system");
		column_write_object(j, cpus_columns, IN_NESTED, has, &row);
		json_member_open(j, "cpus", '[');
	} else {
		rows_add(rows, &row);
	}
	tally_first_processor(g, &reader);
	for (uint32_t i = 0; i < tally_processors(g); i++) {
		row.cpu = cell_u64(i, true);
		cpus_fill_row(&row, columns_next(&reader));
		if (is_json)
			column_write_object(j, cpus_columns, IN_NESTED, has | HAS_CPU, &row);
		else
			rows_add(rows, &row);
	}
	if (is_json) {
		json_close(j, ']');
		json_close(j, '}');
		json_end_line(j);
	}
}

static void cpus_print_text(struct report *r, const struct tally *t)
{
	report_head_lines(r);
	if (!t->count)
		out_str(r->out, "no intervals\n");
	for (size_t i = 0; i < t->count && !r->out->error; i++)
		matrix_text(r->out, t->groups[i], r->width);
}

void cpus_print(struct report *r, const struct tally *t)
{
	struct rows rows;

	if (r->format == FORMAT_TEXT) {
		cpus_print_text(r, t);
		return;
	}
	rows_begin(&rows, r, cpus_columns, HAS_CPU | tallies_of_hosts(r, tallies_have(t)));
	while (rows_pass(&rows))
		for (size_t i = 0; i < t->count && !r->out->error; i++)
			cpus_add_group(r, &rows, t->groups[i]);
	rows_end(&rows);
}

int report_cpus(struct report *r)
{
	struct tally t = {.wanted = TALLY_WANT_CPUS};
	int rc = tallies_read(r, &t);

	if (!rc)
		cpus_print(r, &t);
	tally_free(&t);
	return rc;
}
