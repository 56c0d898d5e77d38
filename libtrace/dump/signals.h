/*
 * Keeps signals of writing from ending the process.
 */
#ifndef SWT_DUMP_SIGNALS_H
#define SWT_DUMP_SIGNALS_H

#include <signal.h>

struct held_signals {
	sigset_t held, before;
};

/*
 * Blocks SIGPIPE and SIGXFSZ in this thread: a closed pipe and the file size limit are errors to
 * report. Both signals go to the writing thread.
 */
void signals_hold(struct held_signals *s);
/* Discards those that are pending, and restores the mask. */
void signals_let_go(const struct held_signals *s);

#endif
