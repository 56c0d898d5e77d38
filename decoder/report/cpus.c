/* Per label, minor and major: the system and every processor side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../sink/escape.h"
#include "tallies.h"

enum row {
	ROW_CPI,
	ROW_CPI_WB,
	ROW_IDLE,
	ROW_BUSY,
	ROWS,
	ROW_INTR = ROWS, /* of CPU utilisation */
	ROW_PERF,
	ALL_ROWS,
};

/* util: the column has those ratios. */
static double cell(const struct ratio *column, bool util, enum row row)
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

static void name_text(struct out *o, const struct tally_group *g)
{
	tallies_text_name(o, g);
	if (tally_is_util(g)) {
		out_str(o, ", method ");
		report_methods_text(o, tally_extra(g)->methods);
	}
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

static void matrix_text(struct out *o, const struct tally_group *g)
{
	static const char *const rows[ALL_ROWS] = {
		"cpi   ", "cpi_wb", "idle% ", "busy% ", "intr% ", "perf% "};
	/* CPU utilisation has no CPIs, and CPI knows of no more than those. */
	const bool util = tally_is_util(g);
	const int first = util ? ROW_IDLE : 0, end = util ? ALL_ROWS : ROWS;
	struct ratio system[COLUMN_UTIL_RATIOS];
	read_system(g, system);
	name_text(o, g);
	out_printf(o, ", %" PRIu64 " interval%s\n       System", g->time.count,
		g->time.count == 1 ? "" : "s");
	for (uint32_t cpu = 0; cpu < tally_processors(g); cpu++) {
		char name[16];
		int n = snprintf(name, sizeof name, "CPU%u", cpu);
		out_repeat(o, ' ', n < 7 ? (size_t)(8 - n) : 1);
		out_str(o, name);
	}
	for (int row = first; row < end; row++) {
		out_char(o, '\n');
		out_str(o, rows[row]);
		out_char(o, ' ');
		text_cell(o, cell(system, util, row));
		struct columns_reader r;
		tally_first_processor(g, &r);
		for (uint32_t i = tally_processors(g); i; i--) {
			out_str(o, "  ");
			text_cell(o, cell(columns_next(&r), util, row));
		}
	}
	out_str(o, "\n\n");
}

static void matrix_csv(struct csv *c, const struct tally_group *g, bool with_util)
{
	const bool util = tally_is_util(g);
	struct ratio system[COLUMN_UTIL_RATIOS];
	struct columns_reader r;
	read_system(g, system);
	tally_first_processor(g, &r);
	for (uint32_t i = 0; i <= tally_processors(g); i++) {
		const struct ratio *column = i ? columns_next(&r) : system;
		tallies_csv_name(c, g);
		csv_u64(c, g->time.count);
		if (i)
			csv_u64(c, i - 1);
		else
			csv_text(c, "system");
		for (int row = 0; row < ROWS; row++)
			csv_fixed(c, cell(column, util, row), 4);
		if (with_util) {
			csv_u64(c, g->major);
			csv_fixed(c, cell(column, util, ROW_INTR), 4);
			csv_fixed(c, cell(column, util, ROW_PERF), 4);
			tallies_csv_methods(c, tally_extra(g)->methods);
		}
		csv_end(c);
	}
}

static void json_column(struct json *j, const struct ratio *column, bool util)
{
	static const char *const keys[ALL_ROWS] = {
		"cpi", "cpi_wb", "idle_pct", "busy_pct", "intr_pct", "actual_perf_pct"};
	for (int row = 0; row < (util ? ALL_ROWS : ROWS); row++)
		json_member_fixed(j, keys[row], cell(column, util, row), 4);
	json_close(j, '}');
}

static void matrix_json(struct json *j, const struct tally_group *g, bool scripted)
{
	const bool util = tally_is_util(g);
	struct ratio system[COLUMN_UTIL_RATIOS];
	struct columns_reader r;
	read_system(g, system);
	json_open(j, '{');
	tallies_json_name(j, g);
	json_member_u64(j, "count", g->time.count);
	json_member_bool(j, "scripted", scripted);
	if (tally_is_util(g))
		tallies_json_methods(j, "method", tally_extra(g)->methods);
	json_member_open(j, "system", '{');
	json_column(j, system, util);
	json_member_open(j, "cpus", '[');
	tally_first_processor(g, &r);
	for (uint32_t cpu = 0; cpu < tally_processors(g); cpu++) {
		json_open(j, '{');
		json_member_u64(j, "cpu", cpu);
		json_column(j, columns_next(&r), util);
	}
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
}

void cpus_print(struct report *r, const struct tally *t)
{
	const bool util = t->has_util;
	const char *names[] = {"label", "minor", "count", "cpu", "cpi", "cpi_wb", "idle_pct",
		"busy_pct", util ? "major" : NULL, "intr_pct", "actual_perf_pct", "method", NULL};
	struct csv c = {.o = r->out};
	struct json j = {.o = r->out};
	if (r->format == FORMAT_CSV)
		csv_header(&c, names);
	if (r->format == FORMAT_TEXT) {
		report_scripted_line(r);
		if (!t->count)
			out_str(r->out, "no intervals\n");
	}
	for (size_t i = 0; i < t->count && !r->out->error; i++) {
		const struct tally_group *g = t->groups[i];
		if (r->format == FORMAT_CSV)
			matrix_csv(&c, g, util);
		else if (r->format == FORMAT_JSON)
			matrix_json(&j, g, r->scripted);
		else
			matrix_text(r->out, g);
	}
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
