/*
 * How the control of a process begins, and ends: created, attached to, released.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "pctx.h"

bool pctx_wait_stop(struct lwp *l)
{
	int status;

	while (waitpid(l->tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	if (!WIFSTOPPED(status))
		return false;
	l->stopped = true;
	if (status >> 16 == 0)
		l->signal = WSTOPSIG(status);
	return true;
}

int pctx_detach(struct process *p, void *unused)
{
	(void)unused;
	while (p->lwps) {
		struct lwp *l = p->lwps;

		ptrace(PTRACE_DETACH, l->tid, 0, l->signal);
		lwp_remove(p, l);
	}
	return 0;
}

/* ---------------------------------------------------------------------------- create */

/* In the child: no more than a signal handler may do. */
static _Noreturn void pctx_exec_child(
	const struct process *p, const struct start *s, int go, int failed)
{
	char byte;
	int error;

	pthread_sigmask(SIG_SETMASK, &p->engine->signals, NULL);
	if (read(go, &byte, 1) == 1) {
		execvp(s->filename, s->argv);
		error = errno;
		if (write(failed, &error, sizeof error) < 0)
			_exit(126);
	}
	_exit(127);
}

/* To the stop of the exec. Signals on the way are delivered. */
static int reach_exec(struct process *p, int failed)
{
	int status, error = ECHILD;

	for (;;) {
		if (waitpid(p->pid, &status, __WALL) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (!WIFSTOPPED(status)) {
			if (read(failed, &error, sizeof error) != (ssize_t)sizeof error)
				error = ECHILD;
			return -error;
		}
		if (status >> 16 == PTRACE_EVENT_EXEC)
			break;
		ptrace(PTRACE_CONT, p->pid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
	if (!lwp_add(p, p->pid))
		return -ENOMEM;
	p->lwps->stopped = true;
	return 0;
}

/* Seized before it executes: it waits for a byte. */
static int seize_created(struct process *p, int go, int failed)
{
	int rc;

	if (ptrace(PTRACE_SEIZE, p->pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0 ||
		write(go, "", 1) != 1)
		rc = -errno;
	else
		rc = reach_exec(p, failed);
	if (rc) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, __WALL);
	}
	return rc;
}

int pctx_start(struct process *p, void *start)
{
	int go[2], failed[2], rc;

	if (pipe2(go, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(failed, O_CLOEXEC | O_NONBLOCK) != 0) {
		rc = -errno;
		close(go[0]);
		close(go[1]);
		return rc;
	}
	p->pid = fork();
	if (p->pid == 0)
		pctx_exec_child(p, start, go[0], failed[1]);
	rc = p->pid < 0 ? -errno : seize_created(p, go[1], failed[0]);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(failed[i]);
	}
	return rc;
}

/* ---------------------------------------------------------------------------- attach */

static bool has_lwp(const struct process *p, pid_t tid)
{
	for (const struct lwp *l = p->lwps; l; l = l->next)
		if (l->tid == tid)
			return true;
	return false;
}

/* 1: stopped; 0: it has ended meanwhile; or a negative errno. */
static int pctx_seize_thread(struct process *p, pid_t tid)
{
	struct lwp *l;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0)
		return errno == ESRCH && tid != p->pid ? 0 : -errno;
	l = lwp_add(p, tid);
	if (!l) {
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		waitpid(tid, NULL, __WALL);
		ptrace(PTRACE_DETACH, tid, 0, 0);
		return -ENOMEM;
	}
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0 && pctx_wait_stop(l))
		return 1;
	lwp_remove(p, l);
	return tid == p->pid ? -ESRCH : 0;
}

/* The LWPs that are not yet stopped: how many were, or a negative errno. */
static int seize_new(struct process *p)
{
	char path[64];
	struct dirent *entry;
	int seized = 0, rc = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc >= 0 && (entry = readdir(dir))) {
		pid_t tid = (pid_t)number_at(entry->d_name, INT_MAX);

		if (tid <= 0 || has_lwp(p, tid))
			continue;
		rc = pctx_seize_thread(p, tid);
		seized += rc > 0;
	}
	closedir(dir);
	return rc < 0 ? rc : seized;
}

/* Seizes threads until none is new: those that still ran may have made others. */
int pctx_attach(struct process *p, void *unused)
{
	int rc = 0;

	(void)unused;
	/* Its first thread's id, not another's. */
	if (syscall(SYS_tgkill, p->pid, p->pid, 0) != 0 && errno == ESRCH)
		return -ESRCH;
	do {
		rc = seize_new(p);
	} while (rc > 0);
	if (rc == 0 && !p->lwps)
		rc = -ESRCH;
	if (rc < 0)
		pctx_detach(p, NULL);
	return rc;
}
