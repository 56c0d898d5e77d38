/*
 * Selects the intervals of one machine by others of their thread, in one pass and without a file:
 * reads the trace from its end to its start. An interval ends no later than those around it, so a
 * query meets these first; and once its thread's intervals end before it starts, it has met all
 * that are nested in it, too. What waits for that is an interval or so for each level of nesting.
 *
 * Slices come by the ends of their ranges of stamps, each on any thread; one at a time merges
 * them, in their turns.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_BACKWARD_H
#define SWT_DECODER_MODEL_INTERVALS_BACKWARD_H

#include "stream.h"

/* The trace is not in the order of its stamps, or too much of it would have to be held. */
#define INTERVAL_BACKWARD_UNSUITED 1

/* Whether it suits the trace and a query, as far as known before reading. */
bool interval_backward_suits(const struct trace *t, const struct interval_query *q);
/*
 * Calls visit, for one interval at a time, with each selected one, in an order that depends on the
 * trace alone. Options as for a stream: by_machine, unnested, from the trace's start, and without
 * costs and open ones. *found, unless NULL, starts zeroed. 0, a negative code, or
 * INTERVAL_BACKWARD_UNSUITED: some were visited perhaps; read a stream instead.
 */
int interval_backward_each(const struct trace *t, const struct interval_stream_options *options,
	int (*visit)(void *ctx, const struct interval *iv), void *ctx, struct findings *found);

#endif
