/*
 * Whose a record is. A record in a ring carries its writer's number (struct shm_task); what
 * leaves the rings carries thread ids, which are translated here.
 *
 * Invariants: a number that was known once stays known when its slot is used again. A thread id
 * is given only to stamps for which a reader of the listed tasks finds this very task; any other
 * record gets an id made of its writer's number, which no task has. So a name is right or absent.
 */
#ifndef SWT_DUMP_TASKS_H
#define SWT_DUMP_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../session/session.h"
#include "../session/task.h"

/* Set in the thread id of a writer that is not known; no kernel's thread id has it. */
#define TASKS_UNKNOWN 0x80000000u

enum { TASKS_CACHE = 256 };

struct known_task {
	uint32_t number;
	uint32_t next;	/* index + 1 of another with this thread id */
	uint64_t until; /* stamps from here on are of a later task with this thread id */
	bool told;	/* in the file */
	bool listed;	/* by the last tasks_read */
	struct task_identity task;
};

struct cached_task {
	uint32_t number, tid;
	uint64_t until;
};

struct tasks {
	struct session *session;
	struct known_task *task;
	uint32_t count, room;
	uint32_t *by_number, *by_tid; /* index + 1; open addressing, a power of two */
	uint32_t slots;
	uint32_t untold, first_untold; /* tasks that are not told; none of them before this index */
	bool sealed;		       /* nothing is added any more: the file has its tasks */
	struct cached_task cache[TASKS_CACHE];
};

void tasks_open(struct tasks *t, struct session *s);
void tasks_close(struct tasks *t);

/*
 * Adds what session_tasks gave; names that changed become untold. False: no memory for some of
 * them, which stay unknown.
 */
bool tasks_read(struct tasks *t, const struct session_task *tasks, int count);

/* The task of that number; NULL: unknown. Valid until the next call. */
const struct task_identity *tasks_find(struct tasks *t, uint32_t number);

/* The thread id of that writer's records of that stamp. */
uint32_t tasks_thread(struct tasks *t, uint32_t number, uint64_t stamp);

/* Turns the numbers in a run of well-formed records into thread ids. */
void tasks_translate(struct tasks *t, uint8_t *records, uint32_t bytes);

/* All tasks are to be told again, as of a new file. */
void tasks_untell(struct tasks *t);

/* Up to `room` untold tasks as entries of a TASKS section, told from now on. Returns how many. */
uint32_t tasks_tell(struct tasks *t, uint8_t *entries, uint32_t room);

#endif
