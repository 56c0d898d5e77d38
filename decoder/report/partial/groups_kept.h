/*
 * Groups of partial results of --by and --exact. A tally has the groups, with --by named by the
 * keys' values (by.h). An answer has the rest: the values of --exact, and with --by time the starts
 * and ends.
 */
#ifndef SWT_DECODER_REPORT_PARTIAL_GROUPS_KEPT_H
#define SWT_DECODER_REPORT_PARTIAL_GROUPS_KEPT_H

#include "../report.h"

/* Reads r->trace by r->by, or by label and minor, into *p. Returns as groups_read. */
int groups_kept_read(struct report *r, struct partial *p);
/* Joins the answers of *p, several, into one. 0 or a CPIDECODE_E code; CPIDECODE_EINVAL: damaged.
 */
int groups_kept_settle(struct partial *p);
/* Prints the summary or histogram of *p, which was made with r->by and r->exact. Returns the same,
 * and notes damage. */
int groups_kept_print(struct report *r, enum report_kind kind, const struct partial *p);

#endif
