#include "losses.h"

#include "../../formats/base/compare.h"

void losses_add_ring(
	struct losses *l, const struct trace_ring *ring, const struct hook_counts *counts)
{
	uint64_t explained = 0, torn = ring->torn;

	if (ring->has_loss) {
		l->full += ring->loss_full;
		l->big += ring->loss_big;
		l->held += ring->loss_held;
		l->no_guest += ring->loss_no_guest;
		l->overwritten += ring->overwritten;
		l->skipped += ring->skipped;
		explained =
			ring->loss_full + ring->loss_big + ring->loss_held + ring->loss_no_guest;
		torn = max_u64(torn, ring->loss_torn);
	}
	if (ring->has_causes) {
		l->no_slot += ring->no_slot;
		l->no_memory += ring->no_memory;
		l->unattached += ring->unattached;
		l->unwritten += ring->unwritten;
		explained += ring->no_slot + ring->no_memory + ring->unattached;
	}
	/* Sections, LOSS and CAUSES count the same hooks; a trace cut off early has no LOSS. */
	if (ring->lost > explained)
		l->unexplained += ring->lost - explained;
	l->torn += counts ? max_u64(torn, counts->torn) : torn;
}

struct losses losses_of_file(const struct trace_file *f, const struct findings *found)
{
	struct losses l = {0};

	for (size_t i = 0; i < f->nrings; i++)
		losses_add_ring(&l, &f->rings[i], findings_ring(found, f->index, i));
	return l;
}

uint64_t losses_lost(const struct losses *l)
{
	return l->full + l->big + l->held + l->no_guest + l->no_slot + l->no_memory +
	       l->unattached + l->unwritten + l->unexplained;
}

uint64_t losses_count(const struct trace *t, const struct findings *found)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		struct losses l = losses_of_file(trace_file(t, i), found);

		lost += losses_lost(&l) + l.torn;
	}
	return lost;
}
