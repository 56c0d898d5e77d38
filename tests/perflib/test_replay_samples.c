/*
 * Samples as a trace may hold them: made by hand, from trace-file.md, incomplete, interleaved,
 * contradictory and wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/random.h"
#include "replay.h"

static const GUID guid_a = {0xaaaaaaaa, 1, 2, {3, 4, 5, 6, 7, 8, 9, 10}};
static const GUID guid_b = {0xbbbbbbbb, 1, 2, {3, 4, 5, 6, 7, 8, 9, 10}};

#define HIGH_A 0xaaaaaaaa, 0x00010002
#define HIGH_B 0xbbbbbbbb, 0x00010002
#define LOW 0x03040506, 0x0708090a

enum { HASH = 77 };

/* The trace of a test, in a process of its own, and the stamp of its next hook. */
static struct bytes made;
static uint64_t stamp = 10;

static void put_set(uint32_t which, uint32_t hash, uint32_t counters, const char *name)
{
	const uint32_t words[] = {which, 0x00010002, LOW, 0, hash, 0, 0, 0, 0,
		PERF_COUNTERSET_MULTI_INSTANCES, PERF_DETAIL_NOVICE, counters};
	const char *strings[] = {name, "help", "provider", NULL};

	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, COUNTERS_MINOR_SET, 13, words, strings);
}

static void put_counters(uint32_t which, uint32_t hash, uint32_t all, uint32_t first, uint32_t n,
	const uint32_t *ids)
{
	uint32_t words[9 + 8 * 8] = {which, 0x00010002, LOW, 0, hash, all, first, n};
	const char *strings[17] = {NULL};

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t turn[] = {ids[i], PERF_COUNTER_LARGE_RAWCOUNT, 0, 0,
			PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER, PERF_AGGREGATE_TOTAL};

		memcpy(words + 9 + 8 * i, turn, sizeof turn);
		strings[2 * i] = i % 2 ? "odd" : "even";
		strings[2 * i + 1] = "";
	}
	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, COUNTERS_MINOR_COUNTERS, 9 + 8 * n, words,
		strings);
}

/* Counters 1 and 4. */
static void put_definition(uint32_t which)
{
	const uint32_t ids[] = {1, 4};

	put_set(which, HASH, 2, "set");
	put_counters(which, HASH, 2, 0, 2, ids);
}

/* A sample of one part. Fields left 0 are valid. */
struct part {
	uint32_t which, hash, time, parts, part, set_rows, first_row, rows, tid, known, ids[2];
	uint32_t says_columns, says_rows, says_values;
};

/* Row r of a sample has the values 1000 time + 10 r and that + 1, and is called "r". */
static void put_part(const struct part *p)
{
	uint32_t words[256] = {p->which, 0x00010002, LOW, 0, p->hash ? p->hash : HASH, 0, p->time,
		0, 1000, 0, p->time * 7, p->parts, p->part, 0, p->set_rows, p->first_row,
		p->says_columns ? p->says_columns : 2, p->says_rows ? p->says_rows : p->rows,
		p->says_values ? p->says_values : 2 * p->rows, (2 * p->rows + 31) / 32,
		p->ids[0] ? p->ids[0] : 1, p->ids[1] ? p->ids[1] : 4};
	char names[16][8];
	const char *strings[17] = {NULL};
	uint32_t n = 23;

	for (uint32_t i = 0; i < p->rows; i++) {
		words[n++] = 50 + p->first_row + i;
		snprintf(names[i], sizeof names[i], "%u", p->first_row + i);
		strings[i] = names[i];
	}
	for (uint32_t i = 0; i < 2 * p->rows; i++) {
		words[n++] = 0;
		words[n++] = 1000 * p->time + 10 * (p->first_row + i / 2) + i % 2;
	}
	words[n] = p->known ? p->known : 0xffffffff;
	n += (2 * p->rows + 31) / 32;
	put_hook(&made, stamp++, p->tid ? p->tid : 1, COUNTERS_MAJOR, COUNTERS_MINOR_INSTANCES, n,
		words, strings);
}

