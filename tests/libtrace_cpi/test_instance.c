#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../libtrace/counters/source.h"
#include "double.h"
#include "suites.h"

/* Their allocators may be locked by another thread when one forks, for ever in the child. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static void use(const char *counters)
{
	setenv("SWTRACE_COUNTERS", counters, 1);
}

static void use_script(const char *text)
{
	char value[128];

	snprintf(value, sizeof value, "scripted:%s", text_file(text));
	use(value);
}

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) != 0)
		;
}

static void *init(UINT32 mode)
{
	void *h = NULL;

	ck_assert_int_eq(CpiInit(mode, &h), PU_SUCCESS);
	ck_assert_ptr_nonnull(h);
	return h;
}

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

static const UINT32 bad_modes[] = {0x80, 0x100, 0xFF, 0x80000001, 0xFFFFFFFF};

START_TEST(start_attaches_before_it_measures)
{
	uint32_t before = ring_double.readied;
	void *h = init(1);

	ck_assert_uint_eq(ring_double.readied, before + 1);
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

	use(bad_sources[_i].value);
	ck_assert_int_eq(CpiInit(1, &h), bad_sources[_i].rc);
	ck_assert_ptr_eq(h, &h);
	counters_describe(&d);
	ck_assert_int_eq(d.rc, bad_sources[_i].rc);
	ck_assert(strstr(d.line, bad_sources[_i].value) != NULL);
	ck_assert_int_eq(d.source, SHM_SOURCE_NONE);
	use("software"); /* once a process */
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

/* ----------------------------------------------------------------------------- figures */

START_TEST(software)
{
	const CPI_DATA *d;
	void *h;

	use("software");
	h = init(7);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(ring_double.source_flags & 5, 0);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	sleep_ms(60);
	errno = 77;
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_int_eq(errno, 77);
	ck_assert_int_eq(d->num_cpus, GetActiveProcessorCount());
	ck_assert_uint_eq(d->tid, (UINT32)gettid());
	ck_assert(CyclesToMilliseconds(0, (double)d->elapsed_cycles) >= 59);
	ck_assert(isnan(d->raw_sys_cpi) && isnan(d->scaled_sys_cpi) && isnan(d->thread_cpi));
	ck_assert(d->sys_busy >= 0 && d->sys_busy <= 100);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		ck_assert(isnan(d->raw_cpi[cpu]) && isnan(d->scaled_cpi[cpu]));
	for (int cpu = d->num_cpus; cpu < MAX_CPUS; cpu++)
		ck_assert(isnan(d->cpu_busy[cpu]));
}
END_TEST

/* The second Get is from the same start. */
START_TEST(interval_goes_on)
{
	const CPI_DATA *d;
	UINT64 first;
	void *h;

	use("software");
	h = init(1);
	sleep_ms(2);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS); /* since CpiInit */
	first = d->elapsed_cycles;
	ck_assert(CyclesToMilliseconds(0, (double)first) >= 2);
	sleep_ms(2);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_gt(d->elapsed_cycles, first);
	ck_assert(isnan(d->sys_busy)); /* not asked for */
}
END_TEST

START_TEST(nothing)
{
	const CPI_DATA *d;
	void *h;

	use("none");
	h = init(7);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_NONE);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_EVERYTHING, NULL, &d), PU_SUCCESS);
	ck_assert(isnan(d->sys_busy) && isnan(d->raw_sys_cpi));
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	ck_assert_uint_eq(group_record(0)->word[0], 5);
}
END_TEST

static const char script[] = "cycles 3000000\ncpi all 1.5\nbusy all 40%\n"
			     "thread cycles 1000001\nthread cpi 2\n";

