#include "diff.h"

#include <math.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"

static struct judgement diff_no_judgement(void)
{
	return (struct judgement){.verdict = VERDICT_NONE, .p = NAN};
}

/* In order of preference: the first that both sides measured is compared. */
static const struct kind {
	const char *name;
	enum tally_value value;
} cpi_kinds[] = {{"thread", TALLY_THREAD_CPI}, {"scaled", TALLY_SCALED_CPI}, {"raw", TALLY_RAW_CPI},
	{NULL, 0}},
  instruction_kinds[] = {
	  {"thread", TALLY_THREAD_INSTRUCTIONS}, {"system", TALLY_INSTRUCTIONS}, {NULL, 0}};

/* A figure of a group; NAN if it was not measured, or a CPI without cycles, as in the summary. */
static double figure_in(const struct sums *s, enum tally_value value)
{
	switch (value) {
	case TALLY_THREAD_CPI:
		return ratio_cpi(&s->ratios.thread);
	case TALLY_SCALED_CPI:
		return ratio_cpi(&s->ratios.scaled);
	case TALLY_RAW_CPI:
		return ratio_cpi(&s->ratios.raw);
	case TALLY_THREAD_INSTRUCTIONS:
		return sums_mean(&s->thread_instructions);
	default:
		return sums_mean(&s->instructions);
	}
}

static double kind_figure(const struct tally_group *g, enum tally_value value)
{
	struct sums scratch;

	return figure_in(tally_sums(g, &scratch), value);
}

/* A bit for each value that at least one run of a side has. */
static void diff_find_known_kinds(const struct diff_row *row, unsigned known[DIFF_SIDES])
{
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		known[side] = 0;
		for (size_t i = 0; i < row->runs[side]; i++) {
			struct sums scratch;
			const struct sums *s = tally_sums(row->entries[side][i].group, &scratch);

			for (unsigned v = 0; v < TALLY_VALUES; v++)
				known[side] |= (unsigned)!isnan(figure_in(s, v)) << v;
		}
	}
}

static const struct kind *diff_find_kind(const unsigned known[DIFF_SIDES], const struct kind *kinds)
{
	const struct kind *k;

	for (k = kinds; k->name; k++)
		if (known[DIFF_BEFORE] & known[DIFF_AFTER] & 1u << k->value)
			return k;
	/* A value of one side only is shown for that side. */
	for (k = kinds; k->name; k++)
		if ((known[DIFF_BEFORE] | known[DIFF_AFTER]) & 1u << k->value)
			return k;
	return NULL;
}

static const struct tally_event *diff_find_event(
	const struct diff *d, const struct tally_group *g, unsigned m)
{
	const struct event_name *name = &d->events.at[m - METRICS];

	return tally_find_event(g, name->text, name->length);
}

static double diff_event_figure(const struct diff *d, const struct tally_group *g, unsigned m)
{
	if (m >= METRICS + d->events.count)
		return derived_of_group(&d->derived.at[m - METRICS - d->events.count], g);
	const struct tally_event *e = diff_find_event(d, g, m);

	return e ? tally_event_mean(e) : NAN;
}

bool diff_has_event(const struct diff *d, const struct diff_row *row, unsigned m)
{
	if (m >= METRICS + d->events.count)
		return !isnan(row->values[m].before) || !isnan(row->values[m].after);
	for (unsigned side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < row->runs[side]; i++)
			if (diff_find_event(d, row->entries[side][i].group, m))
				return true;
	return false;
}

