#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../sink/escape.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "diff.h"
#include "tallies.h"

static const struct column {
	const char *name;
	unsigned decimals;
} columns[METRICS] = {[METRIC_COUNT] = {"count", 0},
	[METRIC_TOTAL] = {"total_ns", 0},
	[METRIC_MEAN] = {"mean_ns", 1},
	[METRIC_P50] = {"p50_ns", 0},
	[METRIC_P90] = {"p90_ns", 0},
	[METRIC_P99] = {"p99_ns", 0},
	[METRIC_MAX] = {"max_ns", 0},
	[METRIC_CPI] = {"cpi", 4},
	[METRIC_INSTRUCTIONS] = {"instructions", 1}};

const char *diff_column(enum metric m, unsigned *decimals)
{
	*decimals = columns[m].decimals;
	return columns[m].name;
}

static double change_of(const struct diff_value *v)
{
	return v->after - v->before;
}

/* A duration in whole nanoseconds, where it is one of the runs' or a sum of theirs. */
static bool whole_ns(const struct diff *d, const struct diff_row *row, enum metric m,
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
	if (!metric_is_time(m) || d->runs[side] != 1 || !row->runs[side])
		return false;
	if (m == METRIC_MEAN)
		*ns = tally_whole_ns(total, e->group->time.count);
	else
		*ns = histogram_percentile(&e->group->time, metric_percent(m));
	return true;
}

/* A figure as it is printed: whole, unless a double tells it better. */
struct figure {
	bool is_whole;
	int64_t whole;
	double value;
};

static struct figure figure(bool known, uint64_t whole, bool negative, double value)
{
	struct figure f = {.is_whole = known && whole <= INT64_MAX, .value = value};
	if (f.is_whole)
		f.whole = negative ? -(int64_t)whole : (int64_t)whole;
	return f;
}

