#include "own_cost.h"

#include "../../../include/perfutil.h"
#include "../../counters/source.h"
#include "../scope/typical.h"

struct own_calibration *own_cost_of_mode(uint32_t mode)
{
	static struct own_calibration of[8];
	/* Additional readings would advance scripted counters. */
	static struct own_calibration never = {.cost.inside = 1, .taken = OWN_COST_SAMPLES};
	uint32_t flags;

	if (counters_tell_source(&flags) == SHM_SOURCE_SCRIPTED)
		return &never;
	return &of[(mode & CPI_TYPE_SCALED ? 1 : 0) | (mode & CPI_TYPE_ONTHREAD ? 2 : 0) |
		   (mode & CPI_TYPE_TRACE_QUALITY ? 4 : 0)];
}

/* 0 means unknown. */
static uint32_t own_cost_typical(uint32_t sample[OWN_COST_SAMPLES])
{
	const uint32_t ticks = typical_of(sample, OWN_COST_SAMPLES);

	return ticks ? ticks : 1;
}

void own_cost_set_inside(struct own_calibration *c, uint32_t sample[OWN_COST_SAMPLES])
{
	__atomic_store_n(&c->cost.inside, own_cost_typical(sample), __ATOMIC_RELAXED);
}

void own_cost_add_rest(struct own_calibration *c, uint64_t ticks)
{
	uint32_t n = __atomic_fetch_add(&c->taken, 1, __ATOMIC_RELAXED);
	uint32_t sample[OWN_COST_SAMPLES];

	if (n >= OWN_COST_SAMPLES)
		return;
	__atomic_store_n(&c->rest[n], ticks < UINT32_MAX / 2 ? (uint32_t)ticks : UINT32_MAX / 2,
		__ATOMIC_RELAXED);
	/* The last thread to store sees all samples. */
	if (__atomic_add_fetch(&c->stored, 1, __ATOMIC_ACQ_REL) != OWN_COST_SAMPLES)
		return;
	for (int i = 0; i < OWN_COST_SAMPLES; i++)
		sample[i] = __atomic_load_n(&c->rest[i], __ATOMIC_RELAXED);
	__atomic_store_n(
		&c->cost.pair, c->cost.inside + own_cost_typical(sample), __ATOMIC_RELEASE);
}
