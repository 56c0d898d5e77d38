/*
 * The CPI and busy percentage of many intervals: a ratio of sums where the trace has counts, an
 * average weighted by elapsed cycles where it only has ratios. Skips unmeasured values. All sums
 * are exact, so the order of adding and merging does not matter.
 */
#ifndef SWT_DECODER_MODEL_STATS_RATIO_H
#define SWT_DECODER_MODEL_STATS_RATIO_H

#include "../../base/exact.h"
#include "../trace/model.h"

/* The fixed-point unit of ratios in sums. Ratios in traces have four decimals. */
#define RATIO_ONE 100000000

struct ratio {
	exact_sum above, below;	    /* sums of counts */
	exact_sum weighted, weight; /* of RATIO_ONEs times ticks; of ticks */
	exact_sum instant;	    /* sum of the ratios of intervals of no length */
	uint64_t instants;	    /* how many those are */
	uint64_t counted, measured; /* intervals with counts; with counts or a ratio */
};

enum { RATIO_WORDS = sizeof(struct ratio) / sizeof(uint64_t) };

/* above / below where both were measured (below not 0), else value (NAN: absent). */
void ratio_add(struct ratio *r, uint64_t above, uint64_t below, double value, uint64_t elapsed);
void ratio_merge(struct ratio *r, const struct ratio *from);
/* NAN if nothing was measured. */
double ratio_value(const struct ratio *r);
/* Cycles per instruction; NAN also if no cycles were counted: a CPI of 0 was not measured. */
double ratio_cpi(const struct ratio *r);

struct ratios {
	struct ratio thread, raw, scaled;
	struct ratio busy; /* as a fraction */
};

void ratios_add(struct ratios *r, const struct interval *iv);
void ratios_merge(struct ratios *r, const struct ratios *from);
double ratios_busy(const struct ratios *r);
/* The origin of the CPIs: "counts", "elapsed", "mixed" or "none". */
const char *ratios_weighting(const struct ratios *r);

#endif
