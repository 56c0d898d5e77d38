/*
 * One reading of the counters, and the difference of two. The lowest header of this
 * room: knows no source. Not measured is NOT_MEASURED, never a number.
 */
#ifndef SWT_COUNTERS_SAMPLE_H
#define SWT_COUNTERS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/figures.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/shm_source.h"
#include "perf/snapshot.h"

/* In `want`: also how the counts came about, and what the thread did (struct
 * counter_quality, counter_activity). */
#define COUNTER_QUALITY_BIT (1u << COUNTER_QUANTITIES)

/* In `want`: also whether the thread left its processor and how long it ran, as far as that costs
 * no system call. */
#define COUNTER_TIME_BIT (2u << COUNTER_QUANTITIES)

/* In `want`, at the end of an interval: the time it ran is to be asked of the kernel. */
#define COUNTER_ASK_BIT (4u << COUNTER_QUANTITIES)

/* Types of core that are distinguished. */
enum { COUNTER_CORE_TYPES = 4 };

/* The `opening` of a processor that went offline, with its counters, since they were opened. */
#define COUNTER_DEAD UINT64_MAX

/* NOT_MEASURED: not read. */
struct counter_cpu {
	uint64_t ticks; /* clock_now() as this processor's counts were read; scripted: cycles */
	uint64_t instructions, busy; /* raw counts of a group that ran `running` of `enabled` ns */
	uint64_t enabled, running;
	uint64_t opening;	  /* which opening of its group was read; 0: none */
	uint64_t idle_ns;	  /* idle so far, where busy comes from idle accounting */
	uint64_t idle_slack;	  /* idle_ns is right within this, ns */
	uint64_t presence;	  /* another number: it was offline meanwhile; 0: unknown */
	uint64_t core, reference; /* unhalted ticks, of the same group */
	/* Read by usage_read alone. */
	uint64_t hz;	      /* its frequency now */
	uint64_t intr, steal; /* ns so far; scripted: cycles */
	uint64_t switches, interrupts;
	uint64_t switches_opening; /* as opening */
	uint8_t core_type;
	bool online;
};

/* Which end of an interval a sample is. At the start the slow readings come first, the thread's
 * last; at the end the other way round: the cost of reading falls outside of the thread's counts,
 * and the processors' cycles never exceed the elapsed ticks. The thread's activity is read around
 * the ticks of the interval, so its cost is never time off the processor. */
enum counter_end { COUNTER_START, COUNTER_GET };

/* A thread's activity so far. */
struct counter_activity {
	uint64_t on_cpu_ns, switches, migrations, faults;
	uint32_t opening; /* of the event that counts migrations; 0: none does */
	uint32_t cpu;	  /* where it was read, or where an interval began; COUNTER_NO_CPU */
};

#define COUNTER_NO_CPU UINT32_MAX
/* Nothing was read. */
#define COUNTER_NO_ACTIVITY                                                                        \
	((struct counter_activity){                                                                \
		NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, 0, COUNTER_NO_CPU})

