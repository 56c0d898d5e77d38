/* Ticks to CLOCK_REALTIME and back. */
#include <stdlib.h>

#include "../../decoder/model/trace/clock/clock.h"
#include "../../decoder/model/trace/clock/cursor.h"
#include "../lib/suites.h"

static struct clock clock_of_rate(uint64_t rate, uint64_t ticks, int64_t real)
{
	struct clock c = {.rate = rate, .base_ticks = ticks, .base_real = real};

	clock_build(&c, NULL, 0);
	return c;
}

START_TEST(one_to_one)
{
	struct clock c = clock_of_rate(1000000000, 1000, 5000000000);

	ck_assert_int_eq(clock_time(&c, 1000), 5000000000);
	ck_assert_int_eq(clock_time(&c, 2001), 5000001001);
	ck_assert_int_eq(clock_time(&c, 0), 4999999000);
}
END_TEST

START_TEST(rounds_down_on_both_sides)
{
	struct clock c = clock_of_rate(3000000000, 300, 0);

	ck_assert_int_eq(clock_time(&c, 302), 0);
	ck_assert_int_eq(clock_time(&c, 303), 1);
	ck_assert_int_eq(clock_time(&c, 299), -1);
	ck_assert_int_eq(clock_time(&c, 297), -1);
	ck_assert_int_eq(clock_time(&c, 296), -2);
}
END_TEST

START_TEST(no_overflow)
{
	/* The plain product of ticks and 1e9 needs 94 bits here. */
	struct clock c = clock_of_rate(2899999999, 0, 1700000000000000000);
	unsigned __int128 product = (unsigned __int128)UINT64_C(9000000000000000000) * 1000000000;

	ck_assert_int_eq(clock_time(&c, UINT64_C(9000000000000000000)),
		1700000000000000000 + (int64_t)(product / 2899999999));
	c = clock_of_rate(1, 0, 0);
	ck_assert_int_eq(clock_time(&c, UINT64_MAX), INT64_MAX);
	c = clock_of_rate(1, UINT64_MAX, 0);
	ck_assert_int_eq(clock_time(&c, 0), INT64_MIN);
	c = clock_of_rate(CLOCK_MAX_RATE, 0, 0);
	ck_assert_int_eq(clock_time(&c, CLOCK_MAX_RATE - 1), 999999999);
}
END_TEST

START_TEST(offsets_are_interpolated)
{
	struct clock_sync s[] = {
		{.ticks = 2000, .realtime = 1002000}, {.ticks = 1000, .realtime = 1001000},
		{.ticks = 3000, .realtime = 1003100}, /* 100 ns ahead */
	};
	struct clock c = {.rate = 1000000000, .base_ticks = 1000, .base_real = 1001000};

	clock_build(&c, s, 3);
	ck_assert(!c.straight);
	ck_assert_int_eq(clock_time(&c, 500), 1000500);
	ck_assert_int_eq(clock_time(&c, 1500), 1001500);
	ck_assert_int_eq(clock_time(&c, 2000), 1002000);
	ck_assert_int_eq(clock_time(&c, 2500), 1002550);
	ck_assert_int_eq(clock_time(&c, 2999), 1003098);
	ck_assert_int_eq(clock_time(&c, 3000), 1003100);
	ck_assert_int_eq(clock_time(&c, 9000), 1009100);
}
END_TEST

START_TEST(offsets_of_a_nanosecond_are_rounding)
{
	struct clock_sync s[] = {{.ticks = 0, .realtime = 1}, {.ticks = 100, .realtime = 99}};
	struct clock c = {.rate = 1000000000};

	clock_build(&c, s, 2);
	ck_assert(c.straight);
	struct clock_sync two[] = {{.ticks = 100, .realtime = 102}};
	clock_build(&c, two, 1);
	ck_assert(!c.straight);
}
END_TEST

