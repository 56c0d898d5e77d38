/* Which interval of a thread stands in which. */
#ifndef SWT_DECODER_NESTING_H
#define SWT_DECODER_NESTING_H

#include "model.h"

/* What nesting needs of an interval, also of one that the filter leaves out. */
struct nest_node {
	uint64_t start, end; /* ticks */
	uint64_t position;
	uint32_t machine, tid, ring, file;
	int64_t index; /* of the interval in the set, -1: left out */
};

/*
 * Sorts the nodes and sets depth and parent (an index as in the nodes) of those
 * intervals that are in the set.
 */
int nest(struct nest_node *nodes, size_t n, struct interval *intervals);

#endif
