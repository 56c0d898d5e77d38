/* Sets bound to the calling thread, and to other processes' threads. */
#include "suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;

static void begin(void)
{
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 0, 0);
	buf = cpc_buf_create(cpc, set);
	fault(1); /* code that runs for the first time faults, too */
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
}

/* Faults of `n` pages as the set counts them, once all that is to run is there. */
static uint64_t counted(unsigned n)
{
	uint64_t before = 0, after = 0;

	for (int turn = 0; turn < 3; turn++) {
		before = sampled(cpc, set, buf, 0);
		fault(n);
		after = sampled(cpc, set, buf, 0);
	}
	return after - before;
}

START_TEST(faults_are_counted_exactly)
{
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_faults(counted(1000), 1000);
	ck_faults(counted(0x1), 1);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
}
END_TEST

START_TEST(counters_start_at_their_presets)
{
	const uint64_t preset = (uint64_t)1 << 63;
	cpc_set_t *high = set_of(cpc, "page-faults", preset, 0);
	cpc_buf_t *b = cpc_buf_create(cpc, high);
	uint64_t v;

	cpc_set_add_request(cpc, high, "task-clock", UINT64_MAX, CPC_COUNT_USER, 0, NULL);
	cpc_buf_destroy(cpc, b);
	b = cpc_buf_create(cpc, high);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, high, 0), 0);
	v = sampled(cpc, high, b, 0);
	ck_assert_uint_ge(v, preset);
	ck_assert_uint_le(v, preset + 50);
	/* ns since: it wrapped. */
	ck_assert_int_eq(cpc_buf_get(cpc, b, 1, &v), 0);
	ck_assert_uint_lt(v, 1000000000);
}
END_TEST

START_TEST(an_unbound_set_is_not_sampled)
{
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
	ck_fails(cpc_unbind(cpc, set), EINVAL, "not bound");
	ck_fails(cpc_set_restart(cpc, set), EINVAL, "no bound set");
	ck_fails(cpc_request_preset(cpc, 0, 1), EINVAL, "no bound set");
	ck_fails(cpc_enable(cpc), EINVAL, "no bound set");
	ck_fails(cpc_disable(cpc), EINVAL, "no bound set");
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	ck_fails(cpc_unbind(cpc, set), EINVAL, "not bound");
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
}
END_TEST

START_TEST(wrong_binds_are_refused)
{
	cpc_set_t *empty = cpc_set_create(cpc);
	pctx_t self = getpid();

	ck_fails(cpc_bind_curlwp(cpc, empty, 0), EINVAL, "no requests");
	ck_fails(cpc_bind_pctx(cpc, &self, 0, empty, 0), EINVAL, "no requests");
	ck_fails(cpc_bind_cpu(cpc, 0, empty, 0), EINVAL, "no requests");
	ck_fails(cpc_bind_curlwp(cpc, set, 0x10), EINVAL, "flags");
	ck_fails(cpc_bind_pctx(cpc, &self, 0, set, CPC_BIND_LWP_INHERIT), EINVAL, "flags");
	ck_fails(cpc_bind_cpu(cpc, 0, set, CPC_BIND_LWP_INHERIT), EINVAL, "flags");
	ck_fails(cpc_bind_pctx(cpc, NULL, 0, set, 0), EINVAL, "pctx");
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_fails(cpc_set_add_request(cpc, set, "faults", 0, CPC_COUNT_USER, 0, NULL), EINVAL,
		"bound");
	ck_fails(cpc_bind_pctx(cpc, &self, 0, set, 0), EINVAL, "bound already");
	ck_fails(cpc_bind_cpu(cpc, 0, set, 0), EINVAL, "bound already");
}
END_TEST