START_TEST(hostile_offsets_saturate)
{
	struct clock_sync s[] = {
		{.ticks = 0, .realtime = INT64_MIN},
		{.ticks = UINT64_MAX, .realtime = INT64_MAX},
		{.ticks = UINT64_MAX, .realtime = 5},
		{.ticks = 1, .realtime = INT64_MAX},
	};
	struct clock c = {.rate = 1, .base_ticks = 7, .base_real = INT64_MIN};

	clock_build(&c, s, 4);
	ck_assert_uint_eq(c.nsyncs, 3);
	for (unsigned i = 0; i < 64; i++) {
		clock_time(&c, UINT64_C(1) << i);
		clock_time(&c, UINT64_MAX >> i);
	}
}
END_TEST

START_TEST(back_to_ticks)
{
	struct clock c = clock_of_rate(3000000000, 300, 1000);

	for (int64_t ns = 905; ns < 1200; ns++) {
		uint64_t t = clock_ticks(&c, ns);

		ck_assert_int_ge(clock_time(&c, t), ns);
		ck_assert_int_lt(clock_time(&c, t - 1), ns);
	}
	ck_assert_uint_eq(clock_ticks(&c, INT64_MIN), 0);
	ck_assert_uint_eq(clock_ticks(&c, INT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(rate_from_syncs)
{
	struct clock_sync s[] = {
		{.ticks = 500, .monotonic = 100},
		{.ticks = 3000000500, .monotonic = 1000000100},
		{.ticks = 600, .monotonic = 7},
	};

	ck_assert_uint_eq(clock_derive_rate(s, 2), 3000000000);
	ck_assert_uint_eq(clock_derive_rate(s, 3), 3000000000);
	ck_assert_uint_eq(clock_derive_rate(s, 1), 0);
	ck_assert_uint_eq(clock_derive_rate(s, 0), 0);
	s[1].monotonic = 100; /* no time passed */
	ck_assert_uint_eq(clock_derive_rate(s, 2), 0);
	s[1].monotonic = 99; /* it went back */
	ck_assert_uint_eq(clock_derive_rate(s, 2), 0);
	s[1] = (struct clock_sync){.ticks = UINT64_MAX, .monotonic = 101};
	ck_assert_uint_eq(clock_derive_rate(s, 2), 0);
}
END_TEST

/* A sync: a machine's clocks, read at one moment. */
enum { SECOND = 1000000000 };

static struct clock_sync sync_at(double ticks_s, double realtime_s, double monotonic_s)
{
	return (struct clock_sync){.ticks = (uint64_t)(ticks_s * SECOND),
		.realtime = (int64_t)(realtime_s * SECOND),
		.monotonic = (uint64_t)(monotonic_s * SECOND)};
}

static struct clock clock_of_syncs(struct clock_sync *s, size_t n)
{
	struct clock c = {.rate = SECOND, .base_ticks = s[0].ticks, .base_real = s[0].realtime};

	clock_build(&c, s, n);
	return c;
}

static struct clock_finding only_finding(const struct clock *c)
{
	struct clock_finding f[2] = {0};

	ck_assert_uint_eq(clock_findings(c, f, 2), 1);
	return f[0];
}

static void ck_finding(struct clock_finding f, enum clock_finding_kind kind, int64_t ns)
{
	ck_assert_int_eq(f.kind, kind);
	ck_assert_int_eq(f.ns, ns);
}

START_TEST(nothing_happened)
{
	/* 100 ppm fast, and the two clocks are read up to 9 us apart. */
	struct clock_sync s[] = {
		sync_at(0, 100, 50), sync_at(10, 110.001, 60.001), sync_at(20, 120.002, 70.002)};

	s[1].monotonic += 9000;
	struct clock c = clock_of_syncs(s, 3);
	ck_assert_uint_eq(clock_findings(&c, NULL, 0), 0);
	ck_assert(clock_is_monotone(&c));
	struct clock_drift d;
	ck_assert(clock_drift(&c, &d));
	ck_assert_double_eq_tol(d.low_ppm, 100, 1e-6);
	ck_assert_double_eq_tol(d.high_ppm, 100, 1e-6);
	ck_assert_double_eq_tol(d.error_ppm, 2 * 9e-6 / 10 * 1e6, 1e-6);
}
END_TEST

START_TEST(set_forward)
{
	/* Or suspended, with stopped ticks: the syncs cannot tell. */
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(10, 115, 60)};
	struct clock c = clock_of_syncs(s, 2);
	struct clock_finding f = only_finding(&c);

	ck_finding(f, CLOCK_STEP_OR_SUSPEND, INT64_C(5) * SECOND);
	ck_assert_uint_eq(f.from, 0);
	ck_assert_uint_eq(f.to, UINT64_C(10) * SECOND);
	ck_assert_int_eq(f.from_ns, INT64_C(100) * SECOND);
	ck_assert_int_eq(f.to_ns, INT64_C(115) * SECOND);
	ck_assert(clock_is_monotone(&c));
	/* The step is at the earlier sync; nothing of it is smeared over the 10 s. */
	ck_assert_int_eq(clock_time(&c, 0), INT64_C(100) * SECOND);
	ck_assert_int_eq(clock_time(&c, 1), INT64_C(105) * SECOND + 1);
	ck_assert_int_eq(clock_time(&c, UINT64_C(5) * SECOND), INT64_C(110) * SECOND);
	ck_assert_int_eq(clock_time(&c, UINT64_C(10) * SECOND), INT64_C(115) * SECOND);
	ck_assert_int_eq(clock_time(&c, UINT64_C(11) * SECOND), INT64_C(116) * SECOND);
	/* 5 s of time are no tick's. */
	ck_assert_uint_eq(clock_ticks(&c, INT64_C(103) * SECOND), 1);
	uint64_t first, last;
	ck_assert(!clock_range(&c, INT64_C(101) * SECOND, INT64_C(104) * SECOND, &first, &last));
}
END_TEST

START_TEST(set_back)
{
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(10, 107, 60)};
	struct clock c = clock_of_syncs(s, 2);

	ck_finding(only_finding(&c), CLOCK_STEP, INT64_C(-3) * SECOND);
	ck_assert(!clock_is_monotone(&c));
	ck_assert_int_eq(clock_time(&c, 0), INT64_C(100) * SECOND);
	ck_assert_int_eq(clock_time(&c, 1), INT64_C(97) * SECOND + 1);
	ck_assert_int_eq(clock_time(&c, UINT64_C(10) * SECOND), INT64_C(107) * SECOND);
}
END_TEST

START_TEST(ranges_of_time_that_came_twice)
{
	/* 97 s to 100 s: before the sync at tick 10 s, and after it. */
	struct clock_sync s[] = {sync_at(0, 90, 50), sync_at(10, 100, 60), sync_at(20, 107, 70)};
	struct clock c = clock_of_syncs(s, 3);
	uint64_t first, last;

	ck_assert_uint_eq(clock_ticks(&c, INT64_C(98) * SECOND), UINT64_C(8) * SECOND);
	ck_assert_uint_eq(clock_ticks(&c, INT64_C(101) * SECOND), UINT64_C(14) * SECOND);
	ck_assert(clock_range(&c, INT64_C(98) * SECOND, INT64_C(99) * SECOND, &first, &last));
	ck_assert_uint_eq(first, UINT64_C(8) * SECOND);
	ck_assert_uint_eq(last, UINT64_C(12) * SECOND);
	ck_assert(clock_range(&c, INT64_MIN, INT64_C(90) * SECOND, &first, &last));
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(last, 0);
	ck_assert(!clock_range(&c, INT64_MIN, INT64_C(90) * SECOND - 1, &first, &last));
	ck_assert(clock_range(&c, INT64_C(106) * SECOND, INT64_MAX, &first, &last));
	ck_assert_uint_eq(first, UINT64_C(19) * SECOND);
	ck_assert_uint_eq(last, UINT64_MAX);
	ck_assert(!clock_range(&c, 5, 4, &first, &last));
}
END_TEST

START_TEST(suspended_while_the_ticks_went_on)
{
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(3610, 3710, 60)};
	struct clock c = clock_of_syncs(s, 2);

	ck_finding(only_finding(&c), CLOCK_SUSPEND, INT64_C(3600) * SECOND);
	ck_assert(c.straight);
	ck_assert_int_eq(clock_time(&c, UINT64_C(1800) * SECOND), INT64_C(1900) * SECOND);
}
END_TEST

