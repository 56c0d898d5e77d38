/* Count, times and CPIs per label, minor and major. */
#include "notes/missing.h"
#include "tallies.h"

struct summary_row {
	const struct tally_group *group;
	struct cell total, mean, flagged;
	uint64_t min, p50, p90, p99, max;
	double raw, scaled, thread, busy, util[COLUMN_UTIL_RATIOS];
	const char *weighting;
	bool scripted;
};

#define AT(member) COLUMN_AT(struct summary_row, member)
#define TIME_AT(member) AT(member), .unit = UNIT_DURATION
#define RATIO_AT(member) AT(member), .decimals = 4
#define PERCENT_AT(member) RATIO_AT(member), .unit = UNIT_PERCENT
#define UTIL_AT(member) PERCENT_AT(member), .when = TALLIES_HAS_UTIL

static const struct column columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{TALLIES_COUNT},
	{"total_ns", "total", TIME_AT(total)},
	{"mean_ns", "mean", TIME_AT(mean)},
	{"min_ns", "min", TIME_AT(min)},
	{"p50_ns", "p50", TIME_AT(p50)},
	{"p90_ns", "p90", TIME_AT(p90)},
	{"p99_ns", "p99", TIME_AT(p99)},
	{"max_ns", "max", TIME_AT(max)},
	{"raw_cpi", "raw CPI", RATIO_AT(raw)},
	{"scaled_cpi", "scaled", RATIO_AT(scaled)},
	{"thread_cpi", "thread", RATIO_AT(thread)},
	{"cpi_weighting", "by", AT(weighting), .left = true},
	{"busy_pct", "busy%", PERCENT_AT(busy)},
	{"scripted", NULL, AT(scripted)},
	{"flagged", NULL, AT(flagged)},
	{TALLIES_MAJOR, .in = IN_CSV},
	{"idle_pct", "idle%", UTIL_AT(util[COLUMN_IDLE])},
	{"intr_pct", "intr%", UTIL_AT(util[COLUMN_INTR])},
	{"actual_perf_pct", "perf%", UTIL_AT(util[COLUMN_PERF])},
	{TALLIES_METHOD},
	{.name = NULL},
};

static struct cell summary_get_ns(const struct tally_group *g, uint64_t divisor, double ns)
{
	return (struct cell){CELL_WHOLE, .u = tally_whole_ns(g->total, divisor), .real = ns};
}

static void summary_add_group(struct rows *rows, const struct tally_group *g)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	const double mean = tally_total_ns(g) / (double)g->time.count;
	struct summary_row row = {.group = g,
		.total = summary_get_ns(g, 1, tally_total_ns(g)),
		.mean = mean >= TALLY_LONG_NS ? summary_get_ns(g, g->time.count, mean)
					      : cell_real(mean, 1),
		.min = histogram_percentile(&g->time, 0),
		.p50 = histogram_percentile(&g->time, 50),
		.p90 = histogram_percentile(&g->time, 90),
		.p99 = histogram_percentile(&g->time, 99),
		.max = histogram_percentile(&g->time, 100),
		.raw = ratio_cpi(&s->ratios.raw),
		.scaled = ratio_cpi(&s->ratios.scaled),
		.thread = ratio_cpi(&s->ratios.thread),
		.weighting = ratios_weighting(&s->ratios),
		.busy = ratios_busy(&s->ratios),
		.util = {NAN, NAN, NAN, NAN, NAN, NAN},
		.scripted = s->scripted,
		.flagged = cell_u64(s->flagged, s->quality)};

	if (tally_is_util(g)) {
		struct columns_reader reader;
		const struct ratio *util = tally_util(g, &reader);

		for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
			row.util[i] = 100 * ratio_value(&util[i]);
	}
	rows_add(rows, &row);
}

void summary_print(struct report *r, const struct tally *t)
{
	struct rows rows;

	rows_begin(&rows, r, columns, tallies_have(t));
	if (r->format == FORMAT_TEXT)
		tallies_flagged_line(r, t);
	while (tallies_pass(&rows, r, t->count))
		for (size_t i = 0; i < t->count; i++) {
			rows.has = tallies_has(t->groups[i]);
			summary_add_group(&rows, t->groups[i]);
		}
	rows_end(&rows);
	if (r->format == FORMAT_TEXT)
		missing_summary_line(r, t);
}

/* On standard error: a partial result does not tell it, and its report has the same bytes. */
static void summary_note_children_lost(const struct report *r, const struct tally *t)
{
	uint64_t count = 0;
	exact_sum total = 0;

	for (size_t i = 0; i < t->count; i++) {
		count += t->groups[i]->time.count;
		exact_add(&total, t->groups[i]->total);
	}
	report_note_children_lost(r, t->children_lost, count,
		(double)t->children_lost_time / (double)total, "time", "");
}

int report_summary(struct report *r)
{
	struct tally t = {0};
	int rc = tallies_read(r, &t);

	if (!rc)
		summary_print(r, &t);
	if (!rc)
		summary_note_children_lost(r, &t);
	tally_free(&t);
	return rc;
}
