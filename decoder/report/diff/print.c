#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../sink/table.h"
#include "../../sink/units.h"
#include "diff.h"
#include "../tallies.h"

static double change_of(const struct diff_value *v)
{
	return v->after - v->before;
}

/* A duration in whole nanoseconds, where it is one of the runs' or a sum of theirs. */
static bool whole_ns(const struct diff *d, const struct diff_row *row, unsigned m,
	enum diff_when side, uint64_t *ns)
{
	const struct diff_entry *e = row->entries[side];
	exact_sum total = 0;

	*ns = 0;
	for (size_t i = 0; i < row->runs[side]; i++) {
		exact_add(&total, e[i].group->total);
		if (*ns < e[i].group->time.max)
			*ns = e[i].group->time.max;
	}
	if (m == METRIC_MAX)
		return row->runs[side] != 0;
	if (m == METRIC_TOTAL) {
		*ns = tally_whole_ns(total, d->runs[side]);
		return true;
	}
	if (!diff_is_time(d, m) || d->runs[side] != 1 || !row->runs[side])
		return false;
	if (m == METRIC_MEAN)
		*ns = tally_whole_ns(total, e->group->time.count);
	else
		*ns = diff_at_percentile(d, m, e->group);
	return true;
}

/* An exact integer if known, else a double. */
static struct cell diff_make_cell(
	bool known, uint64_t whole, bool negative, double value, unsigned decimals)
{
	if (!known || whole > INT64_MAX)
		return cell_real(value, decimals);
	return cell_i64(negative ? -(int64_t)whole : (int64_t)whole);
}

/* Before, after and the change; long durations with all their digits. */
static void find_figures(
	const struct diff *d, const struct diff_row *row, unsigned m, struct cell f[3])
{
	const struct diff_value *v = &row->values[m];
	bool is_long =
		diff_is_time(d, m) && (v->before >= TALLY_LONG_NS || v->after >= TALLY_LONG_NS);
	const unsigned decimals = diff_metric_decimals(d, m);
	uint64_t before = 0, after = 0;
	bool has_before = is_long && whole_ns(d, row, m, DIFF_BEFORE, &before);
	bool has_after = is_long && whole_ns(d, row, m, DIFF_AFTER, &after);

	f[0] = diff_make_cell(
		has_before && v->before >= TALLY_LONG_NS, before, false, v->before, decimals);
	f[1] = diff_make_cell(
		has_after && v->after >= TALLY_LONG_NS, after, false, v->after, decimals);
	f[2] = diff_make_cell(has_before && has_after,
		after > before ? after - before : before - after, after < before, change_of(v),
		decimals);
}

static double percent_of(const struct diff_value *v)
{
	return diff_percent(v->before, v->after);
}

/* NULL: not judged. */
static const char *verdict_word(enum verdict v)
{
	switch (v) {
	case VERDICT_CHANGED:
		return "change";
	case VERDICT_NOISE:
		return "noise";
	case VERDICT_TOO_FEW:
		return "too-few";
	default:
		return NULL;
	}
}

const char *diff_kind_name(const struct diff_row *row, unsigned m)
{
	if (m == METRIC_CPI)
		return row->cpi_of;
	return m == METRIC_INSTRUCTIONS ? row->instructions_of : NULL;
}

static unsigned diff_has(const struct diff *d)
{
	unsigned has = 0;

	for (size_t i = 0; i < d->count; i++)
		has |= tallies_has(diff_name(&d->rows[i]));
	return has;
}

static uint32_t methods_of(const struct diff_row *row, enum diff_when side)
{
	uint32_t methods = 0;

	for (size_t i = 0; i < row->runs[side]; i++)
		methods |= tally_extra(row->entries[side][i].group)->methods;
	return methods;
}

/* A metric: in CSV a row, in JSON an object in the row of its label. */
struct diff_cells {
	const struct tally_group *group;
	const char *of, *verdict;
	struct cell metric, figures[3], methods[DIFF_SIDES];
	double percent, p;
	uint64_t runs[DIFF_SIDES], hosts[DIFF_SIDES];
};

