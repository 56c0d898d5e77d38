/*
 * What the calling thread did so far: the time it ran, its context switches, migrations and
 * page faults. Of perf's software events where the rights are enough to count them in the
 * kernel (where they happen), else of getrusage and the thread's clock; what neither tells
 * is CPI_NONE.
 */
#ifndef SWT_COUNTERS_LIFE_H
#define SWT_COUNTERS_LIFE_H

#include "sample.h"

struct thread_self;

/* Opens what the thread needs, once, which ends with the thread (struct thread_group); reads.
 * Of the calling thread only. */
void life_read(struct thread_self *self, struct counter_life *life);

/* to - from, each; CPI_NONE where either was not read. */
void life_difference(
	const struct counter_life *from, const struct counter_life *to, struct counter_life *out);

#endif
