/*
 * /proc/stat: what the kernel accounts each processor's time to, in 1/USER_HZ. Interrupts are
 * accounted to the nanosecond where the kernel was built for that, else a timer tick at a
 * time, to whatever it finds; the file has the same fields.
 */
#ifndef SWT_COUNTERS_MACHINE_PROC_STAT_H
#define SWT_COUNTERS_MACHINE_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/private_abi.h"

/* A processor's line, in 1/USER_HZ. */
struct stat_line {
	uint32_t cpu;
	uint64_t user; /* of normal priority */
	uint64_t nice; /* user mode at low priority */
	uint64_t system;
	uint64_t idle; /* iowait included, which is idle too */
	uint64_t irq, softirq;
	uint64_t intr;	/* both */
	uint64_t steal; /* what the hypervisor gave to others while it wanted to run */
	bool has_intr, has_steal;
};

/* The next processor's line from *p on, any bytes. False: there is no more. Skips lines that were
 * cut off or have impossible numbers. */
bool stat_next(const char **p, const char *end, struct stat_line *line) PRIVATE_ABI(stat_next);

/* A processor's times in ns since boot; UINT64_MAX: not known. Each is right within
 * stat_resolution() / 2. */
struct stat_cpu {
	uint64_t idle, intr, steal;
};

/* Fills cpu[0..room) and the moment, clock_now(). False if nothing could be read. */
bool stat_read(struct stat_cpu *cpu, uint32_t room, uint64_t *at);

/* The step of its times, ns. */
uint64_t stat_resolution(void);

/* Around fork: no other thread is inside. */
void stat_before_fork(void);
void stat_after_fork(void);
/* In a child of _Fork or clone, in which another thread of its parent may hold the lock. */
void stat_forget_lock(void);

#endif
