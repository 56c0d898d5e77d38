/* libpctx: processes that run already, their threads, and how runs end. */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pctx_seen.h"

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
	seen_watch_process(p, false);
	return p;
}

/* A child that does this work, captured when it is ready. */
static pctx_t *capture_child(struct child *c, int (*work)(void *))
{
	*c = begin_child(work, NULL);
	ck_assert_int_eq(receive_byte(c), 'r');
	return capture(c->pid);
}

START_TEST(lwps_come_and_go)
{
	struct child c;
	pctx_t *p = capture_child(&c, with_threads);
	int lwps = lwps_of(c.pid);

	ck_assert_int_ge(lwps, 2);
	say(&c, 'g');
	seen_expect_end(p, 4);
	ck_assert_int_ge(seen.create, 1);
	ck_assert_int_eq(seen.init, lwps + seen.create);
	ck_assert_int_eq(seen.fini, seen.init);
	ck_assert_int_ge(seen.lwp_exit, 1);
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
	struct child c;
	pctx_t *p = capture_child(&c, executes_in_thread);

	say(&c, 'g');
	seen_expect_end(p, 6);
	ck_assert_int_eq(seen.exec, 1);
	ck_assert_str_eq(seen.command, "sh -c exit 6");
	ck_assert_int_ge(seen.init, 3);
	ck_assert_int_eq(seen.fini, seen.init);
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
	struct child c;
	pctx_t *p = capture_child(&c, spawns);

	seen_watch_process(p, true);
	say(&c, 'g');
	seen_expect_end(p, 23);
	ck_assert_int_eq(seen.fork, 1);
	ck_assert_int_eq(seen.child_init, 2); /* itself, and the program in it */
	ck_assert_int_eq(seen.child_exit, 3);
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
	struct child c;
	pctx_t *p = capture_child(&c, with_threads);
	int lwps = lwps_of(c.pid);

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
	seen_expect_end(p, 128 + SIGKILL);
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
	struct child c;
	pctx_t *p = capture_child(&c, with_threads);
	pthread_t t;

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

START_TEST(a_capture_can_fail)
{
	struct child c = begin_child(with_threads, NULL);
	pctx_t *p;

	ck_assert_int_eq(receive_byte(&c), 'r');
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

Suite *pctx_capture_suite(void)
{
	return SUITE("libpctx capture", .set_up = pctx_begin,
		TESTS(lwps_come_and_go, a_thread_executes, a_child_by_vfork_is_followed,
			a_signal_handler_ends_the_run, a_captured_process_survives,
			handlers_end_the_run, another_thread_ends_the_run, a_capture_can_fail));
}
