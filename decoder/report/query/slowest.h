/* The slowest intervals, each beside the median one of its label, minor and major. */
#ifndef SWT_DECODER_REPORT_QUERY_SLOWEST_H
#define SWT_DECODER_REPORT_QUERY_SLOWEST_H

#include "meanwhile.h"
#include "../report.h"

enum { SLOWEST_DEFAULT = 10, SLOWEST_MOST = 1000 };

struct slowest {
	const struct kin *kin, *median; /* median: may be the same one */
	const struct meanwhile *meanwhile;
	const struct tally_group *group;
	const struct trace_text *names; /* of the interval's values, one each */
	int64_t start;			/* CLOCK_REALTIME ns of the first hook */
	size_t place;			/* from 1 */
};

void slowest_print(struct report *r, const struct slowest *s, bool is_first);

#endif
