/* libpctx: processes that are created, attached to, run and let go; and sets bound to their LWPs.
 */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
	int init, fini, create, lwp_exit, exec, fork, ticks;
	int exit_status; /* -1: no EXIT */
	pid_t pid, child;
	int child_exit, child_init;
	char command[256];
	bool out_of_order;
	int return_at_tick, return_at_init;
	pctx_t *terminate; /* by the tick */
} seen;
static char line[512];

static void begin(void)
{
	memset(&seen, 0, sizeof seen);
	seen.exit_status = -1;
	line[0] = 0;
}

static void keep_line(const char *fn, const char *format, va_list ap)
{
	int n = snprintf(line, sizeof line, "%s: ", fn);

	vsnprintf(line + n, sizeof line - (size_t)n, format, ap);
}

static int on_init(pctx_t *p, pid_t pid, id_t lwp, void *arg)
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

static int on_tick(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)lwp, (void)arg;
	seen.out_of_order |= *p != pid;
	seen.ticks++;
	if (seen.terminate)
		pctx_terminate(seen.terminate);
	return seen.return_at_tick == seen.ticks;
}

static pctx_t *create_shell(const char *script)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	pctx_t *p = pctx_create("sh", argv, &seen, 1, keep_line);

	ck_assert_msg(p != NULL, "%s", line);
	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_LWP_CREATE_EVENT, on_lwp_create,
				 PCTX_SYSC_LWP_EXIT_EVENT, on_lwp_exit, PCTX_SYSC_EXEC_EVENT,
				 on_exec, PCTX_SYSC_EXIT_EVENT, on_exit_status, PCTX_NULL_EVENT),
		0);
	return p;
}

static bool exists(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/* ---------------------------------------------------------------------------- create */

START_TEST(a_program_runs_to_its_end)
{
	pctx_t *p = create_shell("exit 7");

	ck_assert(exists(*p));
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exit_status, 7);
	ck_assert_int_eq(seen.init, 1);
	ck_assert_int_eq(seen.fini, 1);
	ck_assert_int_eq(seen.lwp_exit + seen.create + seen.exec, 0);
	ck_assert(!seen.out_of_order);
	ck_assert_int_eq(*p, -1);
	ck_assert(!exists(seen.pid));
	errno = 0;
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), -1);
	ck_assert_int_eq(errno, ESRCH);
	pctx_release(p);
}
END_TEST

START_TEST(an_exec_is_told)
{
	pctx_t *p = create_shell("exec sh -c 'kill -TERM $$'");

	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exec, 1);
	ck_assert_str_eq(seen.command, "sh -c kill -TERM $$");
	ck_assert_int_eq(seen.exit_status, 128 + SIGTERM);
	ck_assert_int_eq(seen.init, 2);
	ck_assert_int_eq(seen.fini, 2);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
}
END_TEST

/* It is released in the fork handler's return; unless the handler runs it, too. */
START_TEST(children_are_followed)
{
	pctx_t *p = create_shell("(exit 5); x=$?; (exit 3); exit $((x + $?))");

	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_FORK_EVENT, on_fork, PCTX_SYSC_EXIT_EVENT,
				 on_exit_status, PCTX_NULL_EVENT),
		0);
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.fork, 2);
	ck_assert_int_eq(seen.child_init, 2);
	ck_assert_int_eq(seen.child_exit, 3);
	ck_assert_int_eq(seen.exit_status, 8);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
}
END_TEST

/* Both ends of a pipe are run at once, each in the other's loop. */
START_TEST(children_run_side_by_side)
{
	pctx_t *p = create_shell("(read x; exit $x) <<E\n4\nE\n"
				 "a=$?; (echo 6; sleep 0) | (read x; exit $x); exit $((a + $?))");

	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_FORK_EVENT, on_fork, PCTX_SYSC_EXIT_EVENT,
				 on_exit_status, PCTX_NULL_EVENT),
		0);
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exit_status, 10);
	pctx_release(p);
}
END_TEST

START_TEST(children_are_left_alone)
{
	pctx_t *p = create_shell("(exit 5); exit $?");

	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exit_status, 5);
	ck_assert_int_eq(seen.init, 1);
	pctx_release(p);
}
END_TEST

