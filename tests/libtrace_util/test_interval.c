/* Intervals between samples: unhalted clock ticks, and what all methods have in common. */
#include <math.h>
#include <stdlib.h>

#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/machine/proc_stat.h"
#include "../../libtrace/counters/machine/rate.h"
#include "../../libtrace/measure/util/figures.h"
#include "samples.h"
#include "util_suites.h"

struct counter_sample *from, *to;
struct counter_interval *out;

uint64_t ticks(uint64_t ms)
{
	return rate_scale(ms, clock_ticks_per_second(), 1000);
}

static struct counter_sample *sample(int method, uint64_t ms)
{
	struct counter_sample *s = calloc(1, counters_sample_size(CPUS));

	s->method = method;
	s->room = s->cpus = CPUS;
	s->ticks = s->stat_at = s->pair_ticks = ticks(ms);
	s->pair_boot = ms * MS;
	for (int cpu = 0; cpu < CPUS; cpu++)
		s->cpu[cpu] = (struct counter_cpu){.ticks = s->ticks,
			.busy = NOT_MEASURED,
			.core = NOT_MEASURED,
			.reference = NOT_MEASURED,
			.hz = NOT_MEASURED,
			.idle_ns = NOT_MEASURED,
			.intr = NOT_MEASURED,
			.steal = NOT_MEASURED,
			.switches = NOT_MEASURED,
			.interrupts = NOT_MEASURED,
			.online = true};
	return s;
}

void samples_begin(int method)
{
	from = sample(method, 1000);
	to = sample(method, 1100);
	out = calloc(1, counters_interval_size(CPUS));
}

void samples_end(void)
{
	free(from);
	free(to);
	free(out);
}

void about(uint64_t value, uint64_t want)
{
	uint64_t apart = value > want ? value - want : want - value;

	ck_assert_msg(apart <= want / 1000000 + 2, "%llu, not %llu", (unsigned long long)value,
		(unsigned long long)want);
}

static uint64_t zero_if_unmeasured(uint64_t part)
{
	return part == NOT_MEASURED ? 0 : part;
}

void difference(void)
{
	usage_difference(from, to, out, NULL);
	for (uint32_t cpu = 0; cpu < out->cpus; cpu++) {
		const struct counter_usage *c = &out->cpu[cpu].usage;

		if (c->elapsed != NOT_MEASURED)
			ck_assert_uint_le(zero_if_unmeasured(c->busy) +
						  zero_if_unmeasured(c->idle) +
						  zero_if_unmeasured(c->intr),
				c->elapsed);
	}
}

static void set_up(void)
{
	samples_begin(AI_METHOD_REFERENCE);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].busy = 777;
		to->cpu[cpu].busy = 777 + ticks(25);
		to->cpu[cpu].enabled = to->cpu[cpu].running = 100 * MS;
	}
}

static void set_intr(uint64_t ms)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].intr = 50 * MS;
		to->cpu[cpu].intr = (50 + ms) * MS;
	}
}

START_TEST(ticks_are_awake)
{
	difference();
	ck_assert_int_eq(out->method, AI_METHOD_REFERENCE);
	ck_assert_uint_eq(out->usage_flags, 0);
	ck_assert_uint_eq(out->cpus, CPUS);
	about(out->cpu[0].usage.elapsed, ticks(100));
	about(out->cpu[0].usage.busy, ticks(25));
	about(out->cpu[0].usage.idle, ticks(75));
	ck_assert_uint_eq(
		out->cpu[0].usage.busy + out->cpu[0].usage.idle, out->cpu[0].usage.elapsed);
	ck_assert_uint_eq(out->cpu[0].usage.intr, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].usage.core, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].usage.switches, NOT_MEASURED);
}
END_TEST

/* The kernel's idle time says the opposite, and is not asked. */
START_TEST(idle_accounts_do_not_matter)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].idle_ns = 0;
		to->cpu[cpu].idle_ns = 100 * MS;
	}
	difference();
	about(out->cpu[2].usage.busy, ticks(25));
}
END_TEST

