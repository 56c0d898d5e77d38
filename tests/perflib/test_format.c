/*
 * Formatted values, of pairs that were computed by hand.
 */
#include "suites.h"

#include <math.h>

#define DAY_100NS INT64_C(864000000000)

/* value, base, ticks, 100 ns, ticks per second */
static const struct formula_case {
	ULONG type;
	PERF_SAMPLE first, second;
	double value;
} cases[] = {
	/* Counts as they are: the first sample is nothing to them. */
	{PERF_COUNTER_RAWCOUNT, {9, 0, 0, 0, 0}, {7, 0, 0, 0, 0}, 7},
	{PERF_COUNTER_RAWCOUNT, {0, 0, 0, 0, 0}, {0x100000007, 0, 0, 0, 0}, 7},
	{PERF_COUNTER_RAWCOUNT_HEX, {0, 0, 0, 0, 0}, {UINT32_MAX, 0, 0, 0, 0}, 4294967295.0},
	{PERF_COUNTER_LARGE_RAWCOUNT, {0, 0, 0, 0, 0}, {0x100000007, 0, 0, 0, 0}, 4294967303.0},
	{PERF_COUNTER_LARGE_RAWCOUNT_HEX, {0, 0, 0, 0, 0}, {UINT64_MAX, 0, 0, 0, 0},
		18446744073709551615.0},
	/* Differences. */
	{PERF_COUNTER_DELTA, {40, 0, 0, 0, 0}, {100, 0, 0, 0, 0}, 60},
	{PERF_COUNTER_DELTA, {0xfffffff0, 0, 0, 0, 0}, {0x10, 0, 0, 0, 0}, 32}, /* wrapped */
	{PERF_COUNTER_DELTA, {5, 0, 0, 0, 0}, {5, 0, 0, 0, 0}, 0},
	{PERF_COUNTER_LARGE_DELTA, {UINT64_MAX - 3, 0, 0, 0, 0}, {UINT64_MAX, 0, 0, 0, 0}, 3},
	/* Rates: 500 in two and a half seconds of 1000 ticks. */
	{PERF_COUNTER_COUNTER, {1000, 0, 100, 0, 1000}, {1500, 0, 2600, 0, 1000}, 200},
	{PERF_COUNTER_COUNTER, {0xfffffffe, 0, 0, 0, 10}, {2, 0, 20, 0, 10}, 2}, /* wrapped */
	{PERF_COUNTER_COUNTER, {0xfffffffe, 0, -20, 0, 10}, {2, 0, 0, 0, 10}, 2},
	{PERF_SAMPLE_COUNTER, {10, 0, 0, 0, 100}, {40, 0, 300, 0, 100}, 10},
	{PERF_SAMPLE_COUNTER, {UINT32_MAX, 0, 0, 0, 100}, {29, 0, 300, 0, 100}, 10},
	{PERF_COUNTER_BULK_COUNT, {UINT64_C(1) << 40, 0, 0, 0, 2500000000},
		{(UINT64_C(1) << 40) + 5000, 0, 1250000000, 0, 2500000000}, 10000},
	{PERF_COUNTER_BULK_COUNT, {7, 0, 0, 0, 1}, {7, 0, 1, 0, 1}, 0},
	/* Shares of time, by ticks. */
	{PERF_COUNTER_TIMER, {1000, 0, 0, 0, 0}, {1300, 0, 1200, 0, 0}, 25},
	{PERF_COUNTER_TIMER, {0, 0, 0, 0, 0}, {4000, 0, 1000, 0, 0}, 400}, /* of four at once */
	{PERF_COUNTER_TIMER_INV, {1000, 0, 0, 0, 0}, {1300, 0, 1200, 0, 0}, 75},
	/* Shares of time, by 100 ns: 0.75 s of a second. */
	{PERF_100NSEC_TIMER, {DAY_100NS, 0, 0, 5 * DAY_100NS, 0},
		{DAY_100NS + 7500000, 0, 0, 5 * DAY_100NS + 10000000, 0}, 75},
	{PERF_100NSEC_TIMER_INV, {DAY_100NS, 0, 0, 5 * DAY_100NS, 0},
		{DAY_100NS + 7500000, 0, 0, 5 * DAY_100NS + 10000000, 0}, 25},
	/* Within rounding: 100.4 and -0.4 per cent. */
	{PERF_100NSEC_TIMER, {0, 0, 0, 0, 0}, {1004, 0, 0, 1000, 0}, 100},
	{PERF_100NSEC_TIMER_INV, {0, 0, 0, 0, 0}, {1004, 0, 0, 1000, 0}, 0},
	{PERF_100NSEC_TIMER_INV, {0, 0, 0, 0, 0}, {0, 0, 0, 1000, 0}, 100},
	{PERF_COUNTER_TIMER, {0, 0, 0, 0, 0}, {1009, 0, 1000, 0, 0}, 100},
	{PERF_COUNTER_TIMER_INV, {0, 0, 0, 0, 0}, {1009, 0, 1000, 0, 0}, 0},
	/* Beyond rounding. */
	{PERF_100NSEC_TIMER, {0, 0, 0, 0, 0}, {1500, 0, 0, 1000, 0}, 150},
	{PERF_100NSEC_TIMER_INV, {0, 0, 0, 0, 0}, {1500, 0, 0, 1000, 0}, -50},
	{PERF_100NSEC_TIMER, {0, 0, 0, 0, 0}, {1010, 0, 0, 1000, 0}, 101},
	/* The clock is an object's, which stands in for the time stamp. */
	{PERF_OBJ_TIME_TIMER, {1000, 0, 500, 0, 0}, {1300, 0, 1700, 0, 0}, 25},
	/* Three components of 1200 ticks or 100 ns each: busy 600, 1200 and 900, 2700 of 3600. */
	{PERF_COUNTER_MULTI_TIMER, {50, 3, 100, 0, 0}, {2750, 3, 1300, 0, 0}, 75},
	{PERF_COUNTER_MULTI_TIMER, {0, 0, 0, 0, 0}, {400, 2, 100, 0, 0}, 200}, /* B1 counts */
	{PERF_100NSEC_MULTI_TIMER, {50, 3, 0, 100, 0}, {2750, 3, 0, 1300, 0}, 75},
	{PERF_100NSEC_MULTI_TIMER, {0, 2, 0, 0, 0}, {2004, 2, 0, 1000, 0}, 100}, /* 100.2 */
	/* Inactive for 900 of 1200: 3 - 0.75 of a component. */
	{PERF_COUNTER_MULTI_TIMER_INV, {50, 3, 100, 0, 0}, {950, 3, 1300, 0, 0}, 225},
	{PERF_100NSEC_MULTI_TIMER_INV, {50, 3, 0, 100, 0}, {950, 3, 0, 1300, 0}, 225},
	{PERF_100NSEC_MULTI_TIMER_INV, {0, 1, 0, 0, 0}, {1004, 1, 0, 1000, 0}, 0}, /* -0.4 */
	{PERF_COUNTER_MULTI_TIMER_INV, {0, 1, 0, 0, 0}, {1500, 1, 1000, 0, 0}, -50},
	/* Queues: a length of 3 for 200 and of 1 for 800, 1400 in 1000. */
	{PERF_COUNTER_QUEUELEN_TYPE, {10, 0, 100, 0, 0}, {1410, 0, 1100, 0, 0}, 1.4},
	{PERF_COUNTER_QUEUELEN_TYPE, {0xffffff00, 0, 0, 0, 0}, {0x100, 0, 256, 0, 0}, 2},
	{PERF_COUNTER_LARGE_QUEUELEN_TYPE, {UINT64_C(1) << 40, 0, 100, 0, 0},
		{(UINT64_C(1) << 40) + 1400, 0, 1100, 0, 0}, 1.4},
	{PERF_COUNTER_100NS_QUEUELEN_TYPE, {10, 0, 0, 100, 0}, {1410, 0, 0, 1100, 0}, 1.4},
	{PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, {10, 0, 100, 0, 0}, {1410, 0, 1100, 0, 0}, 1.4},
	/* Timers with a time stamp of their own. */
	{PERF_PRECISION_SYSTEM_TIMER, {10, 1000, 0, 0, 0}, {60, 1200, 0, 0, 0}, 25},
	{PERF_PRECISION_100NS_TIMER, {0, UINT64_C(1) << 40, 0, 0, 0},
		{2500000, (UINT64_C(1) << 40) + 10000000, 0, 0, 0}, 25},
	{PERF_PRECISION_100NS_TIMER, {0, 0, 0, 0, 0}, {10050, 10000, 0, 0, 0}, 100},
	{PERF_PRECISION_OBJECT_TIMER, {0, 0, 0, 0, 0}, {9, 10, 0, 0, 0}, 90},
	/* Fractions. */
	{PERF_RAW_FRACTION, {0, 0, 0, 0, 0}, {3, 4, 0, 0, 0}, 75},
	{PERF_RAW_FRACTION, {0, 0, 0, 0, 0}, {9, 4, 0, 0, 0}, 225},
	{PERF_LARGE_RAW_FRACTION, {0, 0, 0, 0, 0}, {UINT64_C(1) << 40, UINT64_C(1) << 42, 0, 0, 0},
		25},
	{PERF_SAMPLE_FRACTION, {10, 100, 0, 0, 0}, {40, 160, 0, 0, 0}, 50},
	{PERF_SAMPLE_FRACTION, {UINT32_MAX, UINT32_MAX - 1, 0, 0, 0}, {29, 58, 0, 0, 0}, 50},
	/* Averages: 6000 ticks of 1000 a second in 3 operations. */
	{PERF_AVERAGE_TIMER, {1000, 7, 0, 0, 1000}, {7000, 10, 0, 0, 1000}, 2},
	{PERF_AVERAGE_TIMER, {UINT32_MAX - 999, UINT32_MAX, 0, 0, 1000}, {5000, 2, 0, 0, 1000}, 2},
	{PERF_AVERAGE_BULK, {100, 7, 0, 0, 0}, {1000, 10, 0, 0, 0}, 300},
	{PERF_AVERAGE_BULK, {100, UINT32_MAX, 0, 0, 0}, {1000, 2, 0, 0, 0}, 300},
	{PERF_AVERAGE_BULK, {100, UINT32_MAX, 0, 0, 0}, {1000, UINT64_C(0x100000002), 0, 0, 0},
		300}, /* a base of 64 bits */
	{PERF_AVERAGE_BULK, {100, 7, 0, 0, 0}, {100, 10, 0, 0, 0}, 0},
	/* Since a moment: of 2500 ticks, 100 a second, begun at 500. */
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {500, 0, 2500, 0, 100}, 20},
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {2500, 0, 2500, 0, 100}, 0},
};

