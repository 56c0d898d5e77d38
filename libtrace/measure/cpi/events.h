/*
 * Events that a user chose, in the intervals of CPI instances: SWTRACE_EVENTS of the process, or
 * the session's list. Written as one hook behind the group. Nothing is opened or read while tracing
 * is off.
 *
 * In a plain interval (counters/plain.c) they are read before the clock at the start and after it
 * at the end, so that what reading costs is none of its time. Where counters are read as well they
 * are read innermost, as the thread's counters: what reading those costs is not counted.
 */
#ifndef SWT_MEASURE_CPI_EVENTS_H
#define SWT_MEASURE_CPI_EVENTS_H

#include <stdbool.h>

#include "../../session/attach.h"
#include "frame.h"

/* An instance's; NULL until its first interval with events. */
struct events;

bool events_read_start(struct events **events);
void events_read_end(struct events *events);
bool events_rest(struct events *events);
/* Whether they were read at both ends, by one thread: then there is a hook of them. */
bool events_are_read(const struct events *events);
/* Adds the hook to the frame. Names are numbers of labels, in the rings that the thread is attached
 * to. */
void events_add(struct events *events, struct frame *f);
/* is_stale: the numbers are of other rings. */
void events_write(struct events *events, struct frame *f, bool is_stale);
/* NULL: none. */
void events_free(struct events *events);

/* For a program without events, one test. True: it took time. */
static inline bool events_start(struct events **events)
{
	return __builtin_expect(
		       __atomic_load_n(&attach_extras, __ATOMIC_RELAXED) & ATTACH_EVENTS, 0) &&
	       events_read_start(events);
}

/* Tracing is off. */
static inline bool events_start_off(struct events *events)
{
	return __builtin_expect(
		       __atomic_load_n(&attach_extras, __ATOMIC_RELAXED) & ATTACH_EVENTS, 0) &&
	       events_rest(events);
}

#endif