START_TEST(interrupts_are_part_of_awake)
{
	set_intr(20);
	difference();
	about(out->cpu[1].usage.intr, ticks(20));
	about(out->cpu[1].usage.busy, ticks(5));
	ck_assert_uint_eq(out->cpu[1].usage.busy + out->cpu[1].usage.idle + out->cpu[1].usage.intr,
		out->cpu[1].usage.elapsed);
}
END_TEST

START_TEST(no_more_interrupts_than_awake)
{
	set_intr(60);
	difference();
	about(out->cpu[1].usage.intr, ticks(25));
	ck_assert_uint_eq(out->cpu[1].usage.busy, 0);
	about(out->cpu[1].usage.idle, ticks(75));
}
END_TEST

START_TEST(no_more_awake_than_time)
{
	to->cpu[0].busy = 777 + ticks(101);
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.busy, out->cpu[0].usage.elapsed);
	ck_assert_uint_eq(out->cpu[0].usage.idle, 0);
}
END_TEST

START_TEST(stolen_time_is_neither)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].steal = 0;
		to->cpu[cpu].steal = 30 * MS;
	}
	difference();
	about(out->cpu[0].usage.busy, ticks(25));
	about(out->cpu[0].usage.idle, ticks(45));
}
END_TEST

START_TEST(part_of_the_time)
{
	to->cpu[3].running = 50 * MS;
	difference();
	about(out->cpu[3].usage.busy, ticks(50));
	about(out->cpu[2].usage.busy, ticks(25));
	ck_assert_uint_eq(out->usage_flags, CPUUTIL_DATA_FLAG_SCALED);
}
END_TEST

static const struct {
	uint64_t unhalted, enabled, running;
} unusable[] = {
	{NOT_MEASURED, 100, 100},
	{776, 100, 100}, /* it went back */
	{900, 100, 0},	 /* it never ran */
	{900, 100, 101},
	{900, 0, 1},
};

START_TEST(ticks_of_no_use)
{
	to->cpu[1].busy = unusable[_i].unhalted;
	to->cpu[1].enabled = unusable[_i].enabled;
	to->cpu[1].running = unusable[_i].running;
	set_intr(20);
	difference();
	ck_assert_uint_eq(out->cpu[1].usage.busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].usage.idle, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].usage.intr, NOT_MEASURED);
	ck_assert(out->cpu[1].usage.stayed);
	about(out->cpu[0].usage.busy, ticks(5));
}
END_TEST

START_TEST(no_time_at_all)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	for (int cpu = 0; cpu < CPUS; cpu++)
		to->cpu[cpu].ticks = from->cpu[cpu].ticks - (uint64_t)_i;
	difference();
	util_clear(d);
	util_fill(d, out);
	ck_assert(isnan(d->cpu_busy[0]) && isnan(d->cpu_idle[0]));
	ck_assert(isnan(d->sys_busy) && isnan(d->sys_idle) && isnan(d->sys_intr));
	free(d);
}
END_TEST

/* ------------------------------------------------------------- processors come and go */

static void went_offline(void)
{
	to->cpu[1].online = false;
}

static void came_online(void)
{
	from->cpu[1].online = false;
}

static void was_away(void)
{
	from->cpu[1].opening = 5;
	to->cpu[1].opening = 9;
}

static void lost_its_counters(void)
{
	from->cpu[1].opening = 5;
	to->cpu[1].opening = COUNTER_DEAD;
}

static void was_away_by_its_switches(void)
{
	from->cpu[1].switches_opening = 5;
	to->cpu[1].switches_opening = 9;
}

static void was_away_by_its_presence(void)
{
	from->cpu[1].presence = 5;
	to->cpu[1].presence = 9;
}

static void (*const changes[])(void) = {went_offline, came_online, was_away, lost_its_counters,
	was_away_by_its_switches, was_away_by_its_presence};

