/*
 * Processors that go and come, and descriptors that are closed, under readers.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../../include/perfutil.h"
#include "../../libtrace/core/online.h"
#include "double.h"
#include "fake_pmu.h"
#include "suites.h"

static struct cpu_set four;
static struct perf_reading r;

static void set_up(void)
{
	fake_pmu_use();
	setenv("SWTRACE_CPU_HZ", "2000000000", 0);
	ck_assert(cpu_set_parse(&four, "0-3", 3));
}

static uint64_t opening(uint32_t cpu)
{
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, cpu, &r), PERF_CPU_READ);
	ck_assert_uint_ne(r.opening, 0);
	return r.opening;
}

START_TEST(a_processor_that_returns_gets_a_new_group)
{
	uint64_t first;

	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	first = opening(1);
	ck_assert_uint_ne(first, opening(2));
	ck_assert_uint_eq(first, opening(1));
	fake_pmu_replace_cpu(1);
	/* Gone and back: the same number of the processor, other counters. */
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_DEAD);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_DEAD);
	ck_assert(!perf_cpus_complete(PERF_HARDWARE));
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 2, &r), PERF_CPU_READ);
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_uint_ne(opening(1), first);
	perf_drop_cpus(PERF_HARDWARE);
	ck_assert_uint_eq(fake_pmu.open, 0); /* those put aside as well */
}
END_TEST

/* One event alone would go on being read, and not counting. */
START_TEST(only_cycles)
{
	fake_pmu.errno_of[PERF_INSTRUCTIONS] = fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_READ);
	ck_assert_uint_eq(r.count[PERF_CYCLES], 500);
	ck_assert_uint_eq(r.count[PERF_INSTRUCTIONS], NOT_MEASURED);
	fake_pmu_replace_cpu(1);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_DEAD);
}
END_TEST

START_TEST(gone_for_good)
{
	struct cpu_set three;
	unsigned opens;

	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	fake_pmu_replace_cpu(3);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_DEAD);
	ck_assert(cpu_set_parse(&three, "0-2", 3));
	opens = fake_pmu.opens;
	perf_renew_cpus(PERF_HARDWARE, &three);
	ck_assert_uint_eq(fake_pmu.opens, opens);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_DEAD);
	/* Listed, and gone again as it is opened. */
	fake_pmu.offline = 3;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_DEAD);
	fake_pmu.offline = -1;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_READ);
}
END_TEST

START_TEST(came_later)
{
	struct cpu_set three;

	ck_assert(cpu_set_parse(&three, "0-2", 3));
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &three), PERF_OPEN);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_DEAD);
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_READ);
}
END_TEST

START_TEST(nothing_to_renew)
{
	fake_pmu.cpu_errno = EACCES;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_NONE);
	fake_pmu.opens = 0;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_uint_eq(fake_pmu.opens, 0);
	perf_drop_cpus(PERF_HARDWARE);
	/* Opens none without a holder, which would have to close them. */
	fake_pmu.cpu_errno = 0;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

START_TEST(renewed_without_descriptors)
{
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	fake_pmu_replace_cpu(0);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_DEAD);
	fake_pmu.limit = fake_pmu.open + (unsigned)_i;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_DEAD);
	ck_assert_uint_eq(fake_pmu.open, 12);
	fake_pmu.limit = 1000;
	perf_renew_cpus(PERF_HARDWARE, &four);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
}
END_TEST

/* The retained counts are bounded; beyond, the processor stays unmeasured. */
START_TEST(retired_groups_are_bounded)
{
	fake_pmu.limit = 4000;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	for (int i = 0; i < 1000; i++) {
		fake_pmu_replace_cpu(0);
		perf_read_cpu(PERF_HARDWARE, 0, &r);
		perf_renew_cpus(PERF_HARDWARE, &four);
	}
	ck_assert_uint_le(fake_pmu.open, 12 + 3 * 256);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_DEAD);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_READ);
	perf_drop_cpus(PERF_HARDWARE);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

