/*
 * Samples where something is wrong: buffers, countersets that fail or go, a trace's end.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#define ALL PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID

static void *only(struct result *r)
{
	void *data = sample();

	ck_assert(walk_result(data, 0, r));
	return data;
}

/* The first result of the next sample is of this type, and has this status. */
static void expect_result(uint32_t type, ULONG status)
{
	struct result r;
	void *data = only(&r);

	ck_assert_int_eq(r.header.dwType, type);
	ck_assert_uint_eq(r.header.dwStatus, status);
	free(data);
}

static void expect_status(ULONG status)
{
	expect_result(PERF_ERROR_RETURN, status);
}

START_TEST(missing_output_arguments_are_refused)
{
	PERF_DATA_HEADER data;
	DWORD bytes;

	add(&single_guid, ALL, NULL);
	ck_assert_uint_eq(PerfQueryCounterData(query, NULL, 8, &bytes), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(
		PerfQueryCounterData(query, &data, sizeof data, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(single.collected, 0);
}
END_TEST

/* Every size that is too small, and nothing is written. */
START_TEST(too_small_a_buffer)
{
	DWORD bytes = 0, again;
	unsigned char *data;

	add(&several_guid, ALL, "*");
	add(&single_guid, ALL, NULL);
	PerfQueryCounterData(query, NULL, 0, &bytes);
	for (DWORD room = 0; room < bytes; room++) {
		data = malloc(room + 1);
		memset(data, 0x5a, room + 1);
		again = 0;
		ck_assert_uint_eq(PerfQueryCounterData(query, (void *)data, room, &again),
			ERROR_NOT_ENOUGH_MEMORY);
		ck_assert_uint_eq(again, bytes);
		for (DWORD i = 0; i <= room; i++)
			ck_assert_uint_eq(data[i], 0x5a);
		free(data);
	}
}
END_TEST

START_TEST(a_buffer_anywhere)
{
	unsigned char *even = sample(), *odd;
	DWORD bytes = 0, total;

	free(even);
	add(&several_guid, ALL, "*");
	add(&single_guid, 3, PERF_ANY_INSTANCE_ID, NULL);
	PerfQueryCounterData(query, NULL, 0, &bytes);
	odd = malloc(bytes + 100);
	for (int shift = 1; shift < 8; shift++) {
		memset(odd, 0x5a, bytes + 100);
		ck_assert_uint_eq(
			PerfQueryCounterData(query, (void *)(odd + shift), bytes + 50, &total),
			ERROR_SUCCESS);
		ck_assert_uint_eq(total, bytes);
		ck_assert_ptr_null(walk(odd + shift, total));
		for (DWORD i = shift + bytes; i < bytes + 100; i++)
			ck_assert_uint_eq(odd[i], 0x5a);
	}
	free(odd);
}
END_TEST

START_TEST(a_counterset_that_fails)
{
	add(&several_guid, ALL, "*");
	several.collect_status = ERROR_READ_FAULT;
	expect_status(ERROR_READ_FAULT);
	several.collect_status = ERROR_SUCCESS;
	several.other_columns = true;
	expect_status(ERROR_INVALID_DATA);
	several.other_columns = false;
	several.definition.ncounters = COUNTERSET_COUNTERS + 1;
	expect_status(ERROR_INVALID_DATA);
	several.definition.ncounters = 4;
}
END_TEST

START_TEST(one_fails_and_others_do_not)
{
	struct result r;
	void *data;

	add(&several_guid, ALL, "*");
	add(&single_guid, ALL, NULL);
	add(&several_guid, 0, 0, "*");
	several.collect_status = ERROR_ACCESS_DENIED;
	data = only(&r);
	ck_assert_uint_eq(r.header.dwStatus, ERROR_ACCESS_DENIED);
	ck_assert(walk_result(data, 1, &r));
	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_COUNTERS);
	ck_assert(walk_result(data, 2, &r));
	ck_assert_uint_eq(r.header.dwStatus, ERROR_ACCESS_DENIED);
	free(data);
}
END_TEST

START_TEST(a_host_that_fails)
{
	DWORD bytes = 7;

	add(&several_guid, ALL, "*");
	machine.step_status = ERROR_READ_FAULT;
	ck_assert_uint_eq(PerfQueryCounterData(query, NULL, 0, &bytes), ERROR_READ_FAULT);
	ck_assert_uint_eq(several.collected, 0);
}
END_TEST

/* ----------------------------------------------------------- that goes and comes back */

static void remove_counterset(void)
{
	several.collect_status = ERROR_WMI_GUID_NOT_FOUND;
	machine.sets = 1;
}

START_TEST(a_counterset_disappears)
{
	add(&several_guid, ALL, "*");
	free(sample());
	remove_counterset();
	expect_status(ERROR_WMI_GUID_NOT_FOUND);
	machine.refresh_status = ERROR_READ_FAULT;
	expect_status(ERROR_WMI_GUID_NOT_FOUND);
}
END_TEST

START_TEST(a_counterset_that_is_there_and_says_that_it_is_not)
{
	unsigned before;

	add(&several_guid, ALL, "*");
	several.collect_status = ERROR_WMI_GUID_NOT_FOUND;
	before = several.collected;
	expect_status(ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(several.collected, before + 2); /* one for each call of the sample */
}
END_TEST

/* One that is gone comes back by the same GUID, with another list of counters. */
static struct made_up_set successor;

static void comes_back(uint32_t type)
{
	struct counterset_definition definition = several.definition;
	static const struct made_up_row row[] = {{"0,0", 3, 7, {1, 2, 3}}};

	definition.ncounters = 3;
	definition.type = type;
	made_up_set(&successor, &definition, row, 1);
	remove_counterset();
	made_up_host_add(&machine, &successor);
}

START_TEST(a_counterset_that_comes_back)
{
	struct result r;
	ULONGLONG value = 0;
	void *data;

	add(&several_guid, ALL, "*");
	add(&several_guid, 9, PERF_ANY_INSTANCE_ID, "*");
	add(&several_guid, 2, PERF_ANY_INSTANCE_ID, "*");
	free(sample());
	comes_back(PERF_COUNTERSET_MULTI_INSTANCES);
	data = only(&r);
	ck_assert_uint_eq(several.closed, 1);
	ck_assert_uint_eq(successor.opened, 1);
	ck_assert_uint_eq(r.counters, 3);
	ck_assert_int_eq(walk_value(&r, 0, 5, &value), 8);
	ck_assert_uint_eq(value, 3);
	ck_assert(walk_result(data, 1, &r));
	ck_assert_uint_eq(r.header.dwStatus, ERROR_WMI_ITEMID_NOT_FOUND);
	ck_assert(walk_result(data, 2, &r));
	ck_assert_int_eq(walk_value(&r, 0, 0, &value), 4);
	free(data);
	ck_assert_uint_eq(take(&several_guid, ALL, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(successor.closed, 0);
	free(sample());
	ck_assert_uint_eq(successor.wanted[0], 2);
	begin_anew(0);
	ck_assert_uint_eq(successor.closed, 1);
}
END_TEST

START_TEST(a_counter_that_comes_back_as_another_column)
{
	struct result r;
	ULONGLONG value = 0;
	void *data;

	add(&several_guid, 5, PERF_ANY_INSTANCE_ID, "*");
	comes_back(PERF_COUNTERSET_MULTI_INSTANCES);
	successor.definition.counter++; /* without the first one */
	data = only(&r);
	ck_assert_uint_eq(successor.wanted[0], 2);
	ck_assert_int_eq(walk_value(&r, 0, 0, &value), 8);
	ck_assert_uint_eq(value, 2);
	free(data);
	begin_anew(0);
}
END_TEST

START_TEST(a_counterset_that_comes_back_as_a_single_one)
{
	add(&several_guid, ALL, "1,*");
	comes_back(PERF_COUNTERSET_SINGLE_INSTANCE);
	expect_result(PERF_MULTIPLE_COUNTERS, ERROR_SUCCESS);
	begin_anew(0);
	ck_assert_uint_eq(successor.closed, 1);
}
END_TEST

START_TEST(a_single_counterset_that_comes_back_with_instances)
{
	struct counterset_definition definition;

	add(&single_guid, ALL, NULL);
	definition = single.definition;
	definition.type = PERF_COUNTERSET_MULTI_INSTANCES;
	made_up_set(&successor, &definition, single.row, 1);
	single.collect_status = ERROR_WMI_GUID_NOT_FOUND;
	machine.set[0] = &successor.set;
	expect_result(PERF_COUNTERSET, ERROR_SUCCESS);
	begin_anew(0);
	ck_assert_uint_eq(successor.closed, 1);
}
END_TEST

START_TEST(a_counterset_that_comes_back_and_cannot_begin)
{
	add(&several_guid, ALL, "*");
	comes_back(PERF_COUNTERSET_MULTI_INSTANCES);
	successor.open_status = ERROR_ACCESS_DENIED;
	expect_status(ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(several.closed, 0);
}
END_TEST

/* ------------------------------------------------------------------------- recorded */

START_TEST(a_live_sample_is_a_new_one_each_time)
{
	DWORD bytes;

	add(&single_guid, ALL, NULL);
	PerfQueryCounterData(query, NULL, 0, &bytes);
	PerfQueryCounterData(query, NULL, 0, &bytes);
	ck_assert_uint_eq(machine.steps, 2);
}
END_TEST

START_TEST(a_recorded_sample_waits)
{
	PERF_DATA_HEADER *data;
	int64_t first;
	DWORD bytes;

	begin_anew(2);
	add(&single_guid, ALL, NULL);
	ck_assert_uint_eq(PerfQueryCounterData(query, NULL, 0, &bytes), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(PerfQueryCounterData(query, NULL, 0, &bytes), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(machine.steps, 1);
	/* Counters added meanwhile are of the same moment. */
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_SUCCESS);
	data = sample();
	ck_assert_uint_eq(data->dwNumCounters, 2);
	ck_assert_uint_eq(machine.steps, 1);
	first = data->PerfTimeStamp;
	free(data);
	data = sample();
	ck_assert_int_eq(data->PerfTimeStamp, first + 500);
	free(data);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(
			PerfQueryCounterData(query, NULL, 0, &bytes), ERROR_NO_MORE_ITEMS);
}
END_TEST

Suite *trouble_suite(void)
{
	return SUITE("trouble", .set_up = set_up, .tear_down = tear_down,
		TESTS(missing_output_arguments_are_refused, too_small_a_buffer, a_buffer_anywhere,
			a_counterset_that_fails, one_fails_and_others_do_not, a_host_that_fails,
			a_counterset_disappears, a_counterset_that_is_there_and_says_that_it_is_not,
			a_counterset_that_comes_back, a_counter_that_comes_back_as_another_column,
			a_counterset_that_comes_back_as_a_single_one,
			a_single_counterset_that_comes_back_with_instances,
			a_counterset_that_comes_back_and_cannot_begin,
			a_live_sample_is_a_new_one_each_time, a_recorded_sample_waits));
}
