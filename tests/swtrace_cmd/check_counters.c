/*
 * counters: result blocks, good and bad; headings.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/cmd/counters/counters.h"
#include "../lib/suites.h"

static struct block b;

/* A block that is put together. */
static union {
	PERF_COUNTER_HEADER head;
	uint8_t bytes[4096];
} made;
static size_t size;

static void add(const void *part, size_t bytes)
{
	memcpy(made.bytes + size, part, bytes);
	size += bytes;
	made.head.dwSize = (ULONG)size;
}

static void begin(PerfCounterDataType type)
{
	const PERF_COUNTER_HEADER h = {.dwType = type};

	memset(&made, 0, sizeof made);
	size = 0;
	add(&h, sizeof h);
}

static void add_value(uint64_t value, ULONG bytes)
{
	const PERF_COUNTER_DATA d = {.dwDataSize = bytes, .dwSize = 16};

	add(&d, sizeof d);
	add(&value, 8);
}

static void add_counters(ULONG n)
{
	const PERF_MULTI_COUNTERS c = {
		.dwSize = (ULONG)(sizeof c + (n + 1) / 2 * 8), .dwCounters = n};
	const ULONG ids[] = {7, 9, 11, 13};

	add(&c, sizeof c);
	add(ids, c.dwSize - sizeof c);
}

/* Where the PERF_MULTI_INSTANCES is, whose size is set at the end. */
static size_t add_instances(ULONG n)
{
	const PERF_MULTI_INSTANCES i = {.dwInstances = n};
	size_t at = size;

	add(&i, sizeof i);
	return at;
}

static void end_instances(size_t at)
{
	const DWORD bytes = (DWORD)(size - at);

	memcpy(made.bytes + at, &bytes, sizeof bytes);
}

static void add_instance(const char name[8], ULONG id)
{
	const PERF_INSTANCE_HEADER i = {.Size = sizeof i + 8, .InstanceId = id};

	add(&i, sizeof i);
	add(name, 8);
}

static ULONG read_it(void)
{
	return block_read(&b, &made.head, size, 5);
}

/* Two instances of two counters. */
static void whole(void)
{
	begin(PERF_COUNTERSET);
	add_counters(2);
	size_t at = add_instances(2);
	add_instance("one\0\0\0\0", 1);
	add_value(10, 8);
	add_value(UINT64_C(0x1111111100000014), 4);
	add_instance("two\0\0\0\0", 2);
	add_value(30, 8);
	add_value(0, 0);
	end_instances(at);
}

START_TEST(single_counter)
{
	begin(PERF_SINGLE_COUNTER);
	add_value(42, 8);
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert_int_eq(block_find(&b, "", 0), 0);
	ck_assert_int_eq(block_column(&b, 5), 0);
	ck_assert_int_eq(block_column(&b, 6), -1);
	ck_assert(b.known[0] && b.value[0] == 42);
}
END_TEST

START_TEST(a_block_finds_instances_and_columns)
{
	whole();
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert_int_eq(block_find(&b, "two", 2), 1);
	ck_assert_int_eq(block_find(&b, "one", 1), 0);
	ck_assert_int_eq(block_find(&b, "one", 2), -1);
	ck_assert_int_eq(block_find(&b, "three", 1), -1);
	ck_assert_int_eq(block_column(&b, 9), 1);
	ck_assert(b.value[1] == 20 && b.known[1]);
	ck_assert(b.value[2] == 30 && b.known[2] && !b.known[3]);
}
END_TEST

