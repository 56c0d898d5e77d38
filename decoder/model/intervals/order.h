/* Breaks ties between intervals with equal keys, the same way in all sorts and searches. */
#ifndef SWT_DECODER_MODEL_INTERVALS_ORDER_H
#define SWT_DECODER_MODEL_INTERVALS_ORDER_H

#include "../../../formats/base/compare.h"
#include "../trace/model.h"

/* Unique to an interval. */
struct interval_order {
	uint64_t start, position; /* start: ticks */
	uint32_t machine, ring, file;
};

static inline struct interval_order interval_order_of(const struct interval *iv)
{
	return (struct interval_order){.start = iv->start_ticks,
		.position = iv->position,
		.machine = iv->machine,
		.ring = iv->ring,
		.file = iv->file};
}

static inline int interval_order_compare(
	const struct interval_order *a, const struct interval_order *b)
{
	int c = compare_u64_pair(a->machine, b->machine, a->start, b->start);

	if (!c)
		c = compare_u64_pair(a->ring, b->ring, a->position, b->position);
	return c ? c : compare_u64(a->file, b->file);
}

#endif