/* Here a machine without a PMU says so; with one, thousands of cycles do not fit. */
START_TEST(an_event_that_the_machine_lacks_is_einval)
{
	cpc_set_t *many = cpc_set_create(cpc);

	for (int i = 0; i < 32; i++)
		if (cpc_set_add_request(cpc, many, i % 2 ? "instructions" : "cycles", 0,
			    CPC_COUNT_USER, 0, NULL) != i) {
			ck_assert_int_eq(errno, ENOTSUP);
			return;
		}
	ck_fails(cpc_bind_curlwp(cpc, many, 0), EINVAL, "");
	ck_assert_msg(
		strstr(told.line, "cannot count it") || strstr(told.line, "no counter is left"),
		"%s", told.line);
	ck_fails(cpc_set_sample(cpc, many, buf), EINVAL, "not bound");
}
END_TEST

START_TEST(a_thread_has_one_set)
{
	cpc_set_t *second = set_of(cpc, "page-faults", 5, 0);
	cpc_buf_t *b = cpc_buf_create(cpc, second);

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, second, 0), 0);
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
	ck_fails(cpc_unbind(cpc, set), EINVAL, "not bound");
	ck_fails(cpc_set_restart(cpc, set), EINVAL, "another set");
	ck_assert_uint_ge(sampled(cpc, second, b, 0), 5);
}
END_TEST

START_TEST(bound_again_it_begins_afresh)
{
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	fault(1000);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), 1000);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_uint_lt(sampled(cpc, set, buf, 0), 500);
}
END_TEST

START_TEST(it_stops_and_goes_on)
{
	uint64_t before;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_disable(cpc), 0);
	before = sampled(cpc, set, buf, 0);
	fault(100);
	ck_assert_uint_eq(sampled(cpc, set, buf, 0), before);
	ck_assert_int_eq(cpc_enable(cpc), 0);
	ck_faults(counted(100), 100);
}
END_TEST

START_TEST(restart_begins_at_the_presets)
{
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	fault(1000);
	ck_assert_int_eq(cpc_request_preset(cpc, 0, 1u << 20), 0);
	ck_assert_uint_lt(sampled(cpc, set, buf, 0), 1u << 20);
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), 1u << 20);
	ck_assert_uint_lt(sampled(cpc, set, buf, 0), (1u << 20) + 100);
	/* It is the request's from now on. */
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), 1u << 20);
	ck_fails(cpc_request_preset(cpc, 1, 0), EINVAL, "no request 1");
	ck_fails(cpc_request_preset(cpc, -1, 0), EINVAL, "no request -1");
}
END_TEST

START_TEST(without_descriptors_it_is_eagain)
{
	struct rlimit few = {3, 3}, before;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	getrlimit(RLIMIT_NOFILE, &before);
	few.rlim_max = before.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, "not available");
	setrlimit(RLIMIT_NOFILE, &before);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
}
END_TEST

static int closes_all(void *unused)
{
	uint64_t n;

	(void)unused;
	if (cpc_bind_curlwp(cpc, set, 0) != 0)
		return 1;
	for (int fd = 3; fd < 5000; fd++)
		close(fd);
	for (int i = 0; i < 3; i++) {
		if (cpc_set_sample(cpc, set, buf) != -1 || errno != EAGAIN)
			return 2;
		if (open("/dev/zero", O_RDONLY) < 0)
			return 3;
	}
	if (cpc_unbind(cpc, set) != 0 || cpc_bind_curlwp(cpc, set, 0) != 0)
		return 4;
	n = counted(10);
	return n >= 10 && n <= 10 + FAULTS_OF_SANITIZER ? 0 : 5;
}

/* A program that closes descriptors it did not open gets errors, not wrong numbers. */
START_TEST(closed_descriptors_are_eagain)
{
	struct child c = begin_child(closes_all, NULL);

	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

/* ------------------------------------------------------------------- other threads */

static int faulting_child(void *unused)
{
	(void)unused;
	child_says('r');
	child_waits();
	fault(1000);
	child_says('d');
	child_waits();
	return 0;
}

static void count_child(id_t (*id)(pid_t))
{
	struct child c = begin_child(faulting_child, NULL);
	pctx_t pctx = c.pid;
	uint64_t v;

	ck_assert_int_eq(receive_byte(&c), 'r');
	ck_assert_msg(cpc_bind_pctx(cpc, &pctx, id(c.pid), set, 0) == 0, "%s", told.line);
	say(&c, 'g');
	ck_assert_int_eq(receive_byte(&c), 'd');
	v = sampled(cpc, set, buf, 0);
	/* Code that it runs for the first time since fork faults as well. */
	ck_assert_uint_ge(v, 1000);
	ck_assert_uint_lt(v, 1200);
	ck_assert_int_eq(end_child(&c), 0);
	/* Its counts stay readable. */
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), v);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
}