static const char *finish(void)
{
	const char *path = scratch("made.bin");

	write_trace(path, &made);
	return path;
}

/* The next sample is that of this time, with so many rows, each with its values. */
static void expect(HANDLE query, uint32_t time, ULONG rows)
{
	PERF_DATA_HEADER *data = next_sample(query);

	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(data->PerfTimeStamp, time);
	ck_assert_int_eq(data->PerfTime100NSec, 7 * time);
	ck_assert_int_eq(data->PerfFreq, 1000);
	ck_assert_uint_eq(rows_of(data), rows);
	for (ULONG i = 0; i < rows; i++) {
		char name[16];
		ULONGLONG value;

		snprintf(name, sizeof name, "%u", i);
		ck_assert_int_eq(value_of(data, name, 1, &value), 8);
		ck_assert_uint_eq(value, 1000 * time + 10 * i);
		ck_assert_int_eq(value_of(data, name, 4, &value), 8);
		ck_assert_uint_eq(value, 1000 * time + 10 * i + 1);
	}
	free(data);
}

static void expect_end(HANDLE query)
{
	ck_assert_ptr_null(next_sample(query));
	ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
}

/* The made trace has these samples of guid_a, {time, rows}, and no more. */
static void expect_samples(const uint32_t (*sample)[2])
{
	HANDLE query = replay_all(finish(), &guid_a);

	for (; **sample; sample++)
		expect(query, (*sample)[0], (*sample)[1]);
	expect_end(query);
}

#define EXPECT_SAMPLES(...) expect_samples((const uint32_t[][2]){__VA_ARGS__, {0}})

/* The made trace defines guid_a by this name, with counters 1 and 4. */
static void expect_definition(const char *name)
{
	const struct counterset *set;
	struct host *host;

	ck_assert_uint_eq(host_trace(scratch("made.bin"), &host), ERROR_SUCCESS);
	ck_assert_uint_eq(host_find(host, &guid_a, &set), ERROR_SUCCESS);
	ck_assert_str_eq(set->definition->name, name);
	ck_assert_uint_eq(set->definition->ncounters, 2);
	host_close(host);
}

#define PART(...) put_part(&(struct part){.which = 0xaaaaaaaa, __VA_ARGS__})
#define PART_B(...) put_part(&(struct part){.which = 0xbbbbbbbb, __VA_ARGS__})

START_TEST(parts_of_a_sample_are_joined)
{
	put_definition(0xaaaaaaaa);
	PART(.time = 1, .parts = 2, .set_rows = 5, .rows = 3);
	PART(.time = 1, .parts = 2, .part = 1, .set_rows = 5, .first_row = 3, .rows = 2);
	PART(.time = 2, .parts = 1);
	EXPECT_SAMPLES({1, 5}, {2, 0});
}
END_TEST

START_TEST(threads_record_at_the_same_time)
{
	put_definition(0xaaaaaaaa);
	PART(.time = 1, .parts = 2, .set_rows = 5, .rows = 3, .tid = 5);
	PART(.time = 2, .parts = 2, .set_rows = 2, .rows = 1, .tid = 6);
	PART(.time = 2, .parts = 2, .part = 1, .set_rows = 2, .first_row = 1, .rows = 1, .tid = 6);
	PART(.time = 1, .parts = 2, .part = 1, .set_rows = 5, .first_row = 3, .rows = 2, .tid = 5);
	EXPECT_SAMPLES({2, 2}, {1, 5}); /* as they became complete */
}
END_TEST

