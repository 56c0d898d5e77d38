/*
 * This machine as a host: what is built in, then what programs offer; and where a query may be
 * opened otherwise.
 */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/perflib/guid.h"

static char folder[] = "/tmp/perflib-live.XXXXXX";
static HANDLE provider[2];

static void no_providers(void)
{
	strcpy(folder + sizeof folder - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(setenv("SWTRACE_COUNTERSETS", folder, 1), 0);
	provider[0] = provider[1] = NULL;
}

static void end_providers(void)
{
	for (int i = 0; i < 2; i++)
		if (provider[i])
			ck_assert_uint_eq(PerfStopProvider(provider[i]), ERROR_SUCCESS);
	unsetenv("SWTRACE_COUNTERSETS");
	ck_assert_int_eq(rmdir(folder), 0);
}

/* A provider of one single-instance counterset of this GUID. */
static void offer(int which, const GUID *set, const char *name)
{
	const GUID id = {0x50000000 + (uint32_t)which, 0, 0, {0}};
	struct {
		PERF_COUNTERSET_INFO set;
		PERF_COUNTER_INFO counter;
	} template = {{*set, id, 1, PERF_COUNTERSET_SINGLE_INSTANCE},
		{.CounterId = 1,
			.Type = PERF_COUNTER_RAWCOUNT,
			.Size = sizeof(PERF_COUNTER_INFO),
			.DetailLevel = PERF_DETAIL_NOVICE}};

	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &provider[which]), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfSetCounterSetName(provider[which], set, name, NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfSetCounterSetInfo(provider[which], &template.set, sizeof template),
		ERROR_SUCCESS);
}

static GUID *enumerate(DWORD *n)
{
	GUID *ids;

	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, NULL, 0, n), ERROR_NOT_ENOUGH_MEMORY);
	ids = calloc(*n, sizeof *ids);
	ck_assert_uint_eq(PerfEnumerateCounterSet("", ids, *n, n), ERROR_SUCCESS);
	return ids;
}

static void is_called(const GUID *id, const char *name)
{
	char is[256];
	DWORD bytes;

	ck_assert_uint_eq(
		PerfQueryCounterSetRegistrationInfo(NULL, id, PERF_REG_COUNTERSET_NAME_STRING, 0,
			(uint8_t *)is, sizeof is, &bytes),
		ERROR_SUCCESS);
	ck_assert_str_eq(is, name);
}

START_TEST(built_in_countersets_come_first)
{
	DWORD n;
	GUID *ids;

	offer(0, &other_guid, "Offered");
	ids = enumerate(&n);
	ck_assert_uint_eq(n, counterset_builtins + 1);
	for (unsigned i = 0; i < counterset_builtins; i++)
		ck_assert(guid_equal(&ids[i], &counterset_builtin[i]->definition->guid));
	ck_assert(guid_equal(&ids[n - 1], &other_guid));
	is_called(&other_guid, "Offered");
	free(ids);
}
END_TEST

START_TEST(a_guid_is_whose_it_was_first)
{
	const struct counterset_definition *built_in = counterset_builtin[0]->definition;
	DWORD n;

	offer(0, &built_in->guid, "Impostor");
	free(enumerate(&n));
	ck_assert_uint_eq(n, counterset_builtins);
	is_called(&built_in->guid, built_in->name);
}
END_TEST

START_TEST(of_two_providers_one_is_seen)
{
	DWORD n;

	offer(0, &other_guid, "First");
	offer(1, &other_guid, "Second");
	free(enumerate(&n));
	ck_assert_uint_eq(n, counterset_builtins + 1);
	is_called(&other_guid, "First");
	ck_assert_uint_eq(PerfStopProvider(provider[0]), ERROR_SUCCESS);
	provider[0] = NULL;
	is_called(&other_guid, "Second");
}
END_TEST

START_TEST(samples_have_the_current_time)
{
	PERF_DATA_HEADER a, b;
	HANDLE live;
	DWORD bytes;
	int64_t now = time(NULL);
	const int64_t to_1970 = INT64_C(11644473600);

	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &live), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfQueryCounterData(live, &a, sizeof a, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfQueryCounterData(live, &b, sizeof b, &bytes), ERROR_SUCCESS);
	ck_assert_int_ge(a.PerfTime100NSec / 10000000 - to_1970, now - 1);
	ck_assert_int_le(b.PerfTime100NSec / 10000000 - to_1970, time(NULL) + 1);
	ck_assert_int_ge(b.PerfTimeStamp, a.PerfTimeStamp);
	ck_assert_int_gt(a.PerfFreq, 0);
	ck_assert_int_eq(a.PerfFreq, b.PerfFreq);
	ck_assert_uint_eq(PerfCloseQueryHandle(live), ERROR_SUCCESS);
}
END_TEST