/* Every word can be told beforehand, but for the elapsed ticks. */
START_TEST(scripted_words)
{
	const struct record_view *v;
	const CPI_DATA *d;
	UINT32 n;
	void *h;

	use_script(script);
	h = init(CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_SCRIPTED);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 0xAB, CPI_TYPE_TRACE_EVERYTHING, "l", &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 1.5 && d->scaled_cpi[0] == 0.6 && d->raw_sys_cpi == 1.5);
	ck_assert(d->cpu_busy[0] == 40.0 && d->sys_busy == 40.0);
	ck_assert_double_eq_tol(d->thread_cpi, 2, 1e-5);
	ck_assert_uint_eq(group_records(), 6);
	n = (UINT32)d->num_cpus;
	v = group_record(1);
	ck_assert_uint_eq(v->minor, 0x100000AB);
	ck_assert_uint_eq(v->word[0], 7);
	ck_assert_uint_eq(v->word[1], n);
	ck_assert_uint_eq((UINT64)v->word[2] << 32 | v->word[3], d->elapsed_cycles);
	ck_assert_uint_eq(v->word[4], 1);
	ck_assert_uint_eq(v->word[5], 5000);
	v = group_record(3);
	ck_assert_uint_eq(v->word[5], 2000000);
	ck_assert_uint_eq(v->word[7], 3000000);
	ck_assert_uint_eq(v->word[11], 1200000);
	ck_assert_uint_eq(v->word[13], 6000);
	ck_assert_uint_eq(v->word[14], 40);
	v = group_record(4);
	ck_assert_uint_eq(v->word[0], (UINT32)gettid());
	ck_assert_uint_eq(v->word[4], 500001);
	ck_assert_uint_eq(v->word[6], 1000001);
}
END_TEST

/* Nested intervals add up, as with counters. */
START_TEST(scripted_nesting)
{
	const CPI_DATA *d;
	void *outer, *inner;

	use_script(
		"step 2\nstep\ncycles 100\ninstructions all 10\n"
		"step\ncycles 100\ninstructions all 40\nstep\ncycles 100\ninstructions all 50\n");
	outer = init(1);
	inner = init(1);
	ck_assert_int_eq(CpiStart(outer), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(inner), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(inner, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 2.0);
	ck_assert_int_eq(CpiGet(outer, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 300.0 / 140.0);
}
END_TEST

static void *get_there(void *h)
{
	const CPI_DATA *d;

	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_EVERYTHING, NULL, &d), PU_SUCCESS);
	ck_assert(isnan(d->thread_cpi));
	ck_assert(d->raw_cpi[0] == 1.5);
	return NULL;
}

START_TEST(get_by_another_thread)
{
	const struct record_view *v;
	pthread_t t;
	void *h;
	UINT32 n;

	use_script(script);
	h = init(CPI_TYPE_ONTHREAD);
	pthread_create(&t, NULL, get_there, h);
	pthread_join(t, NULL);
	v = group_record(0);
	n = v->word[1];
	ck_assert_uint_eq(v->word[0], 5);
	ck_assert_uint_eq(v->word[4 + 2 * n + 2], 0);
	ck_assert_uint_eq(v->word[4 + 2 * n + 3], 0);
	v = group_record(3);
	ck_assert_uint_eq(v->word[0], (UINT32)gettid());
	for (int i = 3; i < 9; i++)
		ck_assert_uint_eq(v->word[i], 0);
}
END_TEST

START_TEST(get_by_a_child)
{
	int status;
	pid_t pid;
	void *h;

	use_script(script);
	h = init(CPI_TYPE_ONTHREAD);
	pid = fork();
	if (pid == 0) {
		const CPI_DATA *d;
		int rc = CpiGet(h, &d);
		bool other = rc == 0 && isnan(d->thread_cpi);

		rc |= CpiStart(h) | CpiGet(h, &d);
		_exit(other && rc == 0 && d->raw_cpi[0] == 1.5 && fabs(d->thread_cpi - 2) < 1e-5
				? 0
				: 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* ------------------------------------------------------------------------- what is traced */

static const struct {
	UINT32 mode;
	unsigned hooks; /* of a CpiGet */
} gets[] = {
	{0, 0},
	{CPI_TYPE_RAW, 0},
	{CPI_TYPE_TRACE_SUMMARY, 0},
	{CPI_TYPE_TRACE_EVERYTHING, 0},
	{CPI_TYPE_TRACE_ON_GET, 1},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_SUMMARY, 1},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_DETAILED, 2},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_DETAILED | CPI_TYPE_ONTHREAD, 3},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_ONLY_ON_GET, 1},
	{CPI_TYPE_TRACE_ONLY_ON_GET | CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_ONLY_ON_GET | CPI_TYPE_TRACE_ON_GET, 1},
	{CPI_TYPE_ALL, 4},
};