START_TEST(suspended_and_then_set)
{
	/* An hour's sleep, then 60 s forward: the ticks show the hour. */
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(3610, 3770, 60)};
	struct clock c = clock_of_syncs(s, 2);
	struct clock_finding f[2];

	ck_assert_uint_eq(clock_findings(&c, f, 2), 2);
	ck_finding(f[0], CLOCK_SUSPEND, INT64_C(3600) * SECOND);
	ck_finding(f[1], CLOCK_STEP, INT64_C(60) * SECOND);
	ck_assert_int_eq(clock_time(&c, 1), INT64_C(160) * SECOND + 1);
}
END_TEST

START_TEST(a_jump_that_slewing_could_hide)
{
	/*
	 * 100 s in 1,000,000 s, in which slewing may make 500 s. Ticks that went on for
	 * 1,000,060 s are nearer to CLOCK_REALTIME's way, so times follow them without a jump;
	 * ticks that went on for 1,000,040 s are nearer to CLOCK_MONOTONIC's.
	 */
	struct clock_sync s[] = {sync_at(0, 0, 0), sync_at(1000060, 1000100, 1000000)};
	struct clock c = clock_of_syncs(s, 2);

	ck_finding(only_finding(&c), CLOCK_STEP_OR_SUSPEND, INT64_C(100) * SECOND);
	ck_assert_int_eq(s[0].after, 0);
	struct clock_sync t[] = {sync_at(0, 0, 0), sync_at(1000040, 1000100, 1000000)};
	c = clock_of_syncs(t, 2);
	ck_finding(only_finding(&c), CLOCK_STEP_OR_SUSPEND, INT64_C(100) * SECOND);
	ck_assert_int_eq(t[0].after, INT64_C(100) * SECOND);
	/* Back is no suspend. */
	struct clock_sync u[] = {sync_at(0, 1000, 0), sync_at(1000000, 1000900, 1000000)};
	c = clock_of_syncs(u, 2);
	ck_finding(only_finding(&c), CLOCK_STEP, INT64_C(-100) * SECOND);
}
END_TEST

