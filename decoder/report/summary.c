/* Per label and minor: how many, how long, at what CPI. */
#include <math.h>

#include "../sink/csv.h"
#include "../sink/escape.h"
#include "../sink/json.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "groups.h"
#include "ratio.h"
#include "report.h"

enum { QUANTILES = 5 };

static const char *const quantile_names[QUANTILES] = {
	"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};
static const unsigned quantile_percent[QUANTILES] = {0, 50, 90, 99, 100};

/* Nearest rank: the smallest value that at least so many percent do not exceed. */
static double quantile(const struct group *g, unsigned percent)
{
	size_t rank = g->count / 100 * percent + (g->count % 100 * percent + 99) / 100;
	return g->members[rank ? rank - 1 : 0]->elapsed_ns;
}

static struct ratios ratios_of(const struct group *g)
{
	struct ratios sums = {0};
	for (size_t i = 0; i < g->count; i++)
		ratios_add(&sums, g->members[i]);
	return sums;
}

static bool scripted(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->flags & IV_SCRIPTED)
			return true;
	return false;
}

/* How many their quality hooks flagged; NOT_MEASURED: none has such a hook. */
static uint64_t flagged(const struct group *g)
{
	uint64_t n = NOT_MEASURED;
	for (size_t i = 0; i < g->count; i++) {
		if (!(g->members[i]->flags & IV_QUALITY))
			continue;
		if (n == NOT_MEASURED)
			n = 0;
		n += (g->members[i]->flags & IV_FLAGGED) != 0;
	}
	return n;
}

static void summary_csv(struct report *r, const struct groups *groups)
{
	static const char *const names[] = {"label", "minor", "count", "total_ns", "mean_ns",
		"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "raw_cpi", "scaled_cpi",
		"thread_cpi", "cpi_weighting", "busy_pct", "scripted", "flagged", NULL};
	struct csv c = {.o = r->out};
	csv_header(&c, names);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *g = &groups->groups[i];
		const struct interval *iv = g->members[0];
		struct ratios sums = ratios_of(g);
		if (iv->has_label)
			csv_string(&c, iv->label, iv->label_len);
		else
			csv_empty(&c);
		csv_u64(&c, iv->mm);
		csv_u64(&c, g->count);
		csv_fixed(&c, g->total_ns, 0);
		csv_fixed(&c, g->total_ns / (double)g->count, 1);
		for (unsigned q = 0; q < QUANTILES; q++)
			csv_fixed(&c, quantile(g, quantile_percent[q]), 0);
		csv_fixed(&c, ratio_value(&sums.raw), 4);
		csv_fixed(&c, ratio_value(&sums.scaled), 4);
		csv_fixed(&c, ratio_value(&sums.thread), 4);
		csv_text(&c, ratios_weighting(&sums));
		csv_fixed(&c, ratios_busy(&sums), 4);
		csv_u64(&c, scripted(g));
		if (flagged(g) == NOT_MEASURED)
			csv_empty(&c);
		else
			csv_u64(&c, flagged(g));
		csv_end(&c);
	}
}

static void json_group(struct json *j, const struct group *g)
{
	const struct interval *iv = g->members[0];
	struct ratios sums = ratios_of(g);
	json_open(j, '{');
	json_key(j, "label");
	if (iv->has_label)
		json_string(j, iv->label, iv->label_len);
	else
		json_null(j);
	json_key(j, "minor");
	json_u64(j, iv->mm);
	json_key(j, "count");
	json_u64(j, g->count);
	json_key(j, "total_ns");
	json_fixed(j, g->total_ns, 0);
	json_key(j, "mean_ns");
	json_fixed(j, g->total_ns / (double)g->count, 1);
	for (unsigned q = 0; q < QUANTILES; q++) {
		json_key(j, quantile_names[q]);
		json_fixed(j, quantile(g, quantile_percent[q]), 0);
	}
	json_key(j, "raw_cpi");
	json_fixed(j, ratio_value(&sums.raw), 4);
	json_key(j, "scaled_cpi");
	json_fixed(j, ratio_value(&sums.scaled), 4);
	json_key(j, "thread_cpi");
	json_fixed(j, ratio_value(&sums.thread), 4);
	json_key(j, "cpi_weighting");
	json_text(j, ratios_weighting(&sums));
	json_key(j, "busy_pct");
	json_fixed(j, ratios_busy(&sums), 4);
	json_key(j, "scripted");
	json_bool(j, scripted(g));
	json_key(j, "flagged");
	if (flagged(g) == NOT_MEASURED)
		json_null(j);
	else
		json_u64(j, flagged(g));
	json_close(j, '}');
	json_end_line(j);
}

static void text_group(struct table *t, const struct group *g, const struct ratios *sums)
{
	const struct interval *iv = g->members[0];
	out_u64(table_right(t), g->count);
	units_duration(table_right(t), g->total_ns);
	units_duration(table_right(t), g->total_ns / (double)g->count);
	for (unsigned q = 0; q < QUANTILES; q++)
		units_duration(table_right(t), quantile(g, quantile_percent[q]));
	units_fixed(table_right(t), ratio_value(&sums->raw), 4);
	units_fixed(table_right(t), ratio_value(&sums->scaled), 4);
	units_fixed(table_right(t), ratio_value(&sums->thread), 4);
	table_text(t, ratios_weighting(sums));
	units_fixed(table_right(t), ratios_busy(sums), 2);
	out_printf(table_right(t), "%02X", iv->mm);
	struct out *o = table_left(t);
	if (iv->has_label)
		escape_text(o, iv->label, iv->label_len);
	else
		out_char(o, '-');
	table_end_row(t);
}

static void summary_text(struct report *r, const struct groups *groups)
{
	static const char *const right[] = {"count", "total", "mean", "min", "p50", "p90", "p99",
		"max", "raw CPI", "scaled", "thread"};
	struct table t;
	report_scripted_line(r);
	report_flagged_line(r);
	if (!groups->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	for (table_begin(&t, r->out); table_pass(&t);) {
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++)
			table_heading(&t, right[i]);
		table_text(&t, "by");
		table_heading(&t, "busy%");
		table_heading(&t, "mm");
		table_text(&t, "label");
		table_end_row(&t);
		for (size_t i = 0; i < groups->count; i++) {
			struct ratios sums = ratios_of(&groups->groups[i]);
			text_group(&t, &groups->groups[i], &sums);
		}
	}
	table_free(&t);
}

int report_summary(struct report *r)
{
	struct groups groups;
	struct json j = {.o = r->out};
	int rc = groups_make(&groups, r);
	if (rc < 0)
		return rc;
	if (r->format == FORMAT_CSV)
		summary_csv(r, &groups);
	else if (r->format == FORMAT_TEXT)
		summary_text(r, &groups);
	else
		for (size_t i = 0; i < groups.count; i++)
			json_group(&j, &groups.groups[i]);
	groups_free(&groups);
	return 0;
}
