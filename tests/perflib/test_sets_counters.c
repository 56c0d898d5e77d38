/*
 * Hardware counts, on machines that have counters, checked against their system calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../formats/trace_file.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/machine/rate.h"
#include "../../libtrace/perflib/sets/processor/processor.h"
#include "../../libtrace/perflib/sets/sets.h"
#include "../libtrace_cpi/fake_pmu.h"
#include "../libtrace_cpi/made_up_sysfs.h"
#include "sets_tests.h"

static struct processor_machine machine = {.proc = "/nonexistent", .sys = "/sys", .hardware = true};
static const struct counterset fake = {&processor_definition, &processor_operations, &machine};

static void begin(void)
{
	/* The source is probed for the clock of this machine. */
	setenv("SWTRACE_CPU_HZ", "2000000000", 1);
	setenv("SWTRACE_COUNTERS", "perf", 1);
	fake_pmu_use();
	fake_pmu.count[PERF_INSTRUCTIONS] = 1000 << 16;
	fake_pmu.count[PERF_CYCLES] = 3000 << 16;
	fake_pmu.count[PERF_REF_CYCLES] = 2000 << 16;
	fake_pmu.enabled = fake_pmu.running = 1 << 16;
}

/* Twice the frequency that counts as 100 %, or one and a half of it. */
START_TEST(performance_is_the_share_of_the_nominal_frequency)
{
	uint64_t n[2], b[2];

	begin();
	ask_open(&fake);
	for (int i = 0; i < 2; i++) {
		read_rows(i + 1);
		n[i] = value("0,0", PROCESSOR_PERFORMANCE);
		b[i] = value("0,0", PROCESSOR_PERFORMANCE_BASE);
	}
	ck_assert_uint_eq(n[1] - n[0], 300000);
	ck_assert_uint_eq(b[1] - b[0], 2000);
	ck_assert(is_known("_Total", PROCESSOR_PERFORMANCE));
	ck_assert(!is_known("0,0", PROCESSOR_PRIVILEGED_UTILITY));
	ask_close();
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

/* Cycles, of those that the nominal frequency gives in the time they were counted. */
START_TEST(performance_of_registers)
{
	uint64_t n[2], b[2];

	begin();
	if (clock_kind() != TF_CLOCK_TSC) {
		puts("skipped: registers that count as the TSC does: it is not this machine's clock");
		return;
	}
	sysfs_put_msr();
	sysfs_put("msr/events/aperf", "event=0x01\n");
	sysfs_use();
	for (int kind = PERF_INSTRUCTIONS; kind <= PERF_REF_CYCLES; kind++)
		fake_pmu.errno_of[kind] = ENOENT;
	fake_pmu.count[PERF_MPERF] = 500 << 16;
	fake_pmu.count[PERF_APERF] = 250 << 16;
	ask_open(&fake);
	for (int i = 0; i < 2; i++) {
		read_rows(i + 1);
		n[i] = value("0,0", PROCESSOR_PERFORMANCE);
		b[i] = value("0,0", PROCESSOR_PERFORMANCE_BASE);
	}
	ck_assert_uint_eq(n[1] - n[0], 25000);
	ck_assert_uint_eq(b[1] - b[0], 500);
}
END_TEST

START_TEST(utility_is_work_per_time)
{
	uint64_t n[2], b[2], expected;

	begin();
	fake_pmu.enabled = UINT64_C(8000000) * 2;
	fake_pmu.running = UINT64_C(8000000);
	ask_open(&fake);
	for (int i = 0; i < 2; i++) {
		read_rows(i + 1);
		n[i] = value("0,0", PROCESSOR_UTILITY);
		b[i] = value("0,0", PROCESSOR_UTILITY_BASE);
	}
	ck_assert_uint_eq(n[1] - n[0], 300000);
	expected = rate_cycles_of_ns(8000000) >> 16;
	ck_assert_uint_gt(expected, 100);
	ck_assert_uint_ge(b[1] - b[0] + 1, expected);
	ck_assert_uint_le(b[1] - b[0], expected + 1);
}
END_TEST

START_TEST(held_only_while_wanted)
{
	begin();
	ask_open(&fake);
	asked.wanted[0] = PROCESSOR_BIT(PROCESSOR_USER);
	read_rows(1);
	ck_assert_uint_eq(fake_pmu.open, 0);
	asked.wanted[0] = PROCESSOR_BIT(PROCESSOR_PERFORMANCE);
	read_rows(2);
	ck_assert_uint_gt(fake_pmu.open, 0);
	ask_close();
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

static void none_known(void)
{
	ask_open(&fake);
	read_rows(1);
	for (uint32_t i = PROCESSOR_PERFORMANCE; i <= PROCESSOR_UTILITY_BASE; i++)
		ck_assert(!is_known("_Total", i));
	ask_close();
	ck_assert_uint_eq(fake_pmu.open, 0);
}

START_TEST(no_right)
{
	begin();
	fake_pmu.cpu_errno = _i ? 13 : 2; /* EACCES, ENOENT */
	fake_pmu.thread_errno = fake_pmu.user_errno = fake_pmu.cpu_errno;
	none_known();
}
END_TEST

START_TEST(not_asked_for)
{
	begin();
	setenv("SWTRACE_COUNTERS", _i ? "none" : "software", 1);
	none_known();
}
END_TEST

Suite *sets_counters_suite(void)
{
	return SUITE("sets: the hardware's counters", .tear_down = ask_close, .timeout = 60,
		TESTS(performance_is_the_share_of_the_nominal_frequency, performance_of_registers,
			utility_is_work_per_time, held_only_while_wanted),
		LOOPS({no_right, 0, 2}, {not_asked_for, 0, 2}));
}
