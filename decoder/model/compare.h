/*
 * Whether two sets of values differ by more than chance, from their histograms. All of it is
 * arithmetic in a fixed order and without random numbers: asked again, it says the same.
 * alpha is the chance that is accepted of calling a difference what is none.
 */
#ifndef SWT_DECODER_COMPARE_H
#define SWT_DECODER_COMPARE_H

#include "histogram.h"

enum verdict {
	VERDICT_NONE,	 /* nobody can judge it */
	VERDICT_TOO_FEW, /* no values of so small a number could show it */
	VERDICT_NOISE,
	VERDICT_CHANGED,
};

enum {
	/* Together not more than that: the rank test counts all ways to deal the values out. */
	COMPARE_EXACT = 40,
	/* Of each at least that many: the noise of means is taken to be normal. */
	COMPARE_MEANS = 100,
};

struct judgement {
	enum verdict verdict;
	double p; /* chance of a difference so large where there is none; NAN: not known */
};

/*
 * Mann-Whitney's rank test, two-sided, corrected for ties: whether values of the one tend to be
 * larger. Values that fall into one bucket are ties.
 */
struct judgement compare_ranks(const struct histogram *a, const struct histogram *b, double alpha);
/* Welch's test of the means; the rank test where there are fewer than COMPARE_MEANS. */
struct judgement compare_means(const struct histogram *a, const struct histogram *b, double alpha);
/*
 * Whether the intervals of order statistics that hold the percentiles, each with a chance of
 * 1 - alpha / 2, lie apart.
 */
enum verdict compare_percentile(
	const struct histogram *a, const struct histogram *b, unsigned percent, double alpha);

/*
 * The ranks, from 1, between whose values the percentile of what n values were drawn from
 * lies with a chance of 1 - alpha; 0 and n + 1: not bounded by so few.
 */
void compare_interval(uint64_t n, unsigned percent, double alpha, uint64_t *low, uint64_t *high);

#endif
