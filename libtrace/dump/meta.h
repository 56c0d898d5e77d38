/*
 * The META section's lines: facts on the dump and its machine.
 */
#ifndef SWT_DUMP_META_H
#define SWT_DUMP_META_H

#include "../session/session.h"
#include "meta_lines.h"

/* command: NULL if unknown. */
void meta_lines(struct buffer *t, const struct session *s, const struct session_task *tasks,
	int ntasks, const char *command);

/* Adds the period of the intervals that are open now. */
void meta_add_period(struct buffer *lines, const struct shm_control *c);

#endif
