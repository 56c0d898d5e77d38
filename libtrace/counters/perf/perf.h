/*
 * Hardware counters through perf_event_open: a group a processor, shared by all instances
 * of the process, and a group a thread (one for each type of core). A processor's group is
 * read by one call, a thread's by none where the kernel allows that.
 *
 * Rights differ: a processor's counters need CAP_PERFMON or perf_event_paranoid <= 0, a
 * thread's own need paranoid <= 2 (user mode only) or <= 1. So either may work without
 * the other.
 */
#ifndef SWT_COUNTERS_PERF_H
#define SWT_COUNTERS_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/private_abi.h"
#include "core_types.h"
#include "../../core/online.h"
#include "group.h"
#include "../sample.h"

enum { PERF_OPEN = 0, PERF_UNAVAILABLE = -1, PERF_NO_DESCRIPTORS = -2 };

enum perf_kind {
	PERF_INSTRUCTIONS,
	PERF_CYCLES,
	PERF_REF_CYCLES,
	PERF_MPERF,    /* where there are no reference cycles */
	PERF_APERF,    /* next to it: cycles by the core's own clock */
	PERF_SWITCHES, /* context switches; of its own set of groups */
	PERF_KINDS,
};

/* A group, and the meaning of its members. */
struct perf_counters {
	struct perf_group group;
	int8_t at[PERF_KINDS]; /* index of the member; -1: not there */
	uint8_t core_type;
	bool user_only;
	int error; /* errno of the instructions, where they could not be opened */
};

static inline bool perf_has(const struct perf_counters *c, enum perf_kind kind)
{
	return c->group.count > 0 && c->at[kind] >= 0;
}

/* A group's counts since it was opened. Not counted: NOT_MEASURED. */
struct perf_reading {
	uint64_t count[PERF_KINDS];
	uint64_t enabled, running; /* ns; running is less when counters were shared */
	uint64_t opening;	   /* of a processor's group: which of its openings; never 0 */
	uint8_t core_type;
};

/* Opens as many of the hardware's kinds as there are. PERF_UNAVAILABLE: there is none. */
int perf_open_cpu(struct perf_counters *c, uint32_t cpu);
/* The processor's context switches, which need no hardware. */
int perf_open_switches(struct perf_counters *c, uint32_t cpu);
/* Instructions and cycles of the calling thread, while it is on a core of this type. */
int perf_open_thread(struct perf_counters *c, unsigned core_type);
/* False: *error is the errno (not wanted: NULL). */
bool perf_read_counters(const struct perf_counters *c, struct perf_reading *r, int *error);
void perf_close_counters(struct perf_counters *c, bool forked);

/* Processors' groups are opened without this kind from now on. Not while others open. */
void perf_leave_out(enum perf_kind kind);

/* A group a processor each, opened apart from the other set's. */
enum perf_set { PERF_HARDWARE, PERF_SOFTWARE, PERF_SETS };

/* The processors' groups: opened by the first holder, closed with the last. Without the
 * right or the hardware, hold succeeds and reads say NOT_MEASURED; PERF_SOFTWARE also without
 * descriptors. PERF_NO_DESCRIPTORS: not held. */
int perf_hold_cpus(enum perf_set which, const struct cpu_set *online) PRIVATE_ABI(perf_hold_cpus);
void perf_drop_cpus(enum perf_set which) PRIVATE_ABI(perf_drop_cpus);

enum perf_cpu_state {
	PERF_CPU_READ,
	PERF_CPU_DEAD, /* its group is gone or was never there: a new one may be opened */
	PERF_CPU_NONE, /* there is none to be had, or not now */
};

enum perf_cpu_state perf_read_cpu(enum perf_set which, uint32_t cpu, struct perf_reading *r)
	PRIVATE_ABI(perf_read_cpu);

/* Whether every processor that there could be has a group that was alive when last seen:
 * then those that can be read are the online ones. */
bool perf_cpus_complete(enum perf_set which);

/* Opens groups for processors that came online and drops those of processors that went. Call it
 * only while holding the set. Others may read meanwhile; it never waits for them. */
void perf_renew_cpus(enum perf_set which, const struct cpu_set *online)
	PRIVATE_ABI(perf_renew_cpus);

void perf_before_fork(void);
void perf_after_fork(void);
/* In a child of _Fork or clone, in which another thread of its parent may hold the lock. */
void perf_forget_lock(void);

#endif