/* The figure of one run. */
static double figure_of(
	const struct diff *d, const struct diff_row *row, const struct tally_group *g, unsigned m)
{
	if (diff_percentile(d, m))
		return histogram_middle_at_rank(
			&g->time, percentile_rank(diff_percentile(d, m), g->time.count));
	if (m >= METRICS)
		return diff_event_figure(d, g, m);
	switch (m) {
	case METRIC_COUNT:
		return (double)g->time.count;
	case METRIC_TOTAL:
		return tally_total_ns(g);
	case METRIC_MEAN:
		return tally_total_ns(g) / (double)g->time.count;
	case METRIC_MAX:
		return (double)g->time.max;
	case METRIC_CPI:
		return row->cpi_of ? kind_figure(g, row->cpi) : NAN;
	case METRIC_INSTRUCTIONS:
		return row->instructions_of ? kind_figure(g, row->instructions) : NAN;
	default:
		return histogram_middle(&g->time, metric_percent(m));
	}
}

struct compare_runs diff_figures(
	const struct diff *d, const struct diff_row *row, unsigned m, enum diff_when side)
{
	for (size_t i = 0; i < row->runs[side]; i++)
		d->figures[side][i] = figure_of(d, row, row->entries[side][i].group, m);
	return diff_join_units(d, row, side);
}

/* Counts and totals are means over all runs: a run without the label counts as 0. */
static double diff_mean_of_runs(
	const struct diff *d, const struct diff_row *row, unsigned m, enum diff_when side)
{
	long double sum = 0; /* as in compare_mean */

	for (size_t i = 0; i < row->runs[side]; i++)
		sum += figure_of(d, row, row->entries[side][i].group, m);
	return (double)(sum / d->runs[side]);
}

static double diff_max_of_runs(
	const struct diff *d, const struct diff_row *row, enum diff_when side)
{
	double most = 0;

	for (size_t i = 0; i < row->runs[side]; i++)
		most = fmax(most, figure_of(d, row, row->entries[side][i].group, METRIC_MAX));
	return row->runs[side] ? most : (double)NAN;
}

static double value_of(
	const struct diff *d, const struct diff_row *row, unsigned m, enum diff_when side)
{
	if (m == METRIC_COUNT || m == METRIC_TOTAL)
		return diff_mean_of_runs(d, row, m, side);
	if (m == METRIC_MAX)
		return diff_max_of_runs(d, row, side);
	/* For one run: the summary's figure. */
	if (diff_is_percentile(d, m) && d->runs[side] == 1 && row->runs[side])
		return (double)diff_at_percentile(d, m, row->entries[side]->group);
	struct compare_runs runs = diff_figures(d, row, m, side);
	return runs.n ? compare_mean(runs) : (double)NAN;
}

static struct compare_run single_run(
	const struct diff *d, const struct diff_row *row, enum diff_when side)
{
	const struct tally_group *g = row->entries[side]->group;

	return (struct compare_run){
		.values = &g->time, .order = g->order, .mean = figure_of(d, row, g, METRIC_MEAN)};
}

/* The share of times up to the limit, for each run. */
static struct compare_runs shares_of(
	const struct diff *d, const struct diff_row *row, enum diff_when side, double limit)
{
	for (size_t i = 0; i < row->runs[side]; i++)
		d->figures[side][i] = histogram_share(&row->entries[side][i].group->time, limit);
	return diff_join_units(d, row, side);
}

static struct compare_distance distance_of_runs(
	const struct diff *d, const struct diff_row *row, unsigned m, struct compare_null null)
{
	struct compare_runs before = diff_figures(d, row, m, DIFF_BEFORE);
	struct compare_runs after = diff_figures(d, row, m, DIFF_AFTER);
	struct compare_distance far = diff_compare_units(d, before, after, null);

	if (!diff_is_percentile(d, m) || isnan(far.t))
		return far;
	double limit = (null.factor * compare_mean(before) + null.offset + compare_mean(after)) / 2;
	double limit_before = null.factor > 0 ? (limit - null.offset) / null.factor : INFINITY;
	before = shares_of(d, row, DIFF_BEFORE, limit_before);
	after = shares_of(d, row, DIFF_AFTER, limit);
	return compare_confirm(far, diff_compare_units(d, before, after, COMPARE_EQUAL));
}

