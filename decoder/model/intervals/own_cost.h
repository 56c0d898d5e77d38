/*
 * The library's own cost in an interval, as the program that wrote it calibrated it: own_inside of
 * its own start and end, and own_nested, the pairs of the intervals nested in it.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_OWN_COST_H
#define SWT_DECODER_MODEL_INTERVALS_OWN_COST_H

#include "../trace/trace.h"

/* The known part, in ticks. */
static inline uint64_t own_cost_of(const struct interval *iv)
{
	uint64_t inside = iv->own_inside == NOT_MEASURED ? 0 : iv->own_inside;
	uint64_t nested = iv->own_nested == NOT_MEASURED ? 0 : iv->own_nested;

	return inside > UINT64_MAX - nested ? UINT64_MAX : inside + nested;
}

/* Sets or clears IV_OWN_COST. */
static inline void own_cost_flag(struct interval *iv)
{
	iv->flags &= ~(uint32_t)IV_OWN_COST;
	if (own_cost_of(iv) > iv->elapsed / OWN_COST_MUCH)
		iv->flags |= IV_OWN_COST;
}

/*
 * Subtracts it from the elapsed time and the time on a processor, neither of which gets below 0.
 * Start, end and counts stay.
 */
void own_cost_subtract(struct interval *iv, const struct trace *t);

#endif
