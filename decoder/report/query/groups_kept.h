/*
 * Groups by the keys of --by in partial results: a tally with groups named by the keys' values
 * (by.h), and an answer for the rest. Excludes --by time, whose buckets also count the intervals in
 * flight.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GROUPS_KEPT_H
#define SWT_DECODER_REPORT_QUERY_GROUPS_KEPT_H

#include "../report.h"

/* Reads r->trace by r->by into *p. Returns as groups_read. */
int groups_kept_read(struct report *r, struct partial *p);
/* Joins the answers of *p into one. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: damaged. */
int groups_kept_settle(struct partial *p);
/* Prints the summary or histogram by r->by, which *p was made with. Returns likewise, and notes
 * damage. */
int groups_kept_print(struct report *r, enum report_kind kind, const struct partial *p);

#endif
