/*
 * Who has bound a CPU, over all processes of the machine: a small file that all may write.
 *
 * A byte per CPU is locked by the process that has it: the kernel drops the lock with the
 * process, however that ends. The first bytes are a mark that each binding of a CPU
 * changes: who bound a thread remembers it, and is invalid once it differs.
 *
 * Nothing there is trusted. Any user can lock bytes, write or cut the file, or stand in its
 * place first: then binds or samples of others are EAGAIN, and no more than that. Or a
 * CPU is bound twice, which the kernel counts rightly.
 *
 * Read by pread: a mapping of a file that someone cuts is a SIGBUS.
 *
 * Threads: the caller has the library's lock, but for registry_valid.
 */
#ifndef SWT_CPC_REGISTRY_H
#define SWT_CPC_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

enum { REGISTRY_WHY = 256 };

struct registry_mark {
	uint64_t word[2];
};

/* Whether threads may be bound now: 0 and the mark, or -EAGAIN with why. */
int registry_look(struct registry_mark *mark, char why[REGISTRY_WHY]);

/* No CPU was bound since. Async-signal-safe. */
bool registry_valid(const struct registry_mark *mark);

/* Takes a CPU and invalidates all that is bound to threads; -EAGAIN with why. */
int registry_take_cpu(unsigned cpu, char why[REGISTRY_WHY]);
void registry_drop_cpu(unsigned cpu);

/* In a child of fork, which has none of the locks. */
void registry_after_fork(void);

#endif
