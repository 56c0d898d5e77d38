/*
 * Registered countersets and their instances.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "../../libtrace/perflib/guid.h"
#include "../../libtrace/perflib/host.h"

static void *of_host(const GUID *id, PerfRegInfoType request, uint32_t counter, uint32_t *bytes)
{
	unsigned char *info, *odd;
	uint32_t again;

	ck_assert_uint_eq(host_registration(&machine.host, id, request, counter, NULL, 0, bytes),
		ERROR_NOT_ENOUGH_MEMORY);
	info = malloc(*bytes);
	memset(info, 0x5a, *bytes);
	ck_assert_uint_eq(
		host_registration(&machine.host, id, request, counter, info, *bytes - 1, &again),
		ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(again, *bytes);
	for (uint32_t i = 0; i < *bytes; i++)
		ck_assert_uint_eq(info[i], 0x5a);
	ck_assert_uint_eq(
		host_registration(&machine.host, id, request, counter, info, *bytes, &again),
		ERROR_SUCCESS);
	ck_assert_uint_eq(again, *bytes);
	/* The same at an odd address, with room to spare. */
	odd = malloc(*bytes + 9);
	ck_assert_uint_eq(
		host_registration(&machine.host, id, request, counter, odd + 1, *bytes + 8, &again),
		ERROR_SUCCESS);
	ck_assert_uint_eq(again, *bytes);
	ck_assert_mem_eq(odd + 1, info, *bytes);
	free(odd);
	return info;
}

START_TEST(a_counterset_and_its_counters)
{
	uint32_t bytes;
	unsigned char *info = of_host(&several_guid, PERF_REG_COUNTERSET_STRUCT, 0, &bytes);
	PERF_COUNTERSET_REG_INFO set;
	PERF_COUNTER_REG_INFO counter;

	ck_assert_uint_eq(bytes, 32 + 4 * 48);
	memcpy(&set, info, sizeof set);
	ck_assert(guid_equal(&set.CounterSetGuid, &several_guid));
	ck_assert_uint_eq(set.InstanceType, PERF_COUNTERSET_MULTI_INSTANCES);
	ck_assert_uint_eq(set.DetailLevel, PERF_DETAIL_ADVANCED);
	ck_assert_uint_eq(set.NumCounters, 4);
	memcpy(&counter, info + 32 + 3 * 48, sizeof counter);
	ck_assert_uint_eq(counter.CounterId, 9);
	ck_assert_uint_eq(counter.Type, PERF_COUNTER_RAWCOUNT_HEX);
	ck_assert_uint_eq(counter.BaseCounterId, PERF_NO_COUNTER);
	ck_assert_uint_eq(counter.PerfTimeId, PERF_NO_COUNTER);
	ck_assert_uint_eq(counter.PerfFreqId, PERF_NO_COUNTER);
	ck_assert_uint_eq(counter.MultiId, PERF_NO_COUNTER);
	ck_assert_uint_eq(counter.Reserved, 0);
	free(info);
}
END_TEST

START_TEST(one_counter)
{
	uint32_t bytes;
	PERF_COUNTER_REG_INFO *counter = of_host(&single_guid, PERF_REG_COUNTER_STRUCT, 3, &bytes);

	ck_assert_uint_eq(bytes, sizeof *counter);
	ck_assert_uint_eq(counter->CounterId, 3);
	ck_assert_uint_eq(counter->Type, PERF_AVERAGE_BULK);
	ck_assert_uint_eq(counter->Attrib, PERF_ATTRIB_DISPLAY_AS_REAL);
	ck_assert_uint_eq(counter->DetailLevel, PERF_DETAIL_ADVANCED);
	ck_assert_int_eq(counter->DefaultScale, -2);
	ck_assert_uint_eq(counter->BaseCounterId, 8);
	ck_assert_uint_eq(counter->AggregateFunc, PERF_AGGREGATE_AVG);
	free(counter);
	ck_assert_uint_eq(host_registration(&machine.host, &single_guid, PERF_REG_COUNTER_STRUCT, 2,
				  NULL, 0, &bytes),
		ERROR_WMI_ITEMID_NOT_FOUND);
	ck_assert_uint_eq(host_registration(&machine.host, &single_guid, PERF_REG_COUNTER_STRUCT,
				  PERF_WILDCARD_COUNTER, NULL, 0, &bytes),
		ERROR_WMI_ITEMID_NOT_FOUND);
}
END_TEST

static const struct {
	const GUID *set;
	PerfRegInfoType request;
	const char *is;
} texts[] = {
	{&single_guid, PERF_REG_COUNTERSET_NAME_STRING, "Made up"},
	{&single_guid, PERF_REG_COUNTERSET_ENGLISH_NAME, "Made up"},
	{&several_guid, PERF_REG_COUNTERSET_HELP_STRING, "Several instances."},
	{&several_guid, PERF_REG_PROVIDER_NAME, "Maker"},
	{&single_guid, PERF_REG_PROVIDER_NAME, ""}, /* it has none */
};

