/*
 * Sums of the costs of the intervals nested in each (own_pair). A parent comes before its children,
 * so this needs a walk of its own over all intervals; the sums spill to a file like the intervals.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_NESTED_COST_H
#define SWT_DECODER_MODEL_INTERVALS_NESTED_COST_H

#include "../../base/spill.h"
#include "../trace/model.h"
#include "nesting.h"
#include "thread_stacks.h"

/* An interval that may contain later ones, and the costs in it so far. */
struct nested_sum {
	uint64_t pair, nested;
	bool has_cost; /* it, or one nested in it, has its cost */
};

static inline void nested_sum_begin(struct nested_sum *sum, const struct nest_key *key)
{
	sum->has_cost = key->pair != NOT_MEASURED;
	sum->pair = sum->has_cost ? key->pair : 0;
	sum->nested = 0;
}

/* Adds one that is nested in it, after all that is nested in that. */
static inline void nested_sum_add(struct nested_sum *outer, const struct nested_sum *own)
{
	const uint64_t sum = own->nested + own->pair;

	outer->nested = sum > UINT64_MAX / 2 - outer->nested ? UINT64_MAX / 2 : outer->nested + sum;
	outer->has_cost |= own->has_cost;
}

/* In ticks; NOT_MEASURED: neither that interval nor one nested in it has its cost. */
static inline uint64_t nested_sum_get(const struct nested_sum *own)
{
	return own->has_cost ? own->nested : NOT_MEASURED;
}

/* Starts zeroed. */
struct nested_cost {
	struct thread_stacks threads;
	struct spill sums; /* uint64_t, ticks, by place; NOT_MEASURED: unknown */
	uint64_t added;
};

/* Makes room for that many places. 0, CPIDECODE_ENOMEM, or ESPOOL with errno set. */
int nested_cost_begin(struct nested_cost *c, uint64_t places);
/* The next interval, in the order that nesting_add needs. 0 or CPIDECODE_ENOMEM. */
int nested_cost_add(struct nested_cost *c, const struct nest_key *key);
/* After the last one: the sums are complete. */
void nested_cost_end(struct nested_cost *c);
/* nested_sum_get of the interval at that place. */
uint64_t nested_cost_get(struct nested_cost *c, int64_t place);
void nested_cost_free(struct nested_cost *c);

#endif
