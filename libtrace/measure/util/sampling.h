/*
 * When samples are due, and waiting for it.
 */
#ifndef SWT_MEASURE_UTIL_SAMPLING_H
#define SWT_MEASURE_UTIL_SAMPLING_H

#include <stdint.h>

/* The system calls, so that tests can stand in for the time that passes. */
struct sampling_calls {
	uint64_t (*now)(void); /* CLOCK_MONOTONIC ns */
	void (*wait)(uint64_t until);
};

extern struct sampling_calls sampling_calls;

/* Which sample comes after the n-th: the next one, but none that is overdue. They are due at
 * start + n * period, n from 1 on. */
uint64_t sampling_next(uint64_t start, uint64_t period, uint64_t n, uint64_t now);

#endif
