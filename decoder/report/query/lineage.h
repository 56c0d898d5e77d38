/*
 * Conditions that ask other intervals (where.h): the walks of an interval_query. The selections of
 * the intervals around are on a stack of each thread, parents first. The intervals nested in one
 * are known when it is popped, so contains(), self_ns and own_nested_ns need a walk of their own.
 * Its results spill to a file: whether each interval is selected, or, if the condition asks for
 * contents of an interval around, what is known of them. Reports that need no order do without the
 * walks (lineage_backward.h).
 */
#ifndef SWT_DECODER_REPORT_QUERY_LINEAGE_H
#define SWT_DECODER_REPORT_QUERY_LINEAGE_H

#include "lineage_facts.h"
#include "select.h"

/* *q and *l are to live as long as the query is used. w->nests is true. */
void lineage_init(
	struct lineage *l, const struct where *w, const struct trace *t, struct interval_query *q);
/* The same with the --where of a report. NULL: it asks about no other intervals. */
static inline const struct interval_query *lineage_query(
	struct lineage *l, const struct report *r, struct interval_query *q)
{
	if (!select_nests(r))
		return NULL;
	lineage_init(l, r->where, r->trace, q);
	return q;
}

void lineage_free(struct lineage *l);

#endif