/* The counters at one moment. Variable size: see counters_sample_size. */
struct counter_sample {
	uint64_t ticks;	  /* clock_now() as the counters were read */
	uint64_t cycles;  /* nominal cycles so far, where scripted; else NOT_MEASURED */
	uint64_t idle_at; /* the moment of the idle_ns, CLOCK_MONOTONIC ns */
	uint64_t thread;  /* whose thread counts: counters_thread() */
	uint64_t thread_instructions, thread_cycles;
	uint64_t thread_enabled, thread_running;
	uint32_t thread_opening; /* another number: its counters rested meanwhile */
	/*
	 * Plain start: the sample counts the thread, and has read it in user mode, with snapshots
	 * of instructions and cycles. The thread's counts and times are those at the snapshots,
	 * which were set at thread_read_at, in ticks; thread_since counts from there to the start.
	 * plain_settle advances them to the start.
	 */
	bool thread_is_wanted;
	bool thread_has_snapshots;
	struct perf_snapshot thread_snapshot[2];
	uint64_t thread_since[2];
	uint64_t thread_read_at;
	uint64_t thread_running_on[COUNTER_CORE_TYPES];
	bool thread_user_only;
	enum cpi_source source[COUNTER_QUANTITIES];
	struct counter_activity activity;
	uint64_t activity_ticks; /* when activity was read by the page; else 0 */
	uint32_t page_lock;	 /* no switch between two samples in which this is the same... */
	uint32_t page;	      /* ... and of the same page, by its number in the thread; 0: none */
	uint64_t page_faults; /* counted by that page; NOT_MEASURED: it does not */
	enum interval_time_source activity_source;
	bool plain;	      /* of cpu[], at most the online state was read, at online_at */
	uint64_t page_thread; /* plain, and activity_source is the page of this thread;
				 NOT_MEASURED: not */
	uint64_t online_at;   /* ticks */
	int method;	      /* AI_METHOD_ of usage_read; AI_METHOD_NONE: of another reading */
	uint64_t stat_at;     /* of usage_read, as the following: ticks, of intr and steal */
	uint64_t pair_ticks, pair_boot; /* clock_now() and CLOCK_BOOTTIME ns, read together */
	uint32_t room;			/* entries of cpu[] */
	uint32_t cpus;			/* highest online CPU number + 1; at most room */
	struct counter_cpu cpu[];
};

/* How a processor spent its time, in ticks of the time stamp clock (scripted: cycles). Of a
 * processor that was not online from end to end: NOT_MEASURED. */
struct counter_usage {
	uint64_t elapsed;
	uint64_t busy, idle, intr; /* with intr unknown, busy has it in it */
	uint64_t core, reference;
	uint64_t switches, interrupts;
	bool stayed; /* online from end to end */
};

struct counter_interval_cpu {
	uint64_t instructions;
	uint64_t cycles; /* at the nominal rate; NOT_MEASURED: offline, or the rate is unknown */
	uint64_t busy;	 /* those in which it was not idle */
	uint64_t busy_part, busy_whole; /* busy's share of the time; NOT_MEASURED: not measured */
	bool online;			/* at the end of the interval */
	struct counter_usage usage;	/* of usage_difference */
};

/* How a quantity came about; of the processors, summed over them. */
struct counter_quality {
	enum cpi_source source;
	uint64_t enabled, running; /* ns; equal: all the time, nothing was scaled */
};

/* The counts between two samples. Not measured: NOT_MEASURED. */
struct counter_interval {
	uint64_t thread_instructions, thread_cycles;
	uint32_t flags; /* CPI_QUALITY_ */
	struct counter_quality quality[COUNTER_QUANTITIES];
	struct counter_activity activity; /* of the thread in the interval */
	uint64_t
		unexplained_ns; /* neither on the processor by the thread's clock nor in a switch */
	enum interval_time_source activity_source;
	bool stayed; /* no switch: it ran all the time */
	/* The thread's page at the end, and the lock in it (activity_page_is). 0: it has none. */
	uint32_t page, page_lock;
	/* The thread's figures so far, read at the end. Unset if the page showed that it stayed. */
	uint64_t end_switches, end_on_cpu_ns;
	bool thread_known; /* both samples were of the same thread */
	bool counted;	   /* of some processor's instructions and busy, one was measured */
	int method;	   /* AI_METHOD_ and CPUUTIL_DATA_FLAG_, of usage_difference */
	uint32_t usage_flags;
	uint32_t cpus;
	struct counter_interval_cpu cpu[];
};

/* A sum that saturates; NOT_MEASURED as soon as a term is. */
static inline void counters_add(uint64_t *sum, uint64_t term)
{
	if (*sum == NOT_MEASURED || term == NOT_MEASURED)
		*sum = NOT_MEASURED;
	else
		*sum = term < NOT_MEASURED - *sum ? *sum + term : NOT_MEASURED - 1;
}

/* Rounded up, so that one may follow another in an allocation. */
static inline size_t counters_align_size(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

static inline size_t counters_sample_size(uint32_t room)
{
	return counters_align_size(
		sizeof(struct counter_sample) + room * sizeof(struct counter_cpu));
}

static inline size_t counters_interval_size(uint32_t room)
{
	return counters_align_size(
		sizeof(struct counter_interval) + room * sizeof(struct counter_interval_cpu));
}

#endif
