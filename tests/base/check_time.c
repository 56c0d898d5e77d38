/* Times as nanoseconds, there and back, and the epoch of 1601. */
#include "../../formats/base/time_ns.h"
#include "../lib/suites.h"

START_TEST(nanoseconds_there_and_back)
{
	static const uint64_t cases[] = {0, 1, 999999999, 1000000000, 1714564800250000001};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct timespec t = time_of_ns(cases[i]);

		ck_assert_int_lt(t.tv_nsec, 1000000000);
		ck_assert_uint_eq(time_ns(t), cases[i]);
	}
	ck_assert_int_eq(time_of_ns(1999999999).tv_sec, 1);
	ck_assert_int_eq(time_of_ns(1999999999).tv_nsec, 999999999);
}
END_TEST

START_TEST(the_epoch_is_that_of_the_calendar)
{
	struct tm first = {.tm_year = 1601 - 1900, .tm_mday = 1};

	ck_assert_int_eq(timegm(&first), -(TIME_1601_TO_1970_100NS / 10000000));
}
END_TEST

START_TEST(ticks_become_nanoseconds)
{
	ck_assert_uint_eq(time_ticks_to_ns(0, 1), 0);
	ck_assert_uint_eq(time_ticks_to_ns(5, 3), 1666666666);
	ck_assert_uint_eq(time_ticks_to_ns(UINT64_MAX, TIME_SECOND_NS), UINT64_MAX);
	ck_assert_uint_eq(time_ticks_to_ns(UINT64_MAX, 2000000000), UINT64_MAX / 2);
	ck_assert_uint_eq(time_ticks_to_ns(UINT64_MAX, 999999999), UINT64_MAX);
}
END_TEST

START_TEST(stamps_are_of_utc)
{
	char text[TIME_UTC_TEXT];

	ck_assert(time_utc(time_of_ns(1714564800250000001), 0, text));
	ck_assert_str_eq(text, "2024-05-01T12:00:00Z");
	ck_assert(time_utc(time_of_ns(1714564800250000001), 3, text));
	ck_assert_str_eq(text, "2024-05-01T12:00:00.250Z");
	ck_assert(time_utc((struct timespec){.tv_sec = -1, .tv_nsec = 999999999}, 9, text));
	ck_assert_str_eq(text, "1969-12-31T23:59:59.999999999Z");
	ck_assert(time_utc((struct timespec){.tv_sec = INT64_C(67767976233532799)}, 9, text));
	ck_assert_str_eq(text, "2147483647-12-31T23:59:59.000000000Z");
	ck_assert(!time_utc((struct timespec){.tv_sec = INT64_MAX}, 9, text) && !*text);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("time", .timeout = 60,
			TESTS(nanoseconds_there_and_back, the_epoch_is_that_of_the_calendar,
				ticks_become_nanoseconds, stamps_are_of_utc)),
		NULL);
}
