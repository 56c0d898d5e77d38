/*
 * The difference of two samples, with software and made-up readings.
 */
#include <stdlib.h>

#include "../../libtrace/counters/machine/rate.h"
#include "../../formats/interval_hooks.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/counters/thread/activity.h"
#include "suites.h"

enum { CPUS = 4 };

static struct counter_sample *from, *to;
static struct counter_interval *out;

static struct counter_sample *sample(uint64_t ticks)
{
	struct counter_sample *s = calloc(1, counters_sample_size(CPUS));

	s->room = s->cpus = CPUS;
	s->ticks = ticks;
	s->cycles = NOT_MEASURED;
	s->thread_instructions = s->thread_cycles = NOT_MEASURED;
	for (int cpu = 0; cpu < CPUS; cpu++)
		s->cpu[cpu] = (struct counter_cpu){.ticks = ticks,
			.instructions = NOT_MEASURED,
			.busy = NOT_MEASURED,
			.idle_ns = NOT_MEASURED,
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

/* The difference has these flags. */
static void expect_flags(uint64_t flags)
{
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->flags, flags);
}

/* The difference has these values of each processor. */
#define EXPECT_EACH(field, ...)                                                                    \
	do {                                                                                       \
		const uint64_t each_[CPUS] = {__VA_ARGS__};                                        \
		counters_difference(from, to, out);                                                \
		for (int cpu = 0; cpu < CPUS; cpu++)                                               \
			ck_assert_uint_eq(out->cpu[cpu].field, each_[cpu]);                        \
	} while (0)

START_TEST(nothing_measured)
{
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpus, CPUS);
	ck_assert_uint_eq(out->cpu[0].cycles, 1000000);
	ck_assert_uint_eq(out->cpu[0].instructions, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].busy_whole, NOT_MEASURED);
	ck_assert(!out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, NOT_MEASURED);
}
END_TEST

START_TEST(ticks_are_cycles)
{
	from->cycles = NOT_MEASURED;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].cycles, rate_cycles_of_ticks(1000000));
	to->cpu[0].ticks = 500; /* backwards */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].cycles, rate_cycles_of_ticks(0));
}
END_TEST

START_TEST(busy_is_the_time_that_was_not_idle)
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
	EXPECT_EACH(busy, 1000000, 0, NOT_MEASURED, NOT_MEASURED);
	to->idle_at = 100;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, NOT_MEASURED);
	to->idle_at = 50;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, NOT_MEASURED);
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
	ck_assert_uint_eq(out->cpu[1].busy, NOT_MEASURED);
	to->idle_at--;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, NOT_MEASURED);
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
	EXPECT_EACH(busy, 400000, 1000000, NOT_MEASURED, NOT_MEASURED);
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
	EXPECT_EACH(instructions, 1000, 3000, NOT_MEASURED, NOT_MEASURED);
}
END_TEST

START_TEST(processors_that_come_or_go_are_unknown)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		from->cpu[cpu].instructions = to->cpu[cpu].instructions = 1000;
	from->cpus = 3;		     /* 3 came */
	from->cpu[2].online = false; /* 2 came */
	to->cpu[1].online = false;   /* 1 went */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].instructions, 0);
	ck_assert(!out->cpu[1].online);
	ck_assert_uint_eq(out->cpu[1].cycles, NOT_MEASURED);
	for (int cpu = 2; cpu < CPUS; cpu++) {
		ck_assert(out->cpu[cpu].online);
		ck_assert_uint_eq(out->cpu[cpu].cycles, NOT_MEASURED);
		ck_assert_uint_eq(out->cpu[cpu].instructions, NOT_MEASURED);
	}
	ck_assert_uint_eq(out->flags, CPI_QUALITY_CPUS_CHANGED);
	from->cpus = CPUS;
	to->cpus = 1;
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpus, 1);
}
END_TEST

START_TEST(another_threads_counts_are_not_subtracted)
{
	from->thread = to->thread = 3;
	from->thread_cycles = 100;
	to->thread_cycles = 300;
	counters_difference(from, to, out);
	ck_assert(out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, 200);
	ck_assert_uint_eq(out->thread_instructions, NOT_MEASURED);
	to->thread = 4;
	counters_difference(from, to, out);
	ck_assert(!out->thread_known);
	ck_assert_uint_eq(out->thread_cycles, NOT_MEASURED);
	from->thread = to->thread = 0;
	counters_difference(from, to, out);
	ck_assert(!out->thread_known);
}
END_TEST

/* ------------------------------------------------- quality of the counts */