START_TEST(one_changed)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	changes[_i]();
	difference();
	util_clear(d);
	util_fill(d, out);
	ck_assert_uint_eq(out->usage_flags, CPUUTIL_DATA_FLAG_CPUS_CHANGED);
	ck_assert_uint_eq(out->cpu[1].usage.elapsed, NOT_MEASURED);
	ck_assert(isnan(d->cpu_busy[1]) && isnan(d->cpu_idle[1]));
	ck_assert_double_eq_tol(d->cpu_busy[0], 25, 0.001);
	/* The system's figures are those of the other processors. */
	ck_assert_double_eq_tol(d->sys_busy, 25, 0.001);
	ck_assert_double_eq_tol(d->sys_idle, 75, 0.001);
	free(d);
}
END_TEST

START_TEST(offline_all_the_time)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	from->cpu[1].online = to->cpu[1].online = false;
	difference();
	util_clear(d);
	util_fill(d, out);
	ck_assert_uint_eq(out->usage_flags, 0);
	ck_assert(isnan(d->cpu_busy[1]));
	ck_assert_double_eq_tol(d->sys_busy, 25, 0.001);
	free(d);
}
END_TEST

START_TEST(more_processors_than_before)
{
	from->cpus = 2;
	difference();
	ck_assert_uint_eq(out->cpus, CPUS);
	ck_assert_uint_eq(out->usage_flags, CPUUTIL_DATA_FLAG_CPUS_CHANGED);
	ck_assert_uint_eq(out->cpu[3].usage.busy, NOT_MEASURED);
	about(out->cpu[1].usage.busy, ticks(25));
}
END_TEST

START_TEST(fewer_processors_than_before)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	util_clear(d);
	difference();
	util_fill(d, out);
	ck_assert(!isnan(d->cpu_busy[3]));
	to->cpus = 2;
	difference();
	util_fill(d, out);
	ck_assert_int_eq(d->num_cpus, 2);
	ck_assert_uint_eq(d->flags, CPUUTIL_DATA_FLAG_CPUS_CHANGED);
	ck_assert(isnan(d->cpu_busy[3]) && isnan(d->cpu_busy[2]));
	ck_assert_uint_eq(d->cpu_disp_cnt[3], AI_COUNT_NOT_MEASURED);
	free(d);
}
END_TEST

START_TEST(all_changed)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	from->cpus = 0;
	difference();
	util_clear(d);
	util_fill(d, out);
	ck_assert(isnan(d->sys_busy) && isnan(d->sys_actual_perf));
	free(d);
}
END_TEST

/* A sum of which a term is not known is not known. */
START_TEST(one_not_measured)
{
	struct counter_usage sum;

	to->cpu[2].busy = NOT_MEASURED;
	difference();
	usage_sums(out, &sum);
	ck_assert_uint_eq(sum.busy, NOT_MEASURED);
	about(sum.elapsed, 4 * ticks(100));
}
END_TEST

/* --------------------------------------------------------------------------- the clock */

static const struct {
	uint64_t boot_ms;
	bool slowed;
} clocks[] = {{100, false}, {101, false}, {99, false}, {103, true}, {97, true}, {50000, true}};

START_TEST(clock_against_another)
{
	to->pair_boot = from->pair_boot + clocks[_i].boot_ms * MS;
	difference();
	ck_assert_uint_eq(out->usage_flags, clocks[_i].slowed ? CPUUTIL_DATA_FLAG_SLOWTSC : 0);
}
END_TEST

/* ------------------------------------------------------------------- performance, counts */

START_TEST(actual_performance)
{
	CPUUTIL_DATA *d = malloc(sizeof *d);

	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].core = from->cpu[cpu].reference = 10;
		to->cpu[cpu].core = 310;
		to->cpu[cpu].reference = 210;
	}
	to->cpu[1].core = NOT_MEASURED;
	to->cpu[2].reference = 10; /* halted all the time */
	difference();
	util_clear(d);
	util_fill(d, out);
	ck_assert_double_eq_tol(d->cpu_actual_perf[0], 150, 1e-9);
	ck_assert(isnan(d->cpu_actual_perf[1]));
	ck_assert(isnan(d->cpu_actual_perf[2]));
	ck_assert(isnan(d->sys_actual_perf));
	ck_assert_uint_eq(out->cpu[1].usage.reference, NOT_MEASURED);
	free(d);
}
END_TEST

