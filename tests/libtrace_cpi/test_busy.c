/*
 * Where busy comes from, and what becomes of it, on machines with and without each.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../../libtrace/counters/choice.h"
#include "../../libtrace/counters/describe.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/machine/idle.h"
#include "../../libtrace/counters/machine/rate.h"
#include "double.h"
#include "fake_pmu.h"
#include "made_up_sysfs.h"
#include "suites.h"

static struct counter_choice c;

static void set_up(void)
{
	unsetenv("SWTRACE_COUNTERS");
	unsetenv("SWTRACE_CPU_HZ");
	unsetenv("SWTRACE_CLOCK");
	fake_pmu_use();
	sysfs_use();
}

static bool has_tsc(void)
{
	if (clock_kind() == TF_CLOCK_TSC)
		return true;
	puts("skipped: reference cycles: this machine's clock is not a time stamp counter");
	return false;
}

/* With CLOCK_MONOTONIC_RAW in its place nothing counts at a constant rate. */
static void no_tsc(const char *hz)
{
	setenv("SWTRACE_CLOCK", "raw", 1);
	if (hz)
		setenv("SWTRACE_CPU_HZ", hz, 1);
}

static enum cpi_source of_idle(void)
{
	switch (idle_kind()) {
	case IDLE_TIMER_LIST:
		return CPI_SOURCE_TIMER_LIST;
	case IDLE_PROC_STAT:
		return CPI_SOURCE_PROC_STAT;
	default:
		return CPI_SOURCE_NONE;
	}
}

static void choose(enum cpi_source busy)
{
	counter_choose_for(&c, NULL);
	ck_assert_int_eq(c.rc, 0);
	ck_assert_int_eq(c.busy, busy);
	ck_assert_uint_eq(fake_pmu.open, 0);
	ck_assert_uint_eq(
		(counter_choice_flags(&c) & COUNTER_FLAG_BUSY_MASK) >> COUNTER_FLAG_BUSY_SHIFT,
		(unsigned)busy);
}

START_TEST(ref_cycles)
{
	if (!has_tsc())
		return;
	sysfs_put_msr();
	sysfs_use();
	choose(CPI_SOURCE_REF_CYCLES);
	ck_assert(c.pmu.ref_cycles && c.pmu.cycles && !c.pmu.msr);
	ck_assert(!c.busy_share_of_idle);
}
END_TEST

START_TEST(without_reference_cycles_mperf_is_chosen)
{
	if (!has_tsc())
		return;
	sysfs_put_msr();
	sysfs_use();
	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	choose(CPI_SOURCE_MPERF);
	ck_assert(c.pmu.msr);
}
END_TEST

START_TEST(without_mperf_the_idle_accounting_is_chosen)
{
	if (!has_tsc())
		return;
	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	if (_i) { /* there, but not for this process */
		sysfs_put_msr();
		sysfs_use();
		fake_pmu.errno_of[PERF_MPERF] = _i;
	}
	choose(of_idle());
	ck_assert(c.pmu.cpu_wide && c.pmu.cycles);
}
END_TEST

START_TEST(unhalted_cycles)
{
	no_tsc("2000000000");
	choose(CPI_SOURCE_CYCLES);
	ck_assert(!c.busy_share_of_idle);
	sysfs_put_msr(); /* no use without its clock */
	sysfs_use();
	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	choose(CPI_SOURCE_CYCLES);
	ck_assert(!c.pmu.msr);
	fake_pmu.errno_of[PERF_CYCLES] = ENOENT;
	choose(of_idle());
}
END_TEST

START_TEST(no_rights)
{
	fake_pmu.cpu_errno = EACCES;
	choose(of_idle());
	ck_assert(c.pmu.thread);
}
END_TEST

/* A processor whose PMU counts cycles only. */
START_TEST(no_instructions)
{
	no_tsc("2000000000");
	fake_pmu.errno_of[PERF_INSTRUCTIONS] = ENOENT;
	choose(CPI_SOURCE_CYCLES);
	ck_assert(!c.pmu.cpu_wide && c.pmu.cycles && c.pmu.present && !c.pmu.thread);
	ck_assert_int_eq(c.pmu.cpu_wide_errno, ENOENT);
	ck_assert_int_eq(c.from[COUNTER_INSTRUCTIONS], FROM_NOTHING);
	ck_assert_ptr_nonnull(strstr(c.pmu.why, "instructions"));
}
END_TEST

/* Others hold the counters: an event that never ran is not measured. */
START_TEST(counters_in_use_elsewhere_are_not_measured)
{
	fake_pmu.running = 0;
	choose(of_idle());
	ck_assert(c.pmu.taken);
	ck_assert_ptr_nonnull(strstr(c.pmu.why, "in use by"));
}
END_TEST