static void count_all(uint64_t enabled, uint64_t running)
{
	from->source[COUNTER_INSTRUCTIONS] = to->source[COUNTER_INSTRUCTIONS] = CPI_SOURCE_COUNTER;
	from->source[COUNTER_BUSY] = to->source[COUNTER_BUSY] = CPI_SOURCE_REF_CYCLES;
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].instructions = from->cpu[cpu].busy = 1000;
		to->cpu[cpu].instructions = to->cpu[cpu].busy = 2000;
		from->cpu[cpu].opening = to->cpu[cpu].opening = 7;
		to->cpu[cpu].enabled = enabled;
		to->cpu[cpu].running = running;
	}
}

START_TEST(nothing_to_say)
{
	expect_flags(0);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		ck_assert_int_eq(out->quality[q].source, CPI_SOURCE_NONE);
		ck_assert_uint_eq(out->quality[q].enabled, 0);
	}
	ck_assert_uint_eq(out->activity.faults, NOT_MEASURED);
}
END_TEST

START_TEST(quality_of_processors)
{
	count_all(300, 300);
	expect_flags(0);
	ck_assert_int_eq(out->quality[COUNTER_INSTRUCTIONS].source, CPI_SOURCE_COUNTER);
	ck_assert_int_eq(out->quality[COUNTER_BUSY].source, CPI_SOURCE_REF_CYCLES);
	ck_assert_uint_eq(out->quality[COUNTER_BUSY].enabled, CPUS * 300);
	ck_assert_uint_eq(out->quality[COUNTER_INSTRUCTIONS].running, CPUS * 300);
	to->cpu[2].running = 100;
	expect_flags(CPI_QUALITY_MULTIPLEXED);
	ck_assert_uint_eq(out->quality[COUNTER_INSTRUCTIONS].running, CPUS * 300 - 200);
	ck_assert_uint_eq(out->cpu[2].instructions, 3000);
	ck_assert_uint_eq(out->cpu[1].instructions, 1000);
}
END_TEST

/* A counter that never ran is unmeasured: neither scaled nor 0. */
START_TEST(never_ran)
{
	count_all(300, 0);
	for (int cpu = 0; cpu < CPUS; cpu++)
		to->cpu[cpu].instructions = to->cpu[cpu].busy = 1000;
	expect_flags(0);
	ck_assert_uint_eq(out->cpu[0].instructions, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].busy, NOT_MEASURED);
	ck_assert_int_eq(out->quality[COUNTER_INSTRUCTIONS].source, CPI_SOURCE_NONE);
	/* A group that is not even enabled any more. */
	count_all(0, 0);
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].instructions, NOT_MEASURED);
}
END_TEST

START_TEST(quality_of_idle)
{
	from->source[COUNTER_BUSY] = to->source[COUNTER_BUSY] = CPI_SOURCE_PROC_STAT;
	for (int cpu = 0; cpu < 3; cpu++)
		from->cpu[cpu].idle_ns = to->cpu[cpu].idle_ns = 7000;
	from->idle_at = 100;
	to->idle_at = 1100;
	expect_flags(0);
	ck_assert_int_eq(out->quality[COUNTER_BUSY].source, CPI_SOURCE_PROC_STAT);
	ck_assert_uint_eq(out->quality[COUNTER_BUSY].enabled, 3000);
	ck_assert_uint_eq(out->quality[COUNTER_BUSY].running, 3000);
}
END_TEST

/* Each makes processor 1 one that was not there all the time. */
static void went(void)
{
	to->cpu[1].online = false;
	to->cpu[1].opening = COUNTER_DEAD;
}
static void came(void)
{
	from->cpu[1].online = false;
	from->cpu[1].opening = 0;
}
static void went_and_came(void)
{
	to->cpu[1].opening = 8;
}
static void came_without_counters(void)
{
	to->cpu[1].opening = COUNTER_DEAD;
	to->cpu[1].instructions = to->cpu[1].busy = NOT_MEASURED;
}
static void came_anew(void)
{
	from->cpu[1].presence = 50;
	to->cpu[1].presence = 51;
}

static void (*const changes[])(void) = {
	went, came, went_and_came, came_without_counters, came_anew};

START_TEST(a_changed_processor_is_flagged_and_unknown)
{
	count_all(300, 300);
	changes[_i]();
	expect_flags(CPI_QUALITY_CPUS_CHANGED);
	ck_assert_uint_eq(out->cpu[1].instructions, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].cycles, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].busy_whole, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].instructions, 1000);
}
END_TEST

/* Counters that the program closed, or a kernel that does not tell, are no change. */
START_TEST(not_changed)
{
	count_all(300, 300);
	to->cpu[1].opening = 0;
	to->cpu[1].instructions = to->cpu[1].busy = NOT_MEASURED;
	from->cpu[2].presence = 50;
	expect_flags(0);
	ck_assert_uint_eq(out->cpu[1].instructions, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[2].instructions, 1000);
	/* The highest that went is not in the sample any more. */
	to->cpus = CPUS - 1;
	expect_flags(CPI_QUALITY_CPUS_CHANGED);
	/* It was not read at the start. */
	from->cpus = 0;
	expect_flags(0);
	ck_assert_uint_eq(out->cpu[0].cycles, 1000000);
}
END_TEST

