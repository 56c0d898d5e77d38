/*
 * Signals that end a verb which lets time pass, and the ends of its children: both make a
 * descriptor readable, so that the next pause is short however late they come.
 */
#ifndef SWT_CMD_WAKE_H
#define SWT_CMD_WAKE_H

#include <signal.h>
#include <stdbool.h>

#include "cmd.h"

/* The signal that told the verb to end; 0: none yet. */
extern volatile sig_atomic_t wake_told_to_end;

/* Once a process. `enders`: INT, TERM, HUP and QUIT end the verb (those that were ignored stay
 * so); without, they are left to a command, whose end is the verb's. EXIT_FINE and *fd, or an
 * exit code, told. */
int wake_catch_signals(const struct verb *verb, bool enders, int *fd);

#endif
