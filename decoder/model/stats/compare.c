#include "compare.h"

#include <math.h>

#include "../../../include/cpidecode.h"
#include "student.h"

static const struct compare_distance unknown = {NAN, NAN};

double compare_chance(struct compare_distance d)
{
	return isnan(d.t) ? NAN : 2 * student_above(fabs(d.t), d.df);
}

double compare_chance_of_side(struct compare_distance d, bool above)
{
	return isnan(d.t) ? NAN : student_above(above ? d.t : -d.t, d.df);
}

/* The distance from each side's variance and its degrees of freedom (Welch, Satterthwaite). */
static struct compare_distance compare_make_distance(
	double off, double before, double before_df, double after, double after_df)
{
	double sum = before + after;
	double df = sum > 0 ? sum * sum / (before * before / before_df + after * after / after_df)
			    : before_df + after_df;

	if (sum > 0)
		return (struct compare_distance){off / sqrt(sum), df};
	return (struct compare_distance){off == 0 ? 0 : copysign(INFINITY, off), df};
}

double compare_mean(struct compare_runs runs)
{
	long double sum = 0; /* the order of the runs shows in no digit of a double */

	for (size_t i = 0; i < runs.n; i++)
		sum += runs.figures[i];
	return (double)(sum / runs.n);
}

/* The variance of the mean. */
static double variance_of_mean(struct compare_runs runs, double mean)
{
	long double squares = 0;

	for (size_t i = 0; i < runs.n; i++) {
		double off = runs.figures[i] - mean;

		squares += off * off;
	}
	return (double)squares / (double)(runs.n - 1) / (double)runs.n;
}

struct compare_distance compare_runs(
	struct compare_runs before, struct compare_runs after, struct compare_null null)
{
	if (before.n < COMPARE_RUNS || after.n < COMPARE_RUNS)
		return unknown;
	double mean_before = compare_mean(before), ma = compare_mean(after);
	double mb = null.factor * mean_before + null.offset, off = ma - mb;
	/* Ignore differences within the rounding of sums. */
	if (fabs(off) <= 1e-12 * fabs(mb))
		off = 0;
	double va = variance_of_mean(after, ma);
	double vb = variance_of_mean(before, mean_before) * (null.factor * null.factor);
	return compare_make_distance(off, vb, (double)before.n - 1, va, (double)after.n - 1);
}

struct compare_distance compare_pairs(
	struct compare_runs before, struct compare_runs after, struct compare_null null)
{
	const size_t n = before.n;
	double scale = fabs(null.factor * compare_mean(before) + null.offset);
	long double sum = 0, squares = 0;

	if (n < COMPARE_RUNS || after.n != n)
		return unknown;
	for (size_t i = 0; i < n; i++)
		sum += after.figures[i] - null.factor * before.figures[i] - null.offset;
	double mean = (double)(sum / n);
	for (size_t i = 0; i < n; i++) {
		double off =
			after.figures[i] - null.factor * before.figures[i] - null.offset - mean;

		squares += off * off;
	}
	/* Ignore differences within the rounding of sums. */
	if (fabs(mean) <= 1e-12 * scale)
		mean = 0;
	double variance = (double)squares / (double)(n - 1) / (double)n;
	if (variance > 0)
		return (struct compare_distance){mean / sqrt(variance), (double)n - 1};
	return (struct compare_distance){mean == 0 ? 0 : copysign(INFINITY, mean), (double)n - 1};
}

struct compare_distance compare_confirm(
	struct compare_distance percentiles, struct compare_distance shares)
{
	double chance = compare_chance(shares) / 3;

	/* The longer the times, the smaller the share up to a limit: the signs are opposite. */
	if (isnan(chance) || percentiles.t == 0)
		return percentiles;
	if (shares.t == 0 || (shares.t > 0) == (percentiles.t > 0))
		return (struct compare_distance){0, percentiles.df};
	if (chance > compare_chance(percentiles))
		percentiles.t =
			copysign(student_quantile(chance / 2, percentiles.df), percentiles.t);
	return percentiles;
}

/* The number of independent values that the run is worth; false: too few, or unknown. */
static bool is_evidence(const struct timeline_evidence *e)
{
	return e->effective >= COMPARE_EFFECTIVE;
}

static bool has_order(const struct compare_run *r)
{
	return r->order && r->values->count && r->order->total == r->values->count;
}

