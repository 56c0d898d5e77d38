/*
 * A set's events of all processors (`:a`): they count everything that runs there. One group on each
 * processor, opened for the process by the first thread that holds them, and closed by the last:
 * each costs one read at either end of an interval.
 *
 * Nothing waits: while another thread opens or closes them (or the one that a signal handler
 * interrupted), they are unavailable.
 *
 * A processor that came online or went offline since they were opened makes them unknown until
 * then: the sum would lack it.
 */
#ifndef SWT_COUNTERS_EVENTS_CPUS_H
#define SWT_COUNTERS_EVENTS_CPUS_H

#include <stdint.h>

#include "set.h"

/* Holds those of the set. NULL: not now, out of memory, or there are none. */
struct event_cpus *event_cpus_hold(const struct event_set *set);
void event_cpus_drop(struct event_cpus *c);

/* An event's count so far on all processors. */
struct event_cpus_sum {
	uint64_t count, enabled, running; /* count: NOT_MEASURED if unknown */
};

/* sums: of the set's events; those that are not of all processors are unchanged. */
void event_cpus_read(const struct event_cpus *c, struct event_cpus_sum sums[INTERVAL_EVENTS_MAX]);

/* In a child of fork, where an opening or closing of a thread that it lacks never ends. */
void event_cpus_after_fork(struct event_cpus *c);

#endif
