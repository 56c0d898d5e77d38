/*
 * The progress line that `record` updates on a terminal.
 */
#ifndef SWT_CMD_RECORD_H
#define SWT_CMD_RECORD_H

#include "../dump/drain/drain.h"
#include "cmd.h"

struct record_progress {
	const struct verb *verb; /* NULL: standard error is not a terminal */
	uint64_t started, shown; /* ns */
	uint64_t hooks;		 /* when the line was last updated */
};

void record_progress_begin(struct record_progress *p, const struct verb *verb);
void record_progress_show(struct record_progress *p, const struct drain *drain);
void record_progress_clear(struct record_progress *p);

#endif
