/* Instances of CPU utilisation: their figures, and what they refuse. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../lib/sanitized.h"
#include "double.h"
#include "instances.h"
#include "util_suites.h"

static void *util(UINT32 mode)
{
	void *h = NULL;

	ck_assert_int_eq(CpuUtilInit(mode, &h), PU_SUCCESS);
	ck_assert_ptr_nonnull(h);
	return h;
}

static const CPUUTIL_DATA *get_data(void *h)
{
	const CPUUTIL_DATA *d = NULL;

	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_ptr_nonnull(d);
	return d;
}

START_TEST(an_interval_has_the_scripted_figures)
{
	const CPUUTIL_DATA *d;
	int cpus = GetActiveProcessorCount();
	void *h;

	use_script("cycles 1000\nbusy all 40%\nintr all 10%\nunhalted all 300\nreference all 200\n"
		   "switches all 3\ninterrupts all 9\n");
	h = util(CPUUTIL_TRACE_NONE);
	d = get_data(h);
	ck_assert_int_eq(d->num_cpus, cpus);
	ck_assert_int_eq(d->method, AI_METHOD_SCRIPT);
	ck_assert_uint_eq(d->flags, 0);
	ck_assert_double_eq_tol(d->cpu_busy[0], 30, 1e-9);
	ck_assert_double_eq_tol(d->cpu_idle[0], 60, 1e-9);
	ck_assert_double_eq_tol(d->cpu_intr[0], 10, 1e-9);
	ck_assert_double_eq_tol(d->cpu_actual_perf[0], 150, 1e-9);
	ck_assert_uint_eq(d->cpu_disp_cnt[0], 3);
	ck_assert_uint_eq(d->cpu_intr_cnt[0], 9);
	ck_assert(isnan(d->cpu_busy[cpus]) && isnan(d->cpu_busy[MAX_CPUS - 1]));
	ck_assert_uint_eq(d->cpu_disp_cnt[cpus], AI_COUNT_NOT_MEASURED);
	/* From the same start. */
	d = get_data(h);
	ck_assert_uint_eq(d->cpu_disp_cnt[0], 6);
	ck_assert_double_eq_tol(d->sys_busy, 30, 1e-9);
	ck_assert_int_eq(CpuUtilStart(h), PU_SUCCESS);
	ck_assert_uint_eq(get_data(h)->cpu_disp_cnt[0], 3);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
}
END_TEST

START_TEST(sums_and_not_averages)
{
	const CPUUTIL_DATA *d;

	if (GetActiveProcessorCount() < 2) {
		puts("skipped: sums: this machine has one processor");
		return;
	}
	use_script("cycles 1000\nbusy all 0\nbusy 0 80%\nintr all 0\nunhalted all 100\n"
		   "unhalted 0 900\nreference all 100\nreference 0 300\n");
	d = get_data(util(0));
	ck_assert_double_eq_tol(d->cpu_busy[0], 80, 1e-9);
	ck_assert_double_eq_tol(d->cpu_busy[1], 0, 1e-9);
	ck_assert_double_eq_tol(d->sys_busy, 80.0 / d->num_cpus, 1e-9);
	ck_assert_double_eq_tol(d->sys_idle, 100 - 80.0 / d->num_cpus, 1e-9);
	ck_assert_double_eq_tol(d->sys_actual_perf,
		100.0 * (900 + 100 * d->num_cpus) / (300 + 100 * d->num_cpus), 1e-9);
}
END_TEST

START_TEST(interrupts_missing)
{
	const CPUUTIL_DATA *d;

	use_script("cycles 1000\nbusy all 40%\n");
	d = get_data(util(0));
	ck_assert_double_eq_tol(d->cpu_busy[0], 40, 1e-9);
	ck_assert_double_eq_tol(d->cpu_idle[0], 60, 1e-9);
	ck_assert(isnan(d->cpu_intr[0]) && isnan(d->sys_intr));
	ck_assert(isnan(d->cpu_actual_perf[0]) && isnan(d->sys_actual_perf));
	ck_assert_uint_eq(d->cpu_intr_cnt[0], AI_COUNT_NOT_MEASURED);
}
END_TEST

START_TEST(no_time)
{
	const CPUUTIL_DATA *d;

	use_script("cycles 0\nbusy all 0\nintr all 0\n");
	d = get_data(util(0));
	ck_assert(isnan(d->cpu_busy[0]) && isnan(d->cpu_idle[0]) && isnan(d->cpu_intr[0]));
	ck_assert(isnan(d->sys_busy));
}
END_TEST

START_TEST(not_measured_now)
{
	const CPUUTIL_DATA *d;

	use_script("step\ncycles 10\nbusy all 1\nstep\ncycles 10\nbusy 0 none\n"
		   "step\ncycles 10\nbusy all 1\n");
	void *h = util(0);

	d = get_data(h);
	ck_assert(isnan(d->cpu_busy[0]) && isnan(d->sys_busy));
	d = get_data(h);
	ck_assert_double_eq_tol(d->cpu_busy[0], 5, 1e-9);
}
END_TEST

static const UINT32 no_modes[] = {4, 8, 0x80000000, UINT32_MAX};

