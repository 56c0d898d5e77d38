/*
 * Groups by the keys of --by in partial results: a tally whose groups are named by the keys' values
 * (by.h), and an answer for what it does not tell. Not of time, whose buckets also count what was
 * in flight.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GROUPS_KEPT_H
#define SWT_DECODER_REPORT_QUERY_GROUPS_KEPT_H

#include "../report.h"

/* Reads r->trace by r->by into *p. As groups_read. */
int groups_kept_read(struct report *r, struct partial *p);
/* Makes one answer of several. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: they are damaged. */
int groups_kept_settle(struct partial *p);
/* The summary or the histogram by r->by, which *p was made with. Likewise; it is noted. */
int groups_kept_print(struct report *r, enum report_kind kind, const struct partial *p);

#endif
