/*
 * A machine with hardware counters, behind perf_calls: a table of descriptors, and knobs.
 */
#ifndef TEST_FAKE_PMU_H
#define TEST_FAKE_PMU_H

#include <stdbool.h>
#include <stdint.h>

struct fake_pmu {
	int cpu_errno;		       /* of opening a processor's counter; 0: works */
	int thread_errno;	       /* of opening a thread's, kernel included */
	int user_errno;		       /* of opening a thread's in user mode */
	int second_errno;	       /* of ref-cycles and of a thread's cycles */
	unsigned limit;		       /* open descriptors; beyond: EMFILE */
	int offline;		       /* this processor: ENODEV; -1: none */
	uint64_t instructions, second; /* more at each read of a leader */
	uint64_t enabled, running;
	bool short_reads, read_fails;
	int interrupts; /* EINTR that many times */
	/* What happened. */
	unsigned open, most, reads, opens;
};

extern struct fake_pmu fake_pmu;

/* Puts it in place of the kernel's, with everything working. */
void fake_pmu_use(void);

#endif
