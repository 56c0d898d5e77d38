/*
 * Threads that were moved to a CPU: where they may run once their last set is unbound.
 * The caller has the library's lock.
 */
#ifndef SWT_CPC_PIN_H
#define SWT_CPC_PIN_H

#include <sys/types.h>

/* The calling thread, from now on on this CPU: 0 or a negative errno. */
int pin_take(unsigned cpu);
/* One fewer for that thread. */
void pin_drop(pid_t tid);

void pin_thread_ends(void);
/* In a child of fork: leaves the CPU that `forked`, who called fork, was moved to. */
void pin_after_fork(pid_t forked);

#endif