/* ------------------------------------------------------------------- the whole facility */

static const CPI_DATA *measure(UINT32 mode)
{
	const CPI_DATA *d;
	void *h;

	ck_assert_int_eq(CpiInit(mode, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, &d), PU_SUCCESS);
	return d;
}

static const char *line(void)
{
	static struct counters_description d;

	counters_describe(&d);
	return d.line;
}

START_TEST(measured_by_ref_cycles)
{
	const CPI_DATA *d;

	if (!has_tsc())
		return;
	fake_pmu.count[PERF_CYCLES] = 9;
	d = measure(CPI_TYPE_SCALED);
	ck_assert(d->scaled_cpi[0] == 0.5); /* 500 of 1000 */
	ck_assert(d->cpu_busy[0] > 0 && d->cpu_busy[0] < 100);
	ck_assert_ptr_nonnull(strstr(line(), "busy from ref-cycles"));
}
END_TEST

START_TEST(measured_by_mperf)
{
	const CPI_DATA *d;

	if (!has_tsc())
		return;
	sysfs_put_msr();
	sysfs_use();
	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	fake_pmu.count[PERF_MPERF] = 250;
	d = measure(CPI_TYPE_SCALED);
	ck_assert(d->scaled_cpi[0] == 0.25);
	ck_assert_ptr_nonnull(strstr(line(), "busy from mperf"));
}
END_TEST

/* Scaled CPI without knowing the processor's frequency; raw CPI needs that. */
START_TEST(measured_by_cycles)
{
	const CPI_DATA *d;

	no_tsc(NULL);
	if (rate_hz() != 0) {
		puts("skipped: unknown frequency: this machine tells it");
		return;
	}
	d = measure(CPI_TYPE_SCALED | CPI_TYPE_TRACE_DETAILED);
	ck_assert(d->scaled_cpi[0] == 0.5);
	ck_assert(d->scaled_sys_cpi == 0.5);
	ck_assert(isnan(d->raw_cpi[0]) && isnan(d->raw_sys_cpi));
	ck_assert_ptr_nonnull(strstr(line(), "busy from cycles"));
	ck_assert_uint_eq(
		(ring_double.source_flags & COUNTER_FLAG_BUSY_MASK) >> COUNTER_FLAG_BUSY_SHIFT,
		CPI_SOURCE_CYCLES);
}
END_TEST

START_TEST(measured_by_cycles_at_a_known_rate)
{
	const CPI_DATA *d;

	no_tsc("1000000000");
	fake_pmu.count[PERF_CYCLES] = 1000000000000000; /* faster than nominal */
	fake_pmu.count[PERF_INSTRUCTIONS] = 500000000000000;
	d = measure(CPI_TYPE_SCALED);
	ck_assert(d->scaled_cpi[0] == 2.0);
	ck_assert(d->cpu_busy[0] == 100.0);
	ck_assert(d->raw_cpi[0] > 0);
}
END_TEST

START_TEST(never_a_number_without_instructions)
{
	const CPI_DATA *d;

	no_tsc("1000000000");
	fake_pmu.errno_of[PERF_INSTRUCTIONS] = ENOENT;
	d = measure(7);
	ck_assert(isnan(d->scaled_cpi[0]) && isnan(d->raw_cpi[0]) && isnan(d->thread_cpi));
	ck_assert(isnan(d->scaled_sys_cpi) && isnan(d->raw_sys_cpi));
	ck_assert(d->cpu_busy[0] > 0);
}
END_TEST

Suite *busy_suite(void)
{
	Suite *s = suite_create("busy");
	TCase *t = tcase_create("busy");
	static const int refusals[] = {0, ENOENT, EACCES, EINVAL};

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, ref_cycles);
	tcase_add_test(t, without_reference_cycles_mperf_is_chosen);
	for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++)
		tcase_add_loop_test(t, without_mperf_the_idle_accounting_is_chosen, refusals[i],
			refusals[i] + 1);
	tcase_add_test(t, unhalted_cycles);
	tcase_add_test(t, no_rights);
	tcase_add_test(t, no_instructions);
	tcase_add_test(t, counters_in_use_elsewhere_are_not_measured);
	tcase_add_test(t, measured_by_ref_cycles);
	tcase_add_test(t, measured_by_mperf);
	tcase_add_test(t, measured_by_cycles);
	tcase_add_test(t, measured_by_cycles_at_a_known_rate);
	tcase_add_test(t, never_a_number_without_instructions);
	suite_add_tcase(s, t);
	return s;
}
