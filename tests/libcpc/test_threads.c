/* Several threads: each its own set, inherited sets, threads that end. */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;

static void begin(void)
{
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 1000000, 0);
	buf = cpc_buf_create(cpc, set);
	fault(1);
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
}

static void in_thread(void *(*work)(void *), void *user)
{
	pthread_t t;
	void *rc;

	ck_assert_int_eq(pthread_create(&t, NULL, work, user), 0);
	pthread_join(t, &rc);
	ck_assert_msg(rc == NULL, "the thread failed at step %ld", (long)(intptr_t)rc);
}

#define STEP(n, what)                                                                              \
	if (!(what))                                                                               \
	return (void *)(intptr_t)(n)

static void *with_own_set(void *unused)
{
	cpc_set_t *own = set_of(cpc, "page-faults", 0, 0);
	cpc_buf_t *b = cpc_buf_create(cpc, own);
	uint64_t v, w;

	(void)unused;
	STEP(1, cpc_bind_curlwp(cpc, own, 0) == 0);
	for (int i = 0; i < 20; i++) {
		STEP(2, cpc_set_sample(cpc, own, b) == 0 && cpc_set_sample(cpc, own, b) == 0);
		cpc_buf_get(cpc, b, 0, &v);
		fault(50);
		STEP(3, cpc_set_sample(cpc, own, b) == 0);
		cpc_buf_get(cpc, b, 0, &w);
		STEP(4, w - v >= 50 && w - v < 60);
	}
	STEP(5, cpc_unbind(cpc, own) == 0);
	STEP(6, cpc_set_destroy(cpc, own) == 0 && cpc_buf_destroy(cpc, b) == 0);
	return NULL;
}

START_TEST(threads_count_for_themselves)
{
	pthread_t t[4];
	void *rc;

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, with_own_set, NULL), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &rc);
		ck_assert_ptr_null(rc);
	}
}
END_TEST

static void *without_a_set(void *unused)
{
	(void)unused;
	errno = 0;
	STEP(1, cpc_set_sample(cpc, set, buf) == -1 && errno == EINVAL);
	STEP(2, strstr(told.line, "another thread") != NULL);
	STEP(3, cpc_unbind(cpc, set) == -1 && errno == EINVAL);
	STEP(4, cpc_set_restart(cpc, set) == -1 && errno == EINVAL);
	STEP(5, cpc_bind_curlwp(cpc, set, 0) == -1 && errno == EINVAL);
	STEP(6, strstr(told.line, "bound already") != NULL);
	return NULL;
}

START_TEST(without_inherit_a_new_thread_has_nothing)
{
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	in_thread(without_a_set, NULL);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), 1000000);
}
END_TEST

static void *binds_and_ends(void *unused)
{
	(void)unused;
	STEP(1, cpc_bind_curlwp(cpc, set, 0) == 0);
	return NULL;
}

START_TEST(a_threads_end_unbinds)
{
	for (int i = 0; i < 3; i++) {
		in_thread(binds_and_ends, NULL);
		ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
	}
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
}
END_TEST

static pthread_barrier_t gone;

static void *loses_its_set(void *unused)
{
	(void)unused;
	STEP(1, cpc_bind_curlwp(cpc, set, 0) == 0);
	pthread_barrier_wait(&gone);
	pthread_barrier_wait(&gone);
	STEP(2, cpc_enable(cpc) == -1 && errno == EAGAIN);
	STEP(3, cpc_request_preset(cpc, 0, 1) == 0);
	set = set_of(cpc, "page-faults", 0, 0);
	STEP(4, cpc_set_sample(cpc, set, buf) == -1 && errno == EINVAL);
	STEP(5, cpc_bind_curlwp(cpc, set, 0) == 0);
	return NULL;
}

START_TEST(a_set_may_be_destroyed_by_another_thread)
{
	pthread_t t;
	void *rc;

	pthread_barrier_init(&gone, NULL, 2);
	ck_assert_int_eq(pthread_create(&t, NULL, loses_its_set, NULL), 0);
	pthread_barrier_wait(&gone);
	ck_assert_int_eq(cpc_set_destroy(cpc, set), 0);
	pthread_barrier_wait(&gone);
	pthread_join(t, &rc);
	ck_assert_msg(rc == NULL, "step %ld", (long)(intptr_t)rc);
}
END_TEST

/* ------------------------------------------------------------------------ inherited */

/* Prints the checks that it skips. */
static bool inherited(void)
{
	if (cpc_bind_curlwp(cpc, set, CPC_BIND_LWP_INHERIT) == 0)
		return true;
	ck_assert_msg(errno == ENOTSUP && WITH_TSAN, "%s", told.line);
	puts("skipped: inherited sets: ThreadSanitizer and the shared libcpc exclude them");
	return false;
}

static atomic_int depth;

