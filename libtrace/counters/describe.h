/*
 * The source in use, in words.
 */
#ifndef SWT_COUNTERS_DESCRIBE_H
#define SWT_COUNTERS_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/shm_source.h"

/* The source in use. Chooses it if that has not happened yet; counts nothing. */
struct counters_description {
	int rc; /* 0, or why SWTRACE_COUNTERS cannot be obeyed (line then explains it) */
	enum shm_source source;
	uint32_t source_flags; /* COUNTER_BIT of each measured quantity, COUNTER_FLAG_ */
	char line[256];	       /* "perf_event: instructions, busy, ...": no newline */
	struct {
		const char *name; /* "instructions", "busy", "thread instructions", ... */
		bool measured;
		char how[256]; /* measured: from what and how fine; not: why, and what to do */
	} quantity[COUNTER_QUANTITIES];
};

void counters_describe(struct counters_description *d);

#endif
