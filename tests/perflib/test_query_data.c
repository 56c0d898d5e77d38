/*
 * Samples: the blocks that come, and when none does.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

/* The first result of a sample of this one specification, and a value in it. */
static void *only(struct result *r)
{
	void *data = sample();

	ck_assert(walk_result(data, 0, r));
	return data;
}

static void expect(const struct result *r, ULONG instance, ULONG counter, int size, ULONGLONG value)
{
	ULONGLONG is = 0;

	ck_assert_int_eq(walk_value(r, instance, counter, &is), size);
	if (size > 0)
		ck_assert_uint_eq(is, value);
}

START_TEST(one_counter_of_a_single_instance)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(add(&single_guid, 1, PERF_ANY_INSTANCE_ID, NULL), ERROR_SUCCESS);
	data = only(&r);
	ck_assert_int_eq(r.header.dwType, PERF_SINGLE_COUNTER);
	ck_assert_uint_eq(r.header.dwSize, 32);
	expect(&r, 0, 0, 4, 0x23456789);
	ck_assert_uint_eq(single.wanted[0], 1);
	free(data);
}
END_TEST

START_TEST(all_counters_of_a_single_instance)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(
		add(&single_guid, PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID, ""), ERROR_SUCCESS);
	data = only(&r);
	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_COUNTERS);
	ck_assert_uint_eq(r.counters, 2); /* the third cannot be supplied */
	ck_assert_uint_eq(r.header.dwSize, 16 + 16 + 2 * 16);
	expect(&r, 0, 1, 4, 0x23456789);
	expect(&r, 0, 3, 8, UINT64_MAX);
	expect(&r, 0, 8, -1, 0);
	free(data);
}
END_TEST

START_TEST(one_counter_of_several_instances)
{
	struct result r;
	ULONG id;
	void *data;

	ck_assert_uint_eq(add(&several_guid, 2, PERF_ANY_INSTANCE_ID, "0,*"), ERROR_SUCCESS);
	data = only(&r);
	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_INSTANCES);
	ck_assert_uint_eq(r.instances, 3);
	ck_assert_uint_eq(r.header.dwSize, 16 + 8 + 3 * 16 + (16 + 16 + 24));
	ck_assert_str_eq(walk_instance(&r, 0, &id), "0,0");
	ck_assert_str_eq(walk_instance(&r, 2, &id), "0,_Total");
	ck_assert_uint_eq(id, 7);
	expect(&r, 0, 0, 4, 11);
	expect(&r, 1, 0, 4, 21);
	expect(&r, 2, 0, 4, 31);
	ck_assert_uint_eq(several.wanted[0], 2);
	free(data);
}
END_TEST

START_TEST(all_counters_of_several_instances)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(add(&several_guid, PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID, "*"),
		ERROR_SUCCESS);
	data = only(&r);
	ck_assert_int_eq(r.header.dwType, PERF_COUNTERSET);
	ck_assert_uint_eq(r.counters, 3);
	ck_assert_uint_eq(r.instances, 6);
	expect(&r, 0, 9, 4, 13);
	expect(&r, 1, 9, 0, 0); /* some have it, this one has not */
	expect(&r, 3, 9, 4, 0x43);
	expect(&r, 3, 2, 0, 0);
	expect(&r, 4, 2, 4, 0x51);
	expect(&r, 5, 0, 8, 60);
	expect(&r, 0, 5, -1, 0);
	ck_assert_str_eq(walk_instance(&r, 5, NULL), "K\xc3\xb6nig");
	free(data);
}
END_TEST

START_TEST(an_instance_id_filters)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(add(&several_guid, 0, 7, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 0, 7, "_*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 0, 8, "*"), ERROR_SUCCESS);
	data = only(&r);
	ck_assert_uint_eq(r.instances, 2);
	ck_assert_str_eq(walk_instance(&r, 0, NULL), "0,_Total");
	ck_assert(walk_result(data, 1, &r));
	ck_assert_uint_eq(r.instances, 1);
	ck_assert_str_eq(walk_instance(&r, 0, NULL), "_Total");
	ck_assert(walk_result(data, 2, &r));
	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_INSTANCES);
	ck_assert_uint_eq(r.instances, 0);
	free(data);
}
END_TEST

START_TEST(an_instance_id_filters_a_single_instance)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(add(&single_guid, 1, 0, NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&single_guid, 1, 1, NULL), ERROR_SUCCESS);
	data = only(&r);
	expect(&r, 0, 0, 4, 0x23456789);
	ck_assert(walk_result(data, 1, &r));
	ck_assert_int_eq(r.header.dwType, PERF_ERROR_RETURN);
	ck_assert_uint_eq(r.header.dwStatus, ERROR_WMI_INSTANCE_NOT_FOUND);
	free(data);
}
END_TEST

START_TEST(missing_counters_are_reported)
{
	struct result r;
	void *data;

	ck_assert_uint_eq(add(&single_guid, 8, PERF_ANY_INSTANCE_ID, NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 5, PERF_ANY_INSTANCE_ID, "*"), ERROR_SUCCESS);
	/* No matching instance has it, but others do. */
	ck_assert_uint_eq(add(&several_guid, 9, PERF_ANY_INSTANCE_ID, "0,1"), ERROR_SUCCESS);
	data = only(&r);
	for (ULONG i = 0; i < 2; i++) {
		ck_assert(walk_result(data, i, &r));
		ck_assert_int_eq(r.header.dwType, PERF_ERROR_RETURN);
		ck_assert_uint_eq(r.header.dwStatus, ERROR_NOT_SUPPORTED);
		ck_assert_uint_eq(r.header.dwSize, sizeof r.header);
	}
	ck_assert(walk_result(data, 2, &r));
	expect(&r, 0, 0, 0, 0);
	free(data);
}
END_TEST

