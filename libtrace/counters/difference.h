/*
 * Parts of differences of two samples. Private to this room; pure functions.
 */
#ifndef SWT_COUNTERS_DIFFERENCE_H
#define SWT_COUNTERS_DIFFERENCE_H

#include "sample.h"

static inline uint64_t difference_subtract_clamped(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* The share of its enabled time that a group ran. */
struct span {
	uint64_t enabled, running;
};

static inline struct span difference_span(const struct counter_cpu *a, const struct counter_cpu *b)
{
	return (struct span){difference_subtract_clamped(a->enabled, b->enabled),
		difference_subtract_clamped(a->running, b->running)};
}

/* Scales a count from the running time to the enabled time. */
uint64_t difference_scale_count(uint64_t from, uint64_t to, struct span s);

/* A processor that the sample does not reach is one that is offline. */
const struct counter_cpu *difference_find_cpu(const struct counter_sample *s, uint32_t cpu);

/* Whether it was online at both ends and all the time between, by its counters or else the
 * kernel. */
bool difference_is_continuous(const struct counter_cpu *a, const struct counter_cpu *b);

#endif
