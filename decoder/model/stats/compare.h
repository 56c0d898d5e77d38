/*
 * Whether what was measured before and after differs by more than chance. With several runs a
 * side the run is the unit: one figure a run, Welch's test of them. With one run a side what the
 * run's own intervals vary, as far as they are independent of each other (timeline.h). Nothing is
 * random: asked again, it says the same.
 */
#ifndef SWT_DECODER_MODEL_STATS_COMPARE_H
#define SWT_DECODER_MODEL_STATS_COMPARE_H

#include "histogram.h"
#include "timeline.h"

enum verdict {
	VERDICT_NONE,	 /* no test of it */
	VERDICT_TOO_FEW, /* runs, or independent intervals */
	VERDICT_NOISE,
	VERDICT_CHANGED,
};

enum {
	COMPARE_RUNS = 3,	 /* a side, at least */
	COMPARE_EFFECTIVE = 100, /* independent intervals of a single run, at least */
	COMPARE_BEYOND = 5,	 /* of those, at least, beyond a percentile */
};

/* What is held to be true unless it is refuted: after = factor * before + offset. */
struct compare_null {
	double factor, offset;
};

#define COMPARE_EQUAL ((struct compare_null){.factor = 1})

/* How far from that, in standard errors (positive: after is more), of so many degrees of freedom.
 * NAN: too few to tell. */
struct compare_distance {
	double t, df;
};

/* One figure for each run. */
struct compare_runs {
	const double *figures;
	size_t n;
};

double compare_mean(struct compare_runs runs);
struct compare_distance compare_runs(
	struct compare_runs before, struct compare_runs after, struct compare_null null);

/*
 * The distance between percentiles, as far as the shares of values up to what lies between
 * them confirm it, at three times the chance. Where next to no values are near a percentile, it
 * jumps, and few runs may all have jumped alike: the shares vary then.
 */
struct compare_distance compare_confirm(
	struct compare_distance percentiles, struct compare_distance shares);

/* A single run. */
struct compare_run {
	const struct histogram *values; /* settled */
	const struct timeline *order;	/* settled; of the same values, else there is no verdict */
	double mean;
};

/* 0 or CPIDECODE_ENOMEM. */
int compare_means(const struct compare_run *before, const struct compare_run *after,
	struct compare_null null, struct compare_distance *d);
int compare_percentiles(const struct compare_run *before, const struct compare_run *after,
	unsigned percent, struct compare_null null, struct compare_distance *d);

/* The chance of a distance at least so large, on either side; upwards, if above, or downwards. */
double compare_chance(struct compare_distance d);
double compare_chance_of_side(struct compare_distance d, bool above);

#endif