static id_t no_id(pid_t pid)
{
	(void)pid;
	return 0;
}

static id_t same_id(pid_t pid)
{
	return (id_t)pid;
}

START_TEST(another_process_is_counted)
{
	count_child(no_id);
	count_child(same_id);
}
END_TEST

struct worker {
	pthread_barrier_t ready, go, done, end;
	pid_t tid;
};

static void *work(void *user)
{
	struct worker *w = user;

	w->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&w->ready);
	pthread_barrier_wait(&w->go);
	fault(300);
	pthread_barrier_wait(&w->done);
	pthread_barrier_wait(&w->end);
	return NULL;
}

/* One thread by its id, and only that one. */
START_TEST(another_thread_is_counted)
{
	struct worker w;
	pctx_t pid = getpid(), tid;
	cpc_set_t *second = set_of(cpc, "page-faults", 0, 0);
	cpc_buf_t *b = cpc_buf_create(cpc, second);
	pthread_t thread;
	uint64_t v;

	pthread_barrier_init(&w.ready, NULL, 2);
	pthread_barrier_init(&w.go, NULL, 2);
	pthread_barrier_init(&w.done, NULL, 2);
	pthread_barrier_init(&w.end, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, work, &w), 0);
	pthread_barrier_wait(&w.ready);
	tid = w.tid;
	ck_assert_int_eq(cpc_bind_pctx(cpc, &pid, (id_t)w.tid, set, 0), 0);
	ck_assert_int_eq(cpc_bind_pctx(cpc, &tid, 0, second, 0), 0);
	ck_fails(cpc_set_restart(cpc, set), EINVAL, "no bound set");
	fault(5000);
	pthread_barrier_wait(&w.go);
	pthread_barrier_wait(&w.done);
	v = sampled(cpc, set, buf, 0);
	ck_assert_uint_ge(v, 300);
	ck_assert_uint_lt(v, 500);
	ck_assert_uint_ge(sampled(cpc, second, b, 0), 300);
	pthread_barrier_wait(&w.end);
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(threads_that_are_not_there_are_esrch)
{
	struct child c = begin_child(faulting_child, NULL);
	pctx_t gone = c.pid, negative = -1, zero = 0, self = getpid();

	ck_assert_int_eq(receive_byte(&c), 'r');
	ck_fails(cpc_bind_pctx(cpc, &self, (id_t)c.pid, set, 0), ESRCH, "has no thread");
	kill(c.pid, SIGKILL);
	ck_assert_int_eq(end_child(&c), 128 + SIGKILL);
	ck_fails(cpc_bind_pctx(cpc, &gone, 0, set, 0), ESRCH, "no thread");
	ck_fails(cpc_bind_pctx(cpc, &gone, (id_t)gone, set, 0), ESRCH, "no thread");
	ck_fails(cpc_bind_pctx(cpc, &negative, 0, set, 0), ESRCH, "no thread");
	ck_fails(cpc_bind_pctx(cpc, &zero, 0, set, 0), ESRCH, "no thread");
	ck_fails(cpc_bind_pctx(cpc, &self, UINT32_MAX, set, 0), ESRCH, "no thread");
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
}
END_TEST

/* ----------------------------------------------------------------------- fork, users */

