/*
 * The counts of a set's events in the calling thread.
 */
#ifndef SWT_COUNTERS_EVENTS_COUNT_H
#define SWT_COUNTERS_EVENTS_COUNT_H

#include "../thread/thread.h"
#include "groups.h"

enum event_side { EVENT_AT_START, EVENT_AT_END }; /* of an interval */

/* Reads them. Opens them at the thread's first read, and again for another set; they end with the
 * thread. */
void event_count_read_all(
	const struct event_set *set, struct event_reading *r, enum event_side side);

/* The same, inlined if one system call reads all events. */
static inline __attribute__((always_inline)) void event_count_read(
	const struct event_set *set, struct event_reading *r, enum event_side side)
{
	const struct thread_group *t = counters_self.group;
	const struct event_groups *g = t && thread_is_met() ? t->events : NULL;

	if (g && g->set == set && g->is_one_call)
		event_groups_read_one_call(g, r);
	else
		event_count_read_all(set, r, side);
}

/* Closes them: every context switch pays for open events. */
void event_count_rest(void);

/* An event between two readings. */
struct event_count {
	bool known;
	uint64_t value;		   /* scaled, where the counter was shared */
	uint64_t enabled, running; /* ns; 0 and 0 if it is no perf event's */
};

/* The count between two readings of one opening. */
struct event_count event_count_between(
	const struct event_reading *from, const struct event_reading *to, unsigned event);

#endif
