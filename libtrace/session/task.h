/*
 * The thread that wrote a record, copied from the task table so that it outlives its slot.
 */
#ifndef SWT_SESSION_TASK_H
#define SWT_SESSION_TASK_H

#include <stdint.h>

struct task_identity {
	uint32_t tid, pid;
	uint64_t first; /* ticks when it registered */
	char name[17];	/* terminated */
};

#endif
