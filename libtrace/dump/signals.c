#include "signals.h"

#include <pthread.h>
#include <time.h>

void signals_hold(struct held_signals *s)
{
	sigset_t pending;

	sigemptyset(&s->held);
	sigpending(&pending);
	/* Leaves signals that were pending before. */
	if (!sigismember(&pending, SIGPIPE))
		sigaddset(&s->held, SIGPIPE);
	if (!sigismember(&pending, SIGXFSZ))
		sigaddset(&s->held, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &s->held, &s->before);
}

void signals_let_go(const struct held_signals *s)
{
	const struct timespec at_once = {0};

	while (sigtimedwait(&s->held, NULL, &at_once) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}