enum { HAS_HOSTS = DIFF_HAS_OF << 1 };

#define DIFF_AT(member) COLUMN_AT(struct diff_cells, member)

static const struct column diff_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{"metric", DIFF_AT(metric), .in = IN_CSV},
	{"of", DIFF_AT(of), .in = DIFF_IN_METRIC, .when = DIFF_HAS_OF},
	{"before", DIFF_AT(figures[0]), .in = DIFF_IN_METRIC},
	{"after", DIFF_AT(figures[1]), .in = DIFF_IN_METRIC},
	{"change", DIFF_AT(figures[2]), .in = DIFF_IN_METRIC},
	{"change_pct", DIFF_AT(percent), .in = DIFF_IN_METRIC, .decimals = 2},
	{"verdict", DIFF_AT(verdict), .in = DIFF_IN_METRIC},
	{"p_value", DIFF_AT(p), .in = DIFF_IN_METRIC, .decimals = 6},
	{"runs_before", DIFF_AT(runs[DIFF_BEFORE]), .in = IN_CSV},
	{"runs_after", DIFF_AT(runs[DIFF_AFTER]), .in = IN_CSV},
	{TALLIES_MAJOR, .in = IN_CSV},
	{"method_before", DIFF_AT(methods[DIFF_BEFORE]), .in = IN_CSV, .when = TALLIES_HAS_UTIL},
	{"method_after", DIFF_AT(methods[DIFF_AFTER]), .in = IN_CSV, .when = TALLIES_HAS_UTIL},
	{"hosts_before", DIFF_AT(hosts[DIFF_BEFORE]), .in = IN_CSV, .when = HAS_HOSTS},
	{"hosts_after", DIFF_AT(hosts[DIFF_AFTER]), .in = IN_CSV, .when = HAS_HOSTS},
	{.name = NULL},
};

/* An object in JSON. */
static const struct column method_columns[] = {{"before", DIFF_AT(methods[DIFF_BEFORE])},
	{"after", DIFF_AT(methods[DIFF_AFTER])}, {.name = NULL}};

static struct diff_cells cells_of(const struct diff *d, const struct diff_row *row, unsigned m)
{
	const struct diff_value *v = &row->values[m];
	const struct value_name name = diff_metric_name(d, m);
	struct diff_cells cells = {.group = diff_name(row),
		.metric = cell_string(name.text, name.length, true),
		.of = diff_kind_name(row, m),
		.verdict = verdict_word(v->judged.verdict),
		.percent = percent_of(v),
		.p = v->judged.p};

	find_figures(d, row, m, cells.figures);
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		cells.runs[side] = row->runs[side];
		cells.hosts[side] = diff_row_units(d, row, side);
		cells.methods[side] = cell_methods(methods_of(row, side));
	}
	return cells;
}

static void diff_write_json_row(struct report *r, struct json *j, const struct column *names,
	const struct diff *d, const struct diff_row *row)
{
	const unsigned has = tallies_has(diff_name(row));
	struct diff_cells cells = cells_of(d, row, 0);

	json_open(j, '{');
	column_write_members(j, names, IN_JSON, has, &cells);
	json_member_text(j, "in",
		diff_in_both(row)	 ? "both"
		: row->runs[DIFF_BEFORE] ? "before"
					 : "after");
	json_member_u64(j, "runs_before", row->runs[DIFF_BEFORE]);
	json_member_u64(j, "runs_after", row->runs[DIFF_AFTER]);
	if (diff_by_host(d)) {
		json_member_u64(j, "hosts_before", cells.hosts[DIFF_BEFORE]);
		json_member_u64(j, "hosts_after", cells.hosts[DIFF_AFTER]);
	}
	json_member_bool(j, "scripted", r->scripted);
	json_key(j, "alpha");
	json_double(j, d->alpha);
	if (has & TALLIES_HAS_UTIL) {
		json_key(j, "method");
		column_write_object(j, method_columns, IN_JSON, has, &cells);
	}
	for (unsigned m = 0; m < d->metrics; m++) {
		const struct value_name name = diff_metric_name(d, m);

		cells = cells_of(d, row, m);
		json_key_bytes(j, name.text, name.length);
		column_write_object(j, diff_columns, IN_NESTED,
			m == METRIC_CPI || m == METRIC_INSTRUCTIONS ? DIFF_HAS_OF : 0, &cells);
	}
	json_close(j, '}');
	json_end_line(j);
}