START_TEST(unknown_modes)
{
	const CPUUTIL_DATA *d = NULL;
	void *h = NULL;

	use_counters("software");
	ck_assert_int_eq(CpuUtilInit(no_modes[_i], &h), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_null(h);
	h = util(0);
	ck_assert_int_eq(
		CpuUtilGetAndTrace(h, 1, no_modes[_i], NULL, &d), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_null(d);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

START_TEST(null_pointers)
{
	const CPUUTIL_DATA *d = NULL;
	void *h;

	use_counters("software");
	ck_assert_int_eq(CpuUtilInit(0, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilStart(NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilGet(NULL, &d), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilGetAndTrace(NULL, 1, 0, NULL, &d), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilSetTraceHookId(NULL, 1, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilSample(NULL, 1, NULL, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilTerminate(NULL), PU_ERR_NULL_PTR);
	h = util(0);
	ck_assert_int_eq(CpuUtilGet(h, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilSample(h, 1, NULL, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
}
END_TEST

static int fail_if_sampled(const CPUUTIL_DATA *data, void *context)
{
	(void)data, (void)context;
	ck_abort_msg("sampled");
	return 1;
}

static void refuses(void *h)
{
	const CPUUTIL_DATA *d = NULL;

	ck_assert_int_eq(CpuUtilStart(h), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 1, 0, NULL, &d), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpuUtilSetTraceHookId(h, 1, NULL), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpuUtilSample(h, 1, fail_if_sampled, NULL), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_ERR_NOT_INITIALIZED);
	ck_assert_ptr_null(d);
}

START_TEST(no_handles)
{
	const CPI_DATA *cd;
	void *h, *cpi;

	use_counters("software");
	refuses((void *)0x1234);
	refuses((void *)UINTPTR_MAX);
	h = util(0);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
	refuses(h);
	/* Instances of the other facility, either way. */
	ring_double.major = CPI_TRACE_MAJOR;
	cpi = init(0);
	ring_double.major = CPUUTIL_TRACE_MAJOR_CODE;
	refuses(cpi);
	h = util(0);
	ck_assert_int_eq(CpiGet(h, &cd), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(CpiTerminate(h), PU_ERR_NOT_INITIALIZED);
	ck_assert_uint_eq(CpiGetCurrentMode(h), 0);
	ck_assert_int_eq(CpiGet(cpi, &cd), PU_SUCCESS);
	get_data(h);
}
END_TEST

START_TEST(minor_codes)
{
	const CPUUTIL_DATA *d = NULL;
	void *h;

	use_counters("software");
	h = util(0);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, -1, 0, "x", &d), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 256, 0, "x", &d), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpuUtilSetTraceHookId(h, -1, "x"), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpuUtilSetTraceHookId(h, 256, "x"), PU_ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

START_TEST(many_instances)
{
	void *h[50];

	use_counters("auto");
	if (AiMethod() == AI_METHOD_NONE) {
		printf("skipped: this machine: %s\n", AiWhy());
		return;
	}
	for (int i = 0; i < 50; i++)
		h[i] = util(0);
	for (int i = 0; i < 50; i += 2)
		ck_assert_int_eq(CpuUtilTerminate(h[i]), PU_SUCCESS);
	for (int i = 1; i < 50; i += 2) {
		ck_assert_int_eq(get_data(h[i])->num_cpus, GetActiveProcessorCount());
		ck_assert_int_eq(CpuUtilTerminate(h[i]), PU_SUCCESS);
	}
}
END_TEST

/* ------------------------------------------------------------------- threads and forks */

static _Atomic bool stop;

/* Everything once; false if anything failed. */
static bool all_at_once(AI_COUNTERS *array)
{
	const CPUUTIL_DATA *d;
	void *h;
	bool good = AiInit() == PU_SUCCESS && AiGetCounters(array) == PU_SUCCESS;

	if (CpuUtilInit(0, &h) != PU_SUCCESS)
		return false;
	good &= CpuUtilStart(h) == PU_SUCCESS && CpuUtilGet(h, &d) == PU_SUCCESS;
	good &= CpuUtilTerminate(h) == PU_SUCCESS;
	AiTerminate();
	return good;
}

static void *sampling_thread(void *array)
{
	bool good = true;

	while (!stop)
		good &= all_at_once(array);
	return good ? array : NULL;
}

static bool in_child(AI_COUNTERS *array)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(all_at_once(array) ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* None waits for a lock that another had at the moment of the fork. A sanitizer's allocator and
 * user-mode emulation have locks that children wait for. */
static bool children_may_wait(void)
{
	if (!SANITIZED && !getenv("SWTRACE_TEST_EMULATED"))
		return false;
	printf("skipped: forks among sampling threads: the %s may be locked in the child\n",
		SANITIZED ? "sanitizer's allocator" : "emulator");
	return true;
}

START_TEST(threads_and_forks)
{
	enum { THREADS = 3, FORKS = 15 };
	pthread_t thread[THREADS];
	AI_COUNTERS *array[THREADS + 1];
	void *good;

	use_counters("auto");
	if (AiMethod() == AI_METHOD_NONE) {
		printf("skipped: this machine: %s\n", AiWhy());
		return;
	}
	for (int i = 0; i <= THREADS; i++)
		array[i] = AiAllocCounters(NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, sampling_thread, array[i]), 0);
	if (children_may_wait())
		sleep_ms(300);
	else
		for (int i = 0; i < FORKS; i++)
			ck_assert(in_child(array[THREADS]));
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(thread[i], &good), 0);
		ck_assert_ptr_nonnull(good);
	}
	for (int i = 0; i <= THREADS; i++)
		AiFreeCounters(array[i]);
}
END_TEST

Suite *instance_suite(void)
{
	return SUITE("instance", .timeout = 60,
		TESTS(an_interval_has_the_scripted_figures, sums_and_not_averages,
			interrupts_missing, no_time, not_measured_now, null_pointers, no_handles,
			minor_codes, many_instances, threads_and_forks),
		LOOPS({unknown_modes, 0, sizeof no_modes / sizeof *no_modes}));
}
