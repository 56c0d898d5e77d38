/*
 * Whose a thread id is: the session's task table, looked up as hooks come.
 */
#ifndef SWT_DUMP_TASKS_H
#define SWT_DUMP_TASKS_H

#include <stdint.h>

#include "../session/session.h"
#include "event.h"

struct tasks {
	struct session *session;
	struct event_task *task; /* sorted by tid, then first */
	uint32_t count;
	uint32_t readings; /* that are left until tasks_refresh */
};

void tasks_open(struct tasks *t, struct session *s);
void tasks_close(struct tasks *t);

/* Allows the table to be read anew a few times: thread ids are what members say they are. */
void tasks_refresh(struct tasks *t);

/* The task that had this thread id at that time; NULL: unknown. Valid until the next call. */
const struct event_task *tasks_find(struct tasks *t, uint32_t tid, uint64_t stamp);

#endif
