#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/counters/describe.h"
#include "../lib/sanitized.h"
#include "double.h"
#include "instances.h"
#include "suites.h"

/* ------------------------------------------------------------------------------ misuse */

static void *const wrong[] = {(void *)1, (void *)0x1000, (void *)~(uintptr_t)0, (void *)0x4000001,
	(void *)0x7ffff0000000, (void *)((uintptr_t)1 << 63)};

static void expect_no_handle(void *h, int rc)
{
	const CPI_DATA *d = (const CPI_DATA *)&d;

	ck_assert_int_eq(CpiStart(h), rc);
	ck_assert_int_eq(CpiGet(h, &d), rc);
	ck_assert_int_eq(CpiGet(h, NULL), rc);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", &d), rc);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, NULL), rc);
	ck_assert_int_eq(CpiSetTraceHookId(h, 1, "x"), rc);
	ck_assert_int_eq(CpiTerminate(h), rc);
	ck_assert_uint_eq(CpiGetCurrentMode(h), 0);
	ck_assert_ptr_eq(d, &d);
	ck_assert_uint_eq(ring_double.reservations, 0);
}

START_TEST(null_handles)
{
	expect_no_handle(NULL, PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpiInit(CPI_TYPE_RAW, NULL), PU_ERR_NULL_PTR);
}
END_TEST

START_TEST(wrong_handles)
{
	int local;

	expect_no_handle(wrong[_i], PU_ERR_NOT_INITIALIZED);
	expect_no_handle(&local, PU_ERR_NOT_INITIALIZED);
}
END_TEST

START_TEST(stale_handles)
{
	void *h = init(1), *h2;

	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
	expect_no_handle(h, PU_ERR_NOT_INITIALIZED);
	h2 = init(1);
	ck_assert_ptr_ne(h, h2);
	expect_no_handle(h, PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpiStart(h2), PU_SUCCESS);
}
END_TEST

static const UINT32 bad_modes[] = {0x100, 0x180, 0x1FF, 0x80000001, 0xFFFFFFFF};

