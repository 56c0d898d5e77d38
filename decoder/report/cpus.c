/* Per label, minor and major: the system and every processor side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/choice.h"
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

/* The figures of a table in text, in their order. */
struct cpus_shown {
	enum row rows[ALL_ROWS];
	unsigned n;
};

static const struct {
	const char *name, *heading;
	/* CPU utilisation has no CPIs, and CPI groups have no other ratios. */
	bool is_cpi, is_util;
} cpus_rows[ALL_ROWS] = {[ROW_CPI] = {"cpi", "cpi   ", true, false},
	[ROW_CPI_WB] = {"cpi_wb", "cpi_wb", true, false},
	[ROW_IDLE] = {"idle_pct", "idle% ", true, true},
	[ROW_BUSY] = {"busy_pct", "busy% ", true, true},
	[ROW_INTR] = {"intr_pct", "intr% ", false, true},
	[ROW_PERF] = {"actual_perf_pct", "perf% ", false, true}};

static struct cpus_shown cpus_choose_rows(const struct report *r, const struct tally_group *g)
{
	const bool util = tally_is_util(g);
	struct cpus_shown shown = {.n = 0};

	for (enum row row = 0; row < ALL_ROWS; row++)
		if ((util ? cpus_rows[row].is_util : cpus_rows[row].is_cpi) &&
			rows_lists(r, cpus_rows[row].name, strlen(cpus_rows[row].name)))
			shown.rows[shown.n++] = row;
	return shown;
}

/* A block: the system, and the processors from `from` to `to`. */
static void cpus_text_block(struct out *o, const struct tally_group *g,
	const struct cpus_shown *shown, uint32_t from, uint32_t to)
{
	const bool util = tally_is_util(g);
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
	for (unsigned i = 0; i < shown->n; i++) {
		const enum row row = shown->rows[i];

		out_char(o, '\n');
		out_str(o, cpus_rows[row].heading);
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
static void matrix_text(struct report *r, const struct tally_group *g)
{
	const struct cpus_shown shown = cpus_choose_rows(r, g);
	const unsigned width = r->width;
	struct out *o = r->out;
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

		if (shown.n)
			cpus_text_block(o, g, &shown, from, to);
		from = to;
	} while (from < cpus);
	out_char(o, '\n');
}

#define CPUS_AT(member) COLUMN_AT(struct cpus_row, member)
#define FIGURE_AT(row) CPUS_AT(figures[row]), .decimals = 4, .in = IN_CSV | IN_NESTED

/* Columns of CSV and JSON. In JSON the system and each processor are objects inside the group. */
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

static bool cpus_has_nested(const struct column *columns)
{
	for (; !column_is_last(columns); columns++)
		if (column_is_in(columns, IN_NESTED, ~0u))
			return true;
	return false;
}

/* The system's row of a group. */
static struct cpus_row cpus_make_row(const struct report *r, const struct tally_group *g)
{
	struct cpus_row row = {
		.group = g, .cpu = cell_string("system", 6, true), .scripted = r->scripted};
	struct ratio system[COLUMN_UTIL_RATIOS];

	read_system(g, system);
	cpus_fill_row(&row, system);
	return row;
}

/* columns: of JSON. */
static void cpus_add_group(const struct report *r, struct rows *rows, const struct column *columns,
	const struct tally_group *g)
{
	const bool is_json = rows->format == FORMAT_JSON;
	const bool has_figures = !r->columns || cpus_has_nested(columns);
	const unsigned has = tallies_has(g);
	struct cpus_row row = cpus_make_row(r, g);
	struct columns_reader reader;
	struct json *j = &rows->json;

	if (is_json) {
		json_open(j, '{');
		rows_write_host(j, r);
		column_write_members(j, columns, IN_JSON, has, &row);
		if (!has_figures) {
			json_close(j, '}');
			json_end_line(j);
			return;
		}
		json_key(j, "system");
		column_write_object(j, columns, IN_NESTED, has, &row);
		json_member_open(j, "cpus", '[');
	} else {
		rows_add(rows, &row);
	}
	tally_first_processor(g, &reader);
	for (uint32_t i = 0; i < tally_processors(g); i++) {
		row.cpu = cell_u64(i, true);
		cpus_fill_row(&row, columns_next(&reader));
		if (is_json)
			column_write_object(j, columns, IN_NESTED, has | HAS_CPU, &row);
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
		matrix_text(r, t->groups[i]);
}

static void cpus_print_rows(struct report *r, const struct tally *t, const struct column *columns)
{
	struct rows rows;

	rows_begin(&rows, r, cpus_columns, HAS_CPU | tallies_of_hosts(r, tallies_have(t)));
	while (rows_pass(&rows))
		for (size_t i = 0; i < t->count && !r->out->error; i++)
			cpus_add_group(r, &rows, columns, t->groups[i]);
	rows_end(&rows);
}

static struct cell cpus_get_total(const void *row)
{
	return cell_real(tally_total_ns(((const struct cpus_row *)row)->group), 1);
}

/* Groups can be chosen by it, too. */
static const struct column cpus_total[] = {
	{"total_ns", .get = cpus_get_total, .unit = UNIT_DURATION}, {.name = NULL}};

struct cpus_choosing {
	const struct report *r;
	struct cpus_row row;
};

static const void *cpus_choose_row(void *ctx, const void *element)
{
	struct cpus_choosing *c = ctx;

	c->row = cpus_make_row(c->r, *(const struct tally_group *const *)element);
	return &c->row;
}

int cpus_print(struct report *r, const struct tally *t)
{
	struct cpus_choosing choosing = {.r = r};
	const struct choice choice = {.columns = cpus_columns,
		.more = cpus_total,
		.what = "a column of the report",
		.otherwise = "-total_ns",
		.row = cpus_choose_row,
		.ctx = &choosing};
	struct tally shown = *t;
	void *groups = NULL;
	int rc = rows_check_columns(r, cpus_columns, NULL);
	struct column *columns = rows_choose_columns(r, cpus_columns);

	if (!rc && !columns)
		rc = CPIDECODE_ENOMEM;
	if (!rc)
		rc = choice_copy(r, &choice, t->groups, &shown.count, sizeof *t->groups, &groups);
	if (groups)
		shown.groups = groups;
	if (!rc && r->format == FORMAT_TEXT)
		cpus_print_text(r, &shown);
	else if (!rc)
		cpus_print_rows(r, &shown, columns);
	free(groups);
	free(columns);
	return rc;
}

int report_cpus(struct report *r)
{
	struct tally t = {.wanted = TALLY_WANT_CPUS};
	int rc = tallies_read(r, &t);

	if (!rc)
		rc = cpus_print(r, &t);
	tally_free(&t);
	return rc;
}