START_TEST(what_cannot_be_created)
{
	char *argv[] = {"x", NULL}, *none[] = {NULL};

	errno = 0;
	ck_assert_ptr_null(pctx_create("/nonesuch", argv, NULL, 0, keep_line));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(line, "pctx_create: /nonesuch: No such file or directory");
	ck_assert_ptr_null(pctx_create("/etc/passwd", argv, NULL, 0, keep_line));
	ck_assert_int_eq(errno, EACCES);
	ck_assert_ptr_null(pctx_create(NULL, argv, NULL, 0, keep_line));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(pctx_create("sh", none, NULL, 0, keep_line));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* Released before it ran: it goes on as a child of ours. */
START_TEST(a_released_program_goes_on)
{
	pctx_t *p = create_shell("exit 9");
	pid_t pid = *p;
	int status;

	pctx_release(p);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}
END_TEST

static int creates_and_is_killed(void *unused)
{
	char *argv[] = {"sleep", "1000", NULL};
	pctx_t *p = pctx_create("sleep", argv, NULL, 0, NULL);
	char digits[16];

	(void)unused;
	snprintf(digits, sizeof digits, "%d", p ? (int)*p : 0);
	for (const char *d = digits; *d; d++)
		child_says(*d);
	child_says('.');
	child_waits();
	return 0;
}

START_TEST(a_created_program_dies_with_its_creator)
{
	struct child c = begin_child(creates_and_is_killed, NULL);
	pid_t pid = 0;

	for (int byte; (byte = hear(&c)) != '.';)
		pid = pid * 10 + byte - '0';
	ck_assert_int_gt(pid, 0);
	ck_assert(exists(pid));
	kill(c.pid, SIGKILL);
	ck_assert_int_eq(end_child(&c), 128 + SIGKILL);
	while (exists(pid)) /* by init, once it is reaped; a zombie has been killed already */
	{
		char path[64], state = 0;
		FILE *f;

		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		f = fopen(path, "r");
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (f)
			fclose(f);
		if (state == 'Z')
			break;
	}
}
END_TEST

/* --------------------------------------------------------------------- capture, LWPs */

static void *idle(void *unused)
{
	pause();
	return unused;
}

static void *brief(void *unused)
{
	return unused;
}

/* Two threads; then, told to, a third that ends; at last the process. */
static int with_threads(void *unused)
{
	pthread_t t[2];

	(void)unused;
	if (pthread_create(&t[0], NULL, idle, NULL) != 0)
		return 1;
	child_says('r');
	child_waits();
	if (pthread_create(&t[1], NULL, brief, NULL) != 0)
		return 2;
	pthread_join(t[1], NULL);
	return 4;
}

/* ThreadSanitizer has threads of its own. */
static int lwps_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	ck_assert_int_eq(stat(path, &st), 0);
	return (int)st.st_nlink - 2;
}

static pctx_t *capture(pid_t pid)
{
	pctx_t *p = pctx_capture(pid, &seen, 1, keep_line);

	ck_assert_msg(p != NULL, "%s", line);
	ck_assert_int_eq(
		pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT, on_fini,
			PCTX_SYSC_LWP_CREATE_EVENT, on_lwp_create, PCTX_SYSC_LWP_EXIT_EVENT,
			on_lwp_exit, PCTX_SYSC_EXIT_EVENT, on_exit_status, PCTX_NULL_EVENT),
		0);
	return p;
}

START_TEST(lwps_come_and_go)
{
	struct child c = begin_child(with_threads, NULL);
	pctx_t *p;
	int lwps;

	ck_assert_int_eq(hear(&c), 'r');
	p = capture(c.pid);
	lwps = lwps_of(c.pid);
	ck_assert_int_ge(lwps, 2);
	say(&c, 'g');
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_ge(seen.create, 1);
	ck_assert_int_eq(seen.init, lwps + seen.create);
	ck_assert_int_eq(seen.fini, seen.init);
	ck_assert_int_ge(seen.lwp_exit, 1);
	ck_assert_int_eq(seen.exit_status, 4);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
	/* A child of ours: its end was the run's to see. */
	ck_assert_int_eq(waitpid(c.pid, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void *executes(void *unused)
{
	execlp("sh", "sh", "-c", "exit 6", (char *)NULL);
	return unused;
}

static int executes_in_thread(void *unused)
{
	pthread_t t;

	(void)unused;
	child_says('r');
	child_waits();
	if (pthread_create(&t, NULL, executes, NULL) == 0)
		pthread_join(t, NULL);
	return 1;
}

/* Its id becomes the process' own, and the others are gone. */
START_TEST(a_thread_executes)
{
	struct child c = begin_child(executes_in_thread, NULL);
	pctx_t *p;

	ck_assert_int_eq(hear(&c), 'r');
	p = capture(c.pid);
	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_EXEC_EVENT, on_exec, PCTX_SYSC_EXIT_EVENT,
				 on_exit_status, PCTX_NULL_EVENT),
		0);
	say(&c, 'g');
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exec, 1);
	ck_assert_str_eq(seen.command, "sh -c exit 6");
	ck_assert_int_eq(seen.exit_status, 6);
	ck_assert_int_ge(seen.init, 3);
	ck_assert_int_eq(seen.fini, seen.init);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
}
END_TEST

