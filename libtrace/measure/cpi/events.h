/*
 * Events that a user chose, in the intervals of CPI instances: SWTRACE_EVENTS of the process, or
 * the session's list. Written as one hook behind the group. Nothing is opened or read while tracing
 * is off.
 *
 * In a plain interval (counters/plain.c) they are read before the clock at the start and after it
 * at the end, so that the reads are outside the interval. If counters are read too, events are read
 * innermost, with the thread's counters, so the cost of those reads is not counted.
 */
#ifndef SWT_MEASURE_CPI_EVENTS_H
#define SWT_MEASURE_CPI_EVENTS_H

#include <errno.h>
#include <stdbool.h>

#include "../../counters/events/count.h"
#include "../../session/attach.h"
#include "frame.h"

/* An instance's; NULL until its first interval with events. */
struct events {
	const struct event_set *set; /* NULL: the last start read none */
	struct event_reading from, to;
	/* The hook's parts. */
	uint64_t label[INTERVAL_EVENTS_MAX]; /* what attach_find_label keeps */
	uint32_t name[INTERVAL_EVENTS_MAX];  /* numbers of labels, 0: the name is a string */
	uint32_t texts, string_bytes;
	const struct ring_map *map; /* NULL: a name may be a string; else all are numbers there */
};

/* The list in use. Sets are never freed. */
extern const struct event_set *events_chosen __attribute__((visibility("hidden")));

bool events_read_start(struct events **events);
bool events_rest(struct events *events);
/* Whether one thread read them at both ends: only then they are written. */
bool events_are_read(const struct events *events);
/* Adds the hook to the frame. Names are numbers of labels, in the rings that the thread is attached
 * to. */
void events_add(struct events *events, struct frame *f);
/* is_stale: the numbers are of other rings. */
void events_write(struct events *events, struct frame *f, bool is_stale);
/* NULL: none. */
void events_free(struct events *events);

/* The end of an interval whose start read them. Inlined to save the returns after the system call:
 * see perf_group_read_words. */
static inline __attribute__((always_inline)) void events_read_end(struct events *events)
{
	int saved = errno;

	if (events->set)
		event_count_read(events->set, &events->to, EVENT_AT_END);
	errno = saved;
}

/* events_start, inlined, if the list has not changed since the last start. */
static inline __attribute__((always_inline)) bool events_start_again(struct events **events)
{
	const uint32_t extras = __atomic_load_n(&attach_extras, __ATOMIC_RELAXED) & ATTACH_EVENTS;
	struct events *e = *events;
	int saved;

	if (!extras)
		return false;
	/* Acquire: pairs with the release in events.c, for what the set holds. */
	if (extras & ATTACH_EVENTS_NEW || !e || !e->set ||
		e->set != __atomic_load_n(&events_chosen, __ATOMIC_ACQUIRE))
		return events_read_start(events);
	saved = errno;
	event_count_read(e->set, &e->from, EVENT_AT_START);
	errno = saved;
	return true;
}

/* A single test for a program without events. True: it took time. */
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
