/*
 * Conditions that ask other intervals (where.h): the walks of an interval_query. The selections of
 * the intervals around are on a stack of each thread, parents first. The intervals nested in one
 * are known when it is popped, so contains(), self_ns and own_nested_ns need a walk of their own.
 * Its results spill to a file: whether each interval is selected, or, if the condition asks for
 * contents of an interval around, what is known of them.
 */
#ifndef SWT_DECODER_REPORT_QUERY_LINEAGE_H
#define SWT_DECODER_REPORT_QUERY_LINEAGE_H

#include "../../base/spill.h"
#include "../../model/intervals/stream.h"
#include "select.h"

struct lineage {
	const struct where *where;
	const struct trace *trace;
	struct thread_stacks threads;
	/* Of each interval, in order of the walks: struct lineage_inside, or bool. */
	struct spill inside;
	uint64_t at; /* the next interval of the walk */
	bool gathering;
	/* Facts that the condition needs; the others are not computed. */
	bool asks_depth, asks_self, asks_cost;
	uint64_t under, contains; /* bits of calls */
};

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
