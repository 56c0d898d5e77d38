#include "cost.h"

#include "../../../formats/scope_hooks.h"
#include "typical.h"

struct scope_cost scope_costs[SCOPE_COST_KINDS];

static uint32_t scope_cost_cut(uint64_t ticks)
{
	return ticks < INT32_MAX ? (uint32_t)ticks : INT32_MAX;
}

uint64_t scope_cost_of_begin(uint64_t entered, uint64_t start)
{
	const uint64_t left = clock_read();

	return (uint64_t)scope_cost_cut(start - entered) << 32 | scope_cost_cut(left - start) | 1;
}

static uint32_t scope_cost_typical(const uint32_t samples[SCOPE_COST_SAMPLES])
{
	uint32_t copy[SCOPE_COST_SAMPLES];

	for (int i = 0; i < SCOPE_COST_SAMPLES; i++)
		copy[i] = __atomic_load_n(&samples[i], __ATOMIC_RELAXED);
	return typical_of(copy, SCOPE_COST_SAMPLES);
}

/* The cost of reading the clock. */
static uint32_t scope_cost_of_clock(void)
{
	enum { READINGS = 64 };
	uint32_t took[SCOPE_COST_SAMPLES];

	for (int i = 0; i < SCOPE_COST_SAMPLES; i++) {
		const uint64_t before = clock_read();

		for (int n = 1; n < READINGS; n++)
			clock_read();
		took[i] = scope_cost_cut(clock_read() - before);
	}
	return typical_of(took, SCOPE_COST_SAMPLES) / READINGS;
}

/* Subtracts what sampling added: a sample reads the clock two more times, one of them between its
 * start and its stamp. */
static void scope_cost_settle(struct scope_cost *c)
{
	const uint32_t clock = scope_cost_of_clock();
	uint32_t inside = scope_cost_typical(c->inside), pair = scope_cost_typical(c->pair);

	inside = inside > clock ? inside - clock : 1;
	pair = pair > 2 * clock ? pair - 2 * clock : 1;
	if (pair < inside)
		pair = inside;
	if (inside <= SCOPE_OWN_INSIDE_MAX && pair <= SCOPE_OWN_PAIR_MAX)
		__atomic_store_n(&c->known,
			inside << SCOPE_OWN_INSIDE_SHIFT | pair << SCOPE_OWN_PAIR_SHIFT,
			__ATOMIC_RELAXED);
}

void scope_cost_add(unsigned kind, uint64_t begin, uint64_t entered, uint64_t stamp, uint64_t left)
{
	struct scope_cost *c = &scope_costs[kind];
	const uint64_t before = begin >> 32, tail = (uint32_t)begin;
	/* A signal handler's hook or a section switch may have moved the stamp out of [entered,
	 * left]. */
	const uint64_t until = stamp > entered ? stamp - entered : 0;
	const uint32_t n = __atomic_fetch_add(&c->taken, 1, __ATOMIC_RELAXED);

	if (n >= SCOPE_COST_SAMPLES)
		return;
	__atomic_store_n(&c->inside[n], scope_cost_cut(tail + until), __ATOMIC_RELAXED);
	__atomic_store_n(
		&c->pair[n], scope_cost_cut(before + tail + left - entered), __ATOMIC_RELAXED);
	/* Acquire, release: the last thread to store sees the samples of all others. */
	if (__atomic_add_fetch(&c->stored, 1, __ATOMIC_ACQ_REL) == SCOPE_COST_SAMPLES)
		scope_cost_settle(c);
}
