/* diff --aa: the differences between runs without a change, and the smallest change they could
 * show. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../model/stats/student.h"
#include "diff.h"
#include "../tallies.h"

/* The least change is one that is seen so often: 19 times of 20. */
#define MISSED 0.05

static const enum metric tested_metrics[] = {
	METRIC_MEAN, METRIC_P50, METRIC_P90, METRIC_P99, METRIC_CPI, METRIC_INSTRUCTIONS};

enum { TESTED = sizeof tested_metrics / sizeof *tested_metrics, TIMES = 4 };

/* Runs of each side of the comparison; those of one side serve for both. */
static void count_sides(const size_t have[DIFF_SIDES], size_t asked[DIFF_SIDES])
{
	for (unsigned side = 0; side < DIFF_SIDES; side++)
		asked[side] = have[side] ? have[side] : have[!side];
}

static struct noise noise_of(const struct diff *d, const struct diff_row *row, unsigned m)
{
	long double sum = 0, squares = 0; /* as in compare_mean */
	size_t have[DIFF_SIDES], n = 0, df = 0, asked[DIFF_SIDES];

	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		struct compare_runs r = diff_figures(d, row, m, side);
		double mean = r.n ? compare_mean(r) : 0;

		have[side] = r.n;
		for (size_t i = 0; i < r.n; i++)
			squares += (r.figures[i] - mean) * (r.figures[i] - mean);
		sum += mean * (double)r.n;
		n += r.n;
		df += r.n ? r.n - 1 : 0;
	}
	count_sides(have, asked);
	struct noise noise = {n ? (double)(sum / n) : NAN, NAN, NAN};
	if (asked[DIFF_BEFORE] < COMPARE_RUNS || asked[DIFF_AFTER] < COMPARE_RUNS)
		return noise;
	double deviation = sqrt((double)squares / (double)df);
	double test_df = (double)(asked[DIFF_BEFORE] + asked[DIFF_AFTER]) - 2;
	double errors = student_quantile(DIFF_ALPHA / 2 / (double)d->count, test_df) +
			student_quantile(MISSED, test_df);
	noise.share = 100 * deviation / noise.value;
	noise.least = errors * noise.share *
		      sqrt(1 / (double)asked[DIFF_BEFORE] + 1 / (double)asked[DIFF_AFTER]);
	return noise;
}

/* In CSV a metric has a row, in JSON an object in the row of its label. */
struct noise_cells {
	const struct tally_group *group;
	const char *of;
	struct cell metric;
	bool scripted;
	uint64_t runs;
	struct cell value;
	double share, least;
	struct noise noise[TESTED]; /* of text, which has all metrics in one row */
};

#define NOISE_AT(member) COLUMN_AT(struct noise_cells, member)
#define TEXT_SHARE(k, heading)                                                                     \
	{NULL, heading, NOISE_AT(noise[k].share), .unit = UNIT_SHARE},                             \
	{                                                                                          \
		NULL, "least", NOISE_AT(noise[k].least), .unit = UNIT_SHARE                        \
	}
#define TEXT_TIME(k, heading)                                                                      \
	{NULL, heading, NOISE_AT(noise[k].value), .unit = UNIT_DURATION}, TEXT_SHARE(k, "noise")

static const struct column noise_columns[] = {
	{"label", "label", .left = true, .place = PLACE_FIRST, .get = tallies_get_label,
		.none = "-"},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{"scripted", NOISE_AT(scripted), .in = IN_JSON},
	{"metric", NOISE_AT(metric), .in = IN_CSV},
	{"of", NOISE_AT(of), .in = DIFF_IN_METRIC, .when = DIFF_HAS_OF},
	{"runs", "runs", NOISE_AT(runs)},
	{"value", NOISE_AT(value), .in = DIFF_IN_METRIC},
	{"noise_pct", NOISE_AT(share), .in = DIFF_IN_METRIC, .decimals = 3},
	{"least_change_pct", NOISE_AT(least), .in = DIFF_IN_METRIC, .decimals = 3},
	TEXT_TIME(0, "mean"),
	TEXT_TIME(1, "p50"),
	TEXT_TIME(2, "p90"),
	TEXT_TIME(3, "p99"),
	TEXT_SHARE(4, "CPI noise"),
	TEXT_SHARE(5, "instr. noise"),
	{.name = NULL},
};

static void noise_add_row(struct report *r, struct rows *rows, const struct column *names,
	const struct diff *d, const struct diff_row *row)
{
	struct noise_cells cells = {.group = diff_name(row),
		.scripted = r->scripted,
		.runs = row->runs[DIFF_BEFORE] + row->runs[DIFF_AFTER]};
	const bool is_json = r->format == FORMAT_JSON;
	struct json *j = &rows->json;

	if (is_json) {
		json_open(j, '{');
		column_write_members(j, names, IN_JSON, tallies_has(cells.group), &cells);
	}
	for (unsigned k = 0; k < TESTED + d->metrics - METRICS; k++) {
		const unsigned m = k < TESTED ? tested_metrics[k] : METRICS + k - TESTED;
		const struct value_name name = diff_metric_name(d, m);
		struct noise noise = noise_of(d, row, m);

		if (k < TESTED)
			cells.noise[k] = noise;
		cells.metric = cell_string(name.text, name.length, true);
		cells.of = diff_kind_name(row, m);
		cells.value = cell_real(noise.value, diff_metric_decimals(d, m));
		cells.share = noise.share;
		cells.least = noise.least;
		if (r->format == FORMAT_CSV) {
			rows_add(rows, &cells);
		} else if (is_json) {
			json_key_bytes(j, name.text, name.length);
			column_write_object(j, noise_columns, IN_NESTED,
				k >= TIMES && k < TESTED ? DIFF_HAS_OF : 0, &cells);
		}
	}
	if (r->format == FORMAT_TEXT)
		rows_add(rows, &cells);
	if (is_json) {
		json_close(j, '}');
		json_end_line(j);
	}
}

void diff_print_noise(struct report *r, const struct diff *d)
{
	struct column *own = by_name_columns(
		d->by, noise_columns, sizeof noise_columns / sizeof *noise_columns, PLACE_FIRST);
	struct rows rows;
	size_t asked[DIFF_SIDES];

	if (!own) {
		r->out->error = ENOMEM;
		return;
	}
	count_sides((const size_t[]){diff_units(d, DIFF_BEFORE), diff_units(d, DIFF_AFTER)}, asked);
	if (asked[DIFF_BEFORE] < COMPARE_RUNS || asked[DIFF_AFTER] < COMPARE_RUNS)
		report_note(r, "too few %s to tell what they differ by: it takes %d a side",
			diff_unit_name(d), COMPARE_RUNS);
	rows_begin(&rows, r, own, DIFF_HAS_OF);
	if (r->format == FORMAT_TEXT && d->count) {
		out_printf(r->out, "# noise: what %s of one side differ by (standard deviation)\n",
			diff_unit_name(d));
		out_printf(r->out,
			"# least: the change that %zu %s before and %zu after show 19 times of 20\n",
			asked[DIFF_BEFORE], diff_unit_name(d), asked[DIFF_AFTER]);
	}
	while (tallies_pass(&rows, r, d->count))
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			noise_add_row(r, &rows, own, d, &d->rows[i]);
	rows_end(&rows);
	free(own);
	if (r->format == FORMAT_TEXT)
		diff_print_events(r, d, noise_of);
}