START_TEST(trace_on_get)
{
	const CPI_DATA *d = (const CPI_DATA *)&d;
	bool only = gets[_i].mode & CPI_TYPE_TRACE_ONLY_ON_GET;
	void *h;

	use("software");
	h = init(gets[_i].mode);
	ck_assert_uint_eq(CpiGetCurrentMode(h), gets[_i].mode | CPI_TYPE_RAW);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert((d == (const CPI_DATA *)&d) == only);
	ck_assert_uint_eq(group_records(), gets[_i].hooks);
	if (gets[_i].hooks)
		ck_assert_uint_eq(group_record(0)->minor & 0xFF, CPI_TRACE_DEFAULT_MINOR);
	if (gets[_i].mode & CPI_TYPE_TRACE_SUMMARY && gets[_i].hooks && !only)
		ck_assert_uint_eq(d->elapsed_cycles,
			(UINT64)group_record(0)->word[2] << 32 | group_record(0)->word[3]);
	if (only)
		ck_assert_int_eq(CpiGet(h, NULL), PU_SUCCESS);
}
END_TEST

static const struct {
	UINT32 mode, flags;
	unsigned hooks;
} get_and_traces[] = {
	{0, 0, 1},
	{0, CPI_TYPE_TRACE_SUMMARY, 1},
	{0, CPI_TYPE_TRACE_DETAILED, 2},
	{0, CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_SUMMARY, 0, 1},
	{CPI_TYPE_TRACE_SUMMARY, CPI_TYPE_TRACE_DETAILED, 3},
	{CPI_TYPE_TRACE_DETAILED, 0, 2},
	{CPI_TYPE_TRACE_DETAILED, CPI_TYPE_TRACE_SUMMARY, 3},
	/* these say nothing here */
	{0, CPI_TYPE_ONTHREAD | CPI_TYPE_SCALED, 1},
	{CPI_TYPE_TRACE_ONLY_ON_GET, 0, 1},
	{CPI_TYPE_ONTHREAD, CPI_TYPE_ALL, 4},
};

START_TEST(trace_types)
{
	const CPI_DATA *d = NULL;
	void *h;

	use("software");
	h = init(get_and_traces[_i].mode);
	ck_assert_int_eq(CpiSetTraceHookId(h, 9, "not mine"), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 0xFF, get_and_traces[_i].flags, NULL, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), get_and_traces[_i].hooks);
	ck_assert_uint_eq(group_record(0)->minor & 0xFF, 0xFF);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
}
END_TEST

START_TEST(hook_id)
{
	char label[] = "mine";
	const CPI_DATA *d;
	void *h;

	use("software");
	h = init(CPI_TYPE_TRACE_ON_GET);
	ck_assert_int_eq(CpiSetTraceHookId(h, 0, label), PU_SUCCESS);
	label[0] = 'x';
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 3);
	ck_assert_uint_eq(group_record(0)->minor, 0);
	ck_assert(memcmp(group_record(0)->string, "mine", 4) == 0);
	ck_assert_uint_eq(group_record(2)->minor, 0xF0000000);
	ck_assert_int_eq(CpiSetTraceHookId(h, -1, "bad"), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(memcmp(group_record(0)->string, "mine", 4) == 0);
	ck_assert_int_eq(CpiSetTraceHookId(h, 0x42, NULL), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(group_record(0)->minor, 0x10000042);
}
END_TEST

START_TEST(tracing_off)
{
	const CPI_DATA *d = NULL;
	void *h;

	use("software");
	ring_double.on = false;
	h = init(CPI_TYPE_ALL & ~CPI_TYPE_TRACE_ONLY_ON_GET);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", &d), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", NULL), PU_SUCCESS);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

static const int losses[] = {PU_ERROR_BUFFER_FULL, PU_ERROR_NO_BUFFER, PU_ERROR_HOOK_TOO_LONG};

