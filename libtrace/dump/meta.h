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

#endif
