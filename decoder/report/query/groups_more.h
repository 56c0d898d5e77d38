/*
 * The figures of groups that a tally does not have: exact percentiles, and what was in flight.
 * Found from records of the intervals, or from the points of partial results. Functions return 0 or
 * a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GROUPS_MORE_H
#define SWT_DECODER_REPORT_QUERY_GROUPS_MORE_H

#include "../values/percentiles.h"
#include "groups.h"
#include "../partial/points.h"

/* The values of to->tally's groups, which are not settled, by group number. */
int groups_find_values(struct groups *to, const struct percentiles *p, struct sorter *values);
/* Gives each row of to->in_flight its group, which may be new. A series of the rows is a number of
 * `series`: the other keys. */
int groups_find_flights(struct groups *to, const struct tally *series);
void groups_sort_more(struct groups *to);
/* Notes that there are too many buckets of time: a misuse. */
void groups_note_buckets(struct report *r);

/*
 * Reads the points of a merged result's tally into *to, which starts with has_cpi alone. By time,
 * copies the tally to to->tally, which gets the groups that have intervals in flight alone.
 * CPIDECODE_EINVAL: damaged, or too many buckets, noted, and r->is_misused.
 */
int groups_get_more(
	struct report *r, struct groups *to, const struct tally *tally, struct varint_in *points);

#endif