START_TEST(lost_hooks)
{
	const CPI_DATA *d = NULL;
	void *h;

	use("software");
	h = init(CPI_TYPE_TRACE_ON_GET);
	ring_double.rc = losses[_i];
	ck_assert_int_eq(CpiGet(h, &d), losses[_i]);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	d = NULL;
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", &d), losses[_i]);
	ck_assert_ptr_nonnull(d);
}
END_TEST

START_TEST(long_label)
{
	char *label = malloc(3 << 20);
	const CPI_DATA *d = NULL;
	void *h;

	memset(label, 'l', 3 << 20);
	label[(3 << 20) - 1] = 0;
	use("software");
	h = init(0);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, label, &d), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	free(label);
}
END_TEST

/* ------------------------------------------------------------------------------- many */

START_TEST(ten_thousand)
{
	enum { MANY = 10000 };
	static void *h[MANY];
	const CPI_DATA *d;

	use("software");
	for (int i = 0; i < MANY; i++)
		h[i] = init(7);
	for (int i = 1; i < MANY; i++)
		ck_assert_ptr_ne(h[i], h[i - 1]);
	for (int i = 0; i < MANY; i += 7)
		ck_assert_int_eq(CpiGet(h[i], &d), PU_SUCCESS);
	for (int i = 0; i < MANY; i += 2)
		ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
	for (int i = 0; i < MANY; i++)
		ck_assert_uint_eq(CpiGetCurrentMode(h[i]), i % 2 ? 7 : 0);
	for (int i = 1; i < MANY; i += 2)
		ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
}
END_TEST

static void *churn(void *unused)
{
	void *h[50], *old = NULL;
	const CPI_DATA *d;

	(void)unused;
	for (int round = 0; round < 40; round++) {
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

	use(source[_i]);
	ring_double.on = false;
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
}
END_TEST

#ifndef SANITIZED
/* A child forked while other threads are at it goes on. */
START_TEST(fork_in_the_middle)
{
	pthread_t t[2];

	use("software");
	ring_double.on = false;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			const CPI_DATA *d;
			void *h;

			alarm(20);
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

START_TEST(codes)
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

START_TEST(clocks)
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

	ck_assert_str_eq(counters_source_name(SHM_SOURCE_SOFTWARE, 10, text, sizeof text),
		"software (busy, thread cycles)");
	ck_assert_str_eq(counters_source_name(SHM_SOURCE_NONE, 0, text, sizeof text), "none");
	ck_assert_str_eq(counters_source_name(99, 0xFFFFFFF0, text, sizeof text), "unknown");
	ck_assert_str_eq(counters_source_name(SHM_SOURCE_PERF, 15, text, 8), "perf_ev");
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
	tcase_add_test(t, software);
	tcase_add_test(t, interval_goes_on);
	tcase_add_test(t, nothing);
	tcase_add_test(t, scripted_words);
	tcase_add_test(t, scripted_nesting);
	tcase_add_test(t, get_by_another_thread);
	tcase_add_test(t, get_by_a_child);
	tcase_add_loop_test(t, trace_on_get, 0, sizeof gets / sizeof *gets);
	tcase_add_loop_test(t, trace_types, 0, sizeof get_and_traces / sizeof *get_and_traces);
	tcase_add_test(t, hook_id);
	tcase_add_test(t, tracing_off);
	tcase_add_loop_test(t, lost_hooks, 0, 3);
	tcase_add_test(t, long_label);
	tcase_add_test(t, ten_thousand);
	tcase_add_loop_test(t, many_threads, 0, 3);
#ifdef SANITIZED
	puts("skipped: fork_in_the_middle: the sanitizer's allocator may be locked in the child");
#else
	/* User-mode emulation forks with whatever locks its own threads hold. */
	if (getenv("SWTRACE_TEST_EMULATED"))
		puts("skipped: fork_in_the_middle: the emulator may be locked in the child");
	else
		tcase_add_test(t, fork_in_the_middle);
#endif
	tcase_add_test(t, codes);
	tcase_add_test(t, clocks);
	tcase_add_test(t, source_names);
	suite_add_tcase(s, t);
	return s;
}
