#include "own_costs.h"

#include <inttypes.h>

int own_costs_find(
	struct interval_stream *s, bool known[OWN_COSTS], struct report_children_lost *lost)
{
	const struct interval *iv;
	int rc = interval_stream_rewind(s);

	for (unsigned i = 0; i < OWN_COSTS; i++)
		known[i] = true;
	while (rc >= 0 && (rc = interval_stream_next(s, &iv)) > 0) {
		if (iv->flags & IV_OPEN)
			continue;
		known[OWN_THREAD_CYCLES] &= iv->thread_cycles != NOT_MEASURED;
		known[OWN_THREAD_INSTRUCTIONS] &= iv->thread_instructions != NOT_MEASURED;
		known[OWN_OFF_CPU] &= iv->off_cpu_ns != NOT_MEASURED;
		report_count_children_lost(lost, iv);
	}
	return rc < 0 ? rc : 0;
}

void own_costs_note_open(struct report *r, uint64_t open)
{
	if (open)
		report_note(r, "%" PRIu64 " open interval%s left out: sums are of those that ended",
			open, open == 1 ? " is" : "s are");
}

/*
 * The lane of the parent's slice, and its index in lane->open: on any lane, as an overlapping
 * interval may have its parent on another one. own: the lane whose innermost slice is the interval
 * itself. NULL: it has none, or it is over.
 */
static const struct lane *own_costs_find_parent(
	const struct lane_thread *t, const struct lane *own, int64_t parent, size_t *at)
{
	for (size_t i = 0; parent >= 0 && i < t->count; i++) {
		const struct lane *l = &t->lanes[i];

		for (*at = l->count - (l == own); (*at)-- > 0;)
			if (l->open[*at].place == parent)
				return l;
	}
	return NULL;
}

struct own_frame *own_costs_begin(
	const struct lane_thread *t, const struct lane *l, const struct interval *iv, uint64_t time)
{
	struct own_frame *frame = own_costs_frame(l);
	size_t at;
	const struct lane *of = own_costs_find_parent(t, l, iv->parent, &at);
	struct own_frame *parent = of ? (struct own_frame *)of->slices + at : NULL;

	frame->under = parent ? parent->node : *(const uint32_t *)t->own;
	if (iv->flags & IV_OPEN)
		return frame;
	const uint64_t cost[OWN_COSTS] = {
		1, time, iv->thread_cycles, iv->thread_instructions, iv->off_cpu_ns};
	memcpy(frame->cost, cost, sizeof cost);
	for (unsigned i = OWN_TIME; parent && i < OWN_COSTS; i++)
		parent->nested[i] += cost[i];
	return frame;
}
