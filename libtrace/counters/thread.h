/*
 * The calling thread: who it is, the time it ran, and its group of hardware counters,
 * which lives until the thread ends.
 */
#ifndef SWT_COUNTERS_THREAD_H
#define SWT_COUNTERS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "perf.h"

/* On the heap: a child of fork closes those of threads whose memory it does not have. */
struct thread_group {
	struct perf_group perf;
	struct thread_group *next, **link; /* of all threads' groups */
};

struct thread_self {
	uint64_t id; /* counters_thread(); 0: not yet known */
	uint32_t tid;
	bool group_tried;
	struct thread_group *group; /* NULL: none */
};

struct thread_self *thread_self(void);

/* ns that the calling thread ran; CPI_NONE if the kernel does not tell. */
uint64_t thread_time_ns(void);

/* Opens the thread's group, once: PERF_OPEN or a PERF_ code. */
int thread_open_group(struct thread_self *self);

#endif
