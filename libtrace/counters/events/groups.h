/*
 * The perf events of a set, opened for the calling thread (those of all processors for its process,
 * cpus.h): one group, so that they count the same time and need one read; or several groups if
 * there are too few counters.
 */
#ifndef SWT_COUNTERS_EVENTS_GROUPS_H
#define SWT_COUNTERS_EVENTS_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "set.h"
#include "../perf/group.h"
#include "../sample.h"

struct event_groups {
	const struct event_set *set;
	struct event_cpus *cpus; /* held; NULL: none, or not now */
	uint64_t opening;	 /* a number that no other one of the process has; not 0 */
	/* The events are one group, in the set's order, which is read by a system call. */
	bool is_one_call;
	unsigned groups;
	struct perf_group *group[INTERVAL_EVENTS_MAX];
	uint8_t member[INTERVAL_EVENTS_MAX][INTERVAL_EVENTS_MAX]; /* of a group: the set's events */
	uint8_t group_of[INTERVAL_EVENTS_MAX]; /* of the set's events; EVENT_NO_GROUP */
};

enum { EVENT_NO_GROUP = INTERVAL_EVENTS_MAX };

/* The counts so far. NOT_MEASURED: unknown. */
struct event_reading {
	uint64_t opening; /* readings of another one cannot be compared; 0: there is none */
	uint64_t count[INTERVAL_EVENTS_MAX];
	uint8_t group_of[INTERVAL_EVENTS_MAX];
	/* The times of each group, ns; those of EVENT_NO_GROUP are 0. */
	uint64_t enabled[INTERVAL_EVENTS_MAX + 1], running[INTERVAL_EVENTS_MAX + 1];
};

/* NULL: out of memory. Events that cannot be opened are unknown in all readings. */
struct event_groups *event_groups_open(const struct event_set *set);
/* The thread's. */
void event_groups_read(const struct event_groups *g, struct event_reading *r);

/* event_groups_read if is_one_call, inlined. */
static inline __attribute__((always_inline)) void event_groups_read_one_call(
	const struct event_groups *g, struct event_reading *r)
{
	const struct perf_group *group = g->group[0];
	uint64_t word[PERF_WORDS];
	int rc;

	r->opening = g->opening;
	for (unsigned i = 0; i < INTERVAL_EVENTS_MAX; i++)
		r->group_of[i] = g->group_of[i];
	rc = perf_group_read_words(group, word);
	r->enabled[0] = rc ? 0 : word[PERF_WORD_ENABLED];
	r->running[0] = rc ? 0 : word[PERF_WORD_RUNNING];
	for (unsigned i = 0; i < group->count; i++)
		r->count[i] = rc ? NOT_MEASURED : word[PERF_WORD_COUNTS + PERF_COUNT_WORDS * i];
}

/* Reads the events of all processors, before or after the thread's. */
void event_groups_read_cpus(struct event_groups *g, struct event_reading *r);
/* NULL: none. forked: in a child, of a thread of its parent. */
void event_groups_close(struct event_groups *g, bool forked);

#endif
