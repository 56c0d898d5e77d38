/* Points in time on a command line. */
#ifndef SWT_FORMATS_BASE_TIME_ARG_H
#define SWT_FORMATS_BASE_TIME_ARG_H

#include <stdbool.h>
#include <stdint.h>

struct time_arg {
	bool given;
	bool relative; /* ns after the start of the trace, else CLOCK_REALTIME ns */
	int64_t ns;
};

/*
 * Seconds since 1970 with an optional fraction; ISO 8601 (a date, and a time of day
 * with an optional fraction and zone; without a zone: local time); or `+` and a
 * duration: a number and h, m, s, ms, us or ns (s if there is none); or `-` and one with a unit.
 * NULL, or the error.
 */
const char *time_arg_parse(const char *text, struct time_arg *t);

#endif
