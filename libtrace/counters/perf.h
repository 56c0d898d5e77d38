/*
 * Hardware counters through perf_event_open: a group a processor, shared by all instances
 * of the process, and a group a thread. A group is read by one call.
 *
 * Rights differ: a processor's counters need CAP_PERFMON or perf_event_paranoid <= 0, a
 * thread's own need paranoid <= 2 (user mode only) or <= 1. So either may work without
 * the other.
 */
#ifndef SWT_COUNTERS_PERF_H
#define SWT_COUNTERS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "online.h"
#include "source.h"

/* The system calls, so that tests can stand in for a machine with counters. */
struct perf_calls {
	int (*open)(
		struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags);
	ssize_t (*read)(int fd, void *bytes, size_t size);
	int (*close)(int fd);
};

extern struct perf_calls perf_calls;

enum { PERF_OPEN = 0, PERF_UNAVAILABLE = -1, PERF_NO_DESCRIPTORS = -2 };

/* leader counts instructions; second, if there, ref-cycles (processor) or cycles (thread). */
struct perf_group {
	int leader, second;
	bool user_only;
	int error; /* errno of the leader that could not be opened */
};

#define PERF_NO_GROUP ((struct perf_group){.leader = -1, .second = -1})

/* What a group counted since it was opened. Not counted: CPI_NONE. */
struct perf_reading {
	uint64_t instructions, second;
	uint64_t enabled, running; /* ns; running is less when counters were shared */
};

int perf_open_cpu(struct perf_group *g, uint32_t cpu);
int perf_open_thread(struct perf_group *g);
bool perf_read_group(const struct perf_group *g, struct perf_reading *r);
void perf_close_group(struct perf_group *g);

/* The processors' groups: opened by the first holder, closed with the last. Without the
 * right or the hardware, hold succeeds and reads say CPI_NONE. PERF_NO_DESCRIPTORS: not
 * held. */
int perf_hold_cpus(const struct cpu_set *online);
void perf_drop_cpus(void);
bool perf_read_cpu(uint32_t cpu, struct perf_reading *r);

void perf_before_fork(void);
void perf_after_fork(void);

#endif
