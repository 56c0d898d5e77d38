#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "walked.h"

const GUID single_guid = {0x11111111, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
const GUID several_guid = {
	0xb4fc721a, 0x378, 0x476f, {0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0xb, 0x36}};
const GUID other_guid = {0x33333333, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
static const GUID provider_guid = {0x44444444, 0, 0, {0}};

static const struct counter_definition single_counters[] = {
	{1, PERF_COUNTER_RAWCOUNT, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_UNDEFINED, "Things", "How many things there are."},
	{3, PERF_AVERAGE_BULK, PERF_ATTRIB_DISPLAY_AS_REAL, PERF_DETAIL_ADVANCED, -2, 8,
		PERF_AGGREGATE_AVG, "Bytes/thing", NULL},
	{8, PERF_AVERAGE_BASE, PERF_ATTRIB_NO_DISPLAYABLE, PERF_DETAIL_ADVANCED, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_UNDEFINED, "Bytes/thing base", ""},
};
static const struct counterset_definition single_definition = {
	.guid = {0x11111111, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}},
	.name = "Made up",
	.help = "One instance.",
	.type = PERF_COUNTERSET_SINGLE_INSTANCE,
	.detail = PERF_DETAIL_NOVICE,
	.ncounters = 3,
	.counter = single_counters};
static const struct made_up_row single_rows[] = {
	{"", 0, 3, {0x123456789, UINT64_MAX}},
};

static const struct counter_definition several_counters[] = {
	{0, PERF_100NSEC_TIMER_INV, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER, PERF_AGGREGATE_AVG,
		"% Time", "Time."},
	{2, PERF_COUNTER_COUNTER, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER, PERF_AGGREGATE_TOTAL,
		"Turns/sec", "Turns."},
	{5, PERF_COUNTER_LARGE_RAWCOUNT, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_TOTAL, "Not here", "Never."},
	{9, PERF_COUNTER_RAWCOUNT_HEX, 0, PERF_DETAIL_NOVICE, 0, PERF_NO_COUNTER,
		PERF_AGGREGATE_UNDEFINED, "Flags", "Of some."},
};
static const struct counterset_definition several_definition = {
	.guid = {0xb4fc721a, 0x378, 0x476f, {0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0xb, 0x36}},
	.name = "Made up too",
	.help = "Several instances.",
	.provider_name = "Maker",
	.type = PERF_COUNTERSET_MULTI_INSTANCES,
	.detail = PERF_DETAIL_ADVANCED,
	.ncounters = 4,
	.counter = several_counters};
static const struct made_up_row several_rows[] = {
	{"0,0", 0, 0xb, {10, 11, 12, 13}},
	{"0,1", 1, 0x3, {20, 21, 22, 23}},
	{"0,_Total", 7, 0x3, {30, 31, 32, 33}},
	{"1,0", 0, 0x9, {40, 41, 42, 0xffffffff00000043}},
	{"_Total", 7, 0x3, {50, 0xaa00000051, 52, 53}},
	{"K\xc3\xb6nig", 9, 0x1, {60}},
};

struct made_up_set single, several;
struct made_up_host machine;
HANDLE query;

void begin_anew(unsigned last)
{
	if (query)
		ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
	made_up_set(&single, &single_definition, single_rows, 1);
	single.definition.provider = provider_guid;
	made_up_set(&several, &several_definition, several_rows, 6);
	several.definition.provider = provider_guid;
	made_up_host(&machine, last);
	made_up_host_add(&machine, &single);
	made_up_host_add(&machine, &several);
	query = NULL;
	ck_assert_uint_eq(query_open(&machine.host, last > 0, &query), ERROR_SUCCESS);
	ck_assert_ptr_nonnull(query);
}

void set_up(void)
{
	begin_anew(0);
}

void tear_down(void)
{
	if (query)
		ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
	query = NULL;
	ck_assert_uint_eq(machine.closed, 1);
	ck_assert_uint_eq(single.opened, single.closed);
	ck_assert_uint_eq(several.opened, several.closed);
}

size_t identifier(void *block, const GUID *set, ULONG counter, ULONG instance, const char *pattern)
{
	size_t bytes = sizeof(PERF_COUNTER_IDENTIFIER);
	PERF_COUNTER_IDENTIFIER id = {
		.CounterSetGuid = *set, .CounterId = counter, .InstanceId = instance};

	if (pattern)
		bytes += (strlen(pattern) + 8) / 8 * 8;
	memset(block, 0, bytes);
	id.Status = 0xabcdef;
	id.Size = (ULONG)bytes;
	memcpy(block, &id, sizeof id);
	if (pattern)
		memcpy((char *)block + sizeof id, pattern, strlen(pattern));
	return bytes;
}

static ULONG one(ULONG (*function)(HANDLE, PPERF_COUNTER_IDENTIFIER, DWORD), const GUID *set,
	ULONG counter, ULONG instance, const char *pattern)
{
	size_t room = sizeof(PERF_COUNTER_IDENTIFIER) + 8 + (pattern ? strlen(pattern) : 0);
	PERF_COUNTER_IDENTIFIER *block = malloc(room);
	size_t bytes = identifier(block, set, counter, instance, pattern);
	ULONG status;

	ck_assert_uint_eq(function(query, block, (DWORD)bytes), ERROR_SUCCESS);
	status = block->Status;
	free(block);
	return status;
}

ULONG add(const GUID *set, ULONG counter, ULONG instance, const char *pattern)
{
	return one(PerfAddCounters, set, counter, instance, pattern);
}

ULONG take(const GUID *set, ULONG counter, ULONG instance, const char *pattern)
{
	return one(PerfDeleteCounters, set, counter, instance, pattern);
}

void *sample(void)
{
	void *data = walked_sample(query);

	ck_assert_ptr_nonnull(data);
	return data;
}

int main(void)
{
	return suites_run(data_suite(), format_suite(), identifiers_suite(), live_suite(),
		memory_suite(), names_suite(), registration_suite(), trouble_suite(), NULL);
}
