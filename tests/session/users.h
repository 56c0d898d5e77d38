/* Runs code as an ordinary user, for tests that root runs. */
#ifndef SWT_TESTS_SESSION_USERS_H
#define SWT_TESTS_SESSION_USERS_H

#include <check.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_USER = 65533, OTHER_GROUP = 65532 };

/* Runs `what` in a child as that user and group only; returns its result (0 to 255). */
static inline int as_user(uid_t uid, gid_t gid, int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
			_exit(255);
		_exit(what());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "status %#x", (unsigned)status);
	return WEXITSTATUS(status);
}

/* True, with one message per test, if there is no second user to test with. */
static inline int only_one_user(void)
{
	return geteuid() != 0;
}

#endif
