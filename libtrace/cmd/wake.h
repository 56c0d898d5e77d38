/*
 * Wakes a verb that waits: signals that end the verb and SIGCHLD make a descriptor readable, so the
 * next wait is short even if a signal arrives just before it.
 */
#ifndef SWT_CMD_WAKE_H
#define SWT_CMD_WAKE_H

#include <signal.h>
#include <stdbool.h>

#include "cmd.h"

/* The signal that asked the verb to end; 0: none yet. */
extern volatile sig_atomic_t wake_should_end;

/* Call once per process. `enders`: INT, TERM, HUP and QUIT end the verb (ignored ones stay
 * ignored); without, they are left to a command, whose end is the verb's. Returns EXIT_FINE and
 * *fd, or an exit code after reporting the error. */
int wake_catch_signals(const struct verb *verb, bool enders, int *fd);

#endif
