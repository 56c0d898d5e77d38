#include "diff.h"

#include <math.h>
#include <stdlib.h>

/* The chance that is accepted of calling anything a change where nothing changed. */
#define DIFF_ALPHA 0.01

static struct judgement unjudged(void)
{
	return (struct judgement){.verdict = VERDICT_NONE, .p = NAN};
}

static double value_of(const struct tally_group *g, enum metric m)
{
	if (m == METRIC_COUNT)
		return g ? (double)g->time.count : 0;
	if (m == METRIC_TOTAL)
		return g ? tally_total_ns(g) : 0;
	if (!g)
		return NAN;
	switch (m) {
	case METRIC_MEAN:
		return tally_total_ns(g) / (double)g->time.count;
	case METRIC_P50:
		return (double)histogram_percentile(&g->time, 50);
	case METRIC_P90:
		return (double)histogram_percentile(&g->time, 90);
	case METRIC_P99:
		return (double)histogram_percentile(&g->time, 99);
	default:
		return (double)g->time.max;
	}
}

static struct judgement judge_time(const struct diff_row *row, enum metric m, double alpha)
{
	struct judgement j = unjudged();
	if (!row->before || !row->after)
		return j;
	const struct histogram *a = &row->before->time, *b = &row->after->time;
	if (m == METRIC_MEAN)
		return compare_means(a, b, alpha);
	if (m == METRIC_P50)
		j.verdict = compare_percentile(a, b, 50, alpha);
	if (m == METRIC_P90)
		j.verdict = compare_percentile(a, b, 90, alpha);
	if (m == METRIC_P99)
		j.verdict = compare_percentile(a, b, 99, alpha);
	return j;
}

/* In the order in which they are preferred; the first that both sides know is compared. */
static const struct kind {
	const char *name;
	enum tally_value value;
} cpis[] = {{"thread", TALLY_THREAD_CPI}, {"scaled", TALLY_SCALED_CPI}, {"raw", TALLY_RAW_CPI},
	{NULL, 0}},
  instructions[] = {
	  {"thread", TALLY_THREAD_INSTRUCTIONS}, {"system", TALLY_INSTRUCTIONS}, {NULL, 0}};

static bool knows(const struct tally_group *g, enum tally_value value)
{
	return g && g->spreads[value].values.count;
}

static const struct kind *kind_of(const struct diff_row *row, const struct kind *kinds)
{
	const struct kind *k;
	for (k = kinds; k->name; k++)
		if (knows(row->before, k->value) && knows(row->after, k->value))
			return k;
	/* What is on one side only is shown there. */
	for (k = kinds; k->name; k++)
		if (knows(row->before, k->value) || knows(row->after, k->value))
			return k;
	return NULL;
}

static double cpi_of(const struct tally_group *g, enum tally_value value)
{
	if (!g)
		return NAN;
	if (value == TALLY_THREAD_CPI)
		return ratio_value(&g->ratios.thread);
	return ratio_value(value == TALLY_SCALED_CPI ? &g->ratios.scaled : &g->ratios.raw);
}

static double instructions_of(const struct tally_group *g, enum tally_value value)
{
	if (!knows(g, value))
		return NAN;
	return (double)g->spreads[value].sum / (double)g->spreads[value].values.count;
}

static void fill_counts(struct diff_row *row, double alpha)
{
	struct diff_value *cpi = &row->values[METRIC_CPI];
	struct diff_value *counts = &row->values[METRIC_INSTRUCTIONS];
	const struct kind *k = kind_of(row, cpis);
	*cpi = *counts = (struct diff_value){NAN, NAN, unjudged()};
	if (k) {
		row->cpi_of = k->name;
		cpi->before = cpi_of(row->before, k->value);
		cpi->after = cpi_of(row->after, k->value);
		if (row->before && row->after)
			cpi->judged = compare_ranks(&row->before->spreads[k->value].values,
				&row->after->spreads[k->value].values, alpha);
	}
	k = kind_of(row, instructions);
	if (k) {
		row->instructions_of = k->name;
		counts->before = instructions_of(row->before, k->value);
		counts->after = instructions_of(row->after, k->value);
		if (row->before && row->after)
			counts->judged = compare_means(&row->before->spreads[k->value].values,
				&row->after->spreads[k->value].values, alpha);
	}
}

static void fill(struct diff_row *row, double alpha)
{
	for (unsigned m = 0; m <= METRIC_MAX; m++)
		row->values[m] = (struct diff_value){.before = value_of(row->before, m),
			.after = value_of(row->after, m),
			.judged = judge_time(row, m, alpha)};
	fill_counts(row, alpha);
	row->ranks = unjudged();
	if (row->before && row->after)
		row->ranks = compare_ranks(&row->before->time, &row->after->time, alpha);
}

static exact_sum change_of_total(const struct diff_row *row)
{
	exact_sum a = row->before ? row->before->total : 0, b = row->after ? row->after->total : 0;
	return a < b ? b - a : a - b;
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	exact_sum cx = change_of_total(x), cy = change_of_total(y);
	if (cx != cy)
		return cx < cy ? 1 : -1;
	return tally_compare_names(diff_name(x), diff_name(y));
}

int diff_make(struct diff *d, const struct tally *before, const struct tally *after)
{
	*d = (struct diff){0};
	d->rows = calloc(before->count + after->count + 1, sizeof *d->rows);
	if (!d->rows)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < before->count; i++) {
		struct diff_row *row = &d->rows[d->count++];
		row->before = before->groups[i];
		row->after = tally_find(after, row->before);
		d->common += row->after != NULL;
	}
	for (size_t i = 0; i < after->count; i++)
		if (!tally_find(before, after->groups[i]))
			d->rows[d->count++].after = after->groups[i];
	/* Of many comparisons one or the other looks like a change by chance: each gets its share
	 * (Bonferroni). */
	d->alpha = DIFF_ALPHA / (double)(d->common ? d->common : 1);
	for (size_t i = 0; i < d->count; i++)
		fill(&d->rows[i], d->alpha);
	if (d->count)
		qsort(d->rows, d->count, sizeof *d->rows, compare_rows);
	return 0;
}

void diff_free(struct diff *d)
{
	free(d->rows);
	*d = (struct diff){0};
}

int report_diff(struct report *r, const struct partial *before, const struct partial *after)
{
	struct diff d;
	int rc = diff_make(&d, &before->tally, &after->tally);
	if (rc)
		return rc;
	diff_print(r, &d);
	r->gates_failed = diff_gates(r, &d);
	diff_free(&d);
	return 0;
}
