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

int main(void)
{
	return suites_run(
		SUITE("time", .timeout = 60,
			TESTS(nanoseconds_there_and_back, the_epoch_is_that_of_the_calendar)),
		NULL);
}
