/*
 * Figures of intervals without those nested in them, for exports of sums. The writer's data of a
 * slice is its frame, and of a thread a uint32_t: the node of its outermost intervals' parent.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_OWN_COSTS_H
#define SWT_DECODER_REPORT_EXPORT_OWN_COSTS_H

#include "../../model/intervals/stream.h"
#include "../report.h"
#include "lanes.h"

enum own_cost {
	OWN_COUNT, /* 1; not less the nested ones */
	OWN_TIME,  /* ns */
	OWN_THREAD_CYCLES,
	OWN_THREAD_INSTRUCTIONS,
	OWN_OFF_CPU, /* ns */
	OWN_COSTS,
};

struct own_frame {
	uint32_t node;	/* the writer's; 0: none, as memory ran out at its begin */
	uint32_t under; /* its parent's */
	uint64_t cost[OWN_COSTS], nested[OWN_COSTS];
};

/*
 * A cost that some interval lacks would be wrong in every sum: finds those that all
 * intervals have that ended, and counts intervals that may lack overwritten children. 0 or a code.
 */
int own_costs_find(
	struct interval_stream *s, bool known[OWN_COSTS], struct report_children_lost *lost);
/* Tells how many open intervals the sums leave out, unless there are none. */
void own_costs_note_open(struct report *r, uint64_t open);

/* The frame of the lane's innermost slice. */
static inline struct own_frame *own_costs_frame(const struct lane *l)
{
	return (struct own_frame *)l->slices + l->count - 1;
}

/* Fills it in, but for its node. Costs of an open interval are 0. */
struct own_frame *own_costs_begin(const struct lane_thread *t, const struct lane *l,
	const struct interval *iv, uint64_t time);

/* The interval's cost without that of the intervals nested in it. */
static inline uint64_t own_costs_rest(const struct own_frame *f, enum own_cost i)
{
	return f->cost[i] > f->nested[i] ? f->cost[i] - f->nested[i] : 0;
}

#endif
