/* Catches signals, but none that the caller ignores: nohup ignores some, and a shell those of its
 * background jobs. */
#ifndef SWT_FORMATS_BASE_SIGNALS_H
#define SWT_FORMATS_BASE_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/* Sets the action of the signals that are not ignored; NULL: of none. Returns those signals. */
static inline sigset_t signals_catch(const int *signals, size_t n, const struct sigaction *action)
{
	struct sigaction now;
	sigset_t caught;

	sigemptyset(&caught);
	for (size_t i = 0; i < n; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
			sigaction(signals[i], action, NULL);
			sigaddset(&caught, signals[i]);
		}
	return caught;
}

#endif
