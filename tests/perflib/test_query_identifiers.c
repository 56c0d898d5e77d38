/*
 * Handles, and specifications that are added, deleted and told.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL PERF_WILDCARD_COUNTER, PERF_ANY_INSTANCE_ID

/* ------------------------------------------------------------------------ handles */

static void is_no_handle(HANDLE handle)
{
	char buffer[64];
	DWORD actual;

	ck_assert_uint_eq(PerfAddCounters(handle, (void *)buffer, 40), ERROR_INVALID_HANDLE);
	ck_assert_uint_eq(PerfDeleteCounters(handle, (void *)buffer, 40), ERROR_INVALID_HANDLE);
	ck_assert_uint_eq(PerfQueryCounterInfo(handle, NULL, 0, &actual), ERROR_INVALID_HANDLE);
	ck_assert_uint_eq(PerfQueryCounterData(handle, NULL, 0, &actual), ERROR_INVALID_HANDLE);
	ck_assert_uint_eq(PerfCloseQueryHandle(handle), ERROR_INVALID_HANDLE);
}

START_TEST(an_unknown_handle_is_refused)
{
	HANDLE closed = query;
	int here;

	is_no_handle(NULL);
	is_no_handle(&here);
	is_no_handle((HANDLE)(uintptr_t)-1);
	is_no_handle((HANDLE)((uintptr_t)query + 1));
	begin_anew(0);
	ck_assert_ptr_ne(query, closed);
	is_no_handle(closed);
}
END_TEST

