/* Where an interval's parent is among the open slices of its thread. */
#ifndef SWT_DECODER_REPORT_EXPORT_PARENTS_H
#define SWT_DECODER_REPORT_EXPORT_PARENTS_H

#include "lanes.h"

/*
 * The lane of the parent's slice, and its index in lane->open: on any lane, as an overlapping
 * interval may have its parent on another one. own: the lane whose innermost slice is the interval
 * itself. NULL: it has none, or it is over.
 */
static inline const struct lane *parents_find(
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

#endif