START_TEST(fast_slewing_is_no_step)
{
	/* chrony may slew by a twelfth; both clocks go with it. */
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(12, 113, 63), sync_at(24, 125, 75)};
	struct clock c = clock_of_syncs(s, 3);

	ck_finding(only_finding(&c), CLOCK_DRIFT, SECOND);
	ck_assert_int_eq(clock_time(&c, UINT64_C(6) * SECOND), INT64_C(106500000000));
	ck_assert(clock_is_monotone(&c));
}
END_TEST

START_TEST(steps_of_some_microseconds_are_noise)
{
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(10, 110, 60)};

	s[1].realtime += 10000;
	struct clock c = clock_of_syncs(s, 2);
	ck_assert_uint_eq(clock_findings(&c, NULL, 0), 0);
	s[1].realtime++;
	c = clock_of_syncs(s, 2);
	ck_finding(only_finding(&c), CLOCK_STEP_OR_SUSPEND, 10001);
}
END_TEST

START_TEST(no_word_of_the_monotonic_clock)
{
	/* All 0: the ticks alone say whether CLOCK_REALTIME jumped. */
	struct clock_sync s[] = {sync_at(0, 100, 0), sync_at(10, 110.004, 0)};
	struct clock c = clock_of_syncs(s, 2);

	ck_assert_uint_eq(clock_findings(&c, NULL, 0), 0);
	struct clock_sync t[] = {sync_at(0, 100, 0), sync_at(10, 110.006, 0)};
	c = clock_of_syncs(t, 2);
	ck_finding(only_finding(&c), CLOCK_STEP_OR_SUSPEND, 6000000);
	struct clock_sync u[] = {sync_at(0, 100, 0), sync_at(10, 90, 0)};
	c = clock_of_syncs(u, 2);
	ck_finding(only_finding(&c), CLOCK_STEP, INT64_C(-20) * SECOND);
}
END_TEST

