/*
 * An interval's cost to its program: measured once a process for each mode of instances, and
 * written to the time hooks from then on. The first intervals that are written while tracing is on
 * are the samples.
 */
#ifndef SWT_MEASURE_CPI_OWN_COST_H
#define SWT_MEASURE_CPI_OWN_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ticks of the clock; 0: not known yet. */
struct own_cost {
	uint32_t inside; /* the elapsed time of an empty interval */
	uint32_t pair;	 /* cost of its start and end together */
};

enum { OWN_COST_SAMPLES = 16 };

struct own_calibration {
	struct own_cost cost;
	/* Ticks from the end of an interval until its hooks are written. */
	uint32_t taken, stored, rest[OWN_COST_SAMPLES];
};

/* The cost of instances of this mode (CPI_TYPE_), once the source of counters is chosen; lives as
 * long as the process. With scripted counters it stays unknown. */
struct own_calibration *own_cost_of_mode(uint32_t mode);

/* 0: not known yet. */
static inline uint32_t own_cost_pair(const struct own_calibration *c)
{
	/* Acquire: pairs with the release in own_cost_add_rest; `inside` was stored before. */
	return __atomic_load_n(&c->cost.pair, __ATOMIC_ACQUIRE);
}

/* NULL: not known yet. */
static inline const struct own_cost *own_cost_known(const struct own_calibration *c)
{
	return own_cost_pair(c) ? &c->cost : NULL;
}

/* Sorts the samples. */
void own_cost_set_inside(struct own_calibration *c, uint32_t sample[OWN_COST_SAMPLES]);
/* The last sample makes the cost known. */
void own_cost_add_rest(struct own_calibration *c, uint64_t ticks);

static inline bool own_cost_needs_inside(const struct own_calibration *c)
{
	return __atomic_load_n(&c->cost.inside, __ATOMIC_RELAXED) == 0;
}

/* After `inside`: it may lack if tracing was turned on within the interval. */
static inline bool own_cost_needs_rest(const struct own_calibration *c)
{
	return __atomic_load_n(&c->taken, __ATOMIC_RELAXED) < OWN_COST_SAMPLES &&
	       !own_cost_needs_inside(c);
}

#endif
