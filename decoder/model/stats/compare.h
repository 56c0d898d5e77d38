/*
 * Tests whether figures before and after differ by more than chance. With several runs per side the
 * unit is the run: Welch's test of one figure per run. With several hosts the unit is the host, and
 * its figure the mean of its runs', because runs of one host are correlated. With one run per side
 * the variance is that of the run's own intervals, as far as they are independent (timeline.h). The
 * tests are deterministic.
 */
#ifndef SWT_DECODER_MODEL_STATS_COMPARE_H
#define SWT_DECODER_MODEL_STATS_COMPARE_H

#include "histogram.h"
#include "timeline.h"

enum verdict {
	VERDICT_NONE,	 /* not tested */
	VERDICT_TOO_FEW, /* runs, or independent intervals */
	VERDICT_NOISE,
	VERDICT_CHANGED,
};

enum {
	COMPARE_RUNS = 3,	 /* a side, at least */
	COMPARE_EFFECTIVE = 100, /* independent intervals of a single run, at least */
	COMPARE_BEYOND = 5,	 /* of those, at least, beyond a percentile */
};

/* The null hypothesis: after = factor * before + offset. */
struct compare_null {
	double factor, offset;
};

#define COMPARE_EQUAL ((struct compare_null){.factor = 1})

/* The distance from the null hypothesis in standard errors (positive: after is more), and its
 * degrees of freedom. NAN: too few values. */
struct compare_distance {
	double t, df;
};

/* One figure for each run, or host. */
struct compare_runs {
	const double *figures;
	size_t n;
};

double compare_mean(struct compare_runs runs);
struct compare_distance compare_runs(
	struct compare_runs before, struct compare_runs after, struct compare_null null);

/* The paired test: element i of both is of one host. Both have as many elements. */
struct compare_distance compare_pairs(
	struct compare_runs before, struct compare_runs after, struct compare_null null);

/*
 * Limits the distance between percentiles to what the shares of values below a limit between
 * them confirm, at three times the chance. Where values near a percentile are sparse, it jumps,
 * and a few runs may all jump alike; the shares still vary.
 */
struct compare_distance compare_confirm(
	struct compare_distance percentiles, struct compare_distance shares);

/* A single run. */
struct compare_run {
	const struct histogram *values; /* settled */
	const struct timeline *order;	/* settled; of the same values, or there is no verdict */
	double mean;
};

/* 0 or CPIDECODE_ENOMEM. */
int compare_means(const struct compare_run *before, const struct compare_run *after,
	struct compare_null null, struct compare_distance *d);
int compare_percentiles(const struct compare_run *before, const struct compare_run *after,
	uint32_t millionths, struct compare_null null, struct compare_distance *d);

/* The chance of a distance at least so large: two-sided; upwards; or downwards. */
double compare_chance(struct compare_distance d);
double compare_chance_of_side(struct compare_distance d, bool above);

#endif