START_TEST(ticks_that_restarted)
{
	/* Ticks 10 s and 12 s, then a suspend that cleared them, then 1 s and 2 s. */
	struct clock_sync s[] = {sync_at(10, 100, 50), sync_at(12, 102, 52), sync_at(1, 110, 53),
		sync_at(2, 111, 54)};
	struct clock c = clock_of_syncs(s, 4);
	struct clock_finding f = only_finding(&c);

	ck_finding(f, CLOCK_RESTART, INT64_C(-11) * SECOND);
	ck_assert_uint_eq(f.from, UINT64_C(2) * SECOND);
	ck_assert_uint_eq(f.to, UINT64_C(10) * SECOND);
	ck_assert(!clock_is_monotone(&c));
	ck_assert_int_eq(clock_time(&c, UINT64_C(11) * SECOND), INT64_C(101) * SECOND);
	ck_assert_int_eq(clock_time(&c, 1500000000), INT64_C(110500000000));
	ck_assert_double_nan(clock_error(&c, 0, UINT64_C(12) * SECOND));
	ck_assert_double_eq_tol(
		clock_error(&c, UINT64_C(10) * SECOND + 1, UINT64_C(12) * SECOND), 1000, 1);
}
END_TEST

/*
 * A restored snapshot, ticks and clocks at 12 s going back to 10 s: stamps stand still until the
 * ticks are where they were. Then the host's time is set, and the ticks go on from there.
 */
START_TEST(ticks_that_stood_still_after_a_snapshot)
{
	struct clock_sync s[] = {sync_at(10, 100, 50), sync_at(12, 102, 52),
		sync_at(10.5, 160, 50.5), sync_at(11, 160.5, 51), sync_at(13, 162.5, 53),
		sync_at(14, 163.5, 54)};
	struct clock c = clock_of_syncs(s, 6);

	ck_assert_uint_ge(clock_findings(&c, NULL, 0), 1);
	/* The stop at 12 s, and the stamps after it. */
	ck_assert_double_ge(clock_error(&c, 11500000000, 12000000000), 59.5e9);
	ck_assert_int_eq(clock_time(&c, 13500000000), INT64_C(163000000000));
	ck_assert_double_eq_tol(clock_error(&c, 13000000001, 13500000000), 1000, 1);
}
END_TEST

START_TEST(contradictory_syncs_are_reported)
{
	/* CLOCK_MONOTONIC went back: it never does. */
	struct clock_sync s[] = {sync_at(0, 100, 50), sync_at(10, 110, 40)};
	struct clock c = clock_of_syncs(s, 2);

	ck_finding(only_finding(&c), CLOCK_CONTRADICTION, INT64_C(-20) * SECOND);
	ck_assert(c.straight);
	ck_assert_double_nan(clock_error(&c, 1, 2));
	/* It went ahead of the others. */
	struct clock_sync t[] = {sync_at(0, 100, 50), sync_at(10, 110, 100)};
	c = clock_of_syncs(t, 2);
	ck_finding(only_finding(&c), CLOCK_CONTRADICTION, INT64_C(-40) * SECOND);
	ck_assert(c.straight);
	/* All three differ, and no suspend explains it. */
	struct clock_sync u[] = {sync_at(0, 100, 50), sync_at(10, 140, 70)};
	c = clock_of_syncs(u, 2);
	ck_finding(only_finding(&c), CLOCK_CONTRADICTION, INT64_C(30) * SECOND);
	ck_assert_int_eq(clock_time(&c, UINT64_C(5) * SECOND), INT64_C(135) * SECOND);
}
END_TEST

START_TEST(order_and_repetition_do_not_matter)
{
	struct clock_sync s[] = {sync_at(20, 127, 70), sync_at(0, 100, 50), sync_at(20, 127, 70),
		sync_at(10, 110, 60), sync_at(0, 100, 50), sync_at(10, 110, 60)};
	struct clock c = clock_of_syncs(s, 6);

	ck_assert_uint_eq(c.nsyncs, 3);
	ck_finding(only_finding(&c), CLOCK_STEP_OR_SUSPEND, INT64_C(7) * SECOND);
	/* Two that contradict each other at one tick: the same one stays, whatever the order. */
	struct clock_sync a[] = {sync_at(0, 100, 50), sync_at(0, 101, 50)};
	struct clock_sync b[] = {sync_at(0, 101, 50), sync_at(0, 100, 50)};
	c = clock_of_syncs(a, 2);
	struct clock d = clock_of_syncs(b, 2);
	ck_finding(only_finding(&c), CLOCK_CONTRADICTION, SECOND);
	ck_finding(only_finding(&d), CLOCK_CONTRADICTION, SECOND);
	ck_assert_int_eq(c.sync[0].realtime, d.sync[0].realtime);
	/* A dispute that reading explains is none. */
	struct clock_sync e[] = {sync_at(0, 100, 50), sync_at(0, 100.000009, 50.000009)};
	c = clock_of_syncs(e, 2);
	ck_assert_uint_eq(clock_findings(&c, NULL, 0), 0);
}
END_TEST