int diff_distance(const struct diff *d, const struct diff_row *row, unsigned m,
	struct compare_null null, struct compare_distance *distance)
{
	*distance = (struct compare_distance){NAN, NAN};
	if (!diff_in_both(row) || !diff_has_test(d, m))
		return 0;
	if (!diff_is_single(d)) {
		*distance = distance_of_runs(d, row, m, null);
		return 0;
	}
	struct compare_run before = single_run(d, row, DIFF_BEFORE),
			   after = single_run(d, row, DIFF_AFTER);
	return m == METRIC_MEAN ? compare_means(&before, &after, null, distance)
				: compare_percentiles(
					  &before, &after, diff_millionths(d, m), null, distance);
}

static int diff_judge_metric(struct diff *d, struct diff_row *row, unsigned m)
{
	struct diff_value *v = &row->values[m];
	struct compare_distance distance;

	v->judged = diff_no_judgement();
	if (isnan(v->before) || isnan(v->after) || !diff_in_both(row) || !diff_has_test(d, m))
		return 0;
	int rc = diff_distance(d, row, m, COMPARE_EQUAL, &distance);
	v->judged.p = compare_chance(distance);
	if (isnan(v->judged.p))
		v->judged.verdict = VERDICT_TOO_FEW;
	else
		v->judged.verdict = v->judged.p <= d->alpha ? VERDICT_CHANGED : VERDICT_NOISE;
	return rc;
}

static int diff_fill_row(struct diff *d, struct diff_row *row)
{
	unsigned known[DIFF_SIDES];

	diff_find_known_kinds(row, known);
	const struct kind *cpi = diff_find_kind(known, cpi_kinds),
			  *counts = diff_find_kind(known, instruction_kinds);
	int rc = 0;
	if (cpi) {
		row->cpi_of = cpi->name;
		row->cpi = cpi->value;
	}
	if (counts) {
		row->instructions_of = counts->name;
		row->instructions = counts->value;
	}
	for (unsigned m = 0; m < d->metrics && !rc; m++) {
		row->values[m].before = value_of(d, row, m, DIFF_BEFORE);
		row->values[m].after = value_of(d, row, m, DIFF_AFTER);
		rc = diff_judge_metric(d, row, m);
	}
	return rc;
}

static int compare_entries(const void *a, const void *b)
{
	const struct diff_entry *x = a, *y = b;
	int order = tally_compare_names(x->group, y->group);

	if (order)
		return order;
	return compare_u64_pair(x->side, y->side, x->run, y->run);
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	const struct diff_value *tx = &x->values[METRIC_TOTAL], *ty = &y->values[METRIC_TOTAL];
	double cx = fabs(tx->after - tx->before), cy = fabs(ty->after - ty->before);

	if (cx != cy)
		return cx < cy ? 1 : -1;
	return tally_compare_names(diff_name(x), diff_name(y));
}

static size_t count_groups(const struct diff_runs *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++)
		n += side->runs[i].tally.count;
	return n;
}

static size_t add_entries(
	struct diff *d, size_t n, const struct diff_runs *side, enum diff_when when)
{
	for (size_t i = 0; i < side->n; i++)
		for (size_t g = 0; g < side->runs[i].tally.count; g++)
			d->entries[n++] = (struct diff_entry){
				.group = side->runs[i].tally.groups[g], .run = i, .side = when};
	return n;
}

static bool begins_row(const struct diff *d, size_t i)
{
	return !i || tally_compare_names(d->entries[i - 1].group, d->entries[i].group);
}

/* Entries of one name are adjacent: they make a row. */
static int make_rows(struct diff *d, size_t n)
{
	struct diff_row *row = NULL;
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		rows += begins_row(d, i);
	d->rows = calloc(rows + 1, sizeof *d->rows);
	if (!d->rows)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct diff_entry *e = &d->entries[i];

		if (begins_row(d, i))
			row = &d->rows[d->count++];
		if (!row->runs[e->side]++)
			row->entries[e->side] = e;
	}
	d->values = calloc(d->count * d->metrics + 1, sizeof *d->values);
	if (!d->values)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < d->count; i++) {
		d->rows[i].values = d->values + i * d->metrics;
		d->common += diff_in_both(&d->rows[i]);
	}
	return 0;
}

