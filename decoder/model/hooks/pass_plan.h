/* Cuts a trace into the slices of a pass, depending only on the trace, the range and
 * slice_bytes. */
#ifndef SWT_DECODER_MODEL_HOOKS_PASS_PLAN_H
#define SWT_DECODER_MODEL_HOOKS_PASS_PLAN_H

#include "hook_iter.h"
#include "pass.h"

struct pass_batch {
	uint32_t file, ring;
	size_t begin, end; /* sections of the ring */
};

/* Starts zeroed. */
struct pass_plan {
	size_t slices;
	uint64_t stored; /* bytes of the sections that will be read */
	uint64_t held;	 /* bytes of sections that one slice may hold at a time */
	uint64_t *cuts;	 /* ordered: the starts of slices 1... */
	size_t ncuts, cuts_cap;
	bool by_time; /* cuts are times (cut_by_time), else ticks, which all files share */
	struct pass_batch *batches; /* not ordered: one slice each */
	size_t batches_cap;
};

int pass_plan_make(struct pass_plan *plan, const struct pass *p);
/* Positions the iterator at a slice. keys: room for one per file of the trace. */
void pass_plan_start(const struct pass_plan *plan, const struct trace *t, size_t slice,
	struct hook_iter *it, struct tick_range *keys);
/* The end of the range of a slice's stamps. Only a plan with batches has it. */
uint64_t pass_plan_last_tick(const struct pass_plan *plan, const struct trace *t, size_t slice);
void pass_plan_free(struct pass_plan *plan);

#endif
