/* Sets bound to CPUs: where the thread runs, who else may bind, and when a binding becomes invalid.
 */
#include "suite.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static cpc_t *cpc;
static cpc_set_t *set, *lwp;
static cpc_buf_t *buf, *lwp_buf;
static cpu_set_t before;
static int first = -1, last = -1; /* CPUs that this process may use */

static void begin(void)
{
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 0, 0);
	lwp = set_of(cpc, "page-faults", 0, 0);
	buf = cpc_buf_create(cpc, set);
	lwp_buf = cpc_buf_create(cpc, lwp);
	sched_getaffinity(0, sizeof before, &before);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &before)) {
			first = first < 0 ? cpu : first;
			last = cpu;
		}
	fault(1);
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
}

static bool runs_anywhere(void)
{
	cpu_set_t now;

	sched_getaffinity(0, sizeof now, &now);
	return CPU_EQUAL(&now, &before);
}

static bool runs_on(int cpu)
{
	cpu_set_t now;

	sched_getaffinity(0, sizeof now, &now);
	return CPU_COUNT(&now) == 1 && CPU_ISSET(cpu, &now);
}

START_TEST(a_cpu_is_counted)
{
	uint64_t v;

	ck_assert_msg(cpc_bind_cpu(cpc, last, set, 0) == 0, "%s", told.line);
	ck_assert(runs_on(last));
	v = sampled(cpc, set, buf, 0);
	fault(1000); /* here, so on that CPU */
	ck_assert_uint_ge(sampled(cpc, set, buf, 0) - v, 1000);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	ck_assert(runs_anywhere());
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
}
END_TEST

/* The clock of a CPU counts whichever thread runs. */
START_TEST(the_cpu_clock_is_counted)
{
	cpc_set_t *clock = set_of(cpc, "cpu-clock", 0, CPC_COUNT_SYSTEM);
	cpc_buf_t *b = cpc_buf_create(cpc, clock);
	hrtime_t t;
	uint64_t v;

	ck_assert_int_eq(cpc_bind_cpu(cpc, first, clock, 0), 0);
	v = sampled(cpc, clock, b, 0);
	t = cpc_buf_hrtime(cpc, b);
	usleep(20000);
	v = sampled(cpc, clock, b, 0) - v;
	t = cpc_buf_hrtime(cpc, b) - t;
	ck_assert_int_ge(t, 20000000);
	ck_assert_uint_ge(v, 19000000);
}
END_TEST

START_TEST(several_cpus_by_one_thread)
{
	cpc_set_t *second = set_of(cpc, "page-faults", 0, 0);

	if (first == last) {
		puts("skipped: several CPUs: there is one");
		return;
	}
	ck_assert_int_eq(cpc_bind_cpu(cpc, first, set, 0), 0);
	ck_assert_int_eq(cpc_bind_cpu(cpc, last, second, 0), 0);
	ck_assert(runs_on(last));
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	ck_assert(!runs_anywhere());
	ck_assert_int_eq(cpc_set_destroy(cpc, second), 0);
	ck_assert(runs_anywhere());
}
END_TEST

START_TEST(cpus_that_are_not_there_are_refused)
{
	ck_fails(cpc_bind_cpu(cpc, -1, set, 0), EINVAL, "no CPU -1");
	ck_fails(cpc_bind_cpu(cpc, 1000000, set, 0), EINVAL, "no CPU 1000000");
	ck_fails(cpc_bind_cpu(cpc, (int)sysconf(_SC_NPROCESSORS_CONF) + 512, set, 0), EINVAL,
		"no CPU");
	ck_assert(runs_anywhere());
	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
}
END_TEST

START_TEST(a_cpu_binds_one_set)
{
	cpc_set_t *second = set_of(cpc, "page-faults", 0, 0);

	ck_assert_int_eq(cpc_bind_cpu(cpc, first, set, 0), 0);
	ck_fails(cpc_bind_cpu(cpc, first, second, 0), EAGAIN, "this process");
	ck_fails(cpc_bind_cpu(cpc, first, set, 0), EINVAL, "bound already, to CPU");
	ck_assert(runs_on(first));
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	ck_assert_int_eq(cpc_bind_cpu(cpc, first, second, 0), 0);
}
END_TEST

START_TEST(it_keeps_threads_from_binding)
{
	pctx_t self = getpid();

	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	ck_assert_int_eq(cpc_bind_cpu(cpc, first, set, 0), 0);
	/* Invalid, for good. */
	ck_fails(cpc_set_sample(cpc, lwp, lwp_buf), EAGAIN, "no longer valid");
	ck_fails(cpc_set_restart(cpc, lwp), EAGAIN, "no longer valid");
	ck_fails(cpc_enable(cpc), EAGAIN, "no longer valid");
	ck_assert_int_eq(cpc_unbind(cpc, lwp), 0);
	ck_fails(cpc_bind_curlwp(cpc, lwp, 0), EAGAIN, "bound a set to a CPU");
	ck_fails(cpc_bind_pctx(cpc, &self, 0, lwp, 0), EAGAIN, "bound a set to a CPU");
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, lwp, lwp_buf), 0);
}
END_TEST

/* -------------------------------------------------------------------- other processes */

