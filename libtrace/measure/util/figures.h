/*
 * The figures of an interval, from its counts. Pure.
 */
#ifndef SWT_MEASURE_UTIL_FIGURES_H
#define SWT_MEASURE_UTIL_FIGURES_H

#include "../../../include/perfutil.h"
#include "../../counters/usage/usage.h"

/* Nothing was measured. */
void util_clear(CPUUTIL_DATA *d);

/* Fills d, except elapsed_cycles. util_clear or an earlier call must have filled it. */
void util_fill(CPUUTIL_DATA *d, const struct counter_interval *i);

/* A count in 32 bits: util_count_wrapped wraps before "not measured", for AI_COUNTERS; util_count
 * saturates, for an interval. */
UINT32 util_count_wrapped(uint64_t count);
UINT32 util_count(uint64_t count);

#endif
