/*
 * When samples are due, and waiting for them.
 */
#ifndef SWT_MEASURE_UTIL_SAMPLING_H
#define SWT_MEASURE_UTIL_SAMPLING_H

#include <stdint.h>

/* The system calls, which tests replace. */
struct sampling_calls {
	uint64_t (*now)(void); /* CLOCK_MONOTONIC ns */
	void (*wait)(uint64_t until);
};

extern struct sampling_calls sampling_calls;

/* The number of the sample after the n-th: the next one that is not overdue. Sample n is due at
 * start + n * period, n from 1 on. */
uint64_t sampling_next(uint64_t start, uint64_t period, uint64_t n, uint64_t now);

#endif
