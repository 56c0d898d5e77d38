/* Intervals gathered by label and minor. */
#ifndef SWT_DECODER_GROUPS_H
#define SWT_DECODER_GROUPS_H

#include "report.h"

struct group {
	const struct interval *const *members; /* by elapsed time, shortest first */
	size_t count;
	double total_ns;
};

struct groups {
	const struct interval **members;
	struct group *groups; /* by total time, longest first */
	size_t count;
};

/* Of the intervals that the filter takes. 0 or CPIDECODE_ENOMEM. */
int groups_make(struct groups *g, const struct report *r);
void groups_free(struct groups *g);

#endif
