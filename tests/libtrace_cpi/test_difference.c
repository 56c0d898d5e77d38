/*
 * The difference of two samples, with software and made-up readings.
 */
#include <stdlib.h>

#include "../../libtrace/counters/rate.h"
#include "../../libtrace/counters/source.h"
#include "suites.h"

enum { CPUS = 4 };

static struct counter_sample *from, *to;
static struct counter_interval *out;

static struct counter_sample *sample(uint64_t ticks)
{
	struct counter_sample *s = calloc(1, counters_sample_size(CPUS));

	s->room = s->cpus = CPUS;
	s->ticks = ticks;
	s->cycles = CPI_NONE;
	s->thread_instructions = s->thread_cycles = CPI_NONE;
	for (int cpu = 0; cpu < CPUS; cpu++)
		s->cpu[cpu] = (struct counter_cpu){.ticks = ticks,
			.instructions = CPI_NONE,
			.busy = CPI_NONE,
			.idle_ns = CPI_NONE,
			.online = true};
	return s;
}

static void set_up(void)
{
	from = sample(1000);
	to = sample(1001000);
	/* Scripted cycles, so that the numbers are the same on every machine. */
	from->cycles = 5000;
	to->cycles = 1005000;
	out = calloc(1, counters_interval_size(CPUS));
}

static void tear_down(void)
{
	free(from);
	free(to);
	free(out);
}

START_TEST(nothing_measured)
{
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpus, CPUS);
	ck_assert_uint_eq(out->cpu[0].cycles, 1000000);
	ck_assert_uint_eq(out->cpu[0].instructions, CPI_NONE);
	ck_assert_uint_eq(out->cpu[0].busy, CPI_NONE);
	ck_assert_uint_eq(out->cpu[0].busy_whole, CPI_NONE);
	ck_assert(!out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, CPI_NONE);
}
END_TEST

START_TEST(ticks_are_cycles)
{
	from->cycles = CPI_NONE;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].cycles, rate_cycles_of_ticks(1000000));
	to->cpu[0].ticks = 500; /* backwards */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].cycles, rate_cycles_of_ticks(0));
}
END_TEST

START_TEST(idle)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].idle_ns = 7000;
		to->cpu[cpu].idle_ns = 7000 + 250 * (uint64_t)cpu;
	}
	from->idle_at = 100;
	to->idle_at = 1100;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 1000000);
	ck_assert_uint_eq(out->cpu[1].busy, 750000);
	ck_assert_uint_eq(out->cpu[2].busy, 500000);
	ck_assert_uint_eq(out->cpu[3].busy_part, 250);
	ck_assert_uint_eq(out->cpu[3].busy_whole, 1000);
}
END_TEST

/* The kernel's idle time may jump, or go back. */
START_TEST(idle_glitches)
{
	from->idle_at = 100;
	to->idle_at = 1100;
	from->cpu[0].idle_ns = 7000;
	to->cpu[0].idle_ns = 6000;
	from->cpu[1].idle_ns = 7000;
	to->cpu[1].idle_ns = 99000;
	to->cpu[2].idle_ns = 5;
	from->cpu[3].idle_ns = 5;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 1000000);
	ck_assert_uint_eq(out->cpu[1].busy, 0);
	ck_assert_uint_eq(out->cpu[2].busy, CPI_NONE);
	ck_assert_uint_eq(out->cpu[3].busy, CPI_NONE);
	to->idle_at = 100;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, CPI_NONE);
	to->idle_at = 50;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, CPI_NONE);
}
END_TEST

START_TEST(shorter_than_the_accounting)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		from->cpu[cpu].idle_ns = to->cpu[cpu].idle_ns = 7000;
		from->cpu[cpu].idle_slack = to->cpu[cpu].idle_slack = 5000000;
	}
	from->idle_at = 0;
	to->idle_at = 20000000;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 1000000);
	to->cpu[1].idle_slack++;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 1000000);
	ck_assert_uint_eq(out->cpu[1].busy, CPI_NONE);
	to->idle_at--;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, CPI_NONE);
}
END_TEST

START_TEST(reference_cycles)
{
	from->cpu[0].busy = 100;
	to->cpu[0].busy = 400100;
	from->cpu[1].busy = 0;
	to->cpu[1].busy = 2000000; /* more than there were: clamped */
	from->cpu[2].busy = 10;
	to->cpu[2].busy = 5; /* backwards */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 400000);
	ck_assert_uint_eq(out->cpu[1].busy, 1000000);
	ck_assert_uint_eq(out->cpu[2].busy, CPI_NONE);
	ck_assert_uint_eq(out->cpu[3].busy, CPI_NONE);
}
END_TEST

START_TEST(scaled_by_running)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].instructions = 1000;
		to->cpu[cpu].instructions = 2000;
		to->cpu[cpu].enabled = 300;
	}
	to->cpu[0].running = 300;
	to->cpu[1].running = 100;
	to->cpu[2].running = 0;
	to->cpu[3].running = 301; /* nonsense */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].instructions, 1000);
	ck_assert_uint_eq(out->cpu[1].instructions, 3000);
	ck_assert_uint_eq(out->cpu[2].instructions, CPI_NONE);
	ck_assert_uint_eq(out->cpu[3].instructions, CPI_NONE);
}
END_TEST

START_TEST(hotplug)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		from->cpu[cpu].instructions = to->cpu[cpu].instructions = 1000;
	from->cpus = 3;		     /* 3 came */
	from->cpu[2].online = false; /* 2 came */
	to->cpu[1].online = false;   /* 1 went */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].instructions, 0);
	ck_assert(!out->cpu[1].online);
	ck_assert_uint_eq(out->cpu[1].cycles, CPI_NONE);
	for (int cpu = 2; cpu < CPUS; cpu++) {
		ck_assert(out->cpu[cpu].online);
		ck_assert_uint_eq(out->cpu[cpu].cycles, 1000000);
		ck_assert_uint_eq(out->cpu[cpu].instructions, CPI_NONE);
	}
	from->cpus = CPUS;
	to->cpus = 1;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpus, 1);
}
END_TEST

START_TEST(threads)
{
	from->thread = to->thread = 3;
	from->thread_cycles = 100;
	to->thread_cycles = 300;
	counters_difference(from, to, out);
	ck_assert(out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, 200);
	ck_assert_uint_eq(out->thread_instructions, CPI_NONE);
	to->thread = 4;
	counters_difference(from, to, out);
	ck_assert(!out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, CPI_NONE);
	from->thread = to->thread = 0;
	counters_difference(from, to, out);
	ck_assert(!out->thread_known);
}
END_TEST

Suite *difference_suite(void)
{
	Suite *s = suite_create("difference");
	TCase *t = tcase_create("difference");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, nothing_measured);
	tcase_add_test(t, ticks_are_cycles);
	tcase_add_test(t, idle);
	tcase_add_test(t, idle_glitches);
	tcase_add_test(t, shorter_than_the_accounting);
	tcase_add_test(t, reference_cycles);
	tcase_add_test(t, scaled_by_running);
	tcase_add_test(t, hotplug);
	tcase_add_test(t, threads);
	suite_add_tcase(s, t);
	return s;
}
