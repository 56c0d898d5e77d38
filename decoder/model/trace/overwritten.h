/*
 * Which intervals may lack nested ones, because newer hooks overwrote them. A group is written when
 * its interval ends, so in wrap mode a child is overwritten before its parent: an interval that
 * began before the oldest hook left in a ring may have lost children there.
 *
 * A thread may have moved between processors, so the ring that counts is the one, of all that
 * overwrote hooks, whose oldest hook is the latest. Of a thread known to have stayed on its
 * processor only that processor's ring counts, and guest rings, which any thread may use.
 */
#ifndef SWT_DECODER_MODEL_TRACE_OVERWRITTEN_H
#define SWT_DECODER_MODEL_TRACE_OVERWRITTEN_H

#include "trace.h"

/* A ring that lacks hooks before its oldest one. */
struct overwritten_ring {
	uint32_t machine, ring;
	uint64_t oldest; /* ticks */
};

/* Starts zeroed. */
struct overwritten {
	/* By machine: the latest `oldest` of all these rings, and of the guest rings; 0: there is
	 * none. NULL: of no machine. */
	uint64_t *all, *guests;
	struct overwritten_ring *rings; /* by machine and ring */
	size_t nrings;
};

/* Finds them in a trace to which all files were added. 0 or CPIDECODE_ENOMEM. */
int overwritten_find(struct overwritten *o, const struct trace *t);
void overwritten_free(struct overwritten *o);

/* The same for an interval of a thread that stayed on that ring's processor. */
bool overwritten_on_ring(
	const struct overwritten *o, uint32_t machine, uint32_t ring, uint64_t start);

/*
 * Whether children of an interval may be missing, by its start. stayed: its thread is known not to
 * have left the processor.
 */
static inline bool overwritten_after(
	const struct overwritten *o, uint32_t machine, uint32_t ring, bool stayed, uint64_t start)
{
	if (!o->all || start >= o->all[machine])
		return false;
	return !stayed || overwritten_on_ring(o, machine, ring, start);
}

#endif