static int spawns(void *unused)
{
	char *argv[] = {"sh", "-c", "exit 3", NULL}, *env[] = {NULL};
	pid_t pid;
	int status = 0;

	(void)unused;
	child_says('r');
	child_waits();
	if (posix_spawnp(&pid, "sh", NULL, NULL, argv, env) != 0 ||
		waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 99;
	return WEXITSTATUS(status) + 20;
}

/* The parent waits in vfork until the child executes. */
START_TEST(a_child_by_vfork_is_followed)
{
	struct child c = begin_child(spawns, NULL);
	pctx_t *p;

	ck_assert_int_eq(hear(&c), 'r');
	p = capture(c.pid);
	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				 on_fini, PCTX_SYSC_FORK_EVENT, on_fork, PCTX_SYSC_EXIT_EVENT,
				 on_exit_status, PCTX_NULL_EVENT),
		0);
	say(&c, 'g');
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.fork, 1);
	ck_assert_int_eq(seen.child_init, 2); /* itself, and the program in it */
	ck_assert_int_eq(seen.child_exit, 3);
	ck_assert_int_eq(seen.exit_status, 23);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
}
END_TEST

static pctx_t *of_handler;

static void on_alarm(int number)
{
	(void)number;
	pctx_terminate(of_handler);
}

/* As a program ends by Ctrl-C; it was asleep in the kernel. */
START_TEST(a_signal_handler_ends_the_run)
{
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	char *argv[] = {"sleep", "1000", NULL};
	pid_t pid;

	of_handler = pctx_create("sleep", argv, &seen, 1, keep_line);
	ck_assert_ptr_nonnull(of_handler);
	pid = *of_handler;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(pctx_run(of_handler, 0, 0, NULL), 0);
	ck_assert_int_eq(*of_handler, pid);
	kill(pid, SIGKILL);
	pctx_release(of_handler);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* Stopped after its ticks, run again, let go: and it has noticed nothing. */
START_TEST(a_captured_process_survives)
{
	struct child c = begin_child(with_threads, NULL);
	pctx_t *p;
	int lwps;

	ck_assert_int_eq(hear(&c), 'r');
	p = capture(c.pid);
	lwps = lwps_of(c.pid);
	for (int i = 1; i <= 20; i++) {
		ck_assert_int_eq(pctx_run(p, 1, 2, on_tick), 0);
		ck_assert_int_eq(seen.ticks, i * 2 * lwps);
		ck_assert_int_eq(seen.init, i * lwps);
		ck_assert_int_eq(seen.fini, i * lwps);
	}
	ck_assert(!seen.out_of_order);
	ck_assert_int_eq(seen.exit_status, -1);
	pctx_release(p);
	say(&c, 'g');
	ck_assert_int_eq(end_child(&c), 4);
}
END_TEST

START_TEST(handlers_end_the_run)
{
	pctx_t *p = create_shell("while :; do :; done");

	seen.return_at_tick = 3;
	errno = 0;
	ck_assert_int_eq(pctx_run(p, 1, 0, on_tick), -1);
	ck_assert_int_eq(errno, ECANCELED);
	ck_assert_int_eq(seen.ticks, 3);
	ck_assert_ptr_nonnull(strstr(line, "tick returned 1"));
	seen.return_at_tick = 0;
	seen.return_at_init = 2;
	ck_assert_int_eq(pctx_run(p, 1, 0, on_tick), -1);
	ck_assert_int_eq(seen.init, 2);
	seen.terminate = p;
	ck_assert_int_eq(pctx_run(p, 1, 0, on_tick), 0);
	kill(*p, SIGKILL);
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert_int_eq(seen.exit_status, 128 + SIGKILL);
	pctx_release(p);
}
END_TEST

static void *terminates(void *pctx)
{
	pctx_terminate(pctx);
	return NULL;
}

/* Whenever it comes, also as the run ends by itself; a wake that was not needed stops nothing. */
START_TEST(another_thread_ends_the_run)
{
	struct child c = begin_child(with_threads, NULL);
	pthread_t t;
	pctx_t *p;

	ck_assert_int_eq(hear(&c), 'r');
	p = capture(c.pid);
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(pthread_create(&t, NULL, terminates, p), 0);
		ck_assert_int_eq(pctx_run(p, 1, 1, on_tick), 0);
		pthread_join(t, NULL);
	}
	pctx_terminate(p);
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	pctx_release(p);
	say(&c, 'g');
	ck_assert_int_eq(end_child(&c), 4);
}
END_TEST

