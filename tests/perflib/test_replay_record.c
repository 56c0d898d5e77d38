/*
 * Recorded in a session of this program's own, dumped, and replayed: the same blocks.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "replay.h"

enum { ROWS = 500, SAMPLES = 4 };

static const GUID several_guid = {0x5e7e7a1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
static const GUID single_guid = {0x51161e, 2, 3, {0xf4, 5, 6, 7, 8, 9, 10, 0xff}};

static const struct counter_definition several_counters[] = {
	{0, PERF_100NSEC_TIMER_INV, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER, PERF_AGGREGATE_AVG,
		"% Time", "Time."},
	{2, PERF_AVERAGE_BULK, PERF_ATTRIB_DISPLAY_AS_REAL, PERF_DETAIL_ADVANCED, -3, 5,
		PERF_AGGREGATE_TOTAL, "Bytes/turn", "Turns."},
	{5, PERF_AVERAGE_BASE, PERF_ATTRIB_NO_DISPLAYABLE, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_TOTAL, "Turns", ""},
	{9, PERF_COUNTER_RAWCOUNT_HEX, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_UNDEFINED, "Flags", "Of some."},
};
static const struct counterset_definition several_definition = {
	.guid = {0x5e7e7a1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}},
	.provider = {1, 2, 3, {4}},
	.name = "Things",
	.help = "All things that there are.",
	.provider_name = "Maker",
	.type = PERF_COUNTERSET_MULTI_INSTANCES,
	.detail = PERF_DETAIL_ADVANCED,
	.ncounters = 4,
	.counter = several_counters};
static const struct counter_definition single_counters[] = {
	{1, PERF_COUNTER_LARGE_RAWCOUNT, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_UNDEFINED, "Count", "How many."},
};
static const struct counterset_definition single_definition = {
	.guid = {0x51161e, 2, 3, {0xf4, 5, 6, 7, 8, 9, 10, 0xff}},
	.name = "One",
	.type = PERF_COUNTERSET_SINGLE_INSTANCE,
	.detail = PERF_DETAIL_NOVICE,
	.ncounters = 1,
	.counter = single_counters};

static struct made_up_set several, single;
static struct made_up_host machine;
static struct made_up_row row[ROWS], only = {"", 0, 1, {7}};
static char name[ROWS][160];
static HANDLE live;

static void open_live(void)
{
	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(name[i], sizeof name[i], "thing %u of a name that takes its room: %0100u",
			i, i);
		row[i] = (struct made_up_row){name[i], i % 7, i % 5 ? 0x7 : 0xf,
			{i, UINT64_C(10000000000) * i, 3 * i, i}};
	}
	made_up_set(&several, &several_definition, row, ROWS);
	made_up_set(&single, &single_definition, &only, 1);
	made_up_host(&machine, 0);
	made_up_host_add(&machine, &several);
	made_up_host_add(&machine, &single);
	live = NULL;
	ck_assert_uint_eq(query_open(&machine.host, false, &live), ERROR_SUCCESS);
}

static void begin(UINT32 bytes, UINT32 mode)
{
	ck_assert_int_eq(TraceSetMode(mode), PU_SUCCESS);
	ck_assert_int_eq(TraceInit(bytes), PU_SUCCESS);
	ck_assert_int_eq(TraceOn(), PU_SUCCESS);
	open_live();
}

static void set_up(void)
{
	begin(1 << 20, TRACE_MODE_NORMAL);
}

static void set_up_small(void)
{
	cpu_set_t one;

	/* One ring is to come round, wherever this runs. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	begin(256 << 10, TRACE_MODE_WRAP);
}

static void tear_down(void)
{
	PerfCloseQueryHandle(live);
	TraceOff();
	TraceTerminate();
}

static void advance_values(void)
{
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned c = 0; c < 4; c++)
			row[i].value[c] += i * 1000 + c;
	only.value[0] += 11;
}

static PERF_DATA_HEADER *record(void)
{
	PERF_DATA_HEADER *data = next_sample(live);

	ck_assert_uint_eq(PerfTraceCounterData(live, data, data->dwTotalSize), ERROR_SUCCESS);
	advance_values();
	return data;
}

static const char *dump(void)
{
	const char *path = scratch("dump.bin");

	ck_assert_int_eq(TraceWriteBufferToFile(path), PU_SUCCESS);
	return path;
}

static void same_block(const PERF_DATA_HEADER *a, const PERF_DATA_HEADER *b)
{
	ck_assert_ptr_nonnull(b);
	ck_assert_uint_eq(a->dwTotalSize, b->dwTotalSize);
	ck_assert_int_eq(memcmp(a, b, a->dwTotalSize), 0);
}

/* 500 instances are several hooks a sample, more than a section. */
START_TEST(recorded_samples_are_replayed)
{
	PERF_DATA_HEADER *was[SAMPLES];
	HANDLE query;

	add_all(live, &several_guid);
	add_one(live, &single_guid, 1, NULL);
	for (int i = 0; i < SAMPLES; i++)
		was[i] = record();
	ck_assert_uint_gt(was[0]->dwTotalSize, 64 << 10);
	query = replay_all(dump(), &several_guid);
	add_one(query, &single_guid, 1, NULL);
	for (int i = 0; i < SAMPLES; i++) {
		PERF_DATA_HEADER *now = next_sample(query);

		same_block(was[i], now);
		free(now);
		free(was[i]);
	}
	ck_assert_ptr_null(next_sample(query));
	ck_assert_ptr_null(next_sample(query));
	PerfCloseQueryHandle(query);
}
END_TEST