START_TEST(other_types)
{
	begin(PERF_MULTIPLE_COUNTERS);
	add_counters(1);
	add_value(1, 4);
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert(b.instances == 1 && b.counters == 1 && b.counter[0] == 7);
	begin(PERF_MULTIPLE_INSTANCES);
	size_t at = add_instances(1);
	add_instance("one\0\0\0\0", 1);
	add_value(2, 8);
	end_instances(at);
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert(b.instances == 1 && b.counter[0] == 5 && b.value[0] == 2);
	begin(PERF_COUNTERSET);
	add_counters(0);
	end_instances(add_instances(0));
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert(b.instances == 0 && b.counters == 0);
	ck_assert_int_eq(block_find(&b, "one", 1), -1);
	begin(PERF_ERROR_RETURN);
	made.head.dwStatus = ERROR_NOT_SUPPORTED;
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert_uint_eq(b.status, ERROR_NOT_SUPPORTED);
	begin(PERF_ERROR_RETURN);
	ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
	ck_assert_uint_eq(b.status, ERROR_INVALID_DATA);
	begin((PerfCounterDataType)3);
	add_value(1, 8);
	ck_assert_uint_eq(read_it(), ERROR_INVALID_DATA);
}
END_TEST

/* Cut off anywhere, with its size told as it is or as it was. */
START_TEST(cut_off)
{
	whole();
	const size_t all = size;
	for (size = 0; size < all; size++) {
		made.head.dwSize = (ULONG)all;
		ck_assert_uint_eq(read_it(), ERROR_INVALID_DATA);
		if (size < sizeof made.head)
			continue;
		made.head.dwSize = (ULONG)size;
		ck_assert_uint_eq(read_it(), ERROR_INVALID_DATA);
	}
}
END_TEST

/* Each word set to invalid and random values: nothing is read beyond the block. */
START_TEST(words_that_lie)
{
	static const ULONG lies[] = {
		0, 1, 4, 7, 8, 15, 16, 17, 24, 1000, 4096, 0x7FFFFFFF, 0xFFFFFFF8, 0xFFFFFFFF};

	whole();
	for (size_t at = 0; at < size; at += 4)
		for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
			uint8_t *exact = malloc(size);

			ck_assert_ptr_nonnull(exact);
			memcpy(exact, made.bytes, size);
			memcpy(exact + at, &lies[i], 4);
			const ULONG status =
				block_read(&b, (const PERF_COUNTER_HEADER *)(void *)exact, size, 5);
			ck_assert(status == ERROR_SUCCESS || status == ERROR_INVALID_DATA);
			free(exact);
		}
}
END_TEST

START_TEST(names_without_an_end)
{
	begin(PERF_COUNTERSET);
	add_counters(1);
	size_t at = add_instances(1);
	add_instance("endless!", 1);
	add_value(10, 8);
	end_instances(at);
	ck_assert_uint_eq(read_it(), ERROR_INVALID_DATA);
}
END_TEST

START_TEST(sizes_of_values)
{
	static const ULONG sizes[] = {1, 2, 3, 5, 6, 7};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		begin(PERF_SINGLE_COUNTER);
		add_value(42, sizes[i]);
		ck_assert_uint_eq(read_it(), ERROR_SUCCESS);
		ck_assert(!b.known[0]);
	}
	begin(PERF_SINGLE_COUNTER);
	add_value(42, 9);
	ck_assert_uint_eq(read_it(), ERROR_INVALID_DATA);
}
END_TEST

/* Both may hold any text: a trace names its host itself. */
START_TEST(hosts_and_paths_stay_in_their_cells)
{
	static struct counters_run r;
	static char path[600], expected[700];
	struct counters_column column = {.path = path};
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	/* A long one of characters that are not one byte each. */
	for (size_t i = 0; i < 510; i += 3)
		memcpy(path + i, "\xe2\x82\xac", 3);
	strcat(path, "\"\033");
	strcpy(r.catalogue.host, "a\"b\xff\xc2\x9b");
	r.query.column = &column;
	r.query.columns = 1;
	counters_print_head(&r, f);
	ck_assert_int_eq(fclose(f), 0);
	snprintf(expected, sizeof expected, "\"(PDH-CSV 4.0)\",\"\\\\a\"\"b??%.510s\"\"?\"\r\n",
		path);
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

static void clean(void)
{
	block_free(&b);
}

int main(void)
{
	return suites_run(
		SUITE("counters", .tear_down = clean,
			TESTS(single_counter, a_block_finds_instances_and_columns, other_types,
				cut_off, words_that_lie, names_without_an_end, sizes_of_values,
				hosts_and_paths_stay_in_their_cells)),
		NULL);
}
