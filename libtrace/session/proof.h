/*
 * Whether tasks of a session are dead, for its owner's commands. Answers reflect the table at the
 * call, so read the record first, then ask. The table is read by pread into private memory, and
 * bounded here.
 */
#ifndef SWT_SESSION_PROOF_H
#define SWT_SESSION_PROOF_H

#include "session.h"

struct proof {
	struct session *session;
	int lock_fd[SHM_LOCK_FILES]; /* opened on first use; -1: not yet */
	struct proof_known *known;   /* per slot, so that each process is checked once; or NULL */
};

void proof_open(struct proof *p, struct session *s);
void proof_close(struct proof *p);

/* Whether the process of that number is gone: its slot was given back, or its lock is free. If in
 * doubt it counts as alive. A process found alive counts as alive until proof_close. */
bool proof_process_is_dead(struct proof *p, uint32_t number);

/* Whether the thread of that number will write nothing any more. */
bool proof_writer_is_dead(struct proof *p, uint32_t number);

/* Returns the table's slots that were ever used, each consistent or FREE, and their count. NULL:
 * the table cannot be read. */
struct shm_task *proof_read_slots(struct session *s, uint32_t *used);
/* Reads one slot. False: it cannot be read, or it changes all the time. */
bool proof_read_slot(struct session *s, uint32_t index, struct shm_task *slot);
void proof_free_slots(struct shm_task *slots);

#endif