static int compare_judge_order(const struct compare_run *before, const struct compare_run *after,
	const double limits[2], struct timeline_evidence e[2], bool *known)
{
	*known = has_order(before) && has_order(after);
	if (!*known)
		return 0;
	int rc = timeline_judge(before->order, limits[0], &e[0]);
	if (!rc)
		rc = timeline_judge(after->order, limits[1], &e[1]);
	*known = !rc && is_evidence(&e[0]) && is_evidence(&e[1]);
	return rc;
}

/* The variance of single values, from the middles of buckets. */
static double variance_of(const struct histogram *h, double mean)
{
	struct histogram_at at = {0};
	struct histogram_bin bin;
	double squares = 0;

	while (histogram_next(h, &at, &bin)) {
		double off = (double)bin.low / 2 + (double)bin.high / 2 - mean;

		squares += (double)bin.count * off * off;
	}
	return squares / (double)(h->count - 1);
}

int compare_means(const struct compare_run *before, const struct compare_run *after,
	struct compare_null null, struct compare_distance *d)
{
	struct timeline_evidence e[2];
	bool known;
	int rc = compare_judge_order(before, after, (const double[]){NAN, NAN}, e, &known);

	*d = unknown;
	if (!known)
		return rc;
	double vb = null.factor * null.factor * variance_of(before->values, before->mean) /
		    e[0].effective;
	double va = variance_of(after->values, after->mean) / e[1].effective;
	*d = compare_make_distance(
		after->mean - null.factor * before->mean - null.offset, vb, e[0].df, va, e[1].df);
	return 0;
}

/* The surprise of seeing `share` where p is true, per independent value. */
static double compare_surprise(double share, double p)
{
	double sum = 0;

	if (share > 0)
		sum += share * log(share / p);
	if (share < 1)
		sum += (1 - share) * log((1 - share) / (1 - p));
	return 2 * sum;
}

/* The surprise of both samples if both percentiles (before's by the null) were at q. */
struct common {
	const struct compare_run *before, *after;
	const struct timeline_evidence *e;
	struct compare_null null;
	double p;
};

static double compare_sum_surprises(const struct common *c, double q)
{
	double before = (q - c->null.offset) / c->null.factor;

	return c->e[0].effective *
		       compare_surprise(histogram_share(c->before->values, before), c->p) +
	       c->e[1].effective * compare_surprise(histogram_share(c->after->values, q), c->p);
}

/* The least surprise over all q between the two percentiles. */
static double least_surprise(const struct common *c, double from, double to)
{
	enum { STEPS = 32, ROUNDS = 3 };
	double best = INFINITY;

	for (unsigned round = 0; round < ROUNDS; round++) {
		double step = (to - from) / STEPS, at = from;

		for (unsigned i = 0; i <= STEPS; i++) {
			double s = compare_sum_surprises(c, from + i * step);

			if (s < best) {
				best = s;
				at = from + i * step;
			}
		}
		from = fmax(from, at - step);
		to = fmin(to, at + step);
	}
	return best;
}

int compare_percentiles(const struct compare_run *before, const struct compare_run *after,
	uint32_t millionths, struct compare_null null, struct compare_distance *d)
{
	struct timeline_evidence e[2];
	bool known = before->values->count && after->values->count;

	*d = unknown;
	if (!known)
		return 0;
	double q[] = {histogram_middle_at_rank(before->values,
			      histogram_rank_millionth(before->values->count, millionths)),
		histogram_middle_at_rank(
			after->values, histogram_rank_millionth(after->values->count, millionths))};
	int rc = compare_judge_order(before, after, q, e, &known);
	if (!known)
		return rc;
	struct common c = {before, after, e, null, millionths / 1e6};
	/* A percentile with hardly any values beyond it is unknown. */
	double beyond = fmin(c.p, 1 - c.p);
	if (fmin(e[0].effective, e[1].effective) * beyond < COMPARE_BEYOND)
		return 0;
	double expected = null.factor * q[0] + null.offset;
	double least = least_surprise(&c, fmin(expected, q[1]), fmax(expected, q[1]));
	d->t = copysign(sqrt(fmax(least, 0)), q[1] - expected);
	/* Satterthwaite's degrees of freedom for two equally weighted variances. */
	d->df = e[0].df < e[1].df ? e[0].df : e[1].df;
	return 0;
}