static void same_registration(const char *path, const GUID *set, PerfRegInfoType what, ULONG room)
{
	uint8_t *a = calloc(1, room), *b = calloc(1, room);
	DWORD of_a, of_b;
	struct host *trace;

	ck_assert_uint_eq(host_trace(path, &trace), ERROR_SUCCESS);
	ck_assert_uint_eq(
		host_registration(&machine.host, set, what, 5, a, room, &of_a), ERROR_SUCCESS);
	ck_assert_uint_eq(host_registration(trace, set, what, 5, b, room, &of_b), ERROR_SUCCESS);
	ck_assert_uint_eq(of_a, of_b);
	ck_assert_int_eq(memcmp(a, b, of_a), 0);
	host_close(trace);
	free(a);
	free(b);
}

START_TEST(counterset_definitions_are_recorded)
{
	GUID ids[4];
	DWORD n;
	const char *path;

	add_all(live, &several_guid);
	add_one(live, &single_guid, 1, NULL);
	free(record());
	path = dump();
	ck_assert_uint_eq(PerfEnumerateCounterSet(path, ids, 4, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(memcmp(&ids[0], &several_guid, sizeof ids[0]), 0);
	for (int what = PERF_REG_COUNTERSET_STRUCT; what <= PERF_REG_PROVIDER_GUID; what++)
		same_registration(path, &several_guid, (PerfRegInfoType)what, 4096);
	same_registration(path, &single_guid, PERF_REG_COUNTERSET_NAME_STRING, 4096);
}
END_TEST

START_TEST(no_more_than_was_asked_for_is_recorded)
{
	PERF_DATA_HEADER *data;
	ULONGLONG value;
	HANDLE query;

	add_one(live, &several_guid, 2, "thing 1? *");
	add_one(live, &several_guid, 9, "thing 15 *");
	free(record());
	query = replay_all(dump(), &several_guid);
	data = next_sample(query);
	ck_assert_uint_eq(rows_of(data), 10);
	ck_assert_int_eq(value_of(data, name[12], 2, &value), 8);
	ck_assert_uint_eq(value, UINT64_C(120000000000));
	ck_assert_int_eq(value_of(data, name[15], 9, &value), 4);
	ck_assert_uint_eq(value, 15);
	ck_assert_int_lt(value_of(data, name[12], 0, &value), 0);
	ck_assert_int_lt(value_of(data, name[20], 2, &value), 0);
	free(data);
	PerfCloseQueryHandle(query);
}
END_TEST

START_TEST(no_instances_are_a_sample_too)
{
	PERF_DATA_HEADER *was, *now;
	HANDLE query;

	several.rows = 0;
	add_all(live, &several_guid);
	was = record();
	query = replay_all(dump(), &several_guid);
	now = next_sample(query);
	ck_assert_uint_eq(rows_of(now), 0);
	ck_assert_int_eq(now->PerfTimeStamp, was->PerfTimeStamp);
	ck_assert_ptr_null(next_sample(query));
	free(was);
	free(now);
	PerfCloseQueryHandle(query);
}
END_TEST

/* A counterset that could not be collected has its status in the trace. */
START_TEST(failures_are_recorded)
{
	PERF_DATA_HEADER *was, *now;
	HANDLE query;

	several.collect_status = ERROR_READ_FAULT;
	add_all(live, &several_guid);
	was = record();
	query = replay_all(dump(), &several_guid);
	now = next_sample(query);
	same_block(was, now);
	free(was);
	free(now);
	PerfCloseQueryHandle(query);
}
END_TEST

START_TEST(only_the_handles_last_sample_is_recorded)
{
	PERF_DATA_HEADER *data, *next;
	PERF_DATA_HEADER changed;
	HANDLE other;

	add_all(live, &several_guid);
	data = next_sample(live);
	ck_assert_uint_eq(
		PerfTraceCounterData(NULL, data, data->dwTotalSize), ERROR_INVALID_HANDLE);
	ck_assert_uint_eq(PerfTraceCounterData(live, NULL, 0), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(
		PerfTraceCounterData(live, data, data->dwTotalSize - 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(
		PerfTraceCounterData(live, data, sizeof *data - 1), ERROR_INVALID_PARAMETER);
	changed = *data;
	changed.dwTotalSize = sizeof changed;
	changed.dwNumCounters++;
	ck_assert_uint_eq(
		PerfTraceCounterData(live, &changed, sizeof changed), ERROR_INVALID_PARAMETER);
	next = next_sample(live);
	ck_assert_uint_eq(
		PerfTraceCounterData(live, data, data->dwTotalSize), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &other), ERROR_SUCCESS);
	ck_assert_uint_eq(
		PerfTraceCounterData(other, next, next->dwTotalSize), ERROR_INVALID_PARAMETER);
	PerfCloseQueryHandle(other);
	ck_assert_uint_eq(PerfTraceCounterData(live, next, next->dwTotalSize), ERROR_SUCCESS);
	ck_assert_int_eq(TraceOff(), PU_SUCCESS);
	ck_assert_uint_eq(PerfTraceCounterData(live, next, next->dwTotalSize), ERROR_NOT_READY);
	free(data);
	free(next);
}
END_TEST

START_TEST(nothing_is_recorded_while_tracing_is_off)
{
	int status;
	pid_t child;

	if (getenv("SWTRACE_TEST_EMULATED")) {
		puts("skipped: a restarted program: the emulator does not execute itself");
		return;
	}
	ck_assert_int_eq(TraceOff(), PU_SUCCESS);
	child = fork();
	if (child == 0) {
		execl("/proc/self/exe", "test_perflib_replay", "unrecorded", (char *)NULL);
		_exit(9);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* Full rings: the call reports it, and the recorded part is replayed. */
START_TEST(lost_samples_are_reported)
{
	unsigned fit = 0;
	HANDLE query;
	PERF_DATA_HEADER *data;
	ULONG status = ERROR_SUCCESS;

	add_all(live, &several_guid);
	for (; !status && fit < 1000; fit++) {
		data = next_sample(live);
		status = PerfTraceCounterData(live, data, data->dwTotalSize);
		free(data);
	}
	ck_assert_uint_eq(status, ERROR_INSUFFICIENT_BUFFER);
	query = replay_all(dump(), &several_guid);
	for (unsigned i = 1; i < fit; i++) {
		data = next_sample(query);
		ck_assert_ptr_nonnull(data);
		ck_assert_uint_eq(rows_of(data), ROWS);
		free(data);
	}
	ck_assert_ptr_null(next_sample(query));
	PerfCloseQueryHandle(query);
}
END_TEST

/* The rings overwrote the definition: the counterset is unknown until it is written again. */
START_TEST(wrapped_rings_report_losses_again)
{
	unsigned samples = 0, parts = 0;
	GUID id;
	DWORD n;
	HANDLE query;
	PERF_DATA_HEADER *data;

	add_all(live, &several_guid);
	for (int i = 0; i < 12; i++)
		free(record());
	ck_assert_uint_eq(PerfEnumerateCounterSet(dump(), &id, 1, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 0);
	/* A minute later. */
	query_of(live)->set[0]->recorded_at -= COUNTERS_AGAIN_SECONDS;
	data = record();
	query = replay_all(dump(), &several_guid);
	for (PERF_DATA_HEADER *now; (now = next_sample(query)); samples++) {
		ck_assert_uint_eq(rows_of(now), ROWS);
		parts = now->dwTotalSize == data->dwTotalSize && memcmp(now, data, 200) == 0;
		free(now);
	}
	ck_assert_uint_ge(samples, 1);
	ck_assert_uint_eq(parts, 1); /* the last one is the one just recorded */
	PerfCloseQueryHandle(query);
	free(data);
}
END_TEST

/* A program of its own: none of its hooks has looked for the session yet, which is off. */
START_TEST(a_first_sample_is_not_recorded_either)
{
	PERF_DATA_HEADER *data;

	open_live();
	add_all(live, &several_guid);
	data = next_sample(live);
	ck_assert_uint_eq(PerfTraceCounterData(live, data, data->dwTotalSize), ERROR_NOT_READY);
	free(data);
	PerfCloseQueryHandle(live);
}
END_TEST

Suite *unrecorded_suite(void)
{
	return SUITE("unrecorded", TESTS(a_first_sample_is_not_recorded_either));
}

Suite *record_suite(void)
{
	Suite *suite = suite_create("record");
	TCase *c = tcase_create("record"), *small = tcase_create("small");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, recorded_samples_are_replayed);
	tcase_add_test(c, counterset_definitions_are_recorded);
	tcase_add_test(c, no_more_than_was_asked_for_is_recorded);
	tcase_add_test(c, no_instances_are_a_sample_too);
	tcase_add_test(c, failures_are_recorded);
	tcase_add_test(c, only_the_handles_last_sample_is_recorded);
	tcase_add_test(c, nothing_is_recorded_while_tracing_is_off);
	tcase_add_test(c, lost_samples_are_reported);
	suite_add_tcase(suite, c);
	tcase_add_checked_fixture(small, set_up_small, tear_down);
	tcase_add_test(small, wrapped_rings_report_losses_again);
	suite_add_tcase(suite, small);
	return suite;
}
