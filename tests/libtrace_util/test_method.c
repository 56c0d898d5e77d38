/* The method that tells busy from idle, on machines with and without each source. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../../libtrace/counters/choice.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/machine/proc_stat.h"
#include "../../libtrace/counters/usage/usage.h"
#include "double.h"
#include "fake_pmu.h"
#include "instances.h"
#include "made_up_sysfs.h"
#include "util_suites.h"

static struct usage_choice u;

static void set_up(void)
{
	unsetenv("SWTRACE_COUNTERS");
	unsetenv("SWTRACE_CPU_HZ");
	unsetenv("SWTRACE_CLOCK");
	fake_pmu_use();
	sysfs_use();
}

/* Their scripts are kept until the test's process ends. */
static void choose(const char *counters)
{
	static struct counter_choice choices[8];
	static unsigned count;

	ck_assert_uint_lt(count, 8);
	counter_choose_for(&choices[count], counters);
	usage_choose_for(&u, &choices[count++]);
}

static bool has_tsc(void)
{
	if (clock_kind() == TF_CLOCK_TSC)
		return true;
	puts("skipped: reference ticks: this machine's clock is not a time stamp counter");
	return false;
}

static bool is_idle(int method)
{
	return method == AI_METHOD_IDLE_FINE || method == AI_METHOD_IDLE_TICK;
}

START_TEST(reference_cycles_come_first)
{
	if (!has_tsc())
		return;
	choose(NULL);
	ck_assert_int_eq(u.method, AI_METHOD_REFERENCE);
	ck_assert(u.ticks);
	ck_assert_str_eq(u.why, "");
	choose("perf");
	ck_assert_int_eq(u.method, AI_METHOD_REFERENCE);
}
END_TEST

START_TEST(mperf_replaces_reference_cycles)
{
	if (!has_tsc())
		return;
	sysfs_put_msr();
	sysfs_use();
	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	choose(NULL);
	ck_assert_int_eq(u.method, AI_METHOD_MPERF);
	ck_assert_str_eq(u.why, "");
}
END_TEST

/* A machine without a PMU of the processors, but with the msr PMU. */
static void use_msr_alone(void)
{
	sysfs_put_msr();
	sysfs_put("msr/events/aperf", "event=0x01\n");
	sysfs_use();
	for (int kind = PERF_INSTRUCTIONS; kind <= PERF_REF_CYCLES; kind++)
		fake_pmu.errno_of[kind] = ENOENT;
}

