/*
 * Memory that runs out: each allocation fails once, and a query is none the worse for it.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "../../libtrace/perflib/host.h"
#include "../lib/failing_memory.h"

#define ALL PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID

static void begin(void)
{
	until_failure = -1;
	set_up();
}

static void end(void)
{
	until_failure = -1;
	tear_down();
}

/* Ends the failures; says whether an allocation failed, which `status` must tell. */
static bool memory_ran_out(ULONG status)
{
	bool failed = !no_more_failures();

	ck_assert_uint_eq(status, failed ? ERROR_OUTOFMEMORY : ERROR_SUCCESS);
	return failed;
}

START_TEST(opening_survives_failed_allocations)
{
	HANDLE handle = NULL;

	for (long n = 0;; n++) {
		fail_after(n);
		if (!memory_ran_out(PerfOpenQueryHandle(NULL, &handle)))
			break;
		ck_assert_ptr_null(handle);
	}
	ck_assert_uint_eq(PerfCloseQueryHandle(handle), ERROR_SUCCESS);
}
END_TEST

START_TEST(opening_closes_the_host_that_it_was_given)
{
	struct made_up_host other;
	HANDLE handle;

	made_up_host(&other, 0);
	fail_after(0);
	ck_assert_uint_eq(query_open(&other.host, false, &handle), ERROR_OUTOFMEMORY);
	ck_assert_uint_eq(other.closed, 1);
}
END_TEST

/* Check's own allocations are not to fail. */
static ULONG add_block(void *block, size_t bytes)
{
	PERF_COUNTER_IDENTIFIER id;
	ULONG status = PerfAddCounters(query, block, (DWORD)bytes);

	until_failure = -1;
	ck_assert_uint_eq(status, ERROR_SUCCESS);
	memcpy(&id, block, sizeof id);
	return id.Status;
}

START_TEST(adding_survives_failed_allocations)
{
	_Alignas(8) unsigned char block[64];
	size_t bytes = identifier(block, &several_guid, ALL, "*");
	DWORD told;
	long n;

	for (n = 0;; n++) {
		fail_after(n);
		if (!memory_ran_out(add_block(block, bytes)))
			break;
		/* It was not added, and does not count. */
		ck_assert_uint_eq(PerfQueryCounterInfo(query, NULL, 0, &told), ERROR_SUCCESS);
		ck_assert_uint_eq(told, 0);
		ck_assert_uint_eq(several.opened, several.closed);
		/* A new query: this one keeps its arrays, which would not fail again. */
		end();
		begin();
	}
	ck_assert_int_ge(n, 4);
	free(sample());
}
END_TEST

START_TEST(adding_to_those_that_are_there)
{
	_Alignas(8) unsigned char block[64];
	size_t bytes = identifier(block, &several_guid, 2, 3, "0*");

	ck_assert_uint_eq(add(&several_guid, 0, 0, "*"), ERROR_SUCCESS);
	for (long n = 0;; n++) {
		fail_after(n);
		if (!memory_ran_out(add_block(block, bytes)))
			break;
		free(sample());
		ck_assert_uint_eq(several.wanted[0], 1);
		ck_assert_uint_eq(several.closed, 0);
	}
}
END_TEST

START_TEST(sampling_survives_failed_allocations)
{
	struct result r;
	void *data;
	DWORD bytes;

	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_SUCCESS);
	for (long n = 0;; n++) {
		unsigned char room[4096];
		ULONG status;

		fail_after(n);
		status = PerfQueryCounterData(query, (void *)room, sizeof room, &bytes);
		if (status == ERROR_SUCCESS && allocation_failed) {
			ck_assert_ptr_null(walk(room, bytes));
			ck_assert(walk_result(room, 0, &r));
			ck_assert_int_eq(r.header.dwType, PERF_ERROR_RETURN);
			status = r.header.dwStatus;
		}
		if (!memory_ran_out(status))
			break;
	}
	data = sample();
	ck_assert(walk_result(data, 0, &r));
	ck_assert_uint_eq(r.instances, 6);
	free(data);
}
END_TEST

START_TEST(listing_instances_survives_failed_allocations)
{
	uint32_t bytes, status;

	for (long n = 0;; n++) {
		fail_after(n);
		status = host_instances(&machine.host, &several_guid, NULL, 0, &bytes);
		if (no_more_failures())
			break;
		ck_assert_uint_eq(status, ERROR_OUTOFMEMORY);
	}
	ck_assert_uint_eq(status, ERROR_NOT_ENOUGH_MEMORY);
}
END_TEST

START_TEST(rows_that_cannot_grow)
{
	struct rows rows = {0};
	uint32_t used = 0;

	rows_begin(&rows, 3);
	for (long n = 0; used < 1000; n++) {
		fail_after(n % 7);
		if (rows_add(&rows, "a name of some length", 21, used)) {
			rows_set(&rows, used % 3, used);
			used++;
		}
		no_more_failures();
		ck_assert_uint_eq(rows.used, used);
	}
	for (uint32_t i = 0; i < used; i++) {
		ck_assert_uint_eq(rows.row[i].id, i);
		ck_assert_str_eq(rows.names + rows.row[i].name, "a name of some length");
		ck_assert_uint_eq(rows.value[i * 3 + i % 3], i);
		ck_assert_uint_eq(rows.known[i * 3 + (i + 1) % 3], 0);
	}
	rows_free(&rows);
}
END_TEST

Suite *memory_suite(void)
{
	return SUITE("memory", .set_up = begin, .tear_down = end,
		TESTS(opening_survives_failed_allocations,
			opening_closes_the_host_that_it_was_given,
			adding_survives_failed_allocations, adding_to_those_that_are_there,
			sampling_survives_failed_allocations,
			listing_instances_survives_failed_allocations, rows_that_cannot_grow));
}
