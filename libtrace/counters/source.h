/*
 * Where counts come from. A source fills samples; the difference of two samples is an
 * interval of counts, from which libtrace/measure/cpi/ makes figures. Knows no ring and no file.
 *
 * The source is chosen once a process, from SWTRACE_COUNTERS (auto, software, perf, none or
 * scripted:FILE). Each quantity stands on its own: what one source cannot supply may come
 * from another, and what none supplies is CPI_NONE, never a number.
 *
 * Errors in this room: 0 or a negative PU_ code.
 */
#ifndef SWT_COUNTERS_SOURCE_H
#define SWT_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/session.h"

/* A count that was not measured. */
#define CPI_NONE UINT64_MAX

enum counter_quantity {
	COUNTER_INSTRUCTIONS,	     /* retired, per processor */
	COUNTER_BUSY,		     /* cycles not idle, per processor */
	COUNTER_THREAD_INSTRUCTIONS, /* retired by the calling thread */
	COUNTER_THREAD_CYCLES,	     /* of the calling thread */
	COUNTER_QUANTITIES,
};

/* Sets of quantities, for `want`. */
#define COUNTER_BIT(q) (1u << (q))
#define COUNTER_CPU_BITS (COUNTER_BIT(COUNTER_INSTRUCTIONS) | COUNTER_BIT(COUNTER_BUSY))
#define COUNTER_THREAD_BITS                                                                        \
	(COUNTER_BIT(COUNTER_THREAD_INSTRUCTIONS) | COUNTER_BIT(COUNTER_THREAD_CYCLES))

/* In `want`: also how the counts came about, and what the thread did (struct
 * counter_quality, counter_life). */
#define COUNTER_QUALITY_BIT (1u << COUNTER_QUANTITIES)

/* In source_flags, next to the COUNTER_BITs of what is measured: enum cpi_source of busy, and
 * what must be known of the counts. */
#define COUNTER_FLAG_BUSY_SHIFT 8
#define COUNTER_FLAG_BUSY_MASK (15u << COUNTER_FLAG_BUSY_SHIFT)
#define COUNTER_FLAG_USER_ONLY (1u << 12)  /* a thread's counts are of user mode only */
#define COUNTER_FLAG_CORE_TYPES (1u << 13) /* the machine has several types of core */

/* ------------------------------------------------ for doctor, META and the like */

