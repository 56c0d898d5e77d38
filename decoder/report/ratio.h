/*
 * The CPI and busy percentage of many intervals together: a ratio of sums where the
 * trace has counts, an average weighted by elapsed cycles where it has ratios only.
 * What was not measured takes no part.
 */
#ifndef SWT_DECODER_RATIO_H
#define SWT_DECODER_RATIO_H

#include "../model/model.h"

struct ratio {
	double above, below; /* sums of counts */
	double weighted, weight;
	uint64_t counted, measured; /* intervals with counts; with counts or a ratio */
};

/* above / below where both were measured (below not 0), else value (NAN: absent). */
void ratio_add(struct ratio *r, uint64_t above, uint64_t below, double value, uint64_t elapsed);
/* NAN: nothing was measured. */
double ratio_value(const struct ratio *r);

struct ratios {
	struct ratio raw, scaled, thread;
	struct ratio busy; /* as a fraction */
};

void ratios_add(struct ratios *r, const struct interval *iv);
double ratios_busy(const struct ratios *r);
/* How the CPIs came about: "counts", "elapsed", "mixed" or "none". */
const char *ratios_weighting(const struct ratios *r);

#endif
