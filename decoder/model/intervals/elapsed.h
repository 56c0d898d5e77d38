/* How long an interval was, for sums and counts: exact however long. */
#ifndef SWT_DECODER_MODEL_INTERVALS_ELAPSED_H
#define SWT_DECODER_MODEL_INTERVALS_ELAPSED_H

#include "../../base/exact.h"
#include "../trace/clock/clock.h"
#include "../trace/trace.h"

/* elapsed_ns and long_ns, from the ticks. */
static inline void elapsed_set_ns(struct interval *iv, const struct trace_file *f)
{
	iv->elapsed_ns = clock_duration_ns(f->clock, iv->elapsed);
	/* Where a double is exact enough, without a call. */
	iv->long_ns = iv->elapsed_ns < 0x1p52 ? 0 : trace_long_ns(f, iv->elapsed, iv->elapsed_ns);
}

static inline uint64_t elapsed_whole_ns(const struct interval *iv)
{
	return iv->long_ns ? iv->long_ns : exact_round(iv->elapsed_ns);
}

/* In parts of a nanosecond. */
static inline exact_sum elapsed_exact(const struct interval *iv)
{
	return iv->long_ns ? (exact_sum)iv->long_ns * EXACT_PER_NS : exact_time(iv->elapsed_ns);
}

#endif