/* Pseudo-random, the same each time. */
static uint64_t draw_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> (*state >> 58);
}

START_TEST(any_syncs_keep_the_promises)
{
	enum { SYNCS = 6, ROUNDS = 2000 };
	uint64_t state = 1;

	for (int round = 0; round < ROUNDS; round++) {
		struct clock_sync s[SYNCS];

		for (int i = 0; i < SYNCS; i++)
			s[i] = (struct clock_sync){.ticks = draw_random(&state),
				.realtime = (int64_t)draw_random(&state),
				.monotonic = draw_random(&state)};
		struct clock c = {.rate = draw_random(&state) % CLOCK_MAX_RATE + 1,
			.base_ticks = s[0].ticks,
			.base_real = s[0].realtime};
		clock_build(&c, s, SYNCS);
		for (size_t i = 0; i + 1 < c.nsyncs; i++) {
			uint64_t t = c.sync[i].ticks;

			ck_assert_int_eq(clock_time(&c, t), c.sync[i].realtime);
			/* It goes back right after a sync or not at all. */
			uint64_t run = c.sync[i + 1].ticks - t;
			int64_t before = clock_time(&c, t + 1);
			ck_assert(before >= c.sync[i].realtime || !clock_is_monotone(&c));
			for (uint64_t k = 1; k <= 16; k++) {
				int64_t now = clock_time(
					&c, t + (uint64_t)((unsigned __int128)run * k / 16));

				if (run >= 16)
					ck_assert_int_ge(now, before);
				before = run >= 16 ? now : before;
			}
		}
		uint64_t first, last, tick = draw_random(&state);
		int64_t ns = clock_time(&c, tick);
		ck_assert(clock_range(&c, ns, ns, &first, &last));
		ck_assert_uint_le(first, tick);
		ck_assert_uint_ge(last, tick);
		ck_assert_uint_eq(clock_ticks(&c, ns), first);
		clock_error(&c, first, last);
		ck_assert_uint_le(clock_findings(&c, NULL, 0), 3 * SYNCS);
	}
}
END_TEST

START_TEST(time_never_goes_back_by_rounding)
{
	/* Three ticks a nanosecond, and a clock that loses 400 ppm on them. */
	struct clock_sync s[] = {{.ticks = 0, .monotonic = 1},
		{.ticks = 300000, .realtime = 99960, .monotonic = 99961}};
	struct clock c = {.rate = 3000000000};

	clock_build(&c, s, 2);
	ck_assert(clock_is_monotone(&c));
	for (uint64_t t = 0; t < 300100; t++)
		ck_assert_int_le(clock_time(&c, t), clock_time(&c, t + 1));
}
END_TEST