START_TEST(registered_texts_are_returned)
{
	uint32_t bytes;
	char *text = of_host(texts[_i].set, texts[_i].request, 0x409, &bytes);

	ck_assert_uint_eq(bytes, strlen(texts[_i].is) + 1);
	ck_assert_str_eq(text, texts[_i].is);
	free(text);
}
END_TEST

START_TEST(a_provider)
{
	uint32_t bytes;
	GUID *id = of_host(&single_guid, PERF_REG_PROVIDER_GUID, 0, &bytes);

	ck_assert_uint_eq(bytes, sizeof *id);
	ck_assert_uint_eq(id->Data1, 0x44444444);
	free(id);
}
END_TEST

static const char *string_at(const unsigned char *info, uint32_t i, uint32_t *id)
{
	PERF_STRING_COUNTER_HEADER header;

	memcpy(&header, info + sizeof(PERF_STRING_BUFFER_HEADER) + i * sizeof header,
		sizeof header);
	*id = header.dwCounterId;
	return header.dwOffset == 0xffffffff ? NULL : (const char *)info + header.dwOffset;
}

START_TEST(strings_of_all_counters)
{
	PERF_STRING_BUFFER_HEADER header;
	uint32_t bytes, id;
	unsigned char *info = of_host(&single_guid, PERF_REG_COUNTER_NAME_STRINGS, 0, &bytes);

	memcpy(&header, info, sizeof header);
	ck_assert_uint_eq(header.dwSize, bytes);
	ck_assert_uint_eq(bytes % 8, 0);
	ck_assert_uint_eq(header.dwCounters, 3);
	ck_assert_str_eq(string_at(info, 0, &id), "Things");
	ck_assert_uint_eq(id, 1);
	ck_assert_str_eq(string_at(info, 2, &id), "Bytes/thing base");
	ck_assert_uint_eq(id, 8);
	free(info);
	info = of_host(&single_guid, PERF_REG_COUNTER_HELP_STRINGS, 0, &bytes);
	ck_assert_str_eq(string_at(info, 0, &id), "How many things there are.");
	ck_assert_ptr_null(string_at(info, 1, &id));
	ck_assert_str_eq(string_at(info, 2, &id), "");
	free(info);
	free(of_host(&several_guid, PERF_REG_COUNTER_ENGLISH_NAMES, 0, &bytes));
}
END_TEST

START_TEST(strings_of_no_counters)
{
	PERF_STRING_BUFFER_HEADER *info;
	uint32_t bytes;

	single.definition.ncounters = 0;
	info = of_host(&single_guid, PERF_REG_COUNTER_NAME_STRINGS, 0, &bytes);
	ck_assert_uint_eq(bytes, sizeof *info);
	ck_assert_uint_eq(info->dwSize, sizeof *info);
	ck_assert_uint_eq(info->dwCounters, 0);
	free(info);
}
END_TEST

