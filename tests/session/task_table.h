/* A session and its table of tasks, for the tests of who traces and of how traced threads end. */
#ifndef SWT_TESTS_SESSION_TASK_TABLE_H
#define SWT_TESTS_SESSION_TASK_TABLE_H

#include "../lib/suites.h"
#include "sandbox.h"

extern struct session table_box;
extern struct session_task *table_tasks; /* by the last table_find() */
extern int table_count;

void table_begin(void);
/* The task of this thread, or NULL. */
const struct session_task *table_find(uint32_t tid);

/* The table's words. */
#define USED offsetof(struct shm_task_header, used)
#define FREED offsetof(struct shm_task_header, given.freed)
#define SWEPT offsetof(struct shm_task_header, swept.freed)

uint64_t table_word(size_t offset);
void table_set_word(size_t offset, uint64_t value);
off_t table_slot_at(uint32_t index);
uint32_t table_slots_of_kind(enum shm_task_state kind);
/* Only so many slots are left. */
void table_leave_slots(uint32_t n);

#endif
