/*
 * The progress line that `record` updates on a terminal.
 */
#ifndef SWT_CMD_RECORD_H
#define SWT_CMD_RECORD_H

#include "../dump/drain/drain.h"
#include "cmd.h"

struct progress {
	const struct verb *verb; /* NULL: standard error is not a terminal */
	uint64_t started, shown; /* ns */
	uint64_t hooks;		 /* when the line was last updated */
};

void progress_begin(struct progress *p, const struct verb *verb);
void progress_show(struct progress *p, const struct drain *drain);
void progress_clear(struct progress *p);

#endif