START_TEST(counts_in_32_bits)
{
	ck_assert_uint_eq(util_count_wrapped(5), 5);
	ck_assert_uint_eq(util_count_wrapped(UINT32_MAX - 1), UINT32_MAX - 1);
	ck_assert_uint_eq(util_count_wrapped(UINT32_MAX), 0);
	ck_assert_uint_eq(util_count_wrapped((uint64_t)UINT32_MAX + 1), 1);
	ck_assert_uint_eq(util_count_wrapped(NOT_MEASURED), AI_COUNT_NOT_MEASURED);
	ck_assert_uint_eq(util_count(UINT32_MAX), UINT32_MAX - 1);
	ck_assert_uint_eq(util_count(NOT_MEASURED - 1), UINT32_MAX - 1);
	ck_assert_uint_eq(util_count(NOT_MEASURED), AI_COUNT_NOT_MEASURED);
}
END_TEST

START_TEST(counts_of_an_interval)
{
	from->cpu[0].switches = 1000;
	to->cpu[0].switches = 1007;
	from->cpu[1].switches = 1000;
	to->cpu[1].switches = 3; /* never seen: not less than nothing */
	to->cpu[2].interrupts = 5;
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.switches, 7);
	ck_assert_uint_eq(out->cpu[1].usage.switches, 0);
	ck_assert_uint_eq(out->cpu[2].usage.interrupts, NOT_MEASURED);
}
END_TEST

/* ------------------------------------------------------- core ticks, of a changing clock */

static void core_ticks(uint64_t from_hz, uint64_t to_hz)
{
	from->method = to->method = AI_METHOD_CYCLES;
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].hz = from_hz;
		to->cpu[cpu].hz = to_hz;
		from->cpu[cpu].busy = from->cpu[cpu].core = 0;
		to->cpu[cpu].busy = to->cpu[cpu].core = 50000000;
	}
}

/* 50e6 ticks in 100 ms: an effective frequency of 500 MHz. */
START_TEST(effective_over_actual_frequency)
{
	core_ticks(1000000000, 1000000000);
	difference();
	about(out->cpu[0].usage.busy, ticks(50));
	core_ticks(2000000000, 2000000000);
	difference();
	about(out->cpu[0].usage.busy, ticks(25));
}
END_TEST

START_TEST(frequency_changed)
{
	core_ticks(1000000000, 3000000000);
	difference();
	about(out->cpu[0].usage.busy, ticks(25));
}
END_TEST

START_TEST(frequency_unknown)
{
	core_ticks(1000000000, 1000000000);
	to->cpu[1].hz = NOT_MEASURED;
	from->cpu[2].hz = NOT_MEASURED;
	difference();
	about(out->cpu[0].usage.busy, ticks(50));
	ck_assert_uint_eq(out->cpu[1].usage.busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[2].usage.busy, NOT_MEASURED);
}
END_TEST

Suite *interval_suite(void)
{
	return SUITE("interval", .set_up = set_up, .tear_down = samples_end,
		TESTS(ticks_are_awake, idle_accounts_do_not_matter, interrupts_are_part_of_awake,
			no_more_interrupts_than_awake, no_more_awake_than_time,
			stolen_time_is_neither, part_of_the_time, offline_all_the_time,
			more_processors_than_before, fewer_processors_than_before, all_changed,
			one_not_measured, actual_performance, counts_in_32_bits,
			counts_of_an_interval, effective_over_actual_frequency, frequency_changed,
			frequency_unknown),
		LOOPS({ticks_of_no_use, 0, sizeof unusable / sizeof *unusable},
			{no_time_at_all, 0, 2}, {one_changed, 0, sizeof changes / sizeof *changes},
			{clock_against_another, 0, sizeof clocks / sizeof *clocks}));
}
