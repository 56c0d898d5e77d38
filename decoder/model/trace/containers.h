/*
 * The containers of one machine's threads: CONTAINERS entries, by the thread's id in the file and
 * its first tick, as in TASKS. A thread without an entry is in the container of the session's
 * owner (its PID namespace, its cgroup), or it is not known where.
 */
#ifndef SWT_DECODER_MODEL_TRACE_CONTAINERS_H
#define SWT_DECODER_MODEL_TRACE_CONTAINERS_H

#include "model.h"

struct container {
	uint32_t tid; /* its task's */
	uint64_t first;
	uint32_t own_tid, own_pid, pid_namespace; /* of that PID namespace, by inode; 0: unknown */
	uint32_t name; /* index of its cgroup's (labels.h), or TEXT_NONE */
};

/* Starts zeroed. Of a machine: sorted, each once. */
struct container_table {
	struct container *at;
	size_t count, room;
};

/* At the end. 0 or CPIDECODE_ENOMEM. */
int containers_add(struct container_table *t, const struct container *entry);
/* Merges a file's entries in, and frees them. 0 or CPIDECODE_ENOMEM, and they stay the caller's. */
int containers_merge(struct container_table *t, struct container_table *from);
void containers_free(struct container_table *t);

/* The task's container in a merged table. NULL: none. */
const struct container *containers_find(const struct container_table *t, const struct task *task);

#endif
