#include "pctx_seen.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "suite.h"

struct pctx_seen seen;
char line[512];

void pctx_begin(void)
{
	memset(&seen, 0, sizeof seen);
	seen.exit_status = -1;
	line[0] = 0;
}

void keep_line(const char *fn, const char *format, va_list ap)
{
	int n = snprintf(line, sizeof line, "%s: ", fn);

	vsnprintf(line + n, sizeof line - (size_t)n, format, ap);
}

int on_init(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	seen.out_of_order |= arg != &seen || *p != pid || lwp == 0 || seen.exit_status >= 0;
	seen.init++;
	seen.pid = pid;
	return seen.return_at_init == seen.init;
}

static int on_fini(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)arg;
	seen.out_of_order |= *p != pid || lwp == 0 || seen.fini >= seen.init;
	seen.fini++;
	return 0;
}

static int on_lwp_create(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)arg;
	seen.out_of_order |= *p != pid || (pid_t)lwp == pid;
	seen.create++;
	return 0;
}

static int on_lwp_exit(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)p, (void)pid, (void)lwp, (void)arg;
	seen.lwp_exit++;
	return 0;
}

static int on_exec(pctx_t *p, pid_t pid, id_t lwp, char *command, void *arg)
{
	(void)arg;
	seen.out_of_order |= *p != pid || (pid_t)lwp != pid || seen.fini != seen.init;
	snprintf(seen.command, sizeof seen.command, "%s", command);
	seen.exec++;
	return 0;
}

static void on_exit_status(pctx_t *p, pid_t pid, id_t lwp, int status, void *arg)
{
	(void)p, (void)lwp, (void)arg;
	seen.out_of_order |= pid != seen.pid || seen.fini != seen.init;
	seen.exit_status = status;
}

static int on_child_init(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)p, (void)lwp, (void)arg;
	seen.child_init++;
	seen.out_of_order |= pid == seen.pid;
	return 0;
}

static void on_child_exit(pctx_t *p, pid_t pid, id_t lwp, int status, void *arg)
{
	(void)p, (void)pid, (void)lwp, (void)arg;
	seen.child_exit = status;
}

static void on_fork(pctx_t *child, pid_t old, id_t pid, pid_t lwp, void *arg)
{
	(void)arg;
	seen.fork++;
	seen.child = (pid_t)pid;
	seen.out_of_order |= old != seen.pid || lwp != old || *child != (pid_t)pid;
	if (pctx_set_events(child, PCTX_INIT_LWP_EVENT, on_child_init, PCTX_SYSC_EXIT_EVENT,
		    on_child_exit, PCTX_NULL_EVENT) != 0 ||
		pctx_run(child, 0, 0, NULL) != 0 || *child != -1)
		seen.out_of_order = true;
}

int on_tick(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)lwp, (void)arg;
	seen.out_of_order |= *p != pid;
	seen.ticks++;
	if (seen.terminate)
		pctx_terminate(seen.terminate);
	return seen.return_at_tick == seen.ticks;
}

pctx_t *create_shell(const char *script)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	pctx_t *p = pctx_create("sh", argv, &seen, 1, keep_line);

	ck_assert_msg(p != NULL, "%s", line);
	seen_watch_process(p, false);
	return p;
}

void seen_watch_process(pctx_t *p, bool forks)
{
	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_LWP_CREATE_EVENT, on_lwp_create,
				 PCTX_SYSC_LWP_EXIT_EVENT, on_lwp_exit, PCTX_SYSC_EXEC_EVENT,
				 on_exec, PCTX_SYSC_EXIT_EVENT, on_exit_status,
				 PCTX_SYSC_FORK_EVENT, forks ? on_fork : NULL, PCTX_NULL_EVENT),
		0);
}

void seen_expect_end(pctx_t *p, int status)
{
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exit_status, status);
	ck_assert(!seen.out_of_order);
}

bool process_exists(pid_t pid)
{
	return kill(pid, 0) == 0;
}
