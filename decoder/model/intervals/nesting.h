/* Nesting: which interval of a thread contains which. */
#ifndef SWT_DECODER_MODEL_INTERVALS_NESTING_H
#define SWT_DECODER_MODEL_INTERVALS_NESTING_H

#include "../trace/model.h"
#include "thread_stacks.h"

/*
 * Depths, for intervals that come by machine, start (those that began before tick 0
 * first), longer first, then in the order of the trace. Starts zeroed.
 */
struct nesting {
	struct thread_stacks threads;
	/* Keeps nesting_renumber from dropping stacks: once a clock was set back, an interval may
	 * begin after the time at which its parent ended. */
	bool keeps;
};

/*
 * The next interval: start and end in ticks; era as in struct interval_record; place: among
 * those handed out, -1: it is not. pair: its own_pair.
 */
struct nest_key {
	uint32_t era, tid;
	uint64_t start, end, pair;
	int64_t place;
	uint32_t name; /* of interval_stream_options; 0: none */
	struct interval_hook hook;
};

/* The interval's containers. */
struct nest_found {
	uint32_t depth;
	int64_t parent;		   /* the place of the innermost one handed out, or -1 */
	struct interval_hook hook; /* of the innermost one, handed out or not; of a depth above 0 */
	uint32_t name;		   /* the same; 0: none */
};

int nesting_add(struct nesting *n, const struct nest_key *key, struct nest_found *found);
/* Empties all stacks. */
void nesting_free(struct nesting *n);

/*
 * Instead, for several machines' intervals in order of CLOCK_REALTIME: iv->place and iv->parent are
 * indexes in the order in which depths were found. Replaces them by those in this order, in which
 * iv has `index`. A parent that comes later, as a clock was set back, is -1.
 */
int nesting_renumber(struct nesting *n, struct interval *iv, int64_t index);

#endif
