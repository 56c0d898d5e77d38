/*
 * The events that a user chose to count in intervals (SWTRACE_EVENTS, or the session's list), and
 * how this process counts each: as a perf event, in user mode only where the kernel denies the user
 * its own part, or by the kernel's figures of the thread.
 *
 * An event that this machine lacks, or that would count nothing with the user's rights, is not
 * counted: its figures are unknown, never 0.
 *
 * libtrace/counters/events owns the counting of chosen events in intervals. It includes counters,
 * core, events, machine, perf and thread. Errors: NULL or an unknown figure, never a number.
 */
#ifndef SWT_COUNTERS_EVENTS_SET_H
#define SWT_COUNTERS_EVENTS_SET_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "../../../formats/interval_hooks.h"
#include "../../core/private_abi.h"
#include "../../events/event.h"

_Static_assert(EVENT_NAME_MAX == INTERVAL_EVENT_NAME_MAX + 1, "with its NUL");

enum event_way {
	EVENT_BY_NOTHING,
	EVENT_BY_PERF,
	EVENT_BY_CLOCK,	 /* CLOCK_THREAD_CPUTIME_ID */
	EVENT_BY_FAULTS, /* getrusage, as the quality hook's faults without the right to perf's */
	EVENT_BY_MINOR_FAULTS,
	EVENT_BY_MAJOR_FAULTS,
	EVENT_ON_CPUS, /* as perf events of all processors: cpus.h */
};

struct event_member {
	char name[EVENT_NAME_MAX];
	enum event_way way;
	int error;	/* EVENT_BY_NOTHING: an errno */
	bool user_only; /* though the name asks for the kernel's part as well */
	struct perf_event_attr attr;
	char pmu[sizeof((struct cpc_event *)0)->pmu];
};

struct event_cpus; /* cpus.h */

struct event_set {
	struct event_set *next;
	unsigned count;
	bool others;		 /* some are neither perf events nor unknown */
	bool on_cpus;		 /* some are of all processors */
	struct event_cpus *cpus; /* NULL: never opened */
	struct event_member event[INTERVAL_EVENTS_MAX];
	char list[];
};

/* Finds out how an event is counted here; opens and closes it. */
void event_member_choose(struct event_member *m, const struct event_listed *listed);

/* Whether its PMU counts on that processor: those of a socket name one of them. */
bool event_member_counts_on(const struct event_member *m, uint32_t cpu);

/*
 * The set of a list. Allocated once for a list and kept until the process ends: threads and
 * instances refer to it. NULL: no list of events (`why` has the error) or out of memory. With the
 * lock held.
 */
const struct event_set *event_set_of(const char *list, char why[EVENT_WHY_MAX]);

/* False: another thread has it, or the one that a signal handler interrupted. */
bool event_sets_try_lock(void);
void event_sets_lock(void);
void event_sets_unlock(void);

/* In a child of fork, with the lock held. */
void event_sets_after_fork(void);
/* In a child of _Fork or clone, in which another thread of its parent may hold the lock. */
void event_sets_forget_lock(void);

#endif