static int binds_a_cpu(void *unused)
{
	(void)unused;
	if (cpc_bind_cpu(cpc, first, set, 0) != 0)
		return 1;
	child_says('b');
	child_waits();
	if (cpc_unbind(cpc, set) != 0)
		return 2;
	child_says('u');
	child_waits();
	return 0;
}

START_TEST(other_processes_bindings_are_kept_to)
{
	cpc_set_t *second = set_of(cpc, "page-faults", 0, 0);
	pctx_t self = getpid();
	char who[32];
	struct child c;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	ck_assert_int_eq(cpc_bind_pctx(cpc, &self, 0, second, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, lwp, lwp_buf), 0);
	c = begin_child(binds_a_cpu, NULL);
	ck_assert_int_eq(receive_byte(&c), 'b');
	snprintf(who, sizeof who, "process %d", c.pid);
	ck_fails(cpc_set_sample(cpc, lwp, lwp_buf), EAGAIN, "no longer valid");
	ck_fails(cpc_set_sample(cpc, second, cpc_buf_create(cpc, second)), EAGAIN, "no longer");
	ck_assert_int_eq(cpc_unbind(cpc, lwp), 0);
	ck_fails(cpc_bind_curlwp(cpc, lwp, 0), EAGAIN, who);
	ck_fails(cpc_bind_cpu(cpc, first, set, 0), EAGAIN, who);
	if (first != last) {
		ck_assert_int_eq(cpc_bind_cpu(cpc, last, set, 0), 0);
		ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	}
	say(&c, 'u');
	ck_assert_int_eq(receive_byte(&c), 'u');
	/* The old binding stays invalid, a new one counts. */
	ck_fails(cpc_set_sample(cpc, second, cpc_buf_create(cpc, second)), EAGAIN, "no longer");
	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, lwp, lwp_buf), 0);
	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

START_TEST(a_killed_binder_leaves_the_cpu_free)
{
	struct child c = begin_child(binds_a_cpu, NULL);

	ck_assert_int_eq(receive_byte(&c), 'b');
	ck_fails(cpc_bind_curlwp(cpc, lwp, 0), EAGAIN, "process");
	ck_fails(cpc_bind_cpu(cpc, first, set, 0), EAGAIN, "process");
	kill(c.pid, SIGKILL);
	ck_assert_int_eq(end_child(&c), 128 + SIGKILL);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	ck_assert_int_eq(cpc_bind_cpu(cpc, first, set, 0), 0);
}
END_TEST

static int does_not_own_it(void *unused)
{
	cpu_set_t now;

	(void)unused;
	sched_getaffinity(0, sizeof now, &now);
	if (!CPU_EQUAL(&now, &before))
		return 1;
	if (cpc_set_sample(cpc, set, buf) != -1 || errno != EINVAL)
		return 2;
	if (cpc_bind_cpu(cpc, first, set, 0) != -1 || errno != EAGAIN)
		return 3;
	return cpc_close(cpc) ? 4 : 0;
}

START_TEST(a_child_of_fork_is_another_process)
{
	struct child c;

	ck_assert_int_eq(cpc_bind_cpu(cpc, first, set, 0), 0);
	c = begin_child(does_not_own_it, NULL);
	ck_assert_int_eq(end_child(&c), 0);
	/* Nothing of that was the parent's. */
	ck_assert(runs_on(first));
	sampled(cpc, set, buf, 0);
	c = begin_child(binds_a_cpu, NULL);
	ck_assert_int_eq(end_child(&c), 1);
}
END_TEST

static int nobody_tries(void *unused)
{
	(void)unused;
	become_nobody();
	return cpc_bind_cpu(cpc, first, set, 0) == -1 && errno == EACCES ? 0 : 1;
}

/* Who may not count a CPU does not disturb those who count threads. */
START_TEST(a_denied_bind_invalidates_no_binding)
{
	struct child c;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, lwp, 0), 0);
	c = begin_child(nobody_tries, NULL);
	if (end_child(&c) != 0)
		puts("skipped: a denied bind: perf_event_paranoid lets every user count CPUs");
	else
		ck_assert_int_eq(cpc_set_sample(cpc, lwp, lwp_buf), 0);
}
END_TEST

Suite *cpu_suite(void)
{
	Suite *s = suite_create("cpu");
	TCase *t = tcase_create("cpu");

	tcase_add_checked_fixture(t, begin, end);
	if (geteuid() == 0) {
		tcase_add_test(t, a_cpu_is_counted);
		tcase_add_test(t, the_cpu_clock_is_counted);
		tcase_add_test(t, several_cpus_by_one_thread);
		tcase_add_test(t, a_cpu_binds_one_set);
		tcase_add_test(t, it_keeps_threads_from_binding);
		tcase_add_test(t, other_processes_bindings_are_kept_to);
		tcase_add_test(t, a_killed_binder_leaves_the_cpu_free);
		tcase_add_test(t, a_child_of_fork_is_another_process);
		tcase_add_test(t, a_denied_bind_invalidates_no_binding);
	}
	tcase_add_test(t, cpus_that_are_not_there_are_refused);
	suite_add_tcase(s, t);
	return s;
}