static void diff_print_rows(struct report *r, const struct diff *d)
{
	struct column *own =
		diff_make_columns(d, diff_columns, sizeof diff_columns / sizeof *diff_columns);
	struct rows rows;

	if (!own) {
		r->out->error = ENOMEM;
		return;
	}
	rows_begin(&rows, r, own, DIFF_HAS_OF | (diff_by_host(d) ? HAS_HOSTS : 0) | diff_has(d));
	while (rows_pass(&rows))
		for (size_t i = 0; i < d->count && !r->out->error; i++) {
			if (r->format == FORMAT_JSON) {
				diff_write_json_row(r, &rows.json, own, d, &d->rows[i]);
				continue;
			}
			for (unsigned m = 0; m < d->metrics; m++) {
				struct diff_cells cells = cells_of(d, &d->rows[i], m);

				rows_add(&rows, &cells);
			}
		}
	rows_end(&rows);
	free(own);
}

void diff_spell_percent(struct out *o, double percent)
{
	if (!isfinite(percent)) {
		out_str(o, "n/a");
		return;
	}
	if (percent > -0.05)
		out_char(o, '+');
	out_fixed(o, percent, 1);
	out_char(o, '%');
}

/* The change, and whether it is more than noise. */
static void text_change(struct table *t, const struct diff_value *v)
{
	struct out *o = table_right(t);

	diff_spell_percent(o, percent_of(v));
	if (v->judged.verdict == VERDICT_CHANGED)
		out_char(o, '!');
	else
		out_char(o, v->judged.verdict == VERDICT_TOO_FEW && isfinite(percent_of(v)) ? '?'
											    : ' ');
}

static void text_methods(struct table *t, const struct diff_row *row)
{
	report_methods_text(table_left(t), methods_of(row, DIFF_BEFORE));
	report_methods_text(table_left(t), methods_of(row, DIFF_AFTER));
}

static void diff_write_text_row(
	struct table *t, const struct diff *d, const struct diff_row *row, bool util)
{
	const struct tally_group *g = diff_name(row);
	const struct diff_value *v = row->values;

	out_fixed(table_right(t), v[METRIC_COUNT].before, 0);
	out_fixed(table_right(t), v[METRIC_COUNT].after, 0);
	units_duration(table_right(t), v[METRIC_TOTAL].before);
	units_duration(table_right(t), v[METRIC_TOTAL].after);
	units_duration(table_right(t), v[METRIC_MEAN].before);
	units_duration(table_right(t), v[METRIC_MEAN].after);
	for (unsigned m = METRIC_MEAN; m <= METRIC_P99; m++)
		text_change(t, &v[m]);
	units_fixed(table_right(t), v[METRIC_CPI].before, 4);
	units_fixed(table_right(t), v[METRIC_CPI].after, 4);
	text_change(t, &v[METRIC_CPI]);
	text_change(t, &v[METRIC_INSTRUCTIONS]);
	if (util)
		text_methods(t, row);
	diff_write_name(t, d, g);
	table_end_row(t);
}

void diff_spell_value(struct out *o, const struct diff *d, unsigned m, double value)
{
	if (diff_percentile(d, m))
		units_duration(o, value);
	else
		units_fixed(o, value, 2);
}

