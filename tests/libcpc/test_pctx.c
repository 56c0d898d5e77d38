/* libpctx: programs that are created, run and let go; and sets bound to their LWPs. */
#include "suite.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pctx_seen.h"

/* ---------------------------------------------------------------------------- create */

START_TEST(a_program_runs_to_its_end)
{
	pctx_t *p = create_shell("exit 7");

	ck_assert(process_exists(*p));
	seen_expect_end(p, 7);
	ck_assert_int_eq(seen.init, 1);
	ck_assert_int_eq(seen.fini, 1);
	ck_assert_int_eq(seen.lwp_exit + seen.create + seen.exec, 0);
	ck_assert_int_eq(*p, -1);
	ck_assert(!process_exists(seen.pid));
	errno = 0;
	ck_assert_int_eq(pctx_run(p, 0, 0, NULL), -1);
	ck_assert_int_eq(errno, ESRCH);
	pctx_release(p);
}
END_TEST

START_TEST(an_exec_is_reported)
{
	pctx_t *p = create_shell("exec sh -c 'kill -TERM $$'");

	seen_expect_end(p, 128 + SIGTERM);
	ck_assert_int_eq(seen.exec, 1);
	ck_assert_str_eq(seen.command, "sh -c kill -TERM $$");
	ck_assert_int_eq(seen.init, 2);
	ck_assert_int_eq(seen.fini, 2);
	pctx_release(p);
}
END_TEST

/* It is released in the fork handler's return; unless the handler runs it, too. */
START_TEST(children_are_followed)
{
	pctx_t *p = create_shell("(exit 5); x=$?; (exit 3); exit $((x + $?))");

	seen_watch_process(p, true);
	seen_expect_end(p, 8);
	ck_assert_int_eq(seen.fork, 2);
	ck_assert_int_eq(seen.child_init, 2);
	ck_assert_int_eq(seen.child_exit, 3);
	pctx_release(p);
}
END_TEST

/* Both ends of a pipe are run at once, each in the other's loop. */
START_TEST(children_run_side_by_side)
{
	pctx_t *p = create_shell("(read x; exit $x) <<E\n4\nE\n"
				 "a=$?; (echo 6; sleep 0) | (read x; exit $x); exit $((a + $?))");

	seen_watch_process(p, true);
	seen_expect_end(p, 10);
	pctx_release(p);
}
END_TEST

START_TEST(children_are_left_alone)
{
	pctx_t *p = create_shell("(exit 5); exit $?");

	seen_expect_end(p, 5);
	ck_assert_int_eq(seen.init, 1);
	pctx_release(p);
}
END_TEST

START_TEST(a_creation_can_fail)
{
	char *argv[] = {"x", NULL}, *none[] = {NULL};

	errno = 0;
	ck_assert_ptr_null(pctx_create("/nonesuch", argv, NULL, 0, keep_line));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(line, "pctx_create: /nonesuch: No such file or directory");
	ck_assert_ptr_null(pctx_create("/dev/null", argv, NULL, 0, keep_line));
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

	for (int byte; (byte = receive_byte(&c)) != '.';)
		pid = pid * 10 + byte - '0';
	ck_assert_int_gt(pid, 0);
	ck_assert(process_exists(pid));
	kill(c.pid, SIGKILL);
	ck_assert_int_eq(end_child(&c), 128 + SIGKILL);
	while (process_exists(
		pid)) /* by init, once it is reaped; a zombie has been killed already */
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
	return SUITE("libpctx", .set_up = pctx_begin,
		TESTS(a_program_runs_to_its_end, an_exec_is_reported, children_are_followed,
			children_run_side_by_side, children_are_left_alone, a_creation_can_fail,
			a_released_program_goes_on, a_created_program_dies_with_its_creator,
			misuse_is_refused, a_program_is_counted, lwp_self_is_the_thread));
}
