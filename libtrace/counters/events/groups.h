/*
 * The perf events of a set, opened for the calling thread: one group, so that they count the same
 * time and take one read, or several where the counters do not suffice for one.
 */
#ifndef SWT_COUNTERS_EVENTS_GROUPS_H
#define SWT_COUNTERS_EVENTS_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "set.h"
#include "../perf_group.h"

struct event_groups {
	const struct event_set *set;
	uint64_t opening; /* a number that no other one of the process has; not 0 */
	unsigned groups;
	struct perf_group *group[INTERVAL_EVENTS_MAX];
	/* Of the set's events: its group, and its index there; group -1: none. */
	struct {
		int8_t group, member;
	} at[INTERVAL_EVENTS_MAX];
};

/* What was counted so far. CPI_NONE: unknown. */
struct event_reading {
	uint64_t opening; /* readings of another one cannot be compared; 0: there is none */
	uint64_t count[INTERVAL_EVENTS_MAX];
	uint64_t enabled[INTERVAL_EVENTS_MAX], running[INTERVAL_EVENTS_MAX]; /* ns */
};

/* NULL: out of memory. What cannot be opened is unknown in all readings. */
struct event_groups *event_groups_open(const struct event_set *set);
void event_groups_read(const struct event_groups *g, struct event_reading *r);
/* NULL: none. forked: in a child, of a thread of its parent. */
void event_groups_close(struct event_groups *g, bool forked);

#endif