START_TEST(types_of_core)
{
	count_all(300, 300);
	to->cpu[2].core_type = to->cpu[3].core_type = 1;
	expect_flags(CPI_QUALITY_CORE_TYPES);
	/* Only those that were counted. */
	to->cpu[2].instructions = to->cpu[3].instructions = NOT_MEASURED;
	expect_flags(0);
}
END_TEST

START_TEST(unhalted_cycles)
{
	count_all(300, 300);
	from->source[COUNTER_BUSY] = to->source[COUNTER_BUSY] = CPI_SOURCE_CYCLES;
	to->cpu[0].busy = 1000 + 3000000; /* above the nominal rate */
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->cpu[0].busy, 3000000);
	ck_assert_uint_eq(out->cpu[0].busy_part, 1000000);
	ck_assert_uint_eq(out->cpu[0].busy_whole, 1000000);
	ck_assert_uint_eq(out->cpu[1].busy, 1000);
	ck_assert_uint_eq(out->cpu[1].busy_part, 1000);
}
END_TEST

/* ---------------------------------------------------------------------- the thread */

static void count_thread(uint64_t enabled, uint64_t running)
{
	from->thread = to->thread = 3;
	from->thread_instructions = from->thread_cycles = 100;
	to->thread_instructions = to->thread_cycles = 1100;
	to->thread_enabled = enabled;
	to->thread_running = running;
	for (int q = COUNTER_THREAD_INSTRUCTIONS; q <= COUNTER_THREAD_CYCLES; q++)
		from->source[q] = to->source[q] = CPI_SOURCE_COUNTER_USER;
}

START_TEST(quality_of_the_thread)
{
	count_thread(400, 100);
	to->thread_user_only = true;
	expect_flags(CPI_QUALITY_MULTIPLEXED | CPI_QUALITY_USER_ONLY);
	ck_assert_uint_eq(out->thread_instructions, 4000);
	ck_assert_uint_eq(out->quality[COUNTER_THREAD_CYCLES].enabled, 400);
	ck_assert_uint_eq(out->quality[COUNTER_THREAD_CYCLES].running, 100);
	ck_assert_int_eq(out->quality[COUNTER_THREAD_CYCLES].source, CPI_SOURCE_COUNTER_USER);
	/* A call at one end. */
	to->source[COUNTER_THREAD_CYCLES] = CPI_SOURCE_COUNTER;
	from->source[COUNTER_THREAD_INSTRUCTIONS] = CPI_SOURCE_COUNTER;
	counters_difference(from, to, out);
	ck_assert_int_eq(out->quality[COUNTER_THREAD_CYCLES].source, CPI_SOURCE_COUNTER);
	ck_assert_int_eq(out->quality[COUNTER_THREAD_INSTRUCTIONS].source, CPI_SOURCE_COUNTER);
	to->thread_running = 0;
	expect_flags(0);
	ck_assert_uint_eq(out->thread_cycles, NOT_MEASURED);
}
END_TEST

START_TEST(thread_on_types_of_core)
{
	count_thread(1000000, 1000003); /* they were read one after the other */
	to->thread_running_on[0] = 600000;
	to->thread_running_on[1] = 400003;
	expect_flags(CPI_QUALITY_CORE_TYPES);
	ck_assert_uint_eq(out->thread_instructions, 1000);
	/* Much of the time on a core without counters. */
	to->thread_running_on[0] = 100000;
	to->thread_running = 500000;
	expect_flags(CPI_QUALITY_CORE_TYPES | CPI_QUALITY_MULTIPLEXED);
	ck_assert_uint_eq(out->thread_instructions, 2000);
	/* On one of them all the time. */
	from->thread_running_on[1] = to->thread_running_on[1];
	to->thread_running = 999990;
	expect_flags(0);
}
END_TEST

