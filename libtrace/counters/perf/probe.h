/*
 * Which of this machine's hardware counters this process can use.
 */
#ifndef SWT_COUNTERS_PERF_PROBE_H
#define SWT_COUNTERS_PERF_PROBE_H

#include <stdbool.h>

/* Whether this machine has hardware counters that this process may use, tried by opening
 * some and closing them. Independent of SWTRACE_COUNTERS. */
struct counters_pmu {
	bool present;	     /* a hardware event could be opened in some way */
	bool cpu_wide;	     /* instructions of all processors: raw and scaled CPI */
	bool thread;	     /* instructions of a thread: on-thread CPI */
	bool user_only;	     /* thread: only its user mode */
	bool cycles;	     /* unhalted cycles of all processors */
	bool ref_cycles;     /* unhalted reference cycles of all processors */
	bool msr;	     /* mperf of all processors, through the msr PMU */
	bool user_read;	     /* a thread reads its own counters without a system call */
	bool taken;	     /* opened, but never scheduled: others have the counters */
	bool nmi_watchdog;   /* kernel.nmi_watchdog is on, which uses one */
	unsigned core_types; /* of which this machine has PMUs: more than 1 is a hybrid one */
	int cpu_wide_errno;  /* 0, or of perf_event_open for a processor */
	int thread_errno;
	int paranoid;	  /* of perf_paranoid */
	char why[256];	  /* one line: the missing counters and why; "" if none is */
	char advice[256]; /* one line: what to do; "" if nothing can be */
	/* One line each: why user_read is false, and what to do; "" if it is true. */
	char user_read_why[256];
	char user_read_advice[256];
};

/* kernel.perf_event_paranoid; INT_MIN: unknown. */
int perf_paranoid(void);

void counters_probe_pmu(struct counters_pmu *pmu);

#endif
