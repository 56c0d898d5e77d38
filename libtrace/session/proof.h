/*
 * Whether tasks of a session are dead, for its owner's commands. Every answer is from what the
 * table says now: ask after reading what the answer is about. The table is read by pread into
 * private memory, and bounded here.
 */
#ifndef SWT_SESSION_PROOF_H
#define SWT_SESSION_PROOF_H

#include "session.h"

struct proof {
	struct session *session;
	int lock_fd[SHM_LOCK_FILES]; /* opened when first asked for; -1 */
	struct proof_known *known;   /* per slot, so that each process is asked for once; or NULL */
};

void proof_open(struct proof *p, struct session *s);
void proof_close(struct proof *p);

/* The process of that number is gone: its slot was given back, or its lock is free. What cannot
 * be found out counts as alive, and who was found alive still does until proof_close. */
bool proof_process_is_dead(struct proof *p, uint32_t number);

/* The thread that writes under that number will write nothing any more. */
bool proof_writer_is_dead(struct proof *p, uint32_t number);

/* The table's slots that were ever used, each consistent or FREE, and how many they are.
 * NULL: it cannot be read. */
struct shm_task *proof_read_slots(struct session *s, uint32_t *used);
void proof_free_slots(struct shm_task *slots);

#endif
