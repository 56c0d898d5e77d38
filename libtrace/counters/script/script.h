/*
 * The scripted source: counts from a text file, for tests and demonstrations. Its
 * language: perfutil(3), SCRIPTED COUNTERS. One file a process, loaded once.
 *
 * libtrace/counters/script owns the scripted source. It includes counters, core and machine.
 * Errors as in counters/source.h.
 */
#ifndef SWT_COUNTERS_SCRIPT_H
#define SWT_COUNTERS_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "../sample.h"

struct script;

/* Parses; *script is the caller's. PU_ERROR_INVALID_PARAMETER (*line is the line at fault,
 * *why a constant string), PU_ERROR_NOT_ENOUGH_MEMORY. */
int script_parse(
	const char *text, size_t length, struct script **script, unsigned *line, const char **why);
void script_free(struct script *script);

/* COUNTER_BITs of the quantities that it ever mentions. */
unsigned script_quantities(const struct script *script);

/* The next step: advances the counts and copies them into s, whose ticks, cpus and online
 * marks are set. The processes' steps are one sequence for all threads; the thread's counts,
 * read where s->thread is set, are the calling thread's own. Busy is all that is not idle, so
 * intr is part of it. */
void script_read(struct script *script, struct counter_sample *s);

void script_before_fork(void);
void script_after_fork(void);
/* In a child of _Fork or clone, in which another thread of its parent may hold the lock. */
void script_forget_lock(void);

#endif
