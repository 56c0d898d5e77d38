/* diff --aa: what runs differ by where nothing changed, and what change they could show. */
#include <math.h>

#include "../model/stats/student.h"
#include "../sink/escape.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "diff.h"
#include "tallies.h"

/* The least change is one that is seen so often: 19 times of 20. */
#define MISSED 0.05

static const enum metric metrics[] = {
	METRIC_MEAN, METRIC_P50, METRIC_P90, METRIC_P99, METRIC_CPI, METRIC_INSTRUCTIONS};

enum { TESTED = sizeof metrics / sizeof *metrics, TIMES = 4 };

/* NAN: too few runs. */
struct noise {
	double value; /* the mean of all runs */
	double share; /* standard deviation between runs of a side, in percent of it */
	double least; /* the change that so many runs show, in percent */
};

/* Runs of each side of the comparison that is asked about: those of one side stand for both. */
static void count_sides(const size_t have[DIFF_SIDES], size_t asked[DIFF_SIDES])
{
	for (unsigned side = 0; side < DIFF_SIDES; side++)
		asked[side] = have[side] ? have[side] : have[!side];
}

static struct noise noise_of(const struct diff *d, const struct diff_row *row, enum metric m)
{
	double sum = 0, squares = 0;
	size_t have[DIFF_SIDES], n = 0, df = 0, asked[DIFF_SIDES];
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		struct compare_runs r = diff_figures(d, row, m, side);
		double mean = 0;
		have[side] = r.n;
		for (size_t i = 0; i < r.n; i++)
			mean += r.figures[i] / (double)r.n;
		for (size_t i = 0; i < r.n; i++)
			squares += (r.figures[i] - mean) * (r.figures[i] - mean);
		sum += mean * (double)r.n;
		n += r.n;
		df += r.n ? r.n - 1 : 0;
	}
	count_sides(have, asked);
	struct noise noise = {n ? sum / (double)n : NAN, NAN, NAN};
	if (asked[DIFF_BEFORE] < COMPARE_RUNS || asked[DIFF_AFTER] < COMPARE_RUNS)
		return noise;
	double deviation = sqrt(squares / (double)df);
	double test_df = (double)(asked[DIFF_BEFORE] + asked[DIFF_AFTER]) - 2;
	double errors = student_quantile(DIFF_ALPHA / 2 / (double)d->count, test_df) +
			student_quantile(MISSED, test_df);
	noise.share = 100 * deviation / noise.value;
	noise.least = errors * noise.share *
		      sqrt(1 / (double)asked[DIFF_BEFORE] + 1 / (double)asked[DIFF_AFTER]);
	return noise;
}

static void noise_csv(struct report *r, const struct diff *d)
{
	const char *names[] = {"label", "minor", "metric", "of", "runs", "value", "noise_pct",
		"least_change_pct", NULL};
	struct csv c = {.o = r->out};
	csv_header(&c, names);
	for (size_t i = 0; i < d->count && !r->out->error; i++)
		for (unsigned k = 0; k < TESTED; k++) {
			const struct diff_row *row = &d->rows[i];
			struct noise noise = noise_of(d, row, metrics[k]);
			unsigned decimals;
			tallies_csv_name(&c, diff_name(row));
			csv_text(&c, diff_column(metrics[k], &decimals));
			csv_text(&c, diff_kind_name(row, metrics[k]));
			csv_u64(&c, row->runs[DIFF_BEFORE] + row->runs[DIFF_AFTER]);
			csv_fixed(&c, noise.value, decimals);
			csv_fixed(&c, noise.share, 3);
			csv_fixed(&c, noise.least, 3);
			csv_end(&c);
		}
}

static void noise_write_json_row(
	struct report *r, struct json *j, const struct diff *d, const struct diff_row *row)
{
	json_open(j, '{');
	tallies_json_name(j, diff_name(row));
	json_member_bool(j, "scripted", r->scripted);
	json_member_u64(j, "runs", row->runs[DIFF_BEFORE] + row->runs[DIFF_AFTER]);
	for (unsigned k = 0; k < TESTED; k++) {
		struct noise noise = noise_of(d, row, metrics[k]);
		unsigned decimals;
		json_member_open(j, diff_column(metrics[k], &decimals), '{');
		if (k >= TIMES) {
			json_member_text(j, "of", diff_kind_name(row, metrics[k]));
		}
		json_member_fixed(j, "value", noise.value, decimals);
		json_member_fixed(j, "noise_pct", noise.share, 3);
		json_member_fixed(j, "least_change_pct", noise.least, 3);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_end_line(j);
}

static void text_percent(struct table *t, double percent)
{
	struct out *o = table_right(t);
	units_fixed(o, percent, 2);
	if (isfinite(percent))
		out_char(o, '%');
}

static void noise_write_text_row(struct table *t, const struct diff *d, const struct diff_row *row)
{
	const struct tally_group *g = diff_name(row);
	out_u64(table_right(t), row->runs[DIFF_BEFORE] + row->runs[DIFF_AFTER]);
	for (unsigned k = 0; k < TESTED; k++) {
		struct noise noise = noise_of(d, row, metrics[k]);
		if (k < TIMES)
			units_duration(table_right(t), noise.value);
		text_percent(t, noise.share);
		text_percent(t, noise.least);
	}
	report_code(table_right(t), g->major, g->mm);
	if (g->has_label)
		escape_text(table_left(t), g->label, g->label_len);
	else
		table_text(t, "-");
	table_end_row(t);
}

static void noise_text(struct report *r, const struct diff *d)
{
	static const char *const headings[] = {"runs", "mean", "noise", "least", "p50", "noise",
		"least", "p90", "noise", "least", "p99", "noise", "least", "CPI noise", "least",
		"instr. noise", "least", "mm"};
	size_t asked[DIFF_SIDES];
	struct table t;
	report_scripted_line(r);
	if (!d->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	count_sides(d->runs, asked);
	out_str(r->out, "# noise: what runs of one side differ by (standard deviation)\n");
	out_printf(r->out,
		"# least: the change that %zu runs before and %zu after show 19 times of 20\n",
		asked[DIFF_BEFORE], asked[DIFF_AFTER]);
	for (table_begin(&t, r->out); table_pass(&t);) {
		for (unsigned i = 0; i < sizeof headings / sizeof *headings; i++)
			table_heading(&t, headings[i]);
		table_text(&t, "label");
		table_end_row(&t);
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			noise_write_text_row(&t, d, &d->rows[i]);
	}
	table_free(&t);
}

void diff_print_noise(struct report *r, const struct diff *d)
{
	struct json j = {.o = r->out};
	size_t asked[DIFF_SIDES];
	count_sides(d->runs, asked);
	if (asked[DIFF_BEFORE] < COMPARE_RUNS || asked[DIFF_AFTER] < COMPARE_RUNS)
		report_note(r, "too few runs to tell what they differ by: it takes %d a side",
			COMPARE_RUNS);
	if (r->format == FORMAT_CSV)
		noise_csv(r, d);
	else if (r->format == FORMAT_TEXT)
		noise_text(r, d);
	else
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			noise_write_json_row(r, &j, d, &d->rows[i]);
}
