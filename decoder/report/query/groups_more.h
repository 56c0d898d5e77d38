/*
 * Figures of groups that a tally lacks: exact percentiles, and the intervals in flight. They come
 * from records of the intervals, or from the points of partial results. Functions return 0 or
 * a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GROUPS_MORE_H
#define SWT_DECODER_REPORT_QUERY_GROUPS_MORE_H

#include "../values/percentiles.h"
#include "groups.h"
#include "../partial/points.h"

/* The values of to->tally's groups, which are not settled, by group number. */
int groups_find_values(struct groups *to, const struct percentiles *p, struct sorter *values);
/* Gives each row of to->in_flight its group, and adds missing ones. A row's series is a number in
 * `series`, whose names have all keys but time. */
int groups_find_flights(struct groups *to, const struct tally *series);
void groups_sort_more(struct groups *to);
/* Notes that there are too many buckets of time. */
void groups_note_buckets(struct report *r, const struct in_flight *f);

/*
 * Reads the points of a merged result's tally into *to, of which only has_cpi is set. By time,
 * copies the tally to to->tally, and adds the groups that only have intervals in flight.
 * CPIDECODE_EINVAL: damaged, or too many buckets, noted: in_flight_settle fails.
 */
int groups_get_more(
	struct report *r, struct groups *to, const struct tally *tally, struct varint_in *points);

#endif
