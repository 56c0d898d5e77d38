/*
 * The side of the traced program: finds the session, maps its rings, registers threads.
 */
#ifndef SWT_SESSION_ATTACH_H
#define SWT_SESSION_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

/* Looks (again) for the session to trace in; cheap when nothing changed. Called by
 * CpiInit and CpiStart, and by the first hook. */
void attach_look(void);

/* 1 if hooks of this major would be written now (after attach_look). */
bool attach_wants(uint32_t major);

/*
 * Attaches the calling thread now if hooks of this major are wanted: mapping the rings and
 * touching their pages takes milliseconds, which are no part of what it is about to measure.
 */
void attach_ready(uint32_t major);

/* Where this process's counts come from, for the task table; before the first hook. */
void attach_set_source(enum shm_source source, uint32_t flags);

/* Renews the calling thread's name in the task table, if it is registered. */
void attach_refresh_name(void);

#endif
