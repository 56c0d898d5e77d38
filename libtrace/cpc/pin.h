/*
 * Threads bound to a CPU: restores the affinity once a thread's last set is unbound. The caller
 * holds the library's lock.
 */
#ifndef SWT_CPC_PIN_H
#define SWT_CPC_PIN_H

#include <sys/types.h>

/* Pins the calling thread to this CPU. Returns 0 or a negative errno. */
int pin_acquire(unsigned cpu);
/* Drops one pin of the thread; the last one restores its affinity. */
void pin_drop(pid_t tid);

void pin_thread_ends(void);
/* In a child of fork: restores the affinity if `forked`, the thread that called fork, was
 * pinned. */
void pin_after_fork(pid_t forked);

#endif
