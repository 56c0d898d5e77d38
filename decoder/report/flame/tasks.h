/* The frames beneath a thread's intervals: its host, its process and itself, by their names'
 * numbers. */
#ifndef SWT_DECODER_REPORT_FLAME_TASKS_H
#define SWT_DECODER_REPORT_FLAME_TASKS_H

#include "../../../formats/base/hash_index.h"
#include "../../model/intervals/intervals.h"
#include "names.h"

struct flame_task {
	uint32_t container; /* a frame of its own beneath the process; 0: none */
	uint32_t host;	    /* a frame of its own beneath the process; 0: none */
	uint32_t process;   /* 0: the trace does not know it */
	uint32_t thread;
};

enum { FLAME_RECENT_TASKS = 64 };

/* Starts zeroed but for has_containers, names_containers and names_hosts. */
struct flame_tasks {
	struct flame_task *at;
	size_t count, cap;
	struct hash_index by_names;
	bool has_containers;   /* several: a process' name is followed by its container */
	bool names_containers; /* as frames, the session's owner's too; not has_containers */
	bool names_hosts;      /* as frames */
	struct flame_recent_task {
		const struct task *task;
		uint32_t tid;
		uint32_t machine;
		uint32_t number;      /* 0: none */
	} recent[FLAME_RECENT_TASKS]; /* by tid */
};

/* The number (index + 1) of the interval's task; names: where its names are added. 0: out of
 * memory. */
uint32_t flame_tasks_find(struct flame_tasks *tasks, struct flame_names *names,
	const struct trace *t, const struct interval *iv);
void flame_tasks_free(struct flame_tasks *tasks);

#endif
