/*
 * Times as whole nanoseconds of a clock, and the epoch of 1601. Safe in signal handlers.
 */
#ifndef SWT_FORMATS_BASE_TIME_NS_H
#define SWT_FORMATS_BASE_TIME_NS_H

#include <stdint.h>
#include <time.h>

#define TIME_SECOND_NS UINT64_C(1000000000)

/* 1601-01-01 to 1970-01-01, in units of 100 ns: FILETIME counts from the first. */
#define TIME_1601_TO_1970_100NS INT64_C(116444736000000000)

static inline uint64_t time_ns(struct timespec t)
{
	return (uint64_t)t.tv_sec * TIME_SECOND_NS + (uint64_t)t.tv_nsec;
}

static inline struct timespec time_of_ns(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / TIME_SECOND_NS), .tv_nsec = (long)(ns % TIME_SECOND_NS)};
}

/* Now, of a clock that every kernel has: it cannot fail. */
static inline uint64_t time_ns_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return time_ns(t);
}

static inline uint64_t time_ns_monotonic(void)
{
	return time_ns_now(CLOCK_MONOTONIC);
}

#endif
