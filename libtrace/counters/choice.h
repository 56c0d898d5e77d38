/*
 * The source of counts in this process, per quantity. Private to this room.
 */
#ifndef SWT_COUNTERS_CHOICE_H
#define SWT_COUNTERS_CHOICE_H

#include "../core/private_abi.h"
#include "perf/probe.h"
#include "sample.h"
#include "script/script.h"

enum counter_provider {
	FROM_NOTHING,
	FROM_PERF,
	FROM_IDLE,	   /* the kernel's idle accounting */
	FROM_THREAD_CLOCK, /* CLOCK_THREAD_CPUTIME_ID */
	FROM_SCRIPT,
	FROM_PROVIDERS,
};

enum counter_kind { KIND_AUTO, KIND_SOFTWARE, KIND_PERF, KIND_NONE, KIND_SCRIPTED };

struct counter_choice {
	int rc;
	enum counter_kind asked;
	enum counter_provider from[COUNTER_QUANTITIES];
	unsigned of[FROM_PROVIDERS]; /* COUNTER_BITs of the quantities from each */
	unsigned measured;	     /* COUNTER_BITs of those that are not FROM_NOTHING */
	unsigned counted;	     /* those that need more than the clock and the thread's own */
	enum shm_source source;
	bool switch_pages;	 /* may be opened */
	enum cpi_source busy;	 /* where COUNTER_BUSY comes from */
	bool busy_share_of_idle; /* its share of the time, though, is of the idle accounting */
	struct script *script;
	struct counters_pmu pmu; /* probed for auto and perf only */
	char trouble[256];	 /* if rc: one line to print */
};

const struct counter_choice *counter_choice(void) PRIVATE_ABI(counter_choice);

/* source_flags: the measured quantities, and COUNTER_FLAG_s. */
uint32_t counter_choice_flags(const struct counter_choice *c);

/* Decides afresh for this value of SWTRACE_COUNTERS (NULL: not set). */
void counter_choose_for(struct counter_choice *c, const char *value);

#endif
