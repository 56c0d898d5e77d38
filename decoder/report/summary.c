/* Per label, minor and major: how many, how long, at what CPI. */
#include <math.h>
#include <string.h>

#include "../sink/escape.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "tallies.h"

enum { QUANTILES = 5 };

static const char *const quantile_names[QUANTILES] = {
	"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};
static const unsigned quantile_percent[QUANTILES] = {0, 50, 90, 99, 100};

static uint64_t quantile(const struct tally_group *g, unsigned percent)
{
	return histogram_percentile(&g->time, percent);
}

static double mean_ns(const struct tally_group *g)
{
	return tally_total_ns(g) / (double)g->time.count;
}

static bool is_long(const struct tally_group *g)
{
	return mean_ns(g) >= TALLY_LONG_NS;
}

static void summary_csv(struct report *r, const struct tally *t)
{
	static const char *const names[] = {"label", "minor", "count", "total_ns", "mean_ns",
		"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "raw_cpi", "scaled_cpi",
		"thread_cpi", "cpi_weighting", "busy_pct", "scripted", "flagged"};
	const char *all[sizeof names / sizeof *names + TALLIES_UTIL_NAMES + 1] = {NULL};
	struct csv c = {.o = r->out};
	memcpy(all, names, sizeof names);
	tallies_util_names(all, t);
	csv_header(&c, all);
	for (size_t i = 0; i < t->count; i++) {
		const struct tally_group *g = t->groups[i];
		struct sums scratch;
		const struct sums *s = tally_sums(g, &scratch);
		tallies_csv_name(&c, g);
		csv_u64(&c, g->time.count);
		csv_u64(&c, tally_whole_ns(g->total, 1));
		if (is_long(g))
			csv_u64(&c, tally_whole_ns(g->total, g->time.count));
		else
			csv_fixed(&c, mean_ns(g), 1);
		for (unsigned q = 0; q < QUANTILES; q++)
			csv_u64(&c, quantile(g, quantile_percent[q]));
		csv_fixed(&c, ratio_cpi(&s->ratios.raw), 4);
		csv_fixed(&c, ratio_cpi(&s->ratios.scaled), 4);
		csv_fixed(&c, ratio_cpi(&s->ratios.thread), 4);
		csv_text(&c, ratios_weighting(&s->ratios));
		csv_fixed(&c, ratios_busy(&s->ratios), 4);
		csv_u64(&c, s->scripted != 0);
		if (s->quality)
			csv_u64(&c, s->flagged);
		else
			csv_empty(&c);
		tallies_csv_util(&c, t, g);
		csv_end(&c);
	}
}

static void json_group(struct json *j, const struct tally_group *g)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	json_open(j, '{');
	tallies_json_name(j, g);
	json_member_u64(j, "count", g->time.count);
	json_member_u64(j, "total_ns", tally_whole_ns(g->total, 1));
	json_key(j, "mean_ns");
	if (is_long(g))
		json_u64(j, tally_whole_ns(g->total, g->time.count));
	else
		json_fixed(j, mean_ns(g), 1);
	for (unsigned q = 0; q < QUANTILES; q++) {
		json_member_u64(j, quantile_names[q], quantile(g, quantile_percent[q]));
	}
	json_member_fixed(j, "raw_cpi", ratio_cpi(&s->ratios.raw), 4);
	json_member_fixed(j, "scaled_cpi", ratio_cpi(&s->ratios.scaled), 4);
	json_member_fixed(j, "thread_cpi", ratio_cpi(&s->ratios.thread), 4);
	json_member_text(j, "cpi_weighting", ratios_weighting(&s->ratios));
	json_member_fixed(j, "busy_pct", ratios_busy(&s->ratios), 4);
	json_member_bool(j, "scripted", s->scripted != 0);
	json_key(j, "flagged");
	if (s->quality)
		json_u64(j, s->flagged);
	else
		json_null(j);
	tallies_json_util(j, g);
	json_close(j, '}');
	json_end_line(j);
}

static void text_util(struct table *t, const struct tally_group *g)
{
	struct columns_reader scratch;
	const struct ratio *u = tally_util(g, &scratch);
	for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
		units_fixed(table_right(t), 100 * ratio_value(&u[i]), 2);
	report_methods_text(table_left(t), tally_extra(g)->methods);
}

static void text_group(struct table *t, const struct tally_group *g, bool util)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	out_u64(table_right(t), g->time.count);
	units_duration(table_right(t), tally_total_ns(g));
	units_duration(table_right(t), mean_ns(g));
	for (unsigned q = 0; q < QUANTILES; q++)
		units_duration(table_right(t), (double)quantile(g, quantile_percent[q]));
	units_fixed(table_right(t), ratio_cpi(&s->ratios.raw), 4);
	units_fixed(table_right(t), ratio_cpi(&s->ratios.scaled), 4);
	units_fixed(table_right(t), ratio_cpi(&s->ratios.thread), 4);
	table_text(t, ratios_weighting(&s->ratios));
	units_fixed(table_right(t), ratios_busy(&s->ratios), 2);
	if (util)
		text_util(t, g);
	report_code(table_right(t), g->major, g->mm);
	struct out *o = table_left(t);
	if (g->has_label)
		escape_text(o, g->label, g->label_len);
	else
		tallies_text_minor(o, g);
	table_end_row(t);
}

static void summary_text(struct report *r, const struct tally *groups)
{
	static const char *const right[] = {"count", "total", "mean", "min", "p50", "p90", "p99",
		"max", "raw CPI", "scaled", "thread"};
	static const char *const utils[] = {"idle%", "intr%", "perf%"};
	const bool util = groups->has_util;
	struct table t;
	report_scripted_line(r);
	tallies_flagged_line(r, groups);
	if (!groups->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	for (table_begin(&t, r->out); table_pass(&t);) {
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++)
			table_heading(&t, right[i]);
		table_text(&t, "by");
		table_heading(&t, "busy%");
		for (unsigned i = 0; util && i < sizeof utils / sizeof *utils; i++)
			table_heading(&t, utils[i]);
		if (util)
			table_text(&t, "method");
		table_heading(&t, "mm");
		table_text(&t, "label");
		table_end_row(&t);
		for (size_t i = 0; i < groups->count; i++)
			text_group(&t, groups->groups[i], util);
	}
	table_free(&t);
}

void summary_print(struct report *r, const struct tally *t)
{
	struct json j = {.o = r->out};
	if (r->format == FORMAT_CSV)
		summary_csv(r, t);
	else if (r->format == FORMAT_TEXT)
		summary_text(r, t);
	else
		for (size_t i = 0; i < t->count; i++)
			json_group(&j, t->groups[i]);
}

int report_summary(struct report *r)
{
	struct tally t = {0};
	int rc = tallies_read(r, &t);
	if (!rc)
		summary_print(r, &t);
	tally_free(&t);
	return rc;
}
