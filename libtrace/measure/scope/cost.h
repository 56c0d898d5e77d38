/*
 * A light interval's cost to its program: measured once a process for each kind of interval, and
 * written to the hooks' word `known` from then on. The first intervals of a kind are the samples:
 * the clock is read at both ends of their begin and of their end, too.
 */
#ifndef SWT_MEASURE_SCOPE_COST_H
#define SWT_MEASURE_SCOPE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/clock.h"

/* Or'ed. */
enum scope_cost_kind {
	SCOPE_COST_BEGUN = 1,  /* by SwtraceBegin */
	SCOPE_COST_KEPT = 2,   /* with arguments, or a label as text */
	SCOPE_COST_BEGINS = 4, /* with a begin hook */
	SCOPE_COST_KINDS = 8,
};

enum { SCOPE_COST_SAMPLES = 16 };

struct scope_cost {
	uint32_t known; /* bits of the hooks' word; 0: not measured yet, or too much for them */
	uint32_t taken, stored;
	uint32_t inside[SCOPE_COST_SAMPLES], pair[SCOPE_COST_SAMPLES];
};

extern struct scope_cost scope_costs[SCOPE_COST_KINDS] __attribute__((visibility("hidden")));

/* For the hooks' word. */
static inline uint32_t scope_cost_known(unsigned kind)
{
	return __atomic_load_n(&scope_costs[kind].known, __ATOMIC_RELAXED);
}

static inline bool scope_cost_is_sampled(unsigned kind)
{
	return __builtin_expect(scope_cost_known(kind) == 0, 0) &&
	       __atomic_load_n(&scope_costs[kind].taken, __ATOMIC_RELAXED) < SCOPE_COST_SAMPLES;
}

/* A begin's cost in ticks, in one word that is not 0: before its start and until it returned.
 */
uint64_t scope_cost_of_begin(uint64_t entered, uint64_t start);

/* begin: of scope_cost_of_begin. entered, stamp, left: of the end, the stamp being the hook's. The
 * last sample makes the cost known. */
void scope_cost_add(unsigned kind, uint64_t begin, uint64_t entered, uint64_t stamp, uint64_t left);

#endif