START_TEST(no_instances_at_all)
{
	struct result r;
	void *data;

	single.rows = several.rows = 0;
	ck_assert_uint_eq(add(&several_guid, PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID, "*"),
		ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 5, PERF_ANY_INSTANCE_ID, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&single_guid, PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID, NULL),
		ERROR_SUCCESS);
	data = only(&r);
	ck_assert_int_eq(r.header.dwType, PERF_COUNTERSET);
	ck_assert_uint_eq(r.counters, 4);
	ck_assert_uint_eq(r.instances, 0);
	ck_assert(walk_result(data, 1, &r));
	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_INSTANCES);
	ck_assert(walk_result(data, 2, &r));
	ck_assert_uint_eq(r.header.dwStatus, ERROR_WMI_INSTANCE_NOT_FOUND);
	free(data);
}
END_TEST

START_TEST(a_query_of_nothing)
{
	PERF_DATA_HEADER header;
	DWORD bytes;

	ck_assert_uint_eq(
		PerfQueryCounterData(query, &header, sizeof header, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(bytes, sizeof header);
	ck_assert_uint_eq(header.dwNumCounters, 0);
	ck_assert_ptr_null(walk(&header, bytes));
}
END_TEST

START_TEST(a_counterset_is_collected_once_a_sample)
{
	DWORD bytes;

	ck_assert_uint_eq(add(&several_guid, 0, PERF_ANY_INSTANCE_ID, "0,*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 9, PERF_ANY_INSTANCE_ID, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 9, 1, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfQueryCounterData(query, NULL, 0, &bytes), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(several.collected, 1);
	ck_assert_uint_eq(several.opened, 1);
	ck_assert_uint_eq(several.wanted[0], 1 | 8);
	ck_assert_uint_eq(single.collected, 0);
	ck_assert_uint_eq(machine.stepped_sets, 1);
}
END_TEST

START_TEST(times_of_a_sample)
{
	PERF_DATA_HEADER *data;

	/* 2024-02-29 12:34:56.789 was a Thursday. */
	machine.time.time_100ns = INT64_C(133536836967890000) - 10000000 * 2;
	machine.time.ticks = 77;
	ck_assert_uint_eq(add(&single_guid, 1, PERF_ANY_INSTANCE_ID, NULL), ERROR_SUCCESS);
	data = sample();
	ck_assert_int_eq(data->PerfTimeStamp, 77 + 2 * 500);
	ck_assert_int_eq(data->PerfFreq, 500);
	ck_assert_int_eq(data->PerfTime100NSec, INT64_C(133536836967890000));
	ck_assert_uint_eq(data->SystemTime.wYear, 2024);
	ck_assert_uint_eq(data->SystemTime.wMonth, 2);
	ck_assert_uint_eq(data->SystemTime.wDay, 29);
	ck_assert_uint_eq(data->SystemTime.wDayOfWeek, 4);
	ck_assert_uint_eq(data->SystemTime.wHour, 12);
	ck_assert_uint_eq(data->SystemTime.wMinute, 34);
	ck_assert_uint_eq(data->SystemTime.wSecond, 56);
	ck_assert_uint_eq(data->SystemTime.wMilliseconds, 789);
	free(data);
}
END_TEST

/* Moments and their days: the first there is, ends of centuries, and invalid ones. */
static const struct {
	int64_t time;
	WORD year, month, day, weekday;
} days[] = {
	{0, 1601, 1, 1, 1},
	{INT64_C(864000000000) * 58, 1601, 2, 28, 3},
	{INT64_C(864000000000) * 59, 1601, 3, 1, 4},
	{INT64_C(864000000000) * 36217, 1700, 2, 28, 0},
	{INT64_C(864000000000) * 36218, 1700, 3, 1, 1},
	{INT64_C(864000000000) * 145790, 2000, 2, 29, 2},
	{INT64_C(864000000000) * 145791, 2000, 3, 1, 3},
	{INT64_C(864000000000) * 134774, 1970, 1, 1, 4},
	{INT64_C(864000000000) * 134773 + INT64_C(863999999999), 1969, 12, 31, 3},
	{-1, 0, 0, 0, 0},
	{INT64_MIN, 0, 0, 0, 0},
	{INT64_MAX, 0, 0, 0, 0},
};

START_TEST(days_of_a_sample)
{
	PERF_DATA_HEADER header;
	DWORD bytes;

	machine.time.time_100ns = (int64_t)((uint64_t)days[_i].time - 10000000);
	ck_assert_uint_eq(
		PerfQueryCounterData(query, &header, sizeof header, &bytes), ERROR_SUCCESS);
	ck_assert_int_eq(header.PerfTime100NSec, days[_i].time);
	ck_assert_uint_eq(header.SystemTime.wYear, days[_i].year);
	ck_assert_uint_eq(header.SystemTime.wMonth, days[_i].month);
	ck_assert_uint_eq(header.SystemTime.wDay, days[_i].day);
	ck_assert_uint_eq(header.SystemTime.wDayOfWeek, days[_i].weekday);
	ck_assert_ptr_null(walk(&header, bytes));
}
END_TEST

Suite *data_suite(void)
{
	return SUITE("samples", .set_up = set_up, .tear_down = tear_down,
		TESTS(one_counter_of_a_single_instance, all_counters_of_a_single_instance,
			one_counter_of_several_instances, all_counters_of_several_instances,
			an_instance_id_filters, an_instance_id_filters_a_single_instance,
			missing_counters_are_reported, no_instances_at_all, a_query_of_nothing,
			a_counterset_is_collected_once_a_sample, times_of_a_sample),
		LOOPS({days_of_a_sample, 0, sizeof days / sizeof *days}));
}
