/* Ticks to CLOCK_REALTIME and back. */
#include <stdlib.h>

#include "../../decoder/model/clock.h"
#include "run.h"

static struct clock straight(uint64_t rate, uint64_t ticks, int64_t real)
{
	struct clock c = {.rate = rate, .base_ticks = ticks, .base_real = real};
	clock_build(&c, NULL, 0);
	return c;
}

START_TEST(one_to_one)
{
	struct clock c = straight(1000000000, 1000, 5000000000);
	ck_assert_int_eq(clock_time(&c, 1000), 5000000000);
	ck_assert_int_eq(clock_time(&c, 2001), 5000001001);
	ck_assert_int_eq(clock_time(&c, 0), 4999999000);
}
END_TEST

START_TEST(rounds_down_on_both_sides)
{
	struct clock c = straight(3000000000, 300, 0);
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
	struct clock c = straight(2899999999, 0, 1700000000000000000);
	unsigned __int128 product = (unsigned __int128)UINT64_C(9000000000000000000) * 1000000000;
	ck_assert_int_eq(clock_time(&c, UINT64_C(9000000000000000000)),
		1700000000000000000 + (int64_t)(product / 2899999999));
	c = straight(1, 0, 0);
	ck_assert_int_eq(clock_time(&c, UINT64_MAX), INT64_MAX);
	c = straight(1, UINT64_MAX, 0);
	ck_assert_int_eq(clock_time(&c, 0), INT64_MIN);
	c = straight(CLOCK_MAX_RATE, 0, 0);
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
	struct clock c = straight(3000000000, 300, 1000);
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

RUN_TESTS("clock", one_to_one, rounds_down_on_both_sides, no_overflow, offsets_are_interpolated,
	offsets_of_a_nanosecond_are_rounding, hostile_offsets_saturate, back_to_ticks,
	rate_from_syncs)
