/*
 * Which intervals a report is about: those that its filter and its --where select.
 *
 * A report that reads intervals as they come asks select_interval. If r->where->nests, it reads
 * them by an interval_stream with the query of a lineage.
 *
 * decoder/report/query owns which intervals a report is about, and how it groups them. It includes
 * report, base, hooks, model, partial and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_QUERY_SELECT_H
#define SWT_DECODER_REPORT_QUERY_SELECT_H

#include "../../model/intervals/stream.h"
#include "where.h"

/* Whether nothing was asked for: every interval is selected. */
bool select_takes_all(const struct report *r);
/* The parts of intervals that select_interval wants: enum interval_want. */
unsigned select_wants(const struct report *r);
/* Whether it needs the hooks' times, and their tasks. */
bool select_asks_time(const struct report *r);
bool select_asks_task(const struct report *r);
/* By the filter, and by a --where that asks no other intervals. On any thread. */
bool select_interval(const struct report *r, const struct interval *iv);

/* Sets how a report of single intervals reads them: with open ones and costs. Leaves filter, ctx,
 * wants and query to the caller. */
void select_stream(struct interval_stream_options *how, const struct report *r);

static inline bool select_nests(const struct report *r)
{
	return r->where && r->where->nests;
}

#endif
