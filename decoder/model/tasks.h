/* The threads of one machine, by id and time. */
#ifndef SWT_DECODER_TASKS_H
#define SWT_DECODER_TASKS_H

#include "model.h"

/* A thread id is used again after a while, so this is some times what a machine holds. */
enum { TASKS_MAX = 4 << 20 };

struct task_table {
	struct task **sorted; /* by tid, then first, then as they came */
	size_t count, cap;
	struct task **chunks; /* the entries: they never move */
	size_t nchunks, chunks_cap;
};

/* Takes over n entries (from malloc), sorts them in. After a failure they are the caller's. */
int tasks_add(struct task_table *t, struct task *entries, size_t n);
void tasks_free(struct task_table *t);

/*
 * The entry of tid with the greatest first <= ticks, or NULL. The answer is the same
 * for all of *from to *to.
 */
const struct task *tasks_find(
	const struct task_table *t, uint32_t tid, uint64_t ticks, uint64_t *from, uint64_t *to);

#endif
