/* Forks that no handler of pthread_atfork sees. */
#ifndef SWT_TESTS_LIB_FORK_H
#define SWT_TESTS_LIB_FORK_H

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FORK_BY_CLONE, FORK_BY_LIBC, FORK_WAYS };

static inline pid_t fork_without_handlers(int way)
{
	return way == FORK_BY_LIBC ? _Fork()
				   : (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

#endif