START_TEST(errors_by_the_formula)
{
	/* 10 s, 10 s and 40 s; drifts of 10, 12 and 10 ppm. */
	struct clock_sync s[] = {sync_at(0, 0, 0), sync_at(10, 10.0001, 10.0001),
		sync_at(20, 20.00022, 20.00022), sync_at(60, 60.00062, 60.00062)};
	struct clock c = clock_of_syncs(s, 4);

	/* Band: 2 ppm and twice the 2 us of 10 s (0.2 ppm): 2.4 ppm, a quarter of it, 10 s. */
	ck_assert_double_eq_tol(clock_error(&c, 1, UINT64_C(9) * SECOND), 1000 + 6000, 1);
	ck_assert_double_eq_tol(clock_error(&c, 1, UINT64_C(60) * SECOND), 1000 + 24000, 1);
	/* 5 s after the last: at up to 12.2 ppm. */
	ck_assert_double_eq_tol(
		clock_error(&c, UINT64_C(60) * SECOND + 1, UINT64_C(65) * SECOND), 1000 + 61000, 1);
	/* At a sync: the error of reading it. */
	ck_assert_double_eq_tol(clock_error(&c, 0, 0), 1000, 1e-9);
	/* Two syncs show no band: its gain between them. */
	c = clock_of_syncs(s, 2);
	ck_assert_double_eq_tol(clock_error(&c, 1, 2), 1000 + 100000, 1);
	/* One sync says nothing of any other tick. */
	c = clock_of_syncs(s, 1);
	ck_assert_double_eq_tol(clock_error(&c, 0, 0), 1000, 1e-9);
	ck_assert_double_nan(clock_error(&c, 0, 1));
	c.nsyncs = 0;
	ck_assert_double_nan(clock_error(&c, 0, 0));
	/* A step of 5 s somewhere in the stretch. */
	struct clock_sync t[] = {sync_at(0, 100, 50), sync_at(10, 115, 60)};
	c = clock_of_syncs(t, 2);
	ck_assert_double_eq_tol(clock_error(&c, 1, 2), 1000 + 5e9, 1);
}
END_TEST

START_TEST(rates_are_not_derived_from_sleep)
{
	/* 2 GHz; half an hour's sleep between the second and the third. */
	struct clock_sync s[] = {{.ticks = 0, .realtime = 0, .monotonic = 1000},
		{.ticks = UINT64_C(20000000000),
			.realtime = INT64_C(10000000000),
			.monotonic = UINT64_C(10000001000)},
		{.ticks = UINT64_C(3640000000000),
			.realtime = INT64_C(1820000000000),
			.monotonic = UINT64_C(20000001000)}};

	ck_assert_uint_eq(clock_derive_rate(s, 3), 2000000000);
}
END_TEST

/* Spread over all sizes. */
static uint64_t any_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	uint64_t v = *state ^ *state >> 29;
	return v >> (*state >> 58);
}

START_TEST(a_cursor_gives_the_same_times)
{
	uint64_t dice = 7;

	for (unsigned n = 0; n < 400; n++) {
		struct clock_sync syncs[5] = {0};
		struct clock c = {.rate = 1 + any_number(&dice) % CLOCK_MAX_RATE,
			.base_ticks = any_number(&dice),
			.base_real = (int64_t)any_number(&dice)};
		struct clock_cursor cursor;

		if (n % 2)
			c.rate = 1000000000 + any_number(&dice) % 3000000000;
		for (unsigned i = 0; i < 5; i++)
			syncs[i] = (struct clock_sync){.ticks = any_number(&dice),
				.realtime = (int64_t)any_number(&dice),
				.monotonic = any_number(&dice)};
		clock_build(&c, syncs, n % 6);
		clock_cursor_init(&cursor, &c);
		for (unsigned i = 0; i < 300; i++) {
			uint64_t ticks = any_number(&dice);

			if (i % 3 == 0 && c.nsyncs)
				ticks = syncs[i % c.nsyncs].ticks + any_number(&dice) % 5 - 2;
			for (unsigned k = 0; k < 6; k++) {
				ck_assert_int_eq(
					clock_cursor_time(&cursor, ticks), clock_time(&c, ticks));
				ticks += any_number(&dice) >> (k < 3 ? 44 : 24);
			}
		}
	}
}
END_TEST

SUITE_MAIN("clock", a_cursor_gives_the_same_times, one_to_one, rounds_down_on_both_sides,
	no_overflow, offsets_are_interpolated, offsets_of_a_nanosecond_are_rounding,
	hostile_offsets_saturate, back_to_ticks, rate_from_syncs, rates_are_not_derived_from_sleep,
	nothing_happened, set_forward, set_back, ranges_of_time_that_came_twice,
	suspended_while_the_ticks_went_on, suspended_and_then_set, a_jump_that_slewing_could_hide,
	fast_slewing_is_no_step, steps_of_some_microseconds_are_noise,
	no_word_of_the_monotonic_clock, ticks_that_restarted,
	ticks_that_stood_still_after_a_snapshot, contradictory_syncs_are_reported,
	order_and_repetition_do_not_matter, any_syncs_keep_the_promises,
	time_never_goes_back_by_rounding, errors_by_the_formula)