/* Before, after and the change; long durations with all their digits. */
static void find_figures(
	const struct diff *d, const struct diff_row *row, enum metric m, struct figure f[3])
{
	const struct diff_value *v = &row->values[m];
	bool is_long =
		metric_is_time(m) && (v->before >= TALLY_LONG_NS || v->after >= TALLY_LONG_NS);
	uint64_t before = 0, after = 0;
	bool has_before = is_long && whole_ns(d, row, m, DIFF_BEFORE, &before);
	bool has_after = is_long && whole_ns(d, row, m, DIFF_AFTER, &after);
	f[0] = figure(has_before && v->before >= TALLY_LONG_NS, before, false, v->before);
	f[1] = figure(has_after && v->after >= TALLY_LONG_NS, after, false, v->after);
	f[2] = figure(has_before && has_after, after > before ? after - before : before - after,
		after < before, change_of(v));
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

const char *diff_kind_name(const struct diff_row *row, enum metric m)
{
	if (m == METRIC_CPI)
		return row->cpi_of;
	return m == METRIC_INSTRUCTIONS ? row->instructions_of : NULL;
}

static bool has_util(const struct diff *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (tally_is_util(diff_name(&d->rows[i])))
			return true;
	return false;
}

static uint32_t methods_of(const struct diff_row *row, enum diff_when side)
{
	uint32_t methods = 0;
	for (size_t i = 0; i < row->runs[side]; i++)
		methods |= tally_extra(row->entries[side][i].group)->methods;
	return methods;
}

static void diff_write_csv_util(struct csv *c, const struct diff_row *row, bool util)
{
	if (!util)
		return;
	csv_u64(c, diff_name(row)->major);
	tallies_csv_methods(c, methods_of(row, DIFF_BEFORE));
	tallies_csv_methods(c, methods_of(row, DIFF_AFTER));
}

static void csv_figure(struct csv *c, const struct figure *f, unsigned decimals)
{
	if (f->is_whole)
		csv_i64(c, f->whole);
	else
		csv_fixed(c, f->value, decimals);
}

static void row_csv(struct csv *c, const struct diff *d, const struct diff_row *row, bool util)
{
	for (unsigned m = 0; m < METRICS; m++) {
		const struct diff_value *v = &row->values[m];
		unsigned decimals = columns[m].decimals;
		tallies_csv_name(c, diff_name(row));
		csv_text(c, columns[m].name);
		csv_text(c, diff_kind_name(row, m));
		struct figure figures[3];
		find_figures(d, row, m, figures);
		for (unsigned i = 0; i < 3; i++)
			csv_figure(c, &figures[i], decimals);
		csv_fixed(c, percent_of(v), 2);
		csv_text(c, verdict_word(v->judged.verdict));
		csv_fixed(c, v->judged.p, 6);
		csv_u64(c, row->runs[DIFF_BEFORE]);
		csv_u64(c, row->runs[DIFF_AFTER]);
		diff_write_csv_util(c, row, util);
		csv_end(c);
	}
}

static void diff_csv(struct report *r, const struct diff *d)
{
	const bool util = has_util(d);
	const char *names[] = {"label", "minor", "metric", "of", "before", "after", "change",
		"change_pct", "verdict", "p_value", "runs_before", "runs_after",
		util ? "major" : NULL, "method_before", "method_after", NULL};
	struct csv c = {.o = r->out};
	csv_header(&c, names);
	for (size_t i = 0; i < d->count && !r->out->error; i++)
		row_csv(&c, d, &d->rows[i], util);
}

static void json_figure(struct json *j, const char *key, const struct figure *f, unsigned decimals)
{
	json_key(j, key);
	if (f->is_whole)
		json_i64(j, f->whole);
	else
		json_fixed(j, f->value, decimals);
}

static void diff_write_json_row(
	struct report *r, struct json *j, const struct diff *d, const struct diff_row *row)
{
	json_open(j, '{');
	tallies_json_name(j, diff_name(row));
	json_member_text(j, "in",
		diff_in_both(row)	 ? "both"
		: row->runs[DIFF_BEFORE] ? "before"
					 : "after");
	json_member_u64(j, "runs_before", row->runs[DIFF_BEFORE]);
	json_member_u64(j, "runs_after", row->runs[DIFF_AFTER]);
	json_member_bool(j, "scripted", r->scripted);
	json_key(j, "alpha");
	json_double(j, d->alpha);
	if (tally_is_util(diff_name(row))) {
		json_member_open(j, "method", '{');
		tallies_json_methods(j, "before", methods_of(row, DIFF_BEFORE));
		tallies_json_methods(j, "after", methods_of(row, DIFF_AFTER));
		json_close(j, '}');
	}
	for (unsigned m = 0; m < METRICS; m++) {
		const struct diff_value *v = &row->values[m];
		json_member_open(j, columns[m].name, '{');
		if (m == METRIC_CPI || m == METRIC_INSTRUCTIONS) {
			json_member_text(j, "of", diff_kind_name(row, m));
		}
		struct figure figures[3];
		find_figures(d, row, m, figures);
		json_figure(j, "before", &figures[0], columns[m].decimals);
		json_figure(j, "after", &figures[1], columns[m].decimals);
		json_figure(j, "change", &figures[2], columns[m].decimals);
		json_member_fixed(j, "change_pct", percent_of(v), 2);
		json_member_text(j, "verdict", verdict_word(v->judged.verdict));
		json_member_fixed(j, "p_value", v->judged.p, 6);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_end_line(j);
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

static void diff_write_text_row(struct table *t, const struct diff_row *row, bool util)
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
	report_code(table_right(t), g->major, g->mm);
	if (g->has_label)
		escape_text(table_left(t), g->label, g->label_len);
	else
		tallies_text_minor(table_left(t), g);
	table_end_row(t);
}

static void diff_text(struct report *r, const struct diff *d)
{
	static const char *const right[] = {"count", "after", "total", "after", "mean", "after",
		"mean ", "p50 ", "p90 ", "p99 ", "CPI", "after", "CPI ", "instr. "};
	const bool util = has_util(d);
	struct table t;
	report_scripted_line(r);
	if (!d->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	if (diff_is_single(d))
		out_str(r->out, "# " DIFF_SINGLE "\n");
	else
		out_printf(r->out, "# %zu runs before, %zu after: means of their figures\n",
			d->runs[DIFF_BEFORE], d->runs[DIFF_AFTER]);
	out_str(r->out, "# ! more than noise   ? too few to tell   otherwise it may be noise\n");
	for (table_begin(&t, r->out); table_pass(&t);) {
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++)
			table_heading(&t, right[i]);
		if (util) {
			table_text(&t, "method");
			table_text(&t, "after");
		}
		table_heading(&t, "mm");
		table_text(&t, "label");
		table_end_row(&t);
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			diff_write_text_row(&t, &d->rows[i], util);
	}
	table_free(&t);
}

void diff_print(struct report *r, const struct diff *d)
{
	struct json j = {.o = r->out};
	if (diff_is_single(d) && r->format != FORMAT_TEXT)
		report_note(r, DIFF_SINGLE);
	if (r->format == FORMAT_CSV)
		diff_csv(r, d);
	else if (r->format == FORMAT_TEXT)
		diff_text(r, d);
	else
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			diff_write_json_row(r, &j, d, &d->rows[i]);
}
