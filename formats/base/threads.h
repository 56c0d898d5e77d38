/*
 * Threads that a library or a command runs for itself. No mutable state.
 */
#ifndef SWT_FORMATS_BASE_THREADS_H
#define SWT_FORMATS_BASE_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Starts a thread that blocks all signals: the program's handlers run in threads of its own, whose
 * waiting they interrupt. stack_bytes 0: the default. 0 or an errno. */
static inline int thread_start(
	pthread_t *id, size_t stack_bytes, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	if (stack_bytes)
		pthread_attr_setstacksize(&attr, stack_bytes);
	const int rc = pthread_create(id, &attr, run, arg);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

#endif