/* Adds the percentiles that are no metric already. */
static void diff_choose_percentiles(struct diff *d, const struct percentiles *p)
{
	for (unsigned i = 0; p && i < p->count; i++) {
		bool is_new = true;

		for (unsigned m = METRIC_P50; m <= METRIC_P99; m++)
			is_new &= p->at[i].parts != metric_percent(m) * PERCENTILE_PARTS;
		if (is_new)
			d->percentiles[d->npercentiles++] = &p->at[i];
	}
}

/* The names of all runs' events, and of metrics. */
static int diff_gather_events(struct diff *d, struct report *r, const struct diff_runs *before,
	const struct diff_runs *after)
{
	int rc = 0;

	for (size_t i = 0; i < before->n && !rc; i++)
		rc = event_names_gather(&d->events, &before->runs[i].tally);
	for (size_t i = 0; i < after->n && !rc; i++)
		rc = event_names_gather(&d->events, &after->runs[i].tally);
	event_names_sort(&d->events);
	if (d->events.count > VALUE_COLUMNS_MAX)
		d->events.count = VALUE_COLUMNS_MAX;
	d->spelled = calloc(d->events.count + 1, sizeof *d->spelled);
	if (!d->spelled)
		return CPIDECODE_ENOMEM;
	/* Events and metrics do not get their names. */
	diff_choose_percentiles(d, r->percentiles);
	if (!rc)
		rc = diff_spell_events(d);
	if (!rc)
		rc = diff_make_derived(d, r);
	d->metrics = METRICS + (unsigned)(d->events.count + d->derived.count) + d->npercentiles;
	return rc;
}

int diff_make(struct diff *d, struct report *r, const struct diff_runs *before,
	const struct diff_runs *after)
{
	size_t n = count_groups(before) + count_groups(after);

	*d = (struct diff){.runs = {before->n, after->n}, .by = r->by};
	if (d->by)
		by_make_columns(d->by, d->keys);
	d->entries = calloc(n + 1, sizeof *d->entries);
	d->figures[DIFF_BEFORE] = calloc(before->n + 1, sizeof(double));
	d->figures[DIFF_AFTER] = calloc(after->n + 1, sizeof(double));
	if (!d->entries || !d->figures[DIFF_BEFORE] || !d->figures[DIFF_AFTER]) {
		diff_free(d);
		return CPIDECODE_ENOMEM;
	}
	n = add_entries(d, add_entries(d, 0, before, DIFF_BEFORE), after, DIFF_AFTER);
	qsort(d->entries, n, sizeof *d->entries, compare_entries);
	int rc = diff_find_hosts(d, r, before, after);
	if (!rc)
		rc = diff_gather_events(d, r, before, after);
	if (!rc)
		rc = make_rows(d, n);
	/* Of many comparisons some look like changes by chance: each gets its share of the level
	 * (Bonferroni). */
	d->alpha = DIFF_ALPHA / (double)(d->common ? d->common : 1);
	for (size_t i = 0; i < d->count && !rc; i++)
		rc = diff_fill_row(d, &d->rows[i]);
	if (d->count)
		qsort(d->rows, d->count, sizeof *d->rows, compare_rows);
	if (rc)
		diff_free(d);
	return rc;
}

void diff_free(struct diff *d)
{
	free(d->rows);
	free(d->entries);
	free(d->values);
	free(d->spelled);
	derived_free(&d->derived);
	event_names_free(&d->events);
	diff_free_hosts(d);
	for (unsigned side = 0; side < DIFF_SIDES; side++)
		free(d->figures[side]);
	*d = (struct diff){0};
}