/* What is in use. Chooses the source if that has not happened yet; counts nothing. */
struct counters_description {
	int rc; /* 0, or why SWTRACE_COUNTERS cannot be obeyed (line then says it for a person) */
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

/* The words for a process's enum shm_source and its flags, as META and info print them:
 * "software (busy, thread cycles)". Needs no source in use. Returns text. */
const char *counters_source_name(uint32_t source, uint32_t source_flags, char *text, size_t size);

/* Whether this machine has hardware counters that this process may use, tried by opening
 * some and closing them. Independent of SWTRACE_COUNTERS. */
struct counters_pmu {
	bool present;	     /* a hardware event could be opened in some way */
	bool cpu_wide;	     /* instructions of all processors: raw and scaled CPI */
	bool thread;	     /* instructions of a thread: on-thread CPI */
	bool user_only;	     /* thread: only what runs in user mode */
	bool cycles;	     /* unhalted cycles of all processors */
	bool ref_cycles;     /* unhalted reference cycles of all processors */
	bool msr;	     /* mperf of all processors, through the msr PMU */
	bool user_read;	     /* a thread reads its own counters without a system call */
	bool taken;	     /* opened, but never scheduled: others have the counters */
	bool nmi_watchdog;   /* kernel.nmi_watchdog is on, which takes one */
	unsigned core_types; /* of which this machine has PMUs: more than 1 is a hybrid one */
	int cpu_wide_errno;  /* 0, or of perf_event_open for a processor */
	int thread_errno;
	int paranoid;	  /* kernel.perf_event_paranoid; INT_MIN: unknown */
	char why[256];	  /* one line: what is missing and why; "" if nothing is */
	char advice[256]; /* one line: what to do; "" if nothing can be */
	/* One line each: why user_read is false, and what to do; "" if it is true. */
	char user_read_why[256];
	char user_read_advice[256];
};

void counters_probe_pmu(struct counters_pmu *pmu);

/* ------------------------------------------------------------------ for libtrace/measure/cpi */

/* Types of core that are told apart. */
enum { COUNTER_CORE_TYPES = 4 };

/* Of a processor's opening: it went offline with its counters since they were opened. */
#define COUNTER_DEAD UINT64_MAX

/* CPI_NONE: not read. */
struct counter_cpu {
	uint64_t ticks;		     /* clock_now() as this processor's counts were read */
	uint64_t instructions, busy; /* raw counts of a group that ran `running` of `enabled` ns */
	uint64_t enabled, running;
	uint64_t opening;    /* which opening of its group was read; 0: none */
	uint64_t idle_ns;    /* idle so far, where busy comes from idle accounting */
	uint64_t idle_slack; /* idle_ns is right within this, ns */
	uint64_t presence;   /* another number: it was offline meanwhile; 0: unknown */
	uint8_t core_type;
	bool online;
};

/* Which end of an interval a sample is. At the start the slow readings come first, the
 * thread's last; at the end the other way round: so what reading costs falls outside of the
 * thread's counts, and the processors' cycles never exceed the elapsed ticks. What the thread
 * did is read next to the ticks, as the time that it did not run is their difference. */
enum counter_end { COUNTER_START, COUNTER_GET };

/* What a thread did so far. */
struct counter_life {
	uint64_t on_cpu_ns, switches, migrations, faults;
};

/* The counters at one moment. Variable size: see counters_sample_size. */
struct counter_sample {
	uint64_t ticks;	  /* clock_now() as the counters were read */
	uint64_t cycles;  /* nominal cycles so far, where scripted; else CPI_NONE */
	uint64_t idle_at; /* the moment of the idle_ns, CLOCK_MONOTONIC ns */
	uint64_t thread;  /* whose thread counts: counters_thread() */
	uint64_t thread_instructions, thread_cycles;
	uint64_t thread_enabled, thread_running;
	uint64_t thread_running_on[COUNTER_CORE_TYPES];
	bool thread_user_only;
	enum cpi_source source[COUNTER_QUANTITIES];
	struct counter_life life; /* where COUNTER_QUALITY_BIT is wanted */
	uint32_t room;		  /* entries of cpu[] */
	uint32_t cpus;		  /* highest online CPU number + 1; at most room */
	struct counter_cpu cpu[];
};

struct counter_interval_cpu {
	uint64_t instructions;
	uint64_t cycles; /* at the nominal rate; CPI_NONE: offline, or the rate is unknown */
	uint64_t busy;	 /* those in which it was not idle */
	uint64_t busy_part, busy_whole; /* busy's share of the time; CPI_NONE: not measured */
	bool online;			/* at the end of the interval */
};

/* How a quantity came about; of the processors, summed over them. */
struct counter_quality {
	enum cpi_source source;
	uint64_t enabled, running; /* ns; equal: all the time, nothing was scaled */
};

/* What was counted between two samples. Not measured: CPI_NONE. */
struct counter_interval {
	uint64_t thread_instructions, thread_cycles;
	uint32_t flags; /* CPI_QUALITY_ */
	struct counter_quality quality[COUNTER_QUANTITIES];
	struct counter_life life; /* of the thread in the interval */
	bool thread_known;	  /* both samples were of the same thread */
	uint32_t cpus;
	struct counter_interval_cpu cpu[];
};

/* Chooses the source, once a process. Afterwards the same answer every time. */
int counters_choose(void);
enum shm_source counters_mark(uint32_t *flags);

/* One more instance that will read `want`; one fewer. hold fails for want of descriptors
 * or memory only: PU_ERROR_INSUFFICIENT_RESOURCES, PU_ERROR_NOT_ENOUGH_MEMORY. */
int counters_hold(unsigned want);
void counters_drop(unsigned want);

/* Processors that a sample of this machine must have room for. */
uint32_t counters_room(void);
size_t counters_sample_size(uint32_t room);
size_t counters_interval_size(uint32_t room);

/* Reads what is wanted; the rest, and what cannot be read, is CPI_NONE. s->room is set.
 * Allocates nothing. */
void counters_read(struct counter_sample *s, unsigned want, enum counter_end end);

void counters_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out);

/* This thread: a number that no other thread of the process ever has, nor a fork's child. */
uint64_t counters_thread(void);
uint32_t counters_tid(void);

#endif