/* A sample that lost a part counts with its whole countersets only. */
START_TEST(missing_parts_break_their_countersets_only)
{
	HANDLE query;
	PERF_DATA_HEADER *data;
	struct result r;
	const char *path;

	put_definition(0xaaaaaaaa);
	put_definition(0xbbbbbbbb);
	PART(.time = 1, .parts = 3, .set_rows = 2, .rows = 2);
	PART_B(.time = 1, .parts = 3, .part = 2, .set_rows = 4, .first_row = 2, .rows = 2);
	PART(.time = 2, .parts = 3, .set_rows = 2, .rows = 2);
	PART_B(.time = 2, .parts = 3, .part = 1, .set_rows = 4, .rows = 2);
	PART(.time = 3, .parts = 1, .set_rows = 1, .rows = 1);
	path = finish();
	query = replay_all(path, &guid_a);
	add_all(query, &guid_b);
	for (int i = 1; i <= 3; i++) {
		data = next_sample(query);
		ck_assert_int_eq(data->PerfTimeStamp, i);
		ck_assert_uint_eq(rows_of(data), i < 3 ? 2 : 1);
		ck_assert(walk_result(data, 1, &r));
		ck_assert_uint_eq(r.header.dwType, PERF_ERROR_RETURN);
		ck_assert_uint_eq(r.header.dwStatus, i < 3 ? ERROR_INVALID_DATA : ERROR_NOT_READY);
		free(data);
	}
	expect_end(query);
	expect_end(replay_all(path, &guid_b));
}
END_TEST

/* An incomplete sample is not returned after a later one. */
START_TEST(incomplete_samples_do_not_step_back)
{
	put_definition(0xaaaaaaaa);
	PART(.time = 1, .parts = 2, .set_rows = 2, .rows = 2, .tid = 5);
	PART(.time = 2, .parts = 1, .set_rows = 2, .rows = 2, .tid = 6);
	PART(.time = 3, .parts = 2, .set_rows = 1, .rows = 1, .tid = 5);
	EXPECT_SAMPLES({2, 2}, {3, 1});
}
END_TEST

START_TEST(unknown_values_are_absent)
{
	HANDLE query;
	PERF_DATA_HEADER *data;
	ULONGLONG value;

	put_definition(0xaaaaaaaa);
	PART(.time = 1, .parts = 1, .set_rows = 2, .rows = 2, .known = 0xd);
	/* A counter without a definition. */
	PART(.time = 2, .parts = 1, .set_rows = 1, .rows = 1, .ids = {1, 3});
	query = replay_all(finish(), &guid_a);
	data = next_sample(query);
	ck_assert_int_eq(value_of(data, "0", 1, &value), 8);
	ck_assert_int_eq(value_of(data, "0", 4, &value), 0);
	ck_assert_int_eq(value_of(data, "1", 4, &value), 8);
	free(data);
	data = next_sample(query);
	ck_assert_int_eq(value_of(data, "0", 1, &value), 8);
	ck_assert_uint_eq(value, 2000);
	ck_assert_int_lt(value_of(data, "0", 3, &value), 0);
	ck_assert_int_lt(value_of(data, "0", 4, &value), 0);
	free(data);
	expect_end(query);
}
END_TEST

/* The first definition that is whole holds, and samples that are of it. */
START_TEST(contradictory_definitions)
{
	const uint32_t first[] = {1, 4}, other[] = {1, 2, 4};

	put_set(0xaaaaaaaa, 5, 3, "never whole");
	put_counters(0xaaaaaaaa, 5, 3, 1, 2, other + 1);
	put_set(0xaaaaaaaa, HASH, 2, "whole");
	put_counters(0xaaaaaaaa, HASH, 2, 0, 1, first);
	put_counters(0xaaaaaaaa, 6, 2, 1, 1, first + 1);
	put_counters(0xaaaaaaaa, HASH, 2, 1, 1, first + 1);
	put_set(0xaaaaaaaa, 6, 3, "other");
	put_counters(0xaaaaaaaa, 6, 3, 0, 3, other);
	PART(.time = 1, .parts = 1, .set_rows = 1, .rows = 1, .hash = 6);
	PART(.time = 2, .parts = 1, .set_rows = 1, .rows = 1);
	EXPECT_SAMPLES({2, 1});
	expect_definition("whole");
}
END_TEST