static void *inherits(void *unused)
{
	cpc_buf_t *b = cpc_buf_create(cpc, set);
	uint64_t v = 0, w = 0;
	pthread_t t;
	void *rc;

	(void)unused;
	STEP(1, cpc_set_sample(cpc, set, b) == 0);
	cpc_buf_get(cpc, b, 0, &v);
	STEP(2, v >= 1000000 && v < 1000100);
	fault(200);
	STEP(3, cpc_set_sample(cpc, set, b) == 0);
	cpc_buf_get(cpc, b, 0, &w);
	STEP(4, w - v >= 200 && w - v < 220);
	STEP(5, cpc_request_preset(cpc, 0, 5) == 0 && cpc_set_restart(cpc, set) == 0);
	STEP(6, cpc_set_sample(cpc, set, b) == 0);
	cpc_buf_get(cpc, b, 0, &v);
	STEP(7, v >= 5 && v < 50);
	if (atomic_fetch_add(&depth, 1) == 0) {
		STEP(8, pthread_create(&t, NULL, inherits, NULL) == 0);
		pthread_join(t, &rc);
		STEP(9, rc == NULL);
	}
	STEP(10, cpc_unbind(cpc, set) == 0);
	STEP(11, cpc_unbind(cpc, set) == -1 && errno == EINVAL);
	return NULL;
}

/* A copy with the set's presets, the thread's own faults; and its threads' likewise. */
START_TEST(new_threads_inherit_a_copy)
{
	uint64_t before;

	atomic_store(&depth, 0);
	if (!inherited())
		return;
	fault(5000);
	before = sampled(cpc, set, buf, 0);
	ck_assert_uint_ge(before, 1005000);
	in_thread(inherits, NULL);
	ck_assert_int_eq(atomic_load(&depth), 2);
	/* The copies' ends are not this thread's. */
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), before);
}
END_TEST

static pthread_barrier_t unbound;

static void *outlives(void *unused)
{
	cpc_buf_t *b = cpc_buf_create(cpc, set);

	(void)unused;
	pthread_barrier_wait(&unbound);
	pthread_barrier_wait(&unbound);
	STEP(1, cpc_set_sample(cpc, set, b) == 0);
	return NULL;
}

START_TEST(copies_outlive_the_makers_binding)
{
	pthread_t t;
	void *rc;

	pthread_barrier_init(&unbound, NULL, 2);
	if (!inherited())
		return;
	ck_assert_int_eq(pthread_create(&t, NULL, outlives, NULL), 0);
	pthread_barrier_wait(&unbound);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	pthread_barrier_wait(&unbound);
	pthread_join(t, &rc);
	ck_assert_ptr_null(rc);
	ck_fails(cpc_set_sample(cpc, set, buf), EINVAL, "not bound");
}
END_TEST

/* ------------------------------------------------- inherited, and overflow asked for */

static _Thread_local struct {
	int times, code;
	bool max;
	uint64_t value;
} emt;

/* As the document says: UINT64_MAX tells a new thread, who presets and starts its own. */
static void on_emt(int number, siginfo_t *info, void *context)
{
	static _Thread_local uint64_t value;

	(void)number, (void)context;
	emt.times++;
	emt.code = info->si_code;
	if (cpc_set_sample(cpc, set, buf) == 0 && cpc_buf_get(cpc, buf, 0, &value) == 0)
		emt.value = value;
	if (value == UINT64_MAX) {
		emt.max = true;
		cpc_request_preset(cpc, 0, UINT64_MAX - 99);
	}
	cpc_set_restart(cpc, set);
}

static void *is_signalled(void *unused)
{
	(void)unused;
	STEP(1, emt.times == 1 && emt.max && emt.code == EMT_CPCOVF);
	STEP(2, emt.value == UINT64_MAX);
	fault(100);
	STEP(3, emt.times >= 2);
	STEP(4, emt.value < 10);
	return NULL;
}

START_TEST(a_new_thread_is_signalled_to_preset)
{
	struct sigaction act = {.sa_sigaction = on_emt, .sa_flags = SA_SIGINFO | SA_RESTART};
	cpc_set_t *notifies = set_of(cpc, "page-faults", UINT64_MAX - 999999, CPC_OVF_NOTIFY_EMT);

	sigaction(SIGEMT, &act, NULL);
	cpc_set_destroy(cpc, set);
	cpc_buf_destroy(cpc, buf);
	set = notifies;
	buf = cpc_buf_create(cpc, set);
	if (WITH_TSAN || !inherited()) {
		puts("skipped: a new thread's signal: ThreadSanitizer keeps signals back");
		return;
	}
	ck_assert_int_eq(emt.times, 0);
	in_thread(is_signalled, NULL);
	ck_assert_int_eq(emt.times, 0);
}
END_TEST

Suite *threads_suite(void)
{
	return SUITE("threads", .set_up = begin, .tear_down = end,
		TESTS(threads_count_for_themselves, without_inherit_a_new_thread_has_nothing,
			a_threads_end_unbinds, a_set_may_be_destroyed_by_another_thread,
			new_threads_inherit_a_copy, copies_outlive_the_makers_binding,
			a_new_thread_is_signalled_to_preset));
}