/* The fast path gives the usual path's figures, or declines. */
START_TEST(thread_between)
{
	from->thread = to->thread = 7;
	from->thread_opening = to->thread_opening = 3;
	from->thread_instructions = 1000, to->thread_instructions = 4000;
	from->thread_cycles = 10, to->thread_cycles = 510;
	from->thread_enabled = from->thread_running = 20;
	to->thread_enabled = to->thread_running = 90;
	ck_assert(counters_thread_between(from, to, out));
	ck_assert_uint_eq(out->thread_instructions, 3000);
	ck_assert_uint_eq(out->thread_cycles, 500);
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->thread_instructions, 3000);
	ck_assert_uint_eq(out->thread_cycles, 500);
	/* Shared with others. */
	to->thread_running = 89;
	ck_assert(!counters_thread_between(from, to, out));
	to->thread_running = 90;
	/* They rested meanwhile, or could not be read. */
	to->thread_opening = 4;
	ck_assert(!counters_thread_between(from, to, out));
	to->thread_opening = 0;
	ck_assert(!counters_thread_between(from, to, out));
	to->thread_opening = 3;
	/* Back. */
	to->thread_cycles = 9;
	ck_assert(!counters_thread_between(from, to, out));
	to->thread_cycles = 10;
	ck_assert(counters_thread_between(from, to, out));
	ck_assert_uint_eq(out->thread_cycles, 0);
	to->thread_instructions = 999;
	ck_assert(!counters_thread_between(from, to, out));
}
END_TEST

/* The start goes by the page, and the thread was counted. */
START_TEST(thread_counted)
{
	from->plain = true;
	from->thread_opening = 3;
	from->activity_source = INTERVAL_TIME_PAGE;
	ck_assert(counters_counted_thread(from));
	from->activity_source = INTERVAL_TIME_CLOCK;
	ck_assert(!counters_counted_thread(from));
	from->activity_source = INTERVAL_TIME_PAGE;
	from->plain = false;
	ck_assert(!counters_counted_thread(from));
	from->plain = true;
	from->thread_opening = 0;
	ck_assert(!counters_counted_thread(from));
}
END_TEST

/* The thread's time at the start is computed from an earlier reading, by another clock. */
START_TEST(a_switch_soon_after_a_computed_start_leaves_no_time)
{
	const uint64_t later = rate_ns_of_ticks(from->ticks - 500);

	ck_assert_uint_gt(later, 0);
	from->activity = to->activity = (struct counter_activity){.on_cpu_ns = 7000, .switches = 2};
	from->activity_source = to->activity_source = INTERVAL_TIME_CLOCK;
	from->activity_ticks = 500;
	to->activity.switches = 3;
	to->activity.on_cpu_ns = 7000 + later - 1;
	activity_of_interval(from, to, out);
	ck_assert_uint_eq(out->activity.on_cpu_ns, 0);
	to->activity.on_cpu_ns = 7000 + later + 20;
	activity_of_interval(from, to, out);
	ck_assert_uint_eq(out->activity.on_cpu_ns, 20);
	/* The thread's clock went back. */
	to->activity.on_cpu_ns = 6999;
	activity_of_interval(from, to, out);
	ck_assert_uint_eq(out->activity.on_cpu_ns, NOT_MEASURED);
}
END_TEST

/* The thread was switched in the interval, but not between its end and the reading, which is later:
 * the time up to the reading is not the interval's. */
START_TEST(a_reading_after_the_end_has_more_time_than_the_interval)
{
	const uint64_t later = rate_ns_of_ticks(500),
		       elapsed = rate_ns_of_ticks(to->ticks - from->ticks);

	ck_assert_uint_gt(later, 0);
	ck_assert_uint_gt(elapsed, 10);
	from->activity = to->activity = (struct counter_activity){.on_cpu_ns = 7000, .switches = 2};
	from->activity_source = to->activity_source = INTERVAL_TIME_PAGE;
	from->page = to->page = 1;
	from->page_lock = 2, to->page_lock = 4;
	from->activity_ticks = from->ticks;
	to->activity_ticks = to->ticks + 500;
	to->activity.switches = 3;
	to->activity.on_cpu_ns = 7000 + 10 + later;
	activity_of_interval(from, to, out);
	ck_assert_uint_eq(out->activity.on_cpu_ns, 10);
	/* The clocks of thread and processor differ. */
	to->activity.on_cpu_ns = 7000 + later - 1;
	activity_of_interval(from, to, out);
	ck_assert_uint_eq(out->activity.on_cpu_ns, 0);
}
END_TEST

Suite *difference_suite(void)
{
	return SUITE("difference", .set_up = set_up, .tear_down = tear_down,
		TESTS(nothing_measured, ticks_are_cycles, busy_is_the_time_that_was_not_idle,
			idle_glitches, shorter_than_the_accounting, reference_cycles,
			scaled_by_running, processors_that_come_or_go_are_unknown,
			another_threads_counts_are_not_subtracted, nothing_to_say,
			quality_of_processors, never_ran, quality_of_idle, not_changed,
			types_of_core, unhalted_cycles, quality_of_the_thread,
			thread_on_types_of_core, thread_between, thread_counted,
			a_switch_soon_after_a_computed_start_leaves_no_time,
			a_reading_after_the_end_has_more_time_than_the_interval),
		LOOPS({a_changed_processor_is_flagged_and_unknown, 0,
			sizeof changes / sizeof *changes}));
}
