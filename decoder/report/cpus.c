/* Per label, minor and major: the system and every processor side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

/* u: of CPU utilisation, else NULL. */
static double cell(const struct tally_column *c, const struct util_ratios *u, enum row row)
{
	switch (row) {
	case ROW_CPI:
		return ratio_cpi(&c->raw);
	case ROW_CPI_WB:
		return ratio_cpi(&c->scaled);
	case ROW_IDLE:
		return u ? 100 * ratio_value(&u->idle) : 100 - 100 * ratio_value(&c->busy);
	case ROW_INTR:
		return u ? 100 * ratio_value(&u->intr) : NAN;
	case ROW_PERF:
		return u ? 100 * ratio_value(&u->actual_perf) : NAN;
	default:
		return 100 * ratio_value(&c->busy);
	}
}

/* 0 is the system, then the processors. */
static struct tally_column column(const struct tally_group *g, uint32_t i)
{
	if (i)
		return tally_extra(g)->columns[i - 1];
	struct sums scratch;
	const struct ratios *r = &tally_sums(g, &scratch)->ratios;
	return (struct tally_column){r->raw, r->scaled, r->busy};
}

static const struct util_ratios *util_column(const struct tally_group *g, uint32_t i)
{
	const struct tally_extra *extra = tally_extra(g);
	return i && extra->util ? &extra->util_columns[i - 1] : extra->util;
}

static void name_text(struct out *o, const struct tally_group *g)
{
	tallies_text_name(o, g);
	if (tally_extra(g)->util) {
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
	const int first = tally_extra(g)->util ? ROW_IDLE : 0,
		  end = tally_extra(g)->util ? ALL_ROWS : ROWS;
	name_text(o, g);
	out_printf(o, ", %" PRIu64 " interval%s\n       System", g->time.count,
		g->time.count == 1 ? "" : "s");
	for (uint32_t cpu = 0; cpu < tally_extra(g)->ncolumns; cpu++) {
		char name[16];
		int n = snprintf(name, sizeof name, "CPU%u", cpu);
		out_repeat(o, ' ', n < 7 ? (size_t)(8 - n) : 1);
		out_str(o, name);
	}
	for (int row = first; row < end; row++) {
		out_char(o, '\n');
		out_str(o, rows[row]);
		for (uint32_t i = 0; i <= tally_extra(g)->ncolumns; i++) {
			struct tally_column c = column(g, i);
			out_str(o, i ? "  " : " ");
			text_cell(o, cell(&c, util_column(g, i), row));
		}
	}
	out_str(o, "\n\n");
}

static void matrix_csv(struct csv *c, const struct tally_group *g, bool util)
{
	for (uint32_t i = 0; i <= tally_extra(g)->ncolumns; i++) {
		struct tally_column values = column(g, i);
		tallies_csv_name(c, g);
		csv_u64(c, g->time.count);
		if (i)
			csv_u64(c, i - 1);
		else
			csv_text(c, "system");
		for (int row = 0; row < ROWS; row++)
			csv_fixed(c, cell(&values, util_column(g, i), row), 4);
		if (util) {
			csv_u64(c, g->major);
			csv_fixed(c, cell(&values, util_column(g, i), ROW_INTR), 4);
			csv_fixed(c, cell(&values, util_column(g, i), ROW_PERF), 4);
			tallies_csv_methods(c, tally_extra(g)->methods);
		}
		csv_end(c);
	}
}

static void json_column(struct json *j, const struct tally_column *c, const struct util_ratios *u)
{
	static const char *const keys[ALL_ROWS] = {
		"cpi", "cpi_wb", "idle_pct", "busy_pct", "intr_pct", "actual_perf_pct"};
	for (int row = 0; row < (u ? ALL_ROWS : ROWS); row++) {
		json_member_fixed(j, keys[row], cell(c, u, row), 4);
	}
	json_close(j, '}');
}

static void matrix_json(struct json *j, const struct tally_group *g, bool scripted)
{
	struct tally_column system = column(g, 0);
	json_open(j, '{');
	tallies_json_name(j, g);
	json_member_u64(j, "count", g->time.count);
	json_member_bool(j, "scripted", scripted);
	if (tally_extra(g)->util)
		tallies_json_methods(j, "method", tally_extra(g)->methods);
	json_member_open(j, "system", '{');
	json_column(j, &system, util_column(g, 0));
	json_member_open(j, "cpus", '[');
	for (uint32_t cpu = 0; cpu < tally_extra(g)->ncolumns; cpu++) {
		json_open(j, '{');
		json_member_u64(j, "cpu", cpu);
		json_column(j, &tally_extra(g)->columns[cpu], util_column(g, cpu + 1));
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
