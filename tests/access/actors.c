/*
 * Actors: users and groups that need no entry in any file.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

const char *actor_name(enum actor who)
{
	static const char *const names[ACTORS] = {"root", "owner", "member", "stranger"};

	return names[who];
}

/* In an ordinary user's test run that user is the owner. */
uid_t actor_uid(enum actor who)
{
	return geteuid() != 0 && who == OWNER ? geteuid() : who == ROOT ? 0 : FIRST_USER + who;
}

gid_t actor_gid(enum actor who)
{
	return geteuid() != 0 && who == OWNER ? getegid() : who == ROOT ? 0 : FIRST_USER + who;
}

bool actor_become(enum actor who)
{
	static const gid_t friends[] = {FRIENDS};
	size_t groups = who == OWNER || who == MEMBER ? 1 : 0;
	uid_t uid = actor_uid(who);
	gid_t gid = actor_gid(who);

	if (uid == geteuid())
		return true;
	return setgroups(groups, friends) == 0 && setresgid(gid, gid, gid) == 0 &&
	       setresuid(uid, uid, uid) == 0;
}

int actor_does(enum actor who, int (*what)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(100);
		_exit(actor_become(who) ? what() : 255);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 254;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *path(const char *format, ...)
{
	static char ring[8][PATH_MAX];
	static unsigned next;
	char *p = ring[next++ % 8];
	va_list args;

	va_start(args, format);
	vsnprintf(p, PATH_MAX, format, args);
	va_end(args);
	return p;
}

const char *session_path(const char *name)
{
	return path("%s/%s", box.dir, name);
}

void require_success(int rc, const char *what)
{
	if (rc != 0)
		die("%s: %s", what, strerror(errno));
}

const char *actor_home(enum actor who)
{
	return path("%s/%s", box.base, actor_name(who));
}

void helper_start(enum actor who, const char *way)
{
	char *const words[] = {(char *)path("%s/tools/access", box.base), (char *)way, NULL};

	fflush(stdout);
	box.helper = fork();
	if (box.helper != 0)
		return;
	if (!actor_become(who) || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		_exit(255);
	if (box.env)
		setenv("SWTRACE_SESSION", box.env, 1);
	else
		unsetenv("SWTRACE_SESSION");
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	execv(words[0], words);
	_exit(96);
}

void helper_end(void)
{
	if (box.helper > 0) {
		kill(box.helper, SIGKILL);
		waitpid(box.helper, NULL, 0);
	}
	box.helper = 0;
}

static int do_nothing(void)
{
	return 0;
}

bool actors_prepare(char *why, size_t size)
{
	for (int who = OWNER; who < ACTORS; who++) {
		if (actor_does((enum actor)who, do_nothing) != 0) {
			snprintf(why, size, "this process cannot become user %u here",
				(unsigned)actor_uid((enum actor)who));
			return false;
		}
	}
	return true;
}
