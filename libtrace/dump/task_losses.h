/*
 * Writes the TASKLOSS sections of a file: the hooks that each task lost (formats/trace-file.md).
 *
 * Invariant: the rings' losses include all of the tasks', because the rings' counters are read
 * after the tasks'.
 */
#ifndef SWT_DUMP_TASK_LOSSES_H
#define SWT_DUMP_TASK_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../session/session.h"
#include "section.h"
#include "tasks.h"

/* The losses since the generation began, at one moment. Starts zeroed. */
struct task_losses {
	struct session_loss *task; /* by slot */
	size_t count;
	uint64_t all; /* of the rings, including those of unknown tasks */
};

/* Reads the tasks' losses, and sets `all` to 0 for the caller to count. False: cannot be read, and
 * *l is unchanged. */
bool task_losses_read(struct task_losses *l, const struct session *s);
void task_losses_free(struct task_losses *l);

/* A bound of the raw bytes of a section. */
uint64_t task_losses_largest(const struct task_losses *l);

/*
 * Writes the losses that differ from `since`, or all if it is NULL; losses of tasks without a name
 * are only in `all`. is_before: they were lost before the file began. Returns 0 or a PU_ code.
 */
int task_losses_write(const struct task_losses *l, const struct task_losses *since, bool is_before,
	struct section_writer *w, enum tf_codec codec, struct tasks *known,
	struct session_error *error);

#endif
