/* The threads of one machine, by id and time. */
#ifndef SWT_DECODER_MODEL_TRACE_TASKS_H
#define SWT_DECODER_MODEL_TRACE_TASKS_H

#include "../../base/spill.h"
#include "model.h"

/* The most tasks of one file. The kernel uses a thread id again after a while. */
enum { TASKS_MAX = 1 << 19 };

/* Starts zeroed. */
struct task_table {
	struct spill entries; /* struct task; by tid, then first, then order */
	size_t count;
	uint32_t added; /* entries ever added, repeated ones included */
};

/*
 * Merges n entries in and owns them from then on. After a failure they stay the caller's. Entries
 * returned earlier may move.
 */
int tasks_add(struct task_table *t, struct spill *entries, size_t n);
void tasks_free(struct task_table *t);

static inline const struct task *tasks_at(const struct task_table *t, size_t i)
{
	return (const struct task *)t->entries.p + i;
}

/*
 * The entry of tid with the greatest first <= ticks, or NULL. The answer is the same
 * for all of *from to *to.
 */
const struct task *tasks_find(
	const struct task_table *t, uint32_t tid, uint64_t ticks, uint64_t *from, uint64_t *to);

#endif
