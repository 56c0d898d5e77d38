/*
 * Writing without being ended by it.
 */
#ifndef SWT_DUMP_SIGNALS_H
#define SWT_DUMP_SIGNALS_H

#include <signal.h>

struct held_signals {
	sigset_t held, before;
};

/*
 * A closed pipe and the file size limit are errors to report, not ends of the process.
 * Both signals come to the thread that writes, so they are held back in this one only.
 */
void signals_hold(struct held_signals *s);
/* Drops those that came, and lets later ones through as before. */
void signals_let_go(const struct held_signals *s);

#endif