START_TEST(a_provider_that_ends_and_starts_again)
{
	struct {
		PERF_DATA_HEADER head;
		PERF_COUNTER_HEADER counter;
		PERF_COUNTER_DATA data;
		uint32_t value, zero;
	} now;
	PERF_COUNTER_IDENTIFIER id = {.CounterSetGuid = other_guid,
		.Size = sizeof id,
		.CounterId = 1,
		.InstanceId = PERF_ANY_INSTANCE_ID};
	DWORD bytes;

	offer(0, &other_guid, "First");
	ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &query), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfAddCounters(query, &id, sizeof id), ERROR_SUCCESS);
	ck_assert_uint_eq(id.Status, ERROR_SUCCESS);
	ck_assert_uint_eq(
		PerfQueryCounterData(query, &now.head, sizeof now, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(now.counter.dwStatus, ERROR_WMI_INSTANCE_NOT_FOUND);
	ck_assert_uint_eq(PerfStopProvider(provider[0]), ERROR_SUCCESS);
	provider[0] = NULL;
	ck_assert_uint_eq(
		PerfQueryCounterData(query, &now.head, sizeof now, &bytes), ERROR_SUCCESS);
	ck_assert_uint_eq(now.counter.dwStatus, ERROR_WMI_GUID_NOT_FOUND);
	offer(1, &other_guid, "Second");
	ck_assert_ptr_nonnull(PerfCreateInstance(provider[1], &other_guid, "", 0));
	ck_assert_uint_eq(
		PerfQueryCounterData(query, &now.head, sizeof now, &bytes), ERROR_SUCCESS);
	ck_assert_int_eq(now.counter.dwType, PERF_SINGLE_COUNTER);
	ck_assert_uint_eq(now.value, 0);
}
END_TEST

START_TEST(providers_that_cannot_be_looked_for)
{
	DWORD n;
	HANDLE live = NULL;

	setenv("SWTRACE_COUNTERSETS", "relative", 1);
	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, NULL, 0, &n), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &live), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfCloseQueryHandle(live), ERROR_SUCCESS);
}
END_TEST

/* ------------------------------------------------------------------------- elsewhere */

static const struct {
	const char *where;
	ULONG status;
} elsewhere[] = {
	{"\\\\MACHINE", ERROR_NOT_SUPPORTED},
	{"localhost", ERROR_NOT_SUPPORTED},
	{"no-such-file", ERROR_NOT_SUPPORTED},
	{"./no-such-file", ERROR_FILE_NOT_FOUND},
	{"/no/such/folder/trace.bin", ERROR_FILE_NOT_FOUND},
	{"/dev/null", ERROR_INVALID_DATA},
};

START_TEST(other_machines_are_refused)
{
	const char *where = elsewhere[_i].where;
	ULONG status = elsewhere[_i].status;
	HANDLE handle = NULL;
	DWORD n;

	ck_assert_uint_eq(PerfOpenQueryHandle(where, &handle), status);
	ck_assert_ptr_null(handle);
	ck_assert_uint_eq(PerfEnumerateCounterSet(where, NULL, 0, &n), status);
	ck_assert_uint_eq(PerfQueryCounterSetRegistrationInfo(
				  where, &other_guid, PERF_REG_PROVIDER_GUID, 0, NULL, 0, &n),
		status);
	ck_assert_uint_eq(
		PerfEnumerateCounterSetInstances(where, &other_guid, NULL, 0, &n), status);
}
END_TEST

/* A name without a '/' is a trace's if there is such a file. */
START_TEST(a_file_of_this_folder)
{
	HANDLE handle = NULL;
	FILE *file;

	ck_assert_int_eq(chdir(folder), 0);
	file = fopen("trace.bin", "we");
	ck_assert_ptr_nonnull(file);
	fputs("this is no trace", file);
	fclose(file);
	ck_assert_uint_eq(PerfOpenQueryHandle("trace.bin", &handle), ERROR_INVALID_DATA);
	ck_assert_ptr_null(handle);
	ck_assert_int_eq(unlink("trace.bin"), 0);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

Suite *live_suite(void)
{
	Suite *s = suite_create("this machine");
	TCase *t = tcase_create("live");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_checked_fixture(t, no_providers, end_providers);
	tcase_add_test(t, built_in_countersets_come_first);
	tcase_add_test(t, a_guid_is_whose_it_was_first);
	tcase_add_test(t, of_two_providers_one_is_seen);
	tcase_add_test(t, samples_have_the_current_time);
	tcase_add_test(t, a_provider_that_ends_and_starts_again);
	tcase_add_test(t, providers_that_cannot_be_looked_for);
	tcase_add_loop_test(t, other_machines_are_refused, 0, sizeof elsewhere / sizeof *elsewhere);
	tcase_add_test(t, a_file_of_this_folder);
	suite_add_tcase(s, t);
	return s;
}