START_TEST(names_hold_nothing_that_a_terminal_obeys)
{
	const uint32_t ids[] = {1, 4};

	put_set(0xaaaaaaaa, HASH, 2, "s\033[2J\n\xc2\x9b");
	put_counters(0xaaaaaaaa, HASH, 2, 0, 2, ids);
	finish();
	expect_definition("s\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

/* Each is a trace in which there is nothing to be had, or no sample. */
START_TEST(nonsense_is_passed_over)
{
	static const uint32_t descending[] = {4, 1}, wildcard[] = {1, 0xffffffff};
	const uint32_t fine[] = {1, 4};
	DWORD n;
	GUID id;

	put_set(0xaaaaaaaa, HASH, 0, "no counters");
	put_counters(0xaaaaaaaa, HASH, 0, 0, 0, fine);
	put_set(0xaaaaaaaa, HASH, COUNTERSET_COUNTERS + 1, "too many");
	put_counters(0xaaaaaaaa, HASH, COUNTERSET_COUNTERS + 1, 0, 2, fine);
	put_set(0xaaaaaaaa, HASH, 2, "");
	put_counters(0xaaaaaaaa, HASH, 2, 0, 2, fine);
	put_set(0xaaaaaaaa, HASH, 2, "order");
	put_counters(0xaaaaaaaa, HASH, 2, 0, 2, descending);
	put_set(0xaaaaaaaa, HASH, 2, "wildcard");
	put_counters(0xaaaaaaaa, HASH, 2, 0, 2, wildcard);
	put_set(0xaaaaaaaa, HASH, 1, "more than it says");
	put_counters(0xaaaaaaaa, HASH, 1, 0, 2, fine);
	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, COUNTERS_MINOR_SET, 0, NULL, NULL);
	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, COUNTERS_MINOR_COUNTERS, 0, NULL, NULL);
	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, COUNTERS_MINOR_INSTANCES, 0, NULL, NULL);
	put_hook(&made, stamp++, 1, COUNTERS_MAJOR, 0x99, 2, fine, NULL);
	ck_assert_uint_eq(PerfEnumerateCounterSet(finish(), &id, 1, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(samples_that_lie)
{
	put_definition(0xaaaaaaaa);
	PART(.time = 1, .parts = 0, .set_rows = 1, .rows = 1);
	PART(.time = 2, .parts = 1, .part = 1, .set_rows = 1, .rows = 1);
	PART(.time = 3, .parts = 1, .set_rows = 2, .rows = 1);
	PART(.time = 4, .parts = 1, .set_rows = 1, .rows = 2);
	PART(.time = 5, .parts = 1, .set_rows = 1, .first_row = 1, .rows = 1);
	PART(.time = 6, .parts = 1, .set_rows = COUNTERSET_INSTANCES + 1, .rows = 1);
	PART(.time = 7, .parts = 1, .set_rows = 2, .rows = 1, .says_rows = 2);
	PART(.time = 8, .parts = 1, .set_rows = 1, .rows = 1, .says_columns = 300);
	PART(.time = 9, .parts = 1, .set_rows = 1, .rows = 1, .says_columns = 3);
	PART(.time = 10, .parts = 1, .set_rows = 1, .rows = 1, .says_values = 1);
	PART(.time = 11, .parts = 2, .set_rows = 2, .rows = 2);
	PART(.time = 11, .parts = 2, .part = 1, .set_rows = 3, .first_row = 2, .rows = 1);
	PART(.time = 12, .parts = 1, .set_rows = 1, .rows = 1);
	EXPECT_SAMPLES({12, 1});
}
END_TEST

START_TEST(too_many_countersets_are_dropped)
{
	const uint32_t ids[] = {1};
	DWORD n;
	GUID *list = calloc(400, sizeof *list);

	for (uint32_t i = 0; i < 400; i++) {
		put_set(i, HASH, 1, "one of many");
		put_counters(i, HASH, 1, 0, 1, ids);
	}
	ck_assert_uint_eq(PerfEnumerateCounterSet(finish(), list, 400, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 256);
	free(list);
}
END_TEST

static bool damage(struct copied *c, void *ctx)
{
	uint64_t *seed = ctx;
	unsigned n = c->hook->nwords;

	for (unsigned times = random31(seed) % 4; n && times; times--) {
		static const uint32_t likely[] = {0, 1, 2, 255, 256, 65535, 65536, 0xffffffff};

		c->word[random31(seed) % n] =
			random31(seed) % 2 ? likely[random31(seed) % 8] : random31(seed);
	}
	c->tid += random31(seed) % 8 == 0;
	return random31(seed) % 16 != 0;
}

/* For any contents, blocks are valid and reading ends. */
START_TEST(any_words_do_no_harm)
{
	uint64_t seed = 1;

	put_definition(0xaaaaaaaa);
	for (uint32_t i = 0; i < 40; i++) {
		PART(.time = i, .parts = 2, .set_rows = 9, .rows = 5);
		PART(.time = i, .parts = 2, .part = 1, .set_rows = 9, .first_row = 5, .rows = 4);
	}
	write_trace(scratch("fine.bin"), &made);
	for (unsigned round = 0; round < 150; round++) {
		const char *path = scratch("hurt.bin");
		PERF_DATA_HEADER *data;
		HANDLE query;
		GUID ids[64];
		DWORD n;

		copy_trace(scratch("fine.bin"), path, damage, &seed);
		ck_assert_uint_eq(PerfEnumerateCounterSet(path, ids, 64, &n), ERROR_SUCCESS);
		ck_assert_uint_eq(PerfOpenQueryHandle(path, &query), ERROR_SUCCESS);
		for (DWORD i = 0; i < n; i++)
			add_all(query, &ids[i]);
		while ((data = next_sample(query)))
			free(data);
		PerfCloseQueryHandle(query);
	}
}
END_TEST

START_TEST(files_that_are_no_traces)
{
	const char *path = scratch("no.bin");
	HANDLE query;
	DWORD n;
	FILE *f;

	ck_assert_uint_eq(PerfOpenQueryHandle(path, &query), ERROR_FILE_NOT_FOUND);
	ck_assert_uint_eq(PerfEnumerateCounterSet(path, NULL, 0, &n), ERROR_FILE_NOT_FOUND);
	ck_assert_uint_eq(PerfOpenQueryHandle("no such machine", &query), ERROR_NOT_SUPPORTED);
	ck_assert_uint_eq(PerfOpenQueryHandle(scratch(""), &query), ERROR_READ_FAULT);
	f = fopen(path, "w");
	fputs("no trace", f);
	fclose(f);
	ck_assert_uint_eq(PerfOpenQueryHandle(path, &query), ERROR_INVALID_DATA);
	unlink(path);
}
END_TEST

START_TEST(instances_are_those_of_the_first_sample)
{
	uint64_t room[64];
	PERF_INSTANCE_HEADER head;
	DWORD n;

	put_definition(0xaaaaaaaa);
	put_definition(0xbbbbbbbb);
	PART(.time = 1, .parts = 1, .set_rows = 2, .rows = 2);
	PART(.time = 2, .parts = 1, .set_rows = 5, .rows = 5);
	finish();
	ck_assert_uint_eq(PerfEnumerateCounterSetInstances(scratch("made.bin"), &guid_a,
				  (PERF_INSTANCE_HEADER *)room, sizeof room, &n),
		ERROR_SUCCESS);
	ck_assert_uint_eq(n, 2 * 16);
	memcpy(&head, room, sizeof head);
	ck_assert_uint_eq(head.InstanceId, 50);
	ck_assert_str_eq((char *)(room + 1), "0");
	ck_assert_uint_eq(PerfEnumerateCounterSetInstances(scratch("made.bin"), &guid_b,
				  (PERF_INSTANCE_HEADER *)room, sizeof room, &n),
		ERROR_WMI_INSTANCE_NOT_FOUND);
}
END_TEST

Suite *samples_suite(void)
{
	return SUITE("samples", .timeout = 60,
		TESTS(parts_of_a_sample_are_joined, threads_record_at_the_same_time,
			missing_parts_break_their_countersets_only,
			incomplete_samples_do_not_step_back, unknown_values_are_absent,
			contradictory_definitions, names_hold_nothing_that_a_terminal_obeys,
			nonsense_is_passed_over, samples_that_lie, too_many_countersets_are_dropped,
			any_words_do_no_harm, files_that_are_no_traces,
			instances_are_those_of_the_first_sample));
}