START_TEST(requests_that_there_are_not)
{
	static const int none[] = {0, -1, 11, 1000};
	uint32_t bytes;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		ck_assert_uint_eq(host_registration(&machine.host, &single_guid,
					  (PerfRegInfoType)none[i], 0, NULL, 0, &bytes),
			ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(host_registration(&machine.host, &other_guid, PERF_REG_PROVIDER_GUID, 0,
				  NULL, 0, &bytes),
		ERROR_WMI_GUID_NOT_FOUND);
	machine.refresh_status = ERROR_INVALID_DATA;
	ck_assert_uint_eq(host_registration(&machine.host, &single_guid, PERF_REG_PROVIDER_GUID, 0,
				  NULL, 0, &bytes),
		ERROR_INVALID_DATA);
}
END_TEST

START_TEST(instances_fill_a_sufficient_buffer)
{
	unsigned char *info;
	PERF_INSTANCE_HEADER header;
	uint32_t bytes, again;

	ck_assert_uint_eq(host_instances(&machine.host, &several_guid, NULL, 0, &bytes),
		ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(bytes, 16 + 16 + 24 + 16 + 16 + 16);
	info = malloc(bytes);
	ck_assert_uint_eq(host_instances(&machine.host, &several_guid, info, bytes - 1, &again),
		ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(
		host_instances(&machine.host, &several_guid, info, bytes, &again), ERROR_SUCCESS);
	ck_assert_uint_eq(again, bytes);
	memcpy(&header, info + 32, sizeof header);
	ck_assert_uint_eq(header.Size, 24);
	ck_assert_uint_eq(header.InstanceId, 7);
	ck_assert_mem_eq(info + 40, "0,_Total\0\0\0\0\0\0\0\0", 16);
	free(info);
}
END_TEST

START_TEST(instances_that_there_are_not)
{
	uint32_t bytes;

	ck_assert_uint_eq(host_instances(&machine.host, &single_guid, NULL, 0, &bytes),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(host_instances(&machine.host, &other_guid, NULL, 0, &bytes),
		ERROR_WMI_GUID_NOT_FOUND);
	several.collect_status = ERROR_READ_FAULT;
	ck_assert_uint_eq(
		host_instances(&machine.host, &several_guid, NULL, 0, &bytes), ERROR_READ_FAULT);
	several.collect_status = ERROR_SUCCESS;
	several.rows = 0;
	ck_assert_uint_eq(host_instances(&machine.host, &several_guid, NULL, 0, &bytes),
		ERROR_WMI_INSTANCE_NOT_FOUND);
}
END_TEST

START_TEST(countersets_fill_a_sufficient_buffer)
{
	GUID ids[3];
	uint32_t n = 0;

	ck_assert_uint_eq(host_enumerate(&machine.host, NULL, 0, &n), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_uint_eq(n, 2);
	ids[0] = other_guid;
	ck_assert_uint_eq(host_enumerate(&machine.host, ids, 1, &n), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert(guid_equal(&ids[0], &other_guid));
	ck_assert_uint_eq(host_enumerate(&machine.host, ids, 3, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 2);
	ck_assert(guid_equal(&ids[0], &single_guid) && guid_equal(&ids[1], &several_guid));
	machine.sets = 0;
	ck_assert_uint_eq(host_enumerate(&machine.host, NULL, 0, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* The public functions, which find this machine by themselves. */
START_TEST(unknown_machines_and_missing_arguments_are_refused)
{
	static const char machine_name[] = "\\\\nowhere";
	DWORD n;
	GUID id;
	uint8_t info[8];

	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, NULL, 1, &n), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfEnumerateCounterSet(machine_name, &id, 1, &n), ERROR_NOT_SUPPORTED);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(
				  NULL, NULL, PERF_REG_PROVIDER_GUID, 0, info, 8, &n),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(
				  NULL, &other_guid, PERF_REG_PROVIDER_GUID, 0, info, 8, NULL),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(
				  NULL, &other_guid, PERF_REG_PROVIDER_GUID, 0, NULL, 8, &n),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(machine_name, &other_guid,
				  PERF_REG_PROVIDER_GUID, 0, info, 8, &n),
		ERROR_NOT_SUPPORTED);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(
				  NULL, &other_guid, PERF_REG_PROVIDER_GUID, 0, info, 8, &n),
		ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(
		PerfEnumerateCounterSetInstances(NULL, NULL, NULL, 0, &n), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfEnumerateCounterSetInstances(NULL, &other_guid, NULL, 0, NULL),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfEnumerateCounterSetInstances(NULL, &other_guid, NULL, 8, &n),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfEnumerateCounterSetInstances(NULL, &other_guid, NULL, 0, &n),
		ERROR_WMI_GUID_NOT_FOUND);
}
END_TEST

START_TEST(statuses_have_names)
{
	ck_assert_str_eq(PerfStatusName(ERROR_SUCCESS), "ERROR_SUCCESS");
	ck_assert_str_eq(PerfStatusName(8), "ERROR_NOT_ENOUGH_MEMORY");
	ck_assert_str_eq(PerfStatusName(4202), "ERROR_WMI_ITEMID_NOT_FOUND");
	ck_assert_str_eq(PerfStatusName(1), "ERROR_UNKNOWN");
	ck_assert_str_eq(PerfStatusName(UINT32_MAX), "ERROR_UNKNOWN");
}
END_TEST

/* A base that is a number of components is MultiId, too; an object's clock PerfTimeId. */
START_TEST(bases_by_type)
{
	static const struct {
		ULONG type;
		bool is_multi, is_clock;
	} cases[] = {{PERF_COUNTER_MULTI_TIMER, true, false},
		{PERF_COUNTER_MULTI_TIMER_INV, true, false},
		{PERF_100NSEC_MULTI_TIMER, true, false},
		{PERF_100NSEC_MULTI_TIMER_INV, true, false}, {PERF_OBJ_TIME_TIMER, false, true},
		{PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, false, true},
		{PERF_PRECISION_OBJECT_TIMER, false, false}, {PERF_AVERAGE_BULK, false, false}};
	struct counter_definition one = {
		.id = 1, .type = cases[_i].type, .base = 7, .name = "one", .help = ""};
	PERF_COUNTER_REG_INFO *counter;
	uint32_t bytes;

	single.definition.counter = &one;
	single.definition.ncounters = 1;
	counter = of_host(&single_guid, PERF_REG_COUNTER_STRUCT, 1, &bytes);
	ck_assert_uint_eq(counter->BaseCounterId, 7);
	ck_assert_uint_eq(counter->MultiId, cases[_i].is_multi ? 7 : PERF_NO_COUNTER);
	ck_assert_uint_eq(counter->PerfTimeId, cases[_i].is_clock ? 7 : PERF_NO_COUNTER);
	free(counter);
}
END_TEST

Suite *registration_suite(void)
{
	return SUITE("registration", .set_up = set_up, .tear_down = tear_down,
		TESTS(a_counterset_and_its_counters, one_counter, a_provider,
			strings_of_all_counters, strings_of_no_counters,
			requests_that_there_are_not, instances_fill_a_sufficient_buffer,
			instances_that_there_are_not, countersets_fill_a_sufficient_buffer,
			unknown_machines_and_missing_arguments_are_refused, statuses_have_names),
		LOOPS({bases_by_type, 0, 8},
			{registered_texts_are_returned, 0, sizeof texts / sizeof *texts}));
}