static int in_fork(void *unused)
{
	cpc_set_t *own;
	cpc_buf_t *b;
	uint64_t v, w;

	(void)unused;
	errno = 0;
	if (cpc_set_sample(cpc, set, buf) != -1 || errno != EINVAL ||
		cpc_request_preset(cpc, 0, 1) != -1 || cpc_unbind(cpc, set) != -1)
		return 1;
	own = set_of(cpc, "page-faults", 0, 0);
	b = cpc_buf_create(cpc, own);
	if (cpc_bind_curlwp(cpc, own, 0) || cpc_bind_curlwp(cpc, set, 0) ||
		cpc_set_sample(cpc, set, buf) || cpc_set_sample(cpc, set, buf) ||
		cpc_buf_get(cpc, buf, 0, &v))
		return 2;
	fault(77);
	if (cpc_set_sample(cpc, set, buf) || cpc_buf_get(cpc, buf, 0, &w) || w - v < 77 ||
		w - v > 90)
		return 3;
	return cpc_buf_destroy(cpc, b) || cpc_close(cpc) ? 4 : 0;
}

START_TEST(a_child_of_fork_has_nothing_bound)
{
	struct child c;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_faults(counted(10), 10);
	c = begin_child(in_fork, NULL);
	ck_assert_int_eq(end_child(&c), 0);
	sampled(cpc, set, buf, 0);
	ck_faults(counted(20), 20);
}
END_TEST

static int as_nobody(void *victim)
{
	cpc_set_t *kernel;
	pctx_t other = *(pid_t *)victim;

	become_nobody();
	if (cpc_bind_cpu(cpc, 0, set, 0) != -1 || errno != EACCES)
		return 1;
	if (!strstr(told.line, "perf_event_paranoid"))
		return 2;
	if (cpc_bind_pctx(cpc, &other, 0, set, 0) != -1 || errno != EACCES)
		return 3;
	if (cpc_bind_curlwp(cpc, set, 0) != 0)
		return errno == EACCES ? 77 : 4;
	kernel = cpc_set_create(cpc);
	if (cpc_set_add_request(cpc, kernel, "page-faults", 0, CPC_COUNT_SYSTEM, 0, NULL) != 0)
		return 5;
	errno = 0;
	if (cpc_bind_curlwp(cpc, kernel, 0) != -1 || errno != EACCES)
		return 6;
	return 0;
}

/* Levels are compared with the kernel's default, perf_event_paranoid 2. */
START_TEST(a_missing_right_is_eacces)
{
	char level = '?';
	pid_t self = getpid();
	struct child c;
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY), rc;

	if (read(fd, &level, 1) != 1 || level < '2') {
		puts("skipped: EACCES: perf_event_paranoid lets every user count all");
		return;
	}
	close(fd);
	c = begin_child(as_nobody, &self);
	rc = end_child(&c);
	if (rc == 77)
		puts("skipped: a user's own counters: perf_event_paranoid denies them here");
	else
		ck_assert_int_eq(rc, 0);
}
END_TEST

Suite *bind_suite(void)
{
	Suite *s = suite_create("bind");
	TCase *t = tcase_create("bind");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, faults_are_counted_exactly);
	tcase_add_test(t, counters_start_at_their_presets);
	tcase_add_test(t, an_unbound_set_is_not_sampled);
	tcase_add_test(t, wrong_binds_are_refused);
	tcase_add_test(t, an_event_that_the_machine_lacks_is_einval);
	tcase_add_test(t, a_thread_has_one_set);
	tcase_add_test(t, bound_again_it_begins_afresh);
	tcase_add_test(t, it_stops_and_goes_on);
	tcase_add_test(t, restart_begins_at_the_presets);
	tcase_add_test(t, without_descriptors_it_is_eagain);
	tcase_add_test(t, closed_descriptors_are_eagain);
	tcase_add_test(t, another_process_is_counted);
	tcase_add_test(t, another_thread_is_counted);
	tcase_add_test(t, threads_that_are_not_there_are_esrch);
	tcase_add_test(t, a_child_of_fork_has_nothing_bound);
	if (geteuid() == 0)
		tcase_add_test(t, a_missing_right_is_eacces);
	suite_add_tcase(s, t);
	return s;
}
