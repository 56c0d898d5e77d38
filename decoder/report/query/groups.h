/*
 * Groups of intervals by the keys of --by, with what a tally does not have: the exact values of
 * --exact, and the intervals in flight in a bucket of time.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GROUPS_H
#define SWT_DECODER_REPORT_QUERY_GROUPS_H

#include "by.h"
#include "in_flight.h"

struct buffer;

/* Starts zeroed but for kept and tally.wanted. */
struct groups {
	struct tally tally; /* settled; of intervals that only overlap a bucket, a count of 0 */
	/* In order of `group`; NULL: not asked for. */
	struct groups_exact {
		const struct tally_group *group;
		uint64_t *values; /* of r->percentiles */
	} * exact;
	struct groups_flight {
		const struct tally_group *group;
		const struct in_flight_row *row;
	} * flights;
	size_t nexact, nflights;
	bool has_cpi; /* with r->by: some interval is of CPI's major */
	uint64_t *values;
	struct in_flight in_flight;
	/* NULL: none. For a partial result: gets the points (points.h) of the values with
	   r->exact, and of starts and ends by time, instead of `exact` and `flights`. */
	struct buffer *kept;
};

/*
 * Reads r->trace by r->by, or by label and minor. r->percentiles: what r->exact asks for. 0, a
 * CPIDECODE_E code, or CPIDECODE_EINVAL: too many buckets, noted.
 */
int groups_read(struct report *r, struct groups *g);
/* The value of that percentile; NOT_MEASURED: the group is empty, or there are none. */
uint64_t groups_exact_value(const struct groups *g, const struct tally_group *group, unsigned i);
/* NULL: none was in flight. */
const struct in_flight_row *groups_in_flight(
	const struct groups *g, const struct tally_group *group);
/* The default order: by time if r->by has it, else by total, then by the keys. */
int groups_order(const struct report *r, struct tally_group **groups, size_t count);
void groups_free(struct groups *g);

#endif
