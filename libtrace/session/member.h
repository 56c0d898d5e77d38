/*
 * This process as a member of one generation of a session: its mappings, its lock, its
 * threads' slots. Called with attach.c's lock held and signals blocked.
 */
#ifndef SWT_SESSION_MEMBER_H
#define SWT_SESSION_MEMBER_H

#include <stddef.h>

#include "../ring/thread.h"
#include "labels.h"
#include "session.h"

struct member {
	struct member *next;
	struct ring_map map;
	uint32_t generation;
	uint32_t references; /* threads in it, and 1 while it is the current one */
	struct shm_task_file *tasks;
	void *lock_map;	  /* a mapping whose file description holds the process's lock */
	uint32_t process; /* its slot's number; 0: none yet */
	int dir;	  /* of the session, while attach.c's lock is held; -1: not open */
	uint32_t source, source_flags;
	uint32_t pid_namespace, cgroup; /* see container.h; set with `process` */
	/* When a thread was last refused a slot (CLOCK_MONOTONIC_RAW ns; 0: not), and slots_freed
	 * then. */
	uint64_t refused, refused_freed;
	struct label_table labels;
};

/* Every map that a thread has is a member's. */
static inline struct member *member_of_map(const struct ring_map *map)
{
	return (struct member *)((char *)(uintptr_t)map - offsetof(struct member, map));
}

/*
 * Maps the rings and task table of a generation, and adds it to the list. 0, or a PU_ code and
 * *member NULL: PU_ERROR_INSUFFICIENT_RESOURCES (descriptors), PU_ERROR_NOT_ENOUGH_MEMORY or
 * PU_ERROR_CANNOT_MAP_BUFFER, PU_ERROR_ACCESS_DENIED, PU_ERROR_DRIVER_NOT_LOADED (its files are
 * gone), PU_ERR_FILE_ERROR (they are not of that generation), PU_ERROR_NOT_SUPPORTED (their clock
 * is none that this process can read).
 */
int member_open(const struct session_location *location, const struct shm_control *control,
	uint32_t generation, struct member **list, struct member **member);

/* Opens the session's directory, to be used for several files. Returns m->dir or a PU_ code. */
int member_open_dir(struct member *m, const struct session_location *location);
void member_close_dir(struct member *m);

/* Replaces the rings and the tasks' losses by private memory at the same addresses. A forked child
 * does so, too: if the fork interrupted a hook, the parent completes that record. */
void member_divert(struct member *m);

/* Removes it from the list and unmaps everything. No thread of this process may be in a hook, or
 * enter one. */
void member_unmap(struct member *m);

/* Marks it as not current any more. It is freed with its last thread. */
void member_leave(struct member *m);

bool member_is_ours(const struct member *m);

/* threads.c: makes the calling thread a writer: slot, name, rseq. Leaves the one it was in, but
 * for hooks of it that were interrupted: more than `own`. False: no slot is to be had. */
bool member_join(struct member *m, const struct session_location *location,
	struct ring_thread *self, uint32_t own);
/* Ends the calling thread's membership. */
void member_part(struct ring_thread *self);

void member_name_thread(struct member *m, struct ring_thread *self);
void member_set_source(struct member *m, enum shm_source source, uint32_t flags);

/* attach.c */
void attach_thread_gone(void);

#endif
