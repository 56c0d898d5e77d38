/*
 * Each ring's hooks and losses in a round, its fill level and the drain's lag: from positions, the
 * rings' counters and the control page.
 */
#ifndef SWT_CMD_TOP_RINGS_H
#define SWT_CMD_TOP_RINGS_H

#include "../../trigger/watch.h"

struct top_ring {
	uint32_t id;
	/* In the round; missed: overwritten, or passed over, before they were read. */
	uint64_t hooks, missed, bytes, lost;
	/* Since the start; lost_ever: since init or the last discard. */
	uint64_t all_hooks, all_missed, all_bytes, all_lost, lost_ever;
	double full; /* share of the ring */
	/* Continuous mode: what the drain has not read yet. NAN: n/a. */
	uint64_t lag_bytes;
	double lag_s;
	/* The watch's figures at the start of the round, and the ring's losses since init. */
	uint64_t seen0, missed0, position0, lost0;
};

struct top_rings {
	struct top_ring *ring;
	uint32_t count;
	struct top_ring sum; /* full: of the fullest; lag_s: of the furthest behind */
	bool drained;	     /* a drain runs */
};

/* Nothing was written to it. */
static inline bool top_ring_is_quiet(const struct top_ring *r)
{
	return r->all_hooks == 0 && r->lost_ever == 0 && r->full <= 0;
}

bool top_rings_open(struct top_rings *r, struct watch *w);
void top_rings_close(struct top_rings *r);
/* Figures of the round that ends now; the next one begins. `s` is the watched session. */
void top_rings_close_round(struct top_rings *r, struct watch *w, struct session *s);

#endif
