/* How long an interval was, for sums and counts: exact however long. */
#ifndef SWT_DECODER_MODEL_INTERVALS_ELAPSED_H
#define SWT_DECODER_MODEL_INTERVALS_ELAPSED_H

#include "../../base/exact.h"
#include "../trace/model.h"

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