START_TEST(what_cannot_be_captured)
{
	struct child c = begin_child(with_threads, NULL);
	pctx_t *p;

	ck_assert_int_eq(hear(&c), 'r');
	ck_assert_ptr_null(pctx_capture(getpid(), NULL, 0, keep_line));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(pctx_capture(-1, NULL, 0, keep_line));
	ck_assert_int_eq(errno, EINVAL);
	p = capture(c.pid);
	ck_assert_ptr_null(pctx_capture(c.pid, NULL, 0, keep_line));
	ck_assert_int_eq(errno, EPERM);
	ck_assert_ptr_nonnull(strstr(line, "another tracer"));
	pctx_release(p);
	kill(c.pid, SIGKILL);
	ck_assert_int_eq(end_child(&c), 128 + SIGKILL);
	ck_assert_ptr_null(pctx_capture(c.pid, NULL, 0, keep_line));
	ck_assert_int_eq(errno, ESRCH);
}
END_TEST

static int release_in_handler(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)pid, (void)lwp, (void)arg;
	pctx_release(p);
	seen.out_of_order |= errno != EBUSY || !strstr(line, "cannot release");
	seen.out_of_order |= pctx_run(p, 0, 0, NULL) != -1 || errno != EBUSY;
	return 0;
}

START_TEST(misuse_is_refused)
{
	pctx_t *p = create_shell("exit 0");

	ck_assert_int_eq(pctx_set_events(p, 99, on_init, PCTX_NULL_EVENT), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_str_eq(line, "pctx_set_events: there is no event 99");
	ck_assert_int_eq(
		pctx_set_events(p, PCTX_INIT_LWP_EVENT, release_in_handler, PCTX_NULL_EVENT), 0);
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), 0);
	ck_assert(!seen.out_of_order);
	pctx_release(p);
	pctx_terminate(NULL);
}
END_TEST

/* ---------------------------------------------------------------------- with counters */

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;
static uint64_t at_fini;

static int bind_lwp(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)pid, (void)arg;
	return cpc_bind_pctx(cpc, p, lwp, set, 0);
}

static int sample_lwp(pctx_t *p, pid_t pid, id_t lwp, void *arg)
{
	(void)p, (void)pid, (void)lwp, (void)arg;
	if (cpc_set_sample(cpc, set, buf) != 0 || cpc_buf_get(cpc, buf, 0, &at_fini) != 0)
		return -1;
	return cpc_unbind(cpc, set);
}

/* Each of its page faults, from the first instruction to its end. */
START_TEST(a_program_is_counted)
{
	char *argv[] = {"sh", "-c", "exit 0", NULL};
	pctx_t *p = pctx_create("sh", argv, NULL, 1, keep_line);

	ck_assert_msg(p != NULL, "%s", line);
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 0, 0);
	buf = cpc_buf_create(cpc, set);
	at_fini = 0;
	ck_assert_int_eq(pctx_set_events(p, PCTX_INIT_LWP_EVENT, bind_lwp, PCTX_FINI_LWP_EVENT,
				 sample_lwp, PCTX_NULL_EVENT),
		0);
	ck_assert_msg(pctx_run(p, 0, 0, NULL) == 0, "%s %s", line, told.line);
	ck_assert_uint_gt(at_fini, 20);
	ck_fails(cpc_bind_pctx(cpc, p, 0, set, 0), ESRCH, "no thread");
	pctx_release(p);
	ck_assert_int_eq(cpc_close(cpc), 0);
}
END_TEST

START_TEST(lwp_self_is_the_thread)
{
	ck_assert_uint_eq(_lwp_self(), (lwpid_t)syscall(SYS_gettid));
}
END_TEST

Suite *pctx_suite(void)
{
	Suite *suite = suite_create("libpctx");
	TCase *tcase = tcase_create("control");

	tcase_add_checked_fixture(tcase, begin, NULL);
	tcase_add_test(tcase, a_program_runs_to_its_end);
	tcase_add_test(tcase, an_exec_is_told);
	tcase_add_test(tcase, children_are_followed);
	tcase_add_test(tcase, children_run_side_by_side);
	tcase_add_test(tcase, children_are_left_alone);
	tcase_add_test(tcase, what_cannot_be_created);
	tcase_add_test(tcase, a_released_program_goes_on);
	tcase_add_test(tcase, a_created_program_dies_with_its_creator);
	tcase_add_test(tcase, lwps_come_and_go);
	tcase_add_test(tcase, a_thread_executes);
	tcase_add_test(tcase, a_child_by_vfork_is_followed);
	tcase_add_test(tcase, a_signal_handler_ends_the_run);
	tcase_add_test(tcase, a_captured_process_survives);
	tcase_add_test(tcase, handlers_end_the_run);
	tcase_add_test(tcase, another_thread_ends_the_run);
	tcase_add_test(tcase, what_cannot_be_captured);
	tcase_add_test(tcase, misuse_is_refused);
	tcase_add_test(tcase, a_program_is_counted);
	tcase_add_test(tcase, lwp_self_is_the_thread);
	suite_add_tcase(suite, tcase);
	return suite;
}