START_TEST(descriptors_lost)
{
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	fake_pmu_lose_descriptors();
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_NONE);
	perf_drop_cpus(PERF_HARDWARE);
	ck_assert_uint_eq(fake_pmu.open, 12); /* the number now belongs to another file */
}
END_TEST

static _Atomic bool stop;
static _Atomic unsigned reads;

static void *reader(void *unused)
{
	uint64_t last = 0;

	while (!stop) {
		struct perf_reading now;

		if (perf_read_cpu(PERF_HARDWARE, 0, &now) != PERF_CPU_READ) {
			sched_yield();
			continue;
		}
		ck_assert_uint_ge(now.opening, last);
		ck_assert_uint_eq(now.count[PERF_INSTRUCTIONS], 10 * now.enabled);
		last = now.opening;
		reads++;
	}
	return unused;
}

START_TEST(renewed_under_readers)
{
	pthread_t t[3];

	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, reader, NULL), 0);
	for (int i = 0; i < 30; i++) {
		unsigned before = reads;

		while (reads < before + 10)
			sched_yield();
		fake_pmu_replace_cpu(0);
		while (perf_read_cpu(PERF_HARDWARE, 0, &r) == PERF_CPU_READ)
			sched_yield();
		perf_renew_cpus(PERF_HARDWARE, &four);
	}
	stop = true;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	perf_drop_cpus(PERF_HARDWARE);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

/* ------------------------------------------------------------------- the whole facility */

static const CPI_DATA *get_data(void *h)
{
	const CPI_DATA *d;

	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	return d;
}

static void *instance(void)
{
	void *h;

	ck_assert_int_eq(CpiInit(CPI_TYPE_SCALED, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	return h;
}

START_TEST(interval_across_a_change)
{
	void *h = instance();
	const CPI_DATA *d = get_data(h);

	ck_assert(d->raw_cpi[0] > 0 && d->raw_sys_cpi > 0 && d->scaled_sys_cpi > 0);
	fake_pmu_replace_cpu(0);
	d = get_data(h);
	ck_assert(isnan(d->raw_cpi[0]) && isnan(d->scaled_cpi[0]) && isnan(d->cpu_busy[0]));
	ck_assert(isnan(d->raw_sys_cpi) && isnan(d->scaled_sys_cpi) && isnan(d->sys_busy));
	for (int cpu = 1; cpu < d->num_cpus; cpu++)
		ck_assert(d->raw_cpi[cpu] > 0);
	/* The same interval goes on, and stays so. */
	ck_assert(isnan(get_data(h)->raw_cpi[0]));
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	d = get_data(h);
	ck_assert(d->raw_cpi[0] > 0 && d->raw_sys_cpi > 0);
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}
END_TEST

/* It was replaced while another instance's interval went on: not the counts of one group. */
START_TEST(replaced_by_another_instance)
{
	void *h = instance(), *other = instance();

	fake_pmu_replace_cpu(0);
	ck_assert(isnan(get_data(other)->raw_cpi[0]));
	ck_assert_int_eq(CpiStart(other), PU_SUCCESS);
	ck_assert(get_data(other)->raw_cpi[0] > 0);
	ck_assert(isnan(get_data(h)->raw_cpi[0]));
}
END_TEST

/* Found by the start itself. */
START_TEST(changed_before_the_start)
{
	void *h = instance();

	fake_pmu_replace_cpu(0);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert(get_data(h)->raw_cpi[0] > 0);
}
END_TEST

START_TEST(closed_by_the_program)
{
	void *h = instance();
	const CPI_DATA *d;

	fake_pmu_lose_descriptors();
	d = get_data(h);
	ck_assert(isnan(d->raw_cpi[0]) && isnan(d->raw_sys_cpi));
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}
END_TEST

Suite *cpus_suite(void)
{
	return SUITE("cpus", .set_up = set_up,
		TESTS(a_processor_that_returns_gets_a_new_group, only_cycles, gone_for_good,
			came_later, nothing_to_renew, retired_groups_are_bounded, descriptors_lost,
			renewed_under_readers, interval_across_a_change,
			replaced_by_another_instance, changed_before_the_start,
			closed_by_the_program),
		LOOPS({renewed_without_descriptors, 0, 3}));
}
