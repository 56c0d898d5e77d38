/*
 * What counts come from in this process, per quantity. Private to this room.
 */
#ifndef SWT_COUNTERS_CHOICE_H
#define SWT_COUNTERS_CHOICE_H

#include "script.h"
#include "source.h"

enum counter_provider {
	FROM_NOTHING,
	FROM_PERF,
	FROM_IDLE,	   /* the kernel's idle accounting */
	FROM_THREAD_CLOCK, /* CLOCK_THREAD_CPUTIME_ID */
	FROM_SCRIPT,
};

enum counter_kind { KIND_AUTO, KIND_SOFTWARE, KIND_PERF, KIND_NONE, KIND_SCRIPTED };

struct counter_choice {
	int rc;
	enum counter_kind asked;
	enum counter_provider from[COUNTER_QUANTITIES];
	unsigned measured; /* COUNTER_BITs of those that are not FROM_NOTHING */
	enum shm_source source;
	struct script *script;
	struct counters_pmu pmu; /* probed for auto and perf only */
	char trouble[256];	 /* if rc: one line for a person */
};

const struct counter_choice *counter_choice(void);

/* Decides afresh for this value of SWTRACE_COUNTERS (NULL: not set). */
void counter_choose_for(struct counter_choice *c, const char *value);

#endif