START_TEST(a_child_has_no_handle_of_its_parent)
{
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		HANDLE own = NULL;
		DWORD actual;
		bool refused =
			PerfQueryCounterData(query, NULL, 0, &actual) == ERROR_INVALID_HANDLE &&
			PerfCloseQueryHandle(query) == ERROR_INVALID_HANDLE;

		_exit(refused && PerfOpenQueryHandle(NULL, &own) == ERROR_SUCCESS && own != query &&
					PerfCloseQueryHandle(own) == ERROR_SUCCESS
				? 0
				: 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

START_TEST(where_a_query_is_opened)
{
	HANDLE handle = NULL;

	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfOpenQueryHandle("\\\\MACHINE", &handle), ERROR_NOT_SUPPORTED);
	ck_assert_ptr_null(handle);
	ck_assert_uint_eq(PerfOpenQueryHandle("", &handle), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfCloseQueryHandle(handle), ERROR_SUCCESS);
}
END_TEST

/* ----------------------------------------------------------- one at a time */

START_TEST(statuses_of_adding)
{
	static char too_long[PERF_MAX_INSTANCE_NAME + 1];

	memset(too_long, 'a', PERF_MAX_INSTANCE_NAME);
	ck_assert_uint_eq(add(&other_guid, ALL, "*"), ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(add(&single_guid, 2, 0, NULL), ERROR_WMI_ITEMID_NOT_FOUND);
	ck_assert_uint_eq(add(&single_guid, 9, 0, NULL), ERROR_WMI_ITEMID_NOT_FOUND);
	ck_assert_uint_eq(add(&several_guid, 0xfffffffe, 0, "*"), ERROR_WMI_ITEMID_NOT_FOUND);
	ck_assert_uint_eq(add(&single_guid, ALL, "*"), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add(&several_guid, ALL, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add(&several_guid, ALL, ""), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add(&several_guid, ALL, too_long), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add(&several_guid, ALL, "\xff"), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add(&several_guid, ALL, "a\xc3"), ERROR_INVALID_PARAMETER);
	too_long[PERF_MAX_INSTANCE_NAME - 1] = 0;
	ck_assert_uint_eq(add(&several_guid, ALL, too_long), ERROR_SUCCESS);
	ck_assert_uint_eq(single.opened, 0);
	ck_assert_uint_eq(several.opened, 1);
}
END_TEST

START_TEST(the_same_one_twice)
{
	ck_assert_uint_eq(add(&several_guid, 0, 3, "a*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 0, 3, "a*"), ERROR_ALREADY_EXISTS);
	ck_assert_uint_eq(add(&several_guid, 0, 3, "A*"), ERROR_ALREADY_EXISTS);
	ck_assert_uint_eq(add(&several_guid, 0, 4, "a*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 2, 3, "a*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 0, 3, "a"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&single_guid, 1, 3, NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&single_guid, 1, 3, ""), ERROR_ALREADY_EXISTS);
}
END_TEST

START_TEST(counting_that_cannot_begin)
{
	several.open_status = ERROR_ACCESS_DENIED;
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_ACCESS_DENIED);
	several.open_status = ERROR_SUCCESS;
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_SUCCESS);
}
END_TEST

START_TEST(a_host_that_fails)
{
	machine.refresh_status = ERROR_READ_FAULT;
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_READ_FAULT);
}
END_TEST

START_TEST(a_definition_that_is_too_large)
{
	several.definition.ncounters = COUNTERSET_COUNTERS + 1;
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_INVALID_DATA);
	several.definition.ncounters = 4;
}
END_TEST

START_TEST(statuses_of_deleting)
{
	ck_assert_uint_eq(take(&several_guid, ALL, "*"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(add(&several_guid, ALL, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(take(&several_guid, ALL, "**"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(take(&several_guid, 0, PERF_ANY_INSTANCE_ID, "*"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(take(&several_guid, PERF_WILDCARD_COUNTER, 0, "*"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(take(&other_guid, ALL, "*"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(several.closed, 0);
	ck_assert_uint_eq(take(&several_guid, ALL, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(take(&several_guid, ALL, "*"), ERROR_NOT_FOUND);
	ck_assert_uint_eq(several.closed, 1);
}
END_TEST

START_TEST(counting_ends_with_the_last_of_a_counterset)
{
	ck_assert_uint_eq(add(&several_guid, 0, 0, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&several_guid, 2, 0, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(add(&single_guid, ALL, NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(several.opened, 1);
	ck_assert_uint_eq(take(&several_guid, 0, 0, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(several.closed, 0);
	free(sample());
	ck_assert_uint_eq(several.wanted[0], 2);
	ck_assert_uint_eq(take(&several_guid, 2, 0, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(several.closed, 1);
	ck_assert_uint_eq(single.closed, 0);
	free(sample());
	ck_assert_uint_eq(add(&several_guid, 2, 0, "*"), ERROR_SUCCESS);
	ck_assert_uint_eq(several.opened, 2);
}
END_TEST

/* ---------------------------------------------------------------- sequences of blocks */

START_TEST(each_block_has_a_status_of_its_own)
{
	_Alignas(8) unsigned char blocks[256];
	static const ULONG expected[] = {
		ERROR_SUCCESS, ERROR_WMI_GUID_NOT_FOUND, ERROR_ALREADY_EXISTS, ERROR_SUCCESS};
	size_t n = 0, at = 0;

	n += identifier(blocks + n, &several_guid, ALL, "*");
	n += identifier(blocks + n, &other_guid, ALL, "*");
	n += identifier(blocks + n, &several_guid, ALL, "*");
	n += identifier(blocks + n, &single_guid, ALL, NULL);
	ck_assert_uint_eq(PerfAddCounters(query, (void *)blocks, (DWORD)n), ERROR_SUCCESS);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		PERF_COUNTER_IDENTIFIER block;

		memcpy(&block, blocks + at, sizeof block);
		ck_assert_uint_eq(block.Status, expected[i]);
		at += block.Size;
	}
}
END_TEST

/* A block in memory of its very size, at an odd address. */
static ULONG add_copy(const void *block, size_t bytes)
{
	unsigned char *copy = malloc(bytes + 1);
	ULONG status;

	memcpy(copy + 1, block, bytes);
	status = PerfAddCounters(query, (void *)(copy + 1), (DWORD)bytes);
	free(copy);
	return status;
}

static void resize(void *block, ULONG size)
{
	memcpy((char *)block + offsetof(PERF_COUNTER_IDENTIFIER, Size), &size, sizeof size);
}

START_TEST(blocks_that_make_no_sense)
{
	_Alignas(8) unsigned char blocks[256];
	size_t first = identifier(blocks, &single_guid, ALL, NULL), second;
	static const ULONG sizes[] = {0, 8, 32, 39, 41, 44, 64, 0x7ffffff8, 0xfffffff8, UINT32_MAX};

	second = identifier(blocks + first, &several_guid, ALL, "abcdefg");
	ck_assert_uint_eq(second, 48);
	ck_assert_uint_eq(PerfAddCounters(query, NULL, 0), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfAddCounters(query, NULL, 40), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfAddCounters(query, (void *)blocks, 0), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfDeleteCounters(query, NULL, 40), ERROR_INVALID_PARAMETER);
	/* Cut anywhere but between the two. */
	for (size_t n = 1; n < first + second; n++)
		if (n != first)
			ck_assert_uint_eq(add_copy(blocks, n), ERROR_INVALID_PARAMETER);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		resize(blocks + first, sizes[i]);
		ck_assert_uint_eq(add_copy(blocks, first + second), ERROR_INVALID_PARAMETER);
	}
	resize(blocks + first, (ULONG)second);
	blocks[first + second - 1] = 'h'; /* a name that does not end */
	ck_assert_uint_eq(add_copy(blocks, first + second), ERROR_INVALID_PARAMETER);
	/* Nothing was done for the first one either. */
	ck_assert_uint_eq(single.opened, 0);
	blocks[first + second - 1] = 0;
	ck_assert_uint_eq(add_copy(blocks, first + second), ERROR_SUCCESS);
	ck_assert_uint_eq(single.opened, 1);
	ck_assert_uint_eq(several.opened, 1);
}
END_TEST

START_TEST(sizes_are_multiples_of_eight)
{
	_Alignas(8) unsigned char block[64];

	identifier(block, &several_guid, ALL, "0,0");
	resize(block, 44);
	ck_assert_uint_eq(add_copy(block, 44), ERROR_INVALID_PARAMETER);
	resize(block, 48);
	ck_assert_uint_eq(add_copy(block, 44), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(add_copy(block, 48), ERROR_SUCCESS);
}
END_TEST

START_TEST(a_name_may_be_followed_by_anything)
{
	_Alignas(8) unsigned char block[64];
	size_t n = identifier(block, &several_guid, ALL, "0,0");

	memset(block + sizeof(PERF_COUNTER_IDENTIFIER) + 4, 0xff, 4);
	ck_assert_uint_eq(PerfAddCounters(query, (void *)block, (DWORD)n), ERROR_SUCCESS);
	ck_assert_uint_eq(take(&several_guid, ALL, "0,0"), ERROR_SUCCESS);
}
END_TEST

/* ---------------------------------------------------------------- a query's identifiers */

START_TEST(specifications_come_in_the_order_of_results)
{
	unsigned char *told;
	PERF_COUNTER_IDENTIFIER block;
	DWORD bytes = 0, again;

	ck_assert_uint_eq(PerfQueryCounterInfo(query, NULL, 0, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(bytes, 0);
	add(&several_guid, 2, 7, "0,*");
	add(&single_guid, 1, PERF_ANY_INSTANCE_ID, NULL);
	add(&several_guid, ALL, "*");
	take(&several_guid, 2, 7, "0,*");
	add(&several_guid, 2, 8, "Seventeen bytes.");
	ck_assert_uint_eq(PerfQueryCounterInfo(query, NULL, 0, &bytes), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(bytes, 40 + 48 + 64);
	told = malloc(bytes);
	memset(told, 0x5a, bytes);
	ck_assert_uint_eq(PerfQueryCounterInfo(query, (void *)told, bytes - 1, &again),
		ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(again, bytes);
	for (DWORD i = 0; i < bytes; i++)
		ck_assert_uint_eq(told[i], 0x5a);
	ck_assert_uint_eq(PerfQueryCounterInfo(query, (void *)told, bytes, &again), ERROR_SUCCESS);
	memcpy(&block, told, sizeof block);
	ck_assert_mem_eq(&block.CounterSetGuid, &single_guid, sizeof single_guid);
	ck_assert_uint_eq(block.Size, 40);
	ck_assert_uint_eq(block.Index, 0);
	ck_assert_uint_eq(block.Status, ERROR_SUCCESS);
	memcpy(&block, told + 40, sizeof block);
	ck_assert_uint_eq(block.Size, 48);
	ck_assert_uint_eq(block.Index, 1);
	ck_assert_uint_eq(block.CounterId, PERF_WILDCARD_COUNTER);
	ck_assert_mem_eq(told + 80, "*\0\0\0\0\0\0\0", 8);
	memcpy(&block, told + 88, sizeof block);
	ck_assert_uint_eq(block.Index, 2);
	ck_assert_uint_eq(block.InstanceId, 8);
	ck_assert_mem_eq(told + 128, "Seventeen bytes.\0\0\0\0\0\0\0\0", 24);
	free(told);
}
END_TEST

START_TEST(listed_specifications_can_be_deleted)
{
	unsigned char told[128];
	DWORD bytes;

	add(&several_guid, 2, 7, "0,*");
	add(&single_guid, 1, PERF_ANY_INSTANCE_ID, NULL);
	ck_assert_uint_eq(
		PerfQueryCounterInfo(query, (void *)told, sizeof told, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfDeleteCounters(query, (void *)told, bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfQueryCounterInfo(query, NULL, 0, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_uint_eq(single.closed, 1);
	ck_assert_uint_eq(several.closed, 1);
}
END_TEST

START_TEST(query_info_needs_a_buffer)
{
	DWORD bytes;
	char told[8];

	add(&single_guid, ALL, NULL);
	ck_assert_uint_eq(
		PerfQueryCounterInfo(query, (void *)told, 8, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfQueryCounterInfo(query, NULL, 8, &bytes), ERROR_INVALID_PARAMETER);
}
END_TEST

Suite *identifiers_suite(void)
{
	return SUITE("specifications", .set_up = set_up, .tear_down = tear_down,
		TESTS(an_unknown_handle_is_refused, a_child_has_no_handle_of_its_parent,
			where_a_query_is_opened, statuses_of_adding, the_same_one_twice,
			counting_that_cannot_begin, a_host_that_fails,
			a_definition_that_is_too_large, statuses_of_deleting,
			counting_ends_with_the_last_of_a_counterset,
			each_block_has_a_status_of_its_own, blocks_that_make_no_sense,
			sizes_are_multiples_of_eight, a_name_may_be_followed_by_anything,
			specifications_come_in_the_order_of_results,
			listed_specifications_can_be_deleted, query_info_needs_a_buffer));
}