START_TEST(start_attaches_before_it_measures)
{
	void *h = init(1); /* it also measures what a start costs */
	uint32_t before;

	ck_assert_uint_ge(ring_double.readied, 1);
	before = ring_double.readied - 1;
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_uint_eq(ring_double.readied, before + 2);
}
END_TEST
START_TEST(unknown_flags)
{
	void *h = &h;

	ck_assert_int_eq(CpiInit(bad_modes[_i], &h), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_eq(h, &h);
	h = init(1);
	ck_assert_int_eq(
		CpiGetAndTrace(h, 1, bad_modes[_i], NULL, NULL), PU_ERROR_INVALID_PARAMETER);
}
END_TEST

static const int bad_minors[] = {-1, 256, 0x10000001, INT32_MIN, INT32_MAX};

START_TEST(unknown_minors)
{
	void *h = init(1);

	ck_assert_int_eq(
		CpiGetAndTrace(h, bad_minors[_i], 0, NULL, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpiSetTraceHookId(h, bad_minors[_i], "x"), PU_ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

START_TEST(get_without_data)
{
	void *h = init(CPI_TYPE_TRACE_ON_GET);

	ck_assert_int_eq(CpiGet(h, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
}
END_TEST

static const struct {
	const char *value;
	int rc;
} bad_sources[] = {
	{"bogus", PU_ERROR_INVALID_PARAMETER},
	{"Auto", PU_ERROR_INVALID_PARAMETER},
	{"scripted", PU_ERROR_INVALID_PARAMETER},
	{"software,perf", PU_ERROR_INVALID_PARAMETER},
	{"scripted:", PU_ERR_FILE_ERROR},
	{"scripted:/nonexistent/file", PU_ERR_FILE_ERROR},
	{"scripted:/tmp", PU_ERR_FILE_ERROR},
	{"scripted:/dev/null", PU_ERROR_INVALID_PARAMETER},
	{"scripted:/dev/zero", PU_ERROR_INVALID_PARAMETER},
};

START_TEST(misnamed_source)
{
	struct counters_description d;
	void *h = &h;

	use_counters(bad_sources[_i].value);
	ck_assert_int_eq(CpiInit(1, &h), bad_sources[_i].rc);
	ck_assert_ptr_eq(h, &h);
	counters_describe(&d);
	ck_assert_int_eq(d.rc, bad_sources[_i].rc);
	ck_assert(strstr(d.line, bad_sources[_i].value) != NULL);
	ck_assert_int_eq(d.source, SHM_SOURCE_NONE);
	use_counters("software"); /* once a process */
	ck_assert_int_eq(CpiInit(1, &h), bad_sources[_i].rc);
}
END_TEST

START_TEST(script_with_an_error)
{
	struct counters_description d;
	void *h;

	use_script("step\ncpi 0 fast\n");
	ck_assert_int_eq(CpiInit(1, &h), PU_ERROR_INVALID_PARAMETER);
	counters_describe(&d);
	ck_assert_msg(strstr(d.line, "line 2: not a CPI") != NULL, "%s", d.line);
}
END_TEST

/* ------------------------------------------------------------------------------- many */

START_TEST(ten_thousand)
{
	enum { MANY = 10000 };
	static void *h[MANY];
	const CPI_DATA *d;

	use_counters("software");
	for (int i = 0; i < MANY; i++)
		h[i] = init(5); /* no idle accounting, which costs 100 us a look */
	for (int i = 1; i < MANY; i++)
		ck_assert_ptr_ne(h[i], h[i - 1]);
	for (int i = 0; i < MANY; i += 7)
		ck_assert_int_eq(CpiGet(h[i], &d), PU_SUCCESS);
	for (int i = 0; i < MANY; i += 2)
		ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
	for (int i = 0; i < MANY; i++)
		ck_assert_uint_eq(CpiGetCurrentMode(h[i]), i % 2 ? 5 : 0);
	for (int i = 1; i < MANY; i += 2)
		ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
}
END_TEST

static void *create_and_destroy(void *unused)
{
	void *h[50], *old = NULL;
	const CPI_DATA *d;

	(void)unused;
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 50; i++)
			h[i] = init(7);
		ck_assert_uint_eq(CpiGetCurrentMode(old), 0);
		for (int i = 0; i < 50; i++) {
			ck_assert_int_eq(CpiStart(h[i]), PU_SUCCESS);
			ck_assert_int_eq(CpiGet(h[i], &d), PU_SUCCESS);
			ck_assert_uint_eq(d->tid, (UINT32)gettid());
			ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
		}
		old = h[round];
	}
	return NULL;
}

START_TEST(many_threads)
{
	static const char *const source[] = {"software", "none", "auto"};
	pthread_t t[6];

	use_counters(source[_i]);
	ring_double.on = false;
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, create_and_destroy, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
}
END_TEST

#if !SANITIZED
/* A child forked while other threads are at it goes on. */
START_TEST(fork_in_the_middle)
{
	pthread_t t[2];

	use_counters("software");
	ring_double.on = false;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, create_and_destroy, NULL);
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			const CPI_DATA *d;
			void *h;

			alarm(120);
			_exit(CpiInit(7, &h) || CpiStart(h) || CpiGet(h, &d) ||
				d->tid != (UINT32)getpid() || CpiTerminate(h));
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
END_TEST
#endif

/* ------------------------------------------------------------------------------ the rest */

START_TEST(codes_have_names)
{
	ck_assert_str_eq(RcToString(0), "PU_SUCCESS");
	ck_assert_str_eq(RcToString(-3), "PU_ERR_NULL_PTR");
	ck_assert_str_eq(RcToString(-6), "PU_ERR_NOT_INITIALIZED");
	ck_assert_str_eq(RcToString(-202), "PU_ERROR_NO_BUFFER");
	ck_assert_str_eq(RcToString(-234), "PU_ERROR_NOT_VALID_IN_VM");
	ck_assert_str_eq(RcToString(-238), "PU_ERROR_EVENT_ALL_ESCR_IN_USE");
	ck_assert_str_eq(RcToString(-264), "PU_ERROR_INCOMPATIBLE_OPTIONS");
	ck_assert_str_eq(RcToString(1), "PU_UNKNOWN");
	ck_assert_str_eq(RcToString(-7), "PU_UNKNOWN");
	ck_assert_str_eq(RcToString(INT32_MIN), "PU_UNKNOWN");
}
END_TEST

START_TEST(cycles_convert_to_times)
{
	UINT64 a = ReadCycles(), b = 0;

	sleep_ms(10);
	GetCycles(&b);
	GetCycles(NULL);
	ck_assert_uint_gt(b, a);
	ck_assert(CyclesToMilliseconds((double)a, (double)b) >= 9.9);
	ck_assert(CyclesToMilliseconds((double)a, (double)b) < 5000);
	ck_assert(CyclesToSeconds((double)b, (double)a) < 0);
	ck_assert_double_eq_tol(CyclesToMicroseconds(0, 1e9), CyclesToSeconds(0, 1e9) * 1e6, 1e-3);
}
END_TEST

START_TEST(source_names)
{
	char text[128];

	ck_assert_str_eq(shm_source_name(SHM_SOURCE_SOFTWARE, 10, text, sizeof text),
		"software (busy, thread cycles)");
	ck_assert_str_eq(shm_source_name(SHM_SOURCE_NONE, 0, text, sizeof text), "none");
	ck_assert_str_eq(shm_source_name(99, 0xFFFFFFF0, text, sizeof text), "unknown");
	ck_assert_str_eq(shm_source_name(SHM_SOURCE_PERF, 15, text, 8), "perf_ev");
}
END_TEST

Suite *instance_suite(void)
{
	Suite *s = suite_create("instance");
	TCase *t = tcase_create("instance");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, null_handles);
	tcase_add_loop_test(t, wrong_handles, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(t, stale_handles);
	tcase_add_test(t, start_attaches_before_it_measures);
	tcase_add_loop_test(t, unknown_flags, 0, sizeof bad_modes / sizeof *bad_modes);
	tcase_add_loop_test(t, unknown_minors, 0, sizeof bad_minors / sizeof *bad_minors);
	tcase_add_test(t, get_without_data);
	tcase_add_loop_test(t, misnamed_source, 0, sizeof bad_sources / sizeof *bad_sources);
	tcase_add_test(t, script_with_an_error);
	tcase_add_test(t, ten_thousand);
	tcase_add_loop_test(t, many_threads, 0, 3);
#if SANITIZED
	puts("skipped: fork_in_the_middle: the sanitizer's allocator may be locked in the child");
#else
	/* User-mode emulation forks with whatever locks its own threads hold. */
	if (getenv("SWTRACE_TEST_EMULATED"))
		puts("skipped: fork_in_the_middle: the emulator may be locked in the child");
	else
		tcase_add_test(t, fork_in_the_middle);
#endif
	tcase_add_test(t, codes_have_names);
	tcase_add_test(t, cycles_convert_to_times);
	tcase_add_test(t, source_names);
	suite_add_tcase(s, t);
	return s;
}
