/*
 * The writer of a record. A record in a ring carries its writer's number (struct shm_task); a
 * record in a file carries a thread id. This module translates them.
 *
 * Invariants: a number that was known once stays known when its slot is reused. A thread id is
 * given only to stamps for which a reader of the listed tasks finds this very task; any other
 * record gets an id made of its writer's number, which no task has. So a name is right or absent.
 */
#ifndef SWT_DUMP_TASKS_H
#define SWT_DUMP_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/base/hash_index.h"
#include "../../formats/trace_file.h"
#include "../session/session.h"
#include "../session/task.h"

/* Set in the thread id of an unknown writer, or of one of another PID namespace than the owner's.
 * No kernel's thread id has this bit. Alone, it is that of an unknown writer whose number is, but
 * for this bit, that of a known one. */
#define TASKS_UNKNOWN TF_ID_OF_SESSION

enum { TASKS_CACHE = 256, TASKS_CONTAINER_MAX = TF_CONTAINER_NAME + TF_CONTAINER_MAX + 4 };

struct known_task {
	uint32_t number;
	uint32_t next;	/* index + 1 of another with this thread id */
	uint64_t until; /* stamps from here on belong to a later task with this thread id */
	bool written;	/* in the file */
	bool listed;	/* by the last tasks_read */
	bool contained; /* not in the owner's container: needs an entry in CONTAINERS */
	bool placed;	/* its container is in the file, or it needs no entry there */
	uint32_t own_tid, own_pid, pid_namespace, cgroup; /* see session_task */
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
	struct hash_index by_number, by_tid; /* by_tid: the first of a list by next */
	uint32_t unwritten,
		first_unwritten; /* number of unwritten tasks; none is before this index */
	uint32_t unplaced;	 /* number of tasks whose container is not in the file */
	bool sealed;		 /* complete: the file has its tasks, and none is added */
	struct cached_task cache[TASKS_CACHE];
};

void tasks_open(struct tasks *t, struct session *s);
void tasks_close(struct tasks *t);

/*
 * Adds the tasks of session_tasks. A task whose name changed is unwritten again. False: out of
 * memory for some of them, which stay unknown.
 */
bool tasks_read(struct tasks *t, const struct session_task *tasks, int count);

/* Finds the task of that number. NULL: unknown. Valid until the next call. */
const struct task_identity *tasks_find(struct tasks *t, uint32_t number);

/* Returns the thread id for that writer's records of that stamp. */
uint32_t tasks_thread(struct tasks *t, uint32_t number, uint64_t stamp);

/* Replaces the numbers in a run of well-formed records by thread ids. */
void tasks_translate(struct tasks *t, uint8_t *records, uint32_t bytes);

/* Marks all tasks unwritten, for a new file. */
void tasks_untell(struct tasks *t);

/* Writes up to `room` unwritten tasks as entries of a TASKS section and marks them written. Returns
 * how many. */
uint32_t tasks_tell(struct tasks *t, uint8_t *entries, uint32_t room);

/* Writes containers that the file lacks as entries of a CONTAINERS section, in at most `room`
 * bytes, TASKS_CONTAINER_MAX at least. Returns their bytes; 0: there are no more. */
uint32_t tasks_tell_containers(struct tasks *t, uint8_t *bytes, uint32_t room);

#endif
