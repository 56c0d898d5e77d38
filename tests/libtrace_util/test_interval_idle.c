/* Intervals between samples: the kernel's idle time, and rows of intervals. */
#include <string.h>

#include "../../libtrace/counters/machine/proc_stat.h"
#include "samples.h"
#include "util_suites.h"

static void set_idle(uint64_t idle_ms)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].idle_ns = 5000 * MS;
		to->cpu[cpu].idle_ns = (5000 + idle_ms) * MS;
		from->cpu[cpu].idle_slack = to->cpu[cpu].idle_slack = stat_resolution() / 2;
	}
}

static void set_up(void)
{
	samples_begin(AI_METHOD_IDLE_TICK);
	set_idle(30);
}

/* The second sample is so many steps of /proc/stat after the first. */
static void steps_apart(unsigned steps)
{
	to->ticks = from->ticks + ticks(steps * stat_resolution() / MS);
	to->stat_at = to->pair_ticks = to->ticks;
	to->pair_boot = from->pair_boot + steps * stat_resolution();
	for (int cpu = 0; cpu < CPUS; cpu++)
		to->cpu[cpu].ticks = to->ticks;
}

START_TEST(the_rest_is_busy)
{
	difference();
	ck_assert_int_eq(out->method, AI_METHOD_IDLE_TICK);
	about(out->cpu[0].usage.idle, ticks(30));
	about(out->cpu[0].usage.busy, ticks(70));
	ck_assert_uint_eq(
		out->cpu[0].usage.busy + out->cpu[0].usage.idle, out->cpu[0].usage.elapsed);
	ck_assert_uint_eq(out->cpu[0].usage.intr, NOT_MEASURED);
}
END_TEST

START_TEST(interrupts_are_part_of_the_rest)
{
	from->cpu[1].intr = 7 * MS;
	to->cpu[1].intr = 17 * MS;
	difference();
	about(out->cpu[1].usage.intr, ticks(10));
	about(out->cpu[1].usage.busy, ticks(60));
	ck_assert_uint_eq(out->cpu[1].usage.busy + out->cpu[1].usage.idle + out->cpu[1].usage.intr,
		out->cpu[1].usage.elapsed);
}
END_TEST

START_TEST(stolen_time_is_neither)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		from->cpu[cpu].steal = 0;
		to->cpu[cpu].steal = 20 * MS;
	}
	difference();
	about(out->cpu[0].usage.idle, ticks(30));
	about(out->cpu[0].usage.busy, ticks(50));
}
END_TEST

/* Accounts that say more than the time that passed. */
START_TEST(no_more_than_time)
{
	set_idle(110);
	from->cpu[0].intr = from->cpu[0].steal = 0;
	to->cpu[0].intr = to->cpu[0].steal = 50 * MS;
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.idle, out->cpu[0].usage.elapsed);
	ck_assert_uint_eq(out->cpu[0].usage.busy, 0);
	ck_assert_uint_eq(out->cpu[0].usage.intr, 0);
}
END_TEST

START_TEST(accounts_go_back)
{
	to->cpu[0].idle_ns = from->cpu[0].idle_ns - MS;
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.idle, 0);
	ck_assert_uint_eq(out->cpu[0].usage.busy, out->cpu[0].usage.elapsed);
}
END_TEST

START_TEST(too_short_for_its_steps)
{
	set_idle(0);
	steps_apart(1);
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[0].usage.idle, NOT_MEASURED);
	steps_apart(3);
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.busy, out->cpu[0].usage.elapsed);
}
END_TEST

START_TEST(not_read)
{
	from->cpu[0].idle_ns = NOT_MEASURED;
	to->cpu[1].idle_ns = NOT_MEASURED;
	difference();
	ck_assert_uint_eq(out->cpu[0].usage.busy, NOT_MEASURED);
	ck_assert_uint_eq(out->cpu[1].usage.busy, NOT_MEASURED);
	about(out->cpu[2].usage.busy, ticks(70));
}
END_TEST

/* ------------------------------------------------------------------- rows of intervals */

/* 1000 intervals of a tenth of a step each; the account moves a whole step at a time. */
static void row(unsigned idle_steps_of_ten, uint64_t *idle, uint64_t *elapsed)
{
	const uint64_t step = stat_resolution();
	struct usage_carry carry[CPUS];

	memset(carry, 0, sizeof carry);
	*idle = *elapsed = 0;
	for (int cpu = 0; cpu < CPUS; cpu++)
		from->cpu[cpu].idle_ns = to->cpu[cpu].idle_ns = 0;
	for (unsigned i = 0; i < 1000; i++) {
		to->ticks = to->stat_at = from->ticks + ticks(step / 10 / MS);
		for (int cpu = 0; cpu < CPUS; cpu++) {
			to->cpu[cpu].ticks = to->ticks;
			if (i % 10 == 9 && i / 10 % 10 < idle_steps_of_ten)
				to->cpu[cpu].idle_ns += step;
		}
		usage_difference(from, to, out, carry);
		ck_assert_uint_eq(
			out->cpu[3].usage.busy + out->cpu[3].usage.idle, out->cpu[3].usage.elapsed);
		*idle += out->cpu[3].usage.idle;
		*elapsed += out->cpu[3].usage.elapsed;
		memcpy(from, to, counters_sample_size(CPUS));
	}
}

START_TEST(steps_are_not_lost)
{
	uint64_t idle, elapsed, step = ticks(stat_resolution() / MS);

	row((unsigned)_i, &idle, &elapsed);
	ck_assert_uint_le(idle, elapsed);
	ck_assert_msg(idle + 2 * step >= elapsed * (unsigned)_i / 10 &&
			      idle <= elapsed * (unsigned)_i / 10 + 2 * step,
		"%d: %llu of %llu", _i, (unsigned long long)idle, (unsigned long long)elapsed);
}
END_TEST

/* The carried remainder is at most the accounts' error. */
START_TEST(a_jump_is_not_kept)
{
	const uint64_t bound = ticks(2 * stat_resolution() / MS);
	struct usage_carry carry[CPUS];

	memset(carry, 0, sizeof carry);
	set_idle(100000);
	usage_difference(from, to, out, carry);
	ck_assert_uint_eq(out->cpu[0].usage.idle, out->cpu[0].usage.elapsed);
	ck_assert_uint_le(carry[0].main, bound + 2);
	to->cpu[0].online = false;
	usage_difference(from, to, out, carry);
	ck_assert_uint_eq(carry[0].main, 0);
}
END_TEST

Suite *interval_idle_suite(void)
{
	return SUITE("interval, idle", .set_up = set_up, .tear_down = samples_end,
		TESTS(the_rest_is_busy, interrupts_are_part_of_the_rest, stolen_time_is_neither,
			no_more_than_time, accounts_go_back, too_short_for_its_steps, not_read,
			a_jump_is_not_kept),
		LOOPS({steps_are_not_lost, 0, 11}));
}
