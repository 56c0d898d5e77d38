/*
 * The task table as members change it: slots are claimed, published and given back. Lock-free,
 * bounded, and safe against whatever other members wrote there. Formats and rules: session.h.
 */
#ifndef SWT_SESSION_SLOTS_H
#define SWT_SESSION_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

/*
 * Claims a slot for a task and fills it with `task` (except its state, and a process's own number
 * in `process`). It stays CLAIMED, and readers pass over it, until slots_publish. Tries two slots
 * at most. Returns its number, or 0 if none is free or there is no memory for more.
 *
 * A process killed between claim and publication keeps the slot until the next init.
 */
uint32_t slots_claim(struct shm_task_file *f, const struct shm_task *task);

/* SHM_TASK_LIVE or SHM_TASK_PROCESS. False: another member wrote into the slot. */
bool slots_publish(struct shm_task_file *f, uint32_t number, enum shm_task_state kind);

/* Ends the task and queues its slot. Does nothing if the slot has another number by now. */
void slots_give_back(struct shm_task_file *f, uint32_t number);

/* A count that changes whenever a slot is given back. */
uint64_t slots_freed(const struct shm_task_file *f);

#endif
