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

/* Starts zeroed. */
struct nested_cost {
	struct thread_stacks threads;
	struct spill sums; /* uint64_t, ticks, by place; NOT_MEASURED: unknown */
	uint64_t added;
};

/* Makes room for that many places. 0, CPIDECODE_ENOMEM, or ESPOOL with errno set. */
int nested_cost_begin(struct nested_cost *c, uint64_t places);
/* The next interval, in the order that nesting_add needs. pair: its ticks, or NOT_MEASURED. 0 or
 * CPIDECODE_ENOMEM. */
int nested_cost_add(struct nested_cost *c, const struct nest_key *key, uint64_t pair);
/* After the last one: the sums are complete. */
void nested_cost_end(struct nested_cost *c);
/* In ticks; NOT_MEASURED: neither that interval nor one nested in it has its cost. */
uint64_t nested_cost_get(struct nested_cost *c, int64_t place);
void nested_cost_free(struct nested_cost *c);

#endif