START_TEST(each_type_has_its_formula)
{
	const struct formula_case *c = &cases[_i];
	double value = -12345;

	ck_assert_uint_eq(
		PerfFormatCounterValue(c->type, &c->first, &c->second, &value), ERROR_SUCCESS);
	ck_assert_double_le(fabs(value - c->value), fabs(c->value) * 1e-12);
}
END_TEST

static const struct {
	ULONG type;
	PERF_SAMPLE first, second;
	ULONG status;
} refusals[] = {
	/* Resets of 64-bit counters. */
	{PERF_COUNTER_LARGE_DELTA, {5, 0, 0, 0, 0}, {4, 0, 0, 0, 0}, ERROR_INVALID_DATA},
	{PERF_COUNTER_BULK_COUNT, {5, 0, 0, 0, 1}, {4, 0, 1, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_TIMER, {5, 0, 0, 0, 1}, {4, 0, 1, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_TIMER_INV, {5, 0, 0, 0, 1}, {4, 0, 1, 0, 1}, ERROR_INVALID_DATA},
	{PERF_100NSEC_TIMER, {5, 0, 0, 0, 1}, {4, 0, 0, 1, 1}, ERROR_INVALID_DATA},
	{PERF_100NSEC_TIMER_INV, {5, 0, 0, 0, 1}, {4, 0, 0, 1, 1}, ERROR_INVALID_DATA},
	{PERF_PRECISION_100NS_TIMER, {5, 1, 0, 0, 1}, {4, 2, 0, 0, 1}, ERROR_INVALID_DATA},
	{PERF_AVERAGE_BULK, {5, 1, 0, 0, 1}, {4, 2, 0, 0, 1}, ERROR_INVALID_DATA},
	/* Resets of bases. */
	{PERF_PRECISION_SYSTEM_TIMER, {1, 5, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_INVALID_DATA},
	{PERF_PRECISION_100NS_TIMER, {1, 5, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_INVALID_DATA},
	{PERF_PRECISION_OBJECT_TIMER, {1, 5, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_INVALID_DATA},
	{PERF_AVERAGE_BULK, {1, UINT64_C(1) << 33, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_INVALID_DATA},
	/* Times that go back. */
	{PERF_COUNTER_COUNTER, {1, 0, 5, 0, 1}, {2, 0, 4, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_TIMER, {1, 0, 5, 0, 1}, {2, 0, 4, 0, 1}, ERROR_INVALID_DATA},
	{PERF_100NSEC_TIMER, {1, 0, 0, 5, 1}, {2, 0, 9, 4, 1}, ERROR_INVALID_DATA},
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {5, 0, 4, 0, 1}, ERROR_INVALID_DATA},
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {UINT64_MAX, 0, -1, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_COUNTER, {1, 0, INT64_MAX, 0, 1}, {2, 0, INT64_MIN, 0, 1},
		ERROR_INVALID_DATA},
	/* Clocks that are none. */
	{PERF_COUNTER_COUNTER, {1, 0, 0, 0, 0}, {2, 0, 4, 0, 0}, ERROR_INVALID_DATA},
	{PERF_COUNTER_BULK_COUNT, {1, 0, 0, 0, 1}, {2, 0, 4, 0, -1}, ERROR_INVALID_DATA},
	{PERF_AVERAGE_TIMER, {1, 0, 0, 0, 1}, {2, 4, 0, 0, 0}, ERROR_INVALID_DATA},
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {1, 0, 4, 0, 0}, ERROR_INVALID_DATA},
	{PERF_ELAPSED_TIME, {0, 0, 0, 0, 0}, {1, 0, 4, 0, -1}, ERROR_INVALID_DATA},
	/* Unchanged counts. */
	{PERF_COUNTER_COUNTER, {1, 0, 5, 0, 1}, {2, 0, 5, 0, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_BULK_COUNT, {1, 0, 5, 0, 1}, {1, 0, 5, 0, 1}, ERROR_NOT_READY},
	{PERF_SAMPLE_COUNTER, {1, 0, 5, 0, 1}, {2, 0, 5, 0, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_TIMER_INV, {1, 0, 5, 0, 1}, {2, 0, 5, 0, 1}, ERROR_NOT_READY},
	{PERF_100NSEC_TIMER_INV, {1, 0, 5, 7, 1}, {2, 0, 6, 7, 1}, ERROR_NOT_READY},
	{PERF_PRECISION_100NS_TIMER, {1, 4, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_NOT_READY},
	{PERF_SAMPLE_FRACTION, {1, 4, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_NOT_READY},
	{PERF_AVERAGE_TIMER, {1, 4, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_NOT_READY},
	{PERF_AVERAGE_BULK, {1, 4, 0, 0, 1}, {2, 4, 0, 0, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_MULTI_TIMER, {5, 1, 0, 0, 1}, {4, 1, 1, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_MULTI_TIMER, {1, 4, 0, 0, 1}, {2, 0, 1, 0, 1}, ERROR_NOT_READY},
	{PERF_100NSEC_MULTI_TIMER_INV, {1, 4, 0, 0, 1}, {2, 0, 0, 1, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_MULTI_TIMER_INV, {1, 4, 5, 0, 1}, {2, 4, 5, 9, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_QUEUELEN_TYPE, {1, 0, 5, 0, 1}, {2, 0, 5, 9, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_100NS_QUEUELEN_TYPE, {1, 0, 5, 9, 1}, {2, 0, 6, 9, 1}, ERROR_NOT_READY},
	{PERF_COUNTER_LARGE_QUEUELEN_TYPE, {5, 0, 0, 0, 1}, {4, 0, 9, 0, 1}, ERROR_INVALID_DATA},
	{PERF_OBJ_TIME_TIMER, {1, 0, 5, 0, 1}, {2, 0, 4, 0, 1}, ERROR_INVALID_DATA},
	{PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, {1, 0, 5, 0, 1}, {2, 0, 5, 0, 1}, ERROR_NOT_READY},
	{PERF_RAW_FRACTION, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, ERROR_NOT_READY},
	{PERF_RAW_FRACTION, {0, 0, 0, 0, 0}, {1, UINT64_C(1) << 32, 0, 0, 0}, ERROR_NOT_READY},
	{PERF_LARGE_RAW_FRACTION, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, ERROR_NOT_READY},
	/* Types without a formula. */
	{PERF_AVERAGE_BASE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_SAMPLE_BASE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_RAW_BASE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_LARGE_RAW_BASE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_PRECISION_TIMESTAMP, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_COUNTER_MULTI_BASE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_COUNTER_TEXT, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_COUNTER_NODATA, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{PERF_COUNTER_HISTOGRAM_TYPE, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{1, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
	{UINT32_MAX, {1, 4, 0, 0, 1}, {2, 5, 9, 9, 1}, ERROR_NOT_SUPPORTED},
};

START_TEST(no_values)
{
	double value = -12345;

	ck_assert_uint_eq(PerfFormatCounterValue(refusals[_i].type, &refusals[_i].first,
				  &refusals[_i].second, &value),
		refusals[_i].status);
	ck_assert(value == -12345);
}
END_TEST

/* Types that take one sample take it alone; the others are not ready. */
START_TEST(one_sample)
{
	static const ULONG alone[] = {PERF_COUNTER_RAWCOUNT, PERF_COUNTER_RAWCOUNT_HEX,
		PERF_COUNTER_LARGE_RAWCOUNT, PERF_COUNTER_LARGE_RAWCOUNT_HEX, PERF_RAW_FRACTION,
		PERF_LARGE_RAW_FRACTION, PERF_ELAPSED_TIME};
	const struct formula_case *c = &cases[_i];
	bool takes_one = false;
	double value = -12345;
	ULONG status = PerfFormatCounterValue(c->type, NULL, &c->second, &value);

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		takes_one |= alone[i] == c->type;
	ck_assert_uint_eq(status, takes_one ? ERROR_SUCCESS : ERROR_NOT_READY);
	ck_assert(takes_one ? value == c->value : value == -12345);
}
END_TEST

START_TEST(nothing_to_compute_with)
{
	PERF_SAMPLE sample = {1, 1, 1, 1, 1};
	double value;

	ck_assert_uint_eq(PerfFormatCounterValue(PERF_COUNTER_RAWCOUNT, &sample, NULL, &value),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfFormatCounterValue(PERF_COUNTER_RAWCOUNT, &sample, &sample, NULL),
		ERROR_INVALID_PARAMETER);
}
END_TEST

/* Extremes give numbers, or a status. */
START_TEST(always_a_number)
{
	static const uint64_t edge[] = {
		0, 1, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	enum { EDGES = sizeof edge / sizeof *edge };
	ULONG type = cases[_i].type;

	for (unsigned n = 0; n < EDGES * EDGES * EDGES * EDGES * EDGES; n++) {
		uint64_t a = edge[n % EDGES], b = edge[n / EDGES % EDGES];
		uint64_t c = edge[n / EDGES / EDGES % EDGES];
		uint64_t d = edge[n / EDGES / EDGES / EDGES % EDGES];
		int64_t e = (int64_t)edge[n / EDGES / EDGES / EDGES / EDGES];
		PERF_SAMPLE first = {a, c, (int64_t)c, (int64_t)c, e};
		PERF_SAMPLE second = {b, d, (int64_t)d, (int64_t)d, e};
		double value = 0;

		if (PerfFormatCounterValue(type, &first, &second, &value) == ERROR_SUCCESS)
			ck_assert(isfinite(value));
	}
}
END_TEST

Suite *format_suite(void)
{
	return SUITE("formatted values", TESTS(nothing_to_compute_with),
		LOOPS({each_type_has_its_formula, 0, sizeof cases / sizeof *cases},
			{no_values, 0, sizeof refusals / sizeof *refusals},
			{one_sample, 0, sizeof cases / sizeof *cases},
			{always_a_number, 0, sizeof cases / sizeof *cases}));
}