static void diff_write_text_event(
	struct table *t, const struct diff *d, const struct diff_row *row, unsigned m)
{
	const struct diff_value *v = &row->values[m];

	diff_spell_value(table_right(t), d, m, v->before);
	diff_spell_value(table_right(t), d, m, v->after);
	text_change(t, v);
}

static void diff_write_text_events(
	struct table *t, const struct diff *d, const struct diff_row *row, diff_cells_fn cells)
{
	const struct tally_group *g = diff_name(row);

	for (unsigned m = METRICS; m < d->metrics; m++) {
		const struct value_name name = diff_metric_name(d, m);

		if (!diff_has_event(d, row, m))
			continue;
		value_spell_text(table_left(t), name.text, name.length);
		cells(t, d, row, m);
		diff_write_name(t, d, g);
		table_end_row(t);
	}
}

void diff_print_events(struct report *r, const struct diff *d,
	const char *const headings[DIFF_EVENT_CELLS], diff_cells_fn cells)
{
	struct table t;

	if (d->metrics == METRICS)
		return;
	out_char(r->out, '\n');
	for (table_begin(&t, r->out); table_pass_fit(&t, r->width, TABLE_LAST);) {
		table_text(&t, "event");
		for (unsigned i = 0; i < DIFF_EVENT_CELLS; i++)
			table_heading(&t, headings[i]);
		diff_write_name_headings(&t, d);
		table_end_row(&t);
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			diff_write_text_events(&t, d, &d->rows[i], cells);
	}
	table_free(&t);
}

static void diff_text(struct report *r, const struct diff *d)
{
	static const char *const right[] = {"count", "after", "total", "after", "mean", "after",
		"mean ", "p50 ", "p90 ", "p99 ", "CPI", "after", "CPI ", "instr. "};
	const bool util = diff_has(d) & TALLIES_HAS_UTIL;
	struct table t;

	report_head_lines(r);
	if (!d->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	if (diff_is_single(d))
		out_str(r->out, "# " DIFF_SINGLE "\n");
	else if (diff_by_host(d))
		out_printf(r->out,
			"# %zu runs of %zu hosts before, %zu of %zu after: means of the hosts' figures, which the tests compare\n",
			d->runs[DIFF_BEFORE], d->nhosts[DIFF_BEFORE], d->runs[DIFF_AFTER],
			d->nhosts[DIFF_AFTER]);
	else
		out_printf(r->out, "# %zu runs before, %zu after: means of their figures\n",
			d->runs[DIFF_BEFORE], d->runs[DIFF_AFTER]);
	out_str(r->out, "# ! more than noise   ? too few to tell   otherwise it may be noise\n");
	for (table_begin(&t, r->out); table_pass_fit(&t, r->width, TABLE_LAST);) {
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++)
			table_heading(&t, right[i]);
		if (util) {
			table_printf(&t, "method\tafter");
		}
		diff_write_name_headings(&t, d);
		table_end_row(&t);
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			diff_write_text_row(&t, d, &d->rows[i], util);
	}
	table_free(&t);
	diff_print_events(
		r, d, (const char *const[]){"mean", "after", "mean "}, diff_write_text_event);
}

static void diff_print(struct report *r, const struct diff *d)
{
	if (r->format == FORMAT_TEXT) {
		diff_text(r, d);
		return;
	}
	if (diff_is_single(d))
		report_note(r, DIFF_SINGLE);
	diff_print_rows(r, d);
}

int report_diff(
	struct report *r, const struct diff_runs *before, const struct diff_runs *after, bool noise)
{
	struct diff d;
	int rc = diff_make(&d, r, before, after);

	if (rc)
		return rc;
	if (diff_refuse_gates(r, &d)) {
		rc = CPIDECODE_EINVAL;
	} else if (noise) {
		diff_print_noise(r, &d);
	} else {
		diff_print(r, &d);
		rc = diff_gates(r, &d);
	}
	diff_free(&d);
	return rc;
}
