/*
 * The calling thread: its identity, the time it ran, and its group of hardware counters, which
 * lives until the thread ends.
 *
 * libtrace/counters/thread owns the counts of the calling thread. It includes counters, core,
 * events, machine, perf and script. Errors: NULL, false or NOT_MEASURED.
 */
#ifndef SWT_COUNTERS_THREAD_H
#define SWT_COUNTERS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../include/perfutil.h"
#include "../../core/private_abi.h"
#include "../events/groups.h"
#include "../perf/perf.h"
#include "../sample.h"
#include "switch_page.h"

/* For activity.c: the thread's figures at a moment, with the switch page of that number. */
struct activity_reading {
	struct counter_activity activity;
	uint64_t ticks;
	uint32_t lock, number;
	uint32_t switches; /* by getrusage, modulo 2^32 */
	uint32_t cpu;
};

/* How much a reading asks the kernel for: the time and the switches, or all figures. */
enum activity_reach { ACTIVITY_TIME, ACTIVITY_ALL, ACTIVITY_REACHES };

/* A thread's open descriptors. On the heap: a child of fork closes those of threads whose memory
 * it does not have. */
struct thread_group {
	struct thread_group *next, **link; /* of all threads */
	struct perf_group activity;	   /* for activity.c; not open: count 0 */
	uint32_t activity_opening;	   /* how often it was opened */
	struct switch_page page;	   /* for activity.c, as the following */
	uint32_t page_number; /* another one for each page that was opened; even: none is open */
	volatile bool page_changes; /* it is being opened or closed */
	uint64_t reading_lasts;	    /* ticks */
	volatile unsigned version;  /* of `last`; odd: it is being written */
	struct activity_reading last[ACTIVITY_REACHES];
	unsigned count;	  /* of perf: one for each type of core; 0: none */
	uint32_t opening; /* how often they were opened or woken */
	struct perf_counters *perf;
	struct idle_reading *idle;   /* NULL: none yet */
	struct event_groups *events; /* for events/count.c; NULL: none */
};

/* Instead of a process's number. */
enum {
	THREAD_WIPED = 0,  /* thread_process, by fork */
	THREAD_RESETS = 1, /* thread_process, while one of a child's threads resets the state */
	THREAD_UNMET = 2,  /* a thread's, before thread_meet */
};

struct thread_self {
	uint32_t process; /* of thread_process */
	uint64_t id;	  /* counters_thread() */
	uint32_t tid;
	bool group_tried, activity_tried, page_tried, faults_tried;
	bool group_rests;	    /* its counters do not count */
	struct thread_group *group; /* NULL: none yet */
};

/* The sums of the thread's groups. */
struct thread_reading {
	uint64_t instructions, cycles;
	uint64_t enabled, running;
	uint64_t running_on[CORE_TYPES_MAX]; /* running, by type of core */
	uint32_t opening;		     /* another number: they rested meanwhile; never 0 */
	bool in_user_mode;		     /* read without a system call */
	bool user_only;			     /* counts of user mode only */
};

/* This thread: a number that no other thread of the process ever has, nor a fork's child. */
uint64_t counters_thread(void) PRIVATE_ABI(counters_thread);
uint32_t counters_tid(void);

extern _Thread_local struct thread_self counters_self __attribute__((visibility("hidden")));

/*
 * The process's number, on a page that fork wipes: a child of _Fork or clone, where no handler
 * runs, has its parent's counters_self, but none of the pages that this leads to.
 */
struct thread_process_page {
	volatile uint32_t number;
	uint8_t rest[SWTRACE_GATE_SIZE - 4];
};
extern struct thread_process_page thread_process __attribute__((visibility("hidden")));

/* Whether counters_self is filled, and of this process. */
static inline bool thread_is_met(void)
{
	return __builtin_expect(
		counters_self.process == __atomic_load_n(&thread_process.number, __ATOMIC_RELAXED),
		1);
}

/* Fills counters_self; a thread's first call registers the handler of forks. */
struct thread_self *thread_meet(void);

static inline struct thread_self *thread_self(void)
{
	return thread_is_met() ? &counters_self : thread_meet();
}

/* ns that the calling thread ran; NOT_MEASURED: unknown. */
uint64_t thread_time_ns(void);

/* self->group, made if it is not there yet. NULL: out of memory, or in a child of _Fork or clone,
 * which must not allocate. */
struct thread_group *thread_keep(struct thread_self *self);

/* Its copy of the last reading of idle time; NULL: as of thread_keep. */
struct idle_reading *thread_idle(struct thread_self *self);

/* Opens the thread's groups, once, and wakes those that rest: PERF_OPEN or a PERF_ code. */
int thread_open_group(struct thread_self *self);

/* Whether there are groups that count. */
static inline bool thread_group_counts(const struct thread_self *self)
{
	return self->group && self->group->count && !self->group_rests;
}

/* Disables the groups, which count, so that context switches do not pay for them. They stay open
 * and mapped: a signal handler may do this while they are read. Keeps errno. */
void thread_rest_group(struct thread_self *self);

/* False: there are none, they rest, or one cannot be read any more. */
bool thread_read_group(const struct thread_self *self, struct thread_reading *r);

#endif
