/*
 * A file's TASKLOSS sections: the hooks that each task lost since the rings were made, and how many
 * of them before the file began.
 */
#ifndef SWT_DECODER_MODEL_TRACE_TASK_LOSSES_H
#define SWT_DECODER_MODEL_TRACE_TASK_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "../../../formats/base/hash_index.h"

struct task_loss {
	uint32_t tid; /* with `first` the key of a task in TASKS; 0: all tasks, even unknown ones */
	uint64_t first;
	uint64_t lost, before; /* before: at most lost */
};

/* Each task once. Starts zeroed. */
struct task_losses {
	struct task_loss *at;
	size_t count, room;
	struct hash_index index;
	uint64_t seed; /* of its hashes */
};

/* Replaces the task's entry, but keeps the greater `before`. 0, 1: more tasks than this reader
 * keeps, or CPIDECODE_ENOMEM. */
int task_losses_add(struct task_losses *t, const struct task_loss *entry);
void task_losses_free(struct task_losses *t);

#endif
