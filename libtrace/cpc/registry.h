/*
 * Which CPUs are bound, across all processes of the machine: a small world-writable file.
 *
 * Each process locks one byte for each CPU that it has bound; the kernel drops the lock when the
 * process ends, however it ends. The file begins with a generation (struct registry_generation)
 * that every binding of a CPU changes. A binding of a thread remembers it and becomes invalid once
 * it differs.
 *
 * The file's content is untrusted. Any user can lock bytes, write or truncate the file, or create
 * it first. The worst result is EAGAIN from other processes' binds and samples, or a CPU that is
 * bound twice, which the kernel counts correctly.
 *
 * Read with pread: touching a mapping of a truncated file raises SIGBUS.
 *
 * Threads: the caller holds the library's lock, except for registry_valid.
 */
#ifndef SWT_CPC_REGISTRY_H
#define SWT_CPC_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

enum { REGISTRY_WHY = 256 };

struct registry_generation {
	uint64_t word[2];
};

/* Whether threads may be bound now. Returns 0 and the generation, or -EAGAIN with why. */
int registry_check(struct registry_generation *generation, char why[REGISTRY_WHY]);

/* Whether no CPU was bound since. Async-signal-safe. */
bool registry_valid(const struct registry_generation *generation);

/* Locks a CPU and invalidates all bindings of threads. Returns -EAGAIN with why. */
int registry_lock_cpu(unsigned cpu, char why[REGISTRY_WHY]);
void registry_drop_cpu(unsigned cpu);

/* In a child of fork, which inherits none of the locks. */
void registry_after_fork(void);

#endif