START_TEST(mperf_and_aperf_alone)
{
	const CPUUTIL_DATA *d;
	void *h;

	if (!has_tsc())
		return;
	use_msr_alone();
	ck_assert_int_eq(AiMethod(), AI_METHOD_MPERF);
	ck_assert_int_eq(CpuUtilInit(0, &h), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_double_eq_tol(d->cpu_actual_perf[0], 150, 1e-9);
	ck_assert_double_eq_tol(d->sys_actual_perf, 150, 1e-9);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
}
END_TEST

START_TEST(mperf_alone)
{
	const CPUUTIL_DATA *d;
	void *h;

	if (!has_tsc())
		return;
	use_msr_alone();
	fake_pmu.errno_of[PERF_APERF] = ENOENT;
	ck_assert_int_eq(CpuUtilInit(0, &h), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_int_eq(d->method, AI_METHOD_MPERF);
	ck_assert(d->cpu_busy[0] > 0);
	ck_assert(d->cpu_actual_perf[0] != d->cpu_actual_perf[0]);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
}
END_TEST

static void frequency_source_is(const char *expected)
{
	char text[128];

	usage_frequency_source(u.method, text, sizeof text);
	ck_assert_str_eq(text, expected);
	ck_assert_ptr_null(strstr(usage_method_name(u.method), "cpufreq"));
}

START_TEST(cycles_of_a_known_frequency)
{
	setenv("SWTRACE_CLOCK", "raw", 1);
	setenv("SWTRACE_CPU_HZ", "2000000000", 1);
	choose(NULL);
	ck_assert_int_eq(u.method, AI_METHOD_CYCLES);
	ck_assert(u.ticks);
	frequency_source_is("environment (SWTRACE_CPU_HZ)");
}
END_TEST

/* The nominal frequency is no actual one. */
START_TEST(cycles_of_an_unknown_frequency)
{
	setenv("SWTRACE_CLOCK", "raw", 1);
	choose(NULL);
	ck_assert(is_idle(u.method));
	ck_assert(!u.ticks);
	frequency_source_is("CLOCK_MONOTONIC_RAW");
	ck_assert_ptr_nonnull(strstr(u.why, "SWTRACE_CPU_HZ"));
}
END_TEST

static const int refusals[] = {ENOENT, EACCES, EPERM, ENOSYS, EOPNOTSUPP};

START_TEST(no_counters)
{
	fake_pmu.cpu_errno = fake_pmu.thread_errno = fake_pmu.user_errno = refusals[_i];
	choose(NULL);
	ck_assert(is_idle(u.method));
	ck_assert_str_ne(u.why, "");
	choose("perf");
	ck_assert(is_idle(u.method));
}
END_TEST

/* Others have them, and take no turns. */
START_TEST(taken_counters)
{
	fake_pmu.running = 0;
	choose(NULL);
	ck_assert(is_idle(u.method));
	ck_assert_str_ne(u.why, "");
}
END_TEST

START_TEST(as_it_was_asked_for)
{
	char value[128];

	choose("software");
	ck_assert(is_idle(u.method));
	ck_assert_ptr_nonnull(strstr(u.why, "SWTRACE_COUNTERS=software"));
	choose("none");
	ck_assert_int_eq(u.method, AI_METHOD_NONE);
	ck_assert(!u.switches && !u.stat);
	ck_assert_str_eq(u.why, "SWTRACE_COUNTERS=none");
	snprintf(value, sizeof value, "scripted:%s", text_file("instructions all 5\n"));
	choose(value);
	ck_assert_int_eq(u.method, AI_METHOD_NONE);
	ck_assert_str_ne(u.why, "");
	snprintf(value, sizeof value, "scripted:%s", text_file("busy all 5%\n"));
	choose(value);
	ck_assert_int_eq(u.method, AI_METHOD_SCRIPT);
	choose("rubbish");
	ck_assert_int_eq(u.rc, PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(u.method, AI_METHOD_NONE);
	ck_assert_str_ne(u.why, "");
}
END_TEST

START_TEST(each_method_has_a_name)
{
	for (int a = AI_METHOD_NONE; a <= AI_METHOD_SCRIPT; a++) {
		ck_assert_str_ne(AiMethodName(a), "");
		for (int b = AI_METHOD_NONE; b < a; b++)
			ck_assert_str_ne(AiMethodName(a), AiMethodName(b));
	}
	ck_assert_str_eq(AiMethodName(-1), "unknown");
	ck_assert_str_eq(AiMethodName(AI_METHOD_SCRIPT + 1), "unknown");
	ck_assert_str_eq(AiMethodName(INT32_MAX), "unknown");
}
END_TEST

/* ----------------------------------------------------- the counters of a made-up machine */

/* Stolen from processor 0 so far, which is neither busy nor idle: the accounts of /proc/stat are
 * this machine's. */
static uint64_t read_steal(void)
{
	struct stat_cpu cpu[1];
	uint64_t at;

	return stat_read(cpu, 1, &at) ? cpu[0].steal : 0;
}

/* The made-up processors count 500 ticks at each reading. */
START_TEST(ticks_are_counted)
{
	AI_COUNTERS *a, *b;
	uint64_t before;

	if (!has_tsc())
		return;
	a = AiAllocCounters(NULL);
	b = AiAllocCounters(NULL);
	for (;;) {
		before = read_steal();
		ck_assert_int_eq(AiInit(), PU_SUCCESS);
		ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
		ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
		if (read_steal() == before)
			break;
		AiTerminate(); /* drops the remainder still to be subtracted */
	}
	ck_assert_uint_eq(b->BusyTime - a->BusyTime + (b->IntrTime - a->IntrTime), 500);
	ck_assert_uint_eq(b->CurTime - a->CurTime - (b->IdleTime - a->IdleTime), 500);
	ck_assert_uint_eq(b->DispCnt - a->DispCnt, 7);
	AiFreeCounters(a);
	AiFreeCounters(b);
	AiTerminate();
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

START_TEST(shared_counters_are_scaled)
{
	const CPUUTIL_DATA *d;
	void *h;

	if (!has_tsc())
		return;
	fake_pmu.running = 50;
	ck_assert_int_eq(CpuUtilInit(0, &h), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_int_eq(d->method, AI_METHOD_REFERENCE);
	ck_assert_uint_eq(d->flags & CPUUTIL_DATA_FLAG_SCALED, CPUUTIL_DATA_FLAG_SCALED);
	ck_assert_double_eq_tol(d->cpu_actual_perf[0], 100, 1e-9);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
}
END_TEST

START_TEST(no_descriptors)
{
	AI_COUNTERS *a;
	void *h = NULL;

	if (!has_tsc())
		return;
	ck_assert_int_eq(AiMethod(), AI_METHOD_REFERENCE);
	fake_pmu.limit = 1;
	ck_assert_int_eq(AiInit(), PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_int_eq(CpuUtilInit(0, &h), PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_ptr_null(h);
	ck_assert_uint_eq(fake_pmu.open, 0);
	/* Enough for the processors' ticks, and not for their switches, which are done without. */
	fake_pmu.limit = 3 * (unsigned)GetActiveProcessorCount() + 1;
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = AiAllocCounters(NULL);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	ck_assert_uint_ge(a->BusyTime + (a->IntrTime == AI_NOT_MEASURED ? 0 : a->IntrTime), 500);
	ck_assert_uint_eq(a->DispCnt, AI_COUNT_NOT_MEASURED);
	AiFreeCounters(a);
	AiTerminate();
	ck_assert_uint_eq(fake_pmu.open, 0);
	/* The next one has them again. */
	fake_pmu.limit = 1000;
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = AiAllocCounters(NULL);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	ck_assert_uint_eq(a->DispCnt, 7);
	AiFreeCounters(a);
	AiTerminate();
}
END_TEST

/* Counters that went away are no idle time, and no busy time. */
START_TEST(readings_fail)
{
	AI_COUNTERS *a, *b;
	const CPUUTIL_DATA *d;
	void *h;

	if (!has_tsc())
		return;
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilInit(0, &h), PU_SUCCESS);
	a = AiAllocCounters(NULL);
	b = AiAllocCounters(NULL);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	fake_pmu.read_fails = true;
	ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
	ck_assert_uint_eq(a->CurTime, b->CurTime);
	ck_assert_uint_eq(a->IdleTime, b->IdleTime);
	ck_assert_uint_eq(a->BusyTime, b->BusyTime);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert(d->cpu_busy[0] != d->cpu_busy[0] && d->sys_busy != d->sys_busy);
	/* New instances, without the time in between. */
	fake_pmu.read_fails = false;
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	ck_assert_uint_gt(a->CurTime, b->CurTime);
	ck_assert_uint_eq(a->BusyTime, b->BusyTime);
	ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
	/* Time stolen meanwhile is not idle. */
	ck_assert_uint_ge(b->CurTime - a->CurTime - (b->IdleTime - a->IdleTime), 500);
	ck_assert_uint_eq(b->BusyTime - a->BusyTime + (b->IntrTime - a->IntrTime), 500);
	AiFreeCounters(a);
	AiFreeCounters(b);
}
END_TEST

Suite *method_suite(void)
{
	return SUITE("method", .set_up = set_up,
		TESTS(reference_cycles_come_first, mperf_replaces_reference_cycles,
			mperf_and_aperf_alone, mperf_alone, cycles_of_a_known_frequency,
			cycles_of_an_unknown_frequency, taken_counters, as_it_was_asked_for,
			each_method_has_a_name, ticks_are_counted, shared_counters_are_scaled,
			no_descriptors, readings_fail),
		LOOPS({no_counters, 0, sizeof refusals / sizeof *refusals}));
}
