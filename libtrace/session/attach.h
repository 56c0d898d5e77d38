/*
 * The side of the traced program: finds the session, maps its rings, registers threads.
 */
#ifndef SWT_SESSION_ATTACH_H
#define SWT_SESSION_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"
#include "../ring/reserve.h"

/* Searches again for the session to trace in; cheap when nothing changed. CpiInit, CpiStart and the
 * first hook call it. */
void attach_discover(void);

/*
 * The start of an interval: searches again, as of `now` (of clock_now()), and, if hooks of this
 * major are wanted, attaches the calling thread. Returns whether they are. *late becomes true if
 * that took system calls.
 */
bool attach_begin(uint32_t major, uint64_t now, bool *late);

/* When attach_begin last checked the session, and for how long that is valid, in ticks; 0:
 * never. */
struct attach_checked {
	uint64_t at, lasts;
};
extern struct attach_checked attach_checked __attribute__((visibility("hidden")));

static inline bool attach_has_checked(uint64_t now)
{
	return now - __atomic_load_n(&attach_checked.at, __ATOMIC_RELAXED) <
	       __atomic_load_n(&attach_checked.lasts, __ATOMIC_RELAXED);
}

/* True if attach_begin at `now` would do nothing and return true. */
static inline bool attach_has_begun(uint32_t major, uint64_t now)
{
	return attach_has_checked(now) && ring_self_may_write(major);
}

/* Returns 1 if hooks of this major would be written now. Call attach_discover first. */
bool attach_wants(uint32_t major);

/* True if attach_begin at `now` would do nothing and return false, unless this is a child of
 * fork. */
static inline bool attach_is_off(uint32_t major, uint64_t now)
{
	return attach_has_checked(now) && !attach_wants(major);
}

/*
 * Attaches the calling thread now if hooks of this major are wanted. Mapping the rings and touching
 * their pages costs milliseconds, which must not count as the program's.
 */
void attach_ready(uint32_t major);

/*
 * The number of a label in the rings that the calling thread is attached to. 0: it has none,
 * because it is empty or too long, or the table is full or cannot be had: the hook has to hold the
 * text. cached: NULL, or 8 bytes of the caller's, 0 at first, that cache the number; several
 * threads may share them. Lock-free if the process knows the label.
 */
uint32_t attach_find_label(const char *text, uint32_t length, uint64_t *cached);

/*
 * Extra work of intervals. EVENTS: of the events that they count
 * (measure/cpi/events.c). NEW: the process has other rings since attach_read_events, and their
 * session may have another list; USED is measure's own: there was a list. BEGINS: by the session or
 * SWTRACE_BEGINS, they have begin hooks.
 */
enum {
	ATTACH_EVENTS_NEW = 1,
	ATTACH_EVENTS_USED = 2,
	ATTACH_EVENTS = ATTACH_EVENTS_NEW | ATTACH_EVENTS_USED,
	ATTACH_BEGINS = 4,
};
extern uint32_t attach_extras;

/* Clears NEW, and copies the session's list: "" if it has none. */
void attach_read_events(char list[SHM_EVENTS_BYTES]);

/* Notes where this process's counts come from, for the task table. Call it before the first hook.
 */
void attach_set_source(enum shm_source source, uint32_t flags);

/* Renews the calling thread's name in the task table, if it is registered. */
void attach_refresh_name(void);

#endif
