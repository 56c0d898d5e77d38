/*
 * A machine with hardware counters, behind perf_calls: a table of descriptors, and knobs.
 */
#ifndef TEST_FAKE_PMU_H
#define TEST_FAKE_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "../../libtrace/counters/perf/perf.h"

enum { FAKE_CPUS = ONLINE_MAX, FAKE_TYPES = 2, FAKE_PMU_TYPE = 40, FAKE_MSR_TYPE = 60 };

struct fake_pmu {
	int cpu_errno;		     /* of opening a processor's counter; 0: works */
	int thread_errno;	     /* of opening a thread's, kernel included */
	int user_errno;		     /* of opening a thread's in user mode */
	int errno_of[PERF_KINDS];    /* of opening this kind */
	unsigned limit;		     /* open descriptors; beyond: EMFILE */
	int offline;		     /* this processor: ENODEV; -1: none */
	unsigned present[FAKE_CPUS]; /* another number: it was offline meanwhile */
	uint64_t count[PERF_KINDS];  /* more at each read of a group */
	uint64_t enabled, running;
	bool short_reads, read_fails, foreign_reads;
	int interrupts; /* EINTR that many times */
	/* A hybrid machine: PMUs FAKE_PMU_TYPE and the next, with these processors; threads run
	 * on the cores of one. */
	unsigned types;
	uint64_t cpus_of[FAKE_TYPES]; /* bits */
	unsigned thread_on;
	bool no_extended_types; /* generic events cannot name a PMU */
	/* Its answers to events that ask for user-mode reads, by config1. */
	int errno_of_access[4];
	bool user_read;	   /* its pages can be mapped, and tell where the counters are */
	unsigned pages;	   /* that can be mapped at a time */
	bool switch_pages; /* those of threads (thread/switch_page.h) are the kernel's */
	bool off_counters; /* the pages say that the group is not on the counters */
	/* Events, for the tests to check. */
	unsigned open, most, reads, opens, maps, mapped, user_reads;
	uint64_t access;       /* config1 of the last event that was opened */
	unsigned long control; /* the last request to a group */
};

extern struct fake_pmu fake_pmu;

/* Puts it in place of the kernel's, with everything working. */
void fake_pmu_use(void);

/* All descriptors are closed by the program, and what they counted goes on being counted where
 * it is mapped; the numbers are taken by files of its own. */
void fake_pmu_lose_descriptors(void);

/* It went offline and came back. */
void fake_pmu_replace_cpu(uint32_t cpu);

#endif
