/*
 * The countersets of this machine through the public functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/perflib/sets/sets.h"
#include "sets_tests.h"
#include "walk.h"

/* A query of one specification. */
static HANDLE query_of(const GUID *set, ULONG counter, const char *pattern)
{
	struct {
		PERF_COUNTER_IDENTIFIER id;
		char pattern[16];
	} block = {.id = {.CounterSetGuid = *set,
			   .Size = sizeof block,
			   .CounterId = counter,
			   .InstanceId = PERF_ANY_INSTANCE_ID}};
	HANDLE query;

	ck_assert_uint_lt(strlen(pattern), sizeof block.pattern);
	memcpy(block.pattern, pattern, strlen(pattern));
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &query), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfAddCounters(query, &block.id, sizeof block), ERROR_SUCCESS);
	ck_assert_uint_eq(block.id.Status, ERROR_SUCCESS);
	return query;
}

/* Processes come and go between the two calls. */
static void *sample(HANDLE query, struct result *r)
{
	DWORD bytes = 0, room = 0;
	const char *wrong;
	void *data = NULL;
	ULONG status;

	while ((status = PerfQueryCounterData(query, data, room, &bytes)) ==
		ERROR_NOT_ENOUGH_MEMORY) {
		free(data);
		room = bytes + 4096;
		data = malloc(room);
	}
	ck_assert_uint_eq(status, ERROR_SUCCESS);
	wrong = walk(data, bytes);
	ck_assert_msg(!wrong, "%s", wrong);
	ck_assert(walk_result(data, 0, r));
	return data;
}

/* Every one is there, is registered, and can be asked for everything. */
START_TEST(every_set_can_be_asked_for_everything)
{
	const struct counterset_definition *d = counterset_builtin[_i]->definition;
	GUID ids[64];
	DWORD n = 0, at = 0;
	struct result r;
	HANDLE query;
	void *data;

	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, ids, 64, &n), ERROR_SUCCESS);
	ck_assert_uint_ge(n, counterset_builtins);
	while (at < n && memcmp(&ids[at], &d->guid, sizeof d->guid) != 0)
		at++;
	ck_assert_uint_eq(at, (DWORD)_i);
	check_definition(d);
	query = query_of(&d->guid, PERF_WILDCARD_COUNTER, "*");
	for (int i = 0; i < 3; i++) {
		data = sample(query, &r);
		ck_assert_uint_eq(r.header.dwStatus, ERROR_SUCCESS);
		ck_assert_int_eq(r.header.dwType, PERF_COUNTERSET);
		ck_assert_uint_le(r.counters, d->ncounters);
		for (uint32_t c = 0; c < d->ncounters && r.instances; c++) {
			ULONG large = d->counter[c].type & PERF_SIZE_MASK;
			ULONGLONG value;
			int size = walk_value(&r, 0, d->counter[c].id, &value);

			ck_assert(size <= 0 || size == (large == PERF_SIZE_LARGE ? 8 : 4));
		}
		free(data);
	}
	ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
}
END_TEST

START_TEST(instance_0_is_the_total)
{
	struct result r;
	HANDLE query = query_of(&processor_set.definition->guid, 0, "*");
	void *data = sample(query, &r);
	ULONG id;

	ck_assert_int_eq(r.header.dwType, PERF_MULTIPLE_INSTANCES);
	ck_assert_str_eq(walk_instance(&r, 0, &id), "_Total");
	ck_assert_str_eq(walk_instance(&r, 1, &id), "0,_Total");
	free(data);
	PerfCloseQueryHandle(query);
}
END_TEST

/* Counters that Linux lacks are reported as not available, and are not among all. */
START_TEST(not_available)
{
	static const ULONG never[] = {7, 16, 19, 21, 22, 28, 31};
	struct result r;
	HANDLE query = query_of(&processor_set.definition->guid, never[_i], "*");
	void *data = sample(query, &r);
	ULONGLONG value;

	ck_assert_int_eq(r.header.dwType, PERF_ERROR_RETURN);
	ck_assert_uint_eq(r.header.dwStatus, ERROR_NOT_SUPPORTED);
	free(data);
	PerfCloseQueryHandle(query);
	query = query_of(&processor_set.definition->guid, PERF_WILDCARD_COUNTER, "_Total");
	data = sample(query, &r);
	ck_assert_uint_eq(r.instances, 1);
	ck_assert_int_eq(walk_value(&r, 0, never[_i], &value), -1);
	ck_assert_int_eq(walk_value(&r, 0, 0, &value), 8);
	ck_assert_int_eq(walk_value(&r, 0, 3, &value), 4);
	free(data);
	PerfCloseQueryHandle(query);
}
END_TEST

/* A source that cannot be had is told when counting would begin. */
START_TEST(counting_cannot_begin)
{
	PERF_COUNTER_IDENTIFIER *id = calloc(1, sizeof *id + 8);
	HANDLE query;

	setenv("SWTRACE_COUNTERS", "nonsense", 1);
	id->CounterSetGuid = cpi_set.definition->guid;
	id->Size = sizeof *id + 8;
	id->CounterId = PERF_WILDCARD_COUNTER;
	id->InstanceId = PERF_ANY_INSTANCE_ID;
	memcpy(id + 1, "*", 1);
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &query), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfAddCounters(query, id, id->Size), ERROR_SUCCESS);
	ck_assert_uint_eq(id->Status, ERROR_NOT_SUPPORTED);
	ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
	free(id);
}
END_TEST

Suite *sets_query_suite(void)
{
	return SUITE("sets: queries", .timeout = 60,
		TESTS(instance_0_is_the_total, counting_cannot_begin),
		LOOPS({every_set_can_be_asked_for_everything, 0, 4}, {not_available, 0, 7}));
}
