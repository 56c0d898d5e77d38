/*
 * Times as integral nanoseconds of a clock, and the epoch of 1601. Safe in signal handlers, except
 * time_utc.
 */
#ifndef SWT_FORMATS_BASE_TIME_NS_H
#define SWT_FORMATS_BASE_TIME_NS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TIME_SECOND_NS UINT64_C(1000000000)
#define TIME_MS_NS UINT64_C(1000000)

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

static inline double time_seconds(uint64_t ns)
{
	return (double)ns / (double)TIME_SECOND_NS;
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

/* Saturates. */
static inline uint64_t time_ticks_to_ns(uint64_t ticks, uint64_t ticks_per_second)
{
	unsigned __int128 ns = (unsigned __int128)ticks * TIME_SECOND_NS / ticks_per_second;

	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

enum { TIME_UTC_TEXT = 48 };

/* "2026-11-28T04:11:45.037Z", with 0 to 9 decimals. False, and "", beyond the calendar's years. */
static inline bool time_utc(struct timespec at, unsigned decimals, char text[TIME_UTC_TEXT])
{
	struct tm utc;
	size_t n;

	text[0] = 0;
	if (!gmtime_r(&at.tv_sec, &utc))
		return false;
	n = strftime(text, TIME_UTC_TEXT, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + n, TIME_UTC_TEXT - n, ".%09d", (int)at.tv_nsec);
	n += decimals ? decimals + 1 : 0;
	text[n] = 'Z';
	text[n + 1] = 0;
	return true;
}

#endif
