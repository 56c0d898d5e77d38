/* A provider's life: what a consumer sees of it from start to stop. */
#include "shared.h"

#include <sys/stat.h>

static struct seen seen;

static void begin(void)
{
	shared_begin();
}

static void end(void)
{
	shared_end();
}

START_TEST(a_set_appears_with_all_its_properties)
{
	HANDLE h = offer_provider(1);
	const struct counterset_definition *d;
	const struct counterset *set;
	GUID provider = guid_of(1);

	seen_open(&seen);
	ck_assert_uint_eq(seen.n, 0);
	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 1);
	set = seen_set(&seen, 2);
	ck_assert_ptr_nonnull(set);
	d = set->definition;
	ck_assert_mem_eq(&d->provider, &provider, sizeof provider);
	ck_assert_str_eq(d->name, "Server");
	ck_assert_str_eq(d->help, "Requests of a server");
	ck_assert_str_eq(d->provider_name, program_invocation_short_name);
	ck_assert_uint_eq(d->type, PERF_COUNTERSET_MULTI_INSTANCES);
	ck_assert_uint_eq(d->ncounters, 4);
	ck_assert_uint_eq(d->counter[0].id, REQUESTS);
	ck_assert_uint_eq(d->counter[1].id, QUEUE);
	ck_assert_uint_eq(d->counter[2].id, BUSY);
	ck_assert_uint_eq(d->counter[3].id, BASE);
	ck_assert_str_eq(d->counter[0].name, "Requests/sec");
	ck_assert_str_eq(d->counter[0].help, "served");
	ck_assert_str_eq(d->counter[1].name, "counter 2");
	ck_assert_str_eq(d->counter[1].help, "");
	ck_assert_uint_eq(d->counter[0].type, PERF_COUNTER_BULK_COUNT);
	ck_assert_int_eq(d->counter[0].scale, -3);
	ck_assert_uint_eq(d->counter[0].base, PERF_NO_COUNTER);
	ck_assert_uint_eq(d->counter[2].base, BASE);
	ck_assert_uint_eq(d->counter[2].detail, PERF_DETAIL_ADVANCED);
	ck_assert_uint_eq(d->counter[3].attrib, PERF_ATTRIB_NO_DISPLAYABLE);
	seen_close(&seen);
	ck_assert_uint_eq(PerfStopProvider(h), ERROR_SUCCESS);
}
END_TEST

START_TEST(names_that_were_not_set_are_made_up)
{
	HANDLE h = offer_provider(1);

	ck_assert_uint_eq(offer_wide(h, 1, 2, 1), ERROR_SUCCESS);
	seen_open(&seen);
	ck_assert_str_eq(seen.sets[0]->definition->name, "5a5a0002-0000-0000-0102-030000000000");
	ck_assert_str_eq(seen.sets[0]->definition->counter[0].name, "counter 1");
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

START_TEST(instances_come_and_go)
{
	HANDLE h = offer_provider(1);
	const struct counterset *set;
	GUID id = guid_of(2);
	PERF_COUNTERSET_INSTANCE *a, *b;
	int row;

	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	seen_open(&seen);
	set = seen_set(&seen, 2);
	ck_assert_uint_eq(seen_collect(&seen, set), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 0);

	a = PerfCreateInstance(h, &id, "a", 0);
	b = PerfCreateInstance(h, &id, "b/\xc3\xa4", 17);
	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_uint_eq(b->InstanceId, 17);
	ck_assert_str_eq((char *)b + b->InstanceNameOffset, "b/\xc3\xa4");
	ck_assert_uint_eq(b->InstanceNameSize, 5);
	ck_assert_uint_eq(b->dwSize % 8, 0);
	ck_assert_mem_eq(&b->CounterSetGuid, &id, sizeof id);
	ck_assert_uint_eq(PerfSetULongLongCounterValue(h, b, REQUESTS, 1ull << 40), 0);
	ck_assert_uint_eq(PerfIncrementULongCounterValue(h, b, QUEUE, 3), 0);
	ck_assert_uint_eq(PerfDecrementULongCounterValue(h, b, QUEUE, 4), 0);

	ck_assert_uint_eq(seen_collect(&seen, set), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 2);
	row = seen_row(&seen, "a", 0);
	ck_assert_int_ge(row, 0);
	ck_assert_uint_eq(seen_value(&seen, (uint32_t)row, 0), 0);
	row = seen_row(&seen, "b/\xc3\xa4", 17);
	ck_assert_int_ge(row, 0);
	ck_assert_uint_eq(seen_value(&seen, (uint32_t)row, 0), 1ull << 40);
	ck_assert_uint_eq(seen_value(&seen, (uint32_t)row, 1), UINT32_MAX);

	ck_assert_uint_eq(PerfDeleteInstance(h, b), ERROR_SUCCESS);
	ck_assert_uint_eq(set->operations->instances(set, &seen.rows), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 1);
	ck_assert_int_eq(seen_row(&seen, "a", 0), 0);

	/* In b's place: values begin at 0 again. */
	ck_assert_ptr_nonnull(PerfCreateInstance(h, &id, "c", 1));
	ck_assert_uint_eq(seen_collect(&seen, set), ERROR_SUCCESS);
	row = seen_row(&seen, "c", 1);
	ck_assert_int_ge(row, 0);
	ck_assert_uint_eq(seen_value(&seen, (uint32_t)row, 0), 0);
	ck_assert_uint_eq(seen_value(&seen, (uint32_t)row, 1), 0);
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

START_TEST(only_wanted_columns_are_set)
{
	HANDLE h = offer_provider(1);
	const uint64_t wanted[4] = {2};
	GUID id = guid_of(2);

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	PerfCreateInstance(h, &id, "", 0);
	seen_open(&seen);
	ck_assert_uint_eq(
		seen.sets[0]->operations->collect(seen.sets[0], NULL, wanted, NULL, &seen.rows),
		ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 1);
	for (uint32_t c = 0; c < 4; c++)
		ck_assert_uint_eq(seen.rows.known[c], c == 1);
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

START_TEST(a_stopped_one_is_gone_and_its_file_too)
{
	HANDLE h = offer_provider(1);
	const struct counterset *set;

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	ck_assert_int_eq(shared_files(NULL), 1);
	seen_open(&seen);
	set = seen_set(&seen, 2);
	ck_assert_uint_eq(PerfStopProvider(h), ERROR_SUCCESS);
	ck_assert_int_eq(shared_files(NULL), 0);
	/* Found instances stay valid, and are marked as gone. */
	ck_assert_uint_eq(seen_collect(&seen, set), ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(set->operations->instances(set, &seen.rows), ERROR_WMI_GUID_NOT_FOUND);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 0);
	ck_assert_str_eq(set->definition->name, "Server");
	/* The same one again is another. */
	h = offer_provider(1);
	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	ck_assert_uint_eq(seen_collect(&seen, set), ERROR_WMI_GUID_NOT_FOUND);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_ptr_ne(seen.sets[0], set);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

START_TEST(of_equal_sets_the_first_is_seen)
{
	HANDLE first = offer_provider(2), second = offer_provider(1);
	GUID provider = guid_of(2), other = guid_of(1);

	offer_counters(second, 1, 9, PERF_COUNTERSET_SINGLE_INSTANCE);
	offer_counters(first, 2, 9, PERF_COUNTERSET_SINGLE_INSTANCE);
	seen_open(&seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_mem_eq(&seen.sets[0]->definition->provider, &provider, sizeof provider);
	PerfStopProvider(first);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_mem_eq(&seen.sets[0]->definition->provider, &other, sizeof other);
	seen_close(&seen);
	PerfStopProvider(second);
}
END_TEST

START_TEST(sets_are_added_to_a_running_provider)
{
	HANDLE h = offer_provider(1);

	seen_open(&seen);
	for (uint32_t i = 0; i < PROV_SETS; i++) {
		ck_assert_uint_eq(offer_wide(h, 1, 10 + i, 1 + i * 8), ERROR_SUCCESS);
		seen_refresh(&seen);
		ck_assert_uint_eq(seen.n, i + 1);
	}
	ck_assert_uint_eq(offer_wide(h, 1, 10 + PROV_SETS, 1), ERROR_NOT_ENOUGH_MEMORY);
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

/* Slots of both kinds, more than one block of each, until the set is full. */
START_TEST(a_set_holds_as_many_instances_as_it_may)
{
	HANDLE h = offer_provider(1);
	GUID id = guid_of(2);
	char name[256];
	PERF_COUNTERSET_INSTANCE *last = NULL;
	uint64_t sum = 0;

	ck_assert_uint_eq(offer_wide(h, 1, 2, 2), ERROR_SUCCESS);
	for (uint32_t i = 0; i < PROV_INSTANCES; i++) {
		snprintf(name, sizeof name, "%0*u", i % 64 ? 5 : 200, i);
		last = PerfCreateInstance(h, &id, name, i);
		ck_assert_msg(last != NULL, "instance %u: %s", i, strerror(errno));
		PerfSetULongLongCounterValue(h, last, 2, i);
	}
	ck_assert_ptr_null(PerfCreateInstance(h, &id, "one more", 0));
	ck_assert_int_eq(errno, ENOMEM);
	seen_open(&seen);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, PROV_INSTANCES);
	for (uint32_t i = 0; i < PROV_INSTANCES; i++) {
		ck_assert_uint_eq(seen.rows.row[i].id, seen.rows.value[2 * i + 1]);
		sum += seen.rows.value[2 * i + 1];
	}
	ck_assert_uint_eq(sum, (uint64_t)PROV_INSTANCES * (PROV_INSTANCES - 1) / 2);
	/* One goes, one comes. */
	ck_assert_uint_eq(PerfDeleteInstance(h, last), ERROR_SUCCESS);
	ck_assert_ptr_nonnull(PerfCreateInstance(h, &id, "one more", 0));
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

/* Names that come back, and others in the slots of those that are gone. */
START_TEST(deleted_names_are_not_found_again)
{
	enum { NAMES = 60, ROUNDS = 20 };
	HANDLE h = offer_provider(1);
	GUID id = guid_of(2);
	char name[32];

	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		PERF_COUNTERSET_INSTANCE *at[NAMES];

		for (uint32_t i = 0; i < NAMES; i++) {
			snprintf(name, sizeof name, "%u", i % 2 ? i : round * NAMES + i);
			at[i] = PerfCreateInstance(h, &id, name, i);
			ck_assert_ptr_nonnull(at[i]);
			ck_assert_ptr_null(PerfCreateInstance(h, &id, name, i));
			ck_assert_int_eq(errno, EEXIST);
		}
		for (uint32_t i = 0; i < NAMES; i++) {
			snprintf(name, sizeof name, "%u", i % 2 ? i : round * NAMES + i);
			ck_assert_ptr_eq(PerfQueryInstance(h, &id, name, i), at[i]);
			ck_assert_uint_eq(PerfDeleteInstance(h, at[i]), ERROR_SUCCESS);
			ck_assert_ptr_null(PerfQueryInstance(h, &id, name, i));
		}
	}
	PerfStopProvider(h);
}
END_TEST

/* As a program sees it: through the public functions. */
START_TEST(a_query_reads_another_programs_values)
{
	HANDLE h = offer_provider(1), query;
	GUID id = guid_of(2), ids[64];
	char name[64];
	DWORD n = 0, found = 0;
	struct {
		PERF_COUNTER_IDENTIFIER id;
		char name[8];
	} spec = {{.CounterSetGuid = id,
			  .Size = sizeof spec,
			  .CounterId = REQUESTS,
			  .InstanceId = PERF_ANY_INSTANCE_ID},
		"w*"};
	struct {
		PERF_DATA_HEADER head;
		PERF_COUNTER_HEADER counter;
		PERF_MULTI_INSTANCES several;
		PERF_INSTANCE_HEADER instance;
		char name[8];
		PERF_COUNTER_DATA value;
		uint64_t number;
	} data;
	PERF_COUNTERSET_INSTANCE *i;

	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	i = PerfCreateInstance(h, &id, "worker", 4);
	PerfCreateInstance(h, &id, "other", 4);
	ck_assert_uint_eq(PerfEnumerateCounterSet(NULL, ids, 64, &n), ERROR_SUCCESS);
	for (DWORD k = 0; k < n; k++)
		found += memcmp(&ids[k], &id, sizeof id) == 0;
	ck_assert_uint_eq(found, 1);
	ck_assert_uint_eq(
		PerfQueryCounterSetRegistrationInfo(NULL, &id, PERF_REG_COUNTERSET_NAME_STRING, 0,
			(uint8_t *)name, sizeof name, &n),
		ERROR_SUCCESS);
	ck_assert_str_eq(name, "Server");
	ck_assert_uint_eq(PerfOpenQueryHandle(NULL, &query), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfAddCounters(query, &spec.id, sizeof spec), ERROR_SUCCESS);
	ck_assert_uint_eq(spec.id.Status, ERROR_SUCCESS);
	for (uint64_t k = 1; k < 4; k++) {
		PerfSetULongLongCounterValue(h, i, REQUESTS, k << 33);
		ck_assert_uint_eq(
			PerfQueryCounterData(query, &data.head, sizeof data, &n), ERROR_SUCCESS);
		ck_assert_uint_eq(n, sizeof data);
		ck_assert_uint_eq(data.counter.dwType, PERF_MULTIPLE_INSTANCES);
		ck_assert_uint_eq(data.several.dwInstances, 1);
		ck_assert_str_eq(data.name, "worker");
		ck_assert_uint_eq(data.number, k << 33);
	}
	/* It ends: its part of the sample is an error, no zero. */
	ck_assert_uint_eq(PerfStopProvider(h), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfQueryCounterData(query, &data.head, sizeof data, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(data.counter.dwType, PERF_ERROR_RETURN);
	ck_assert_uint_eq(data.counter.dwStatus, ERROR_WMI_GUID_NOT_FOUND);
	ck_assert_uint_eq(PerfCloseQueryHandle(query), ERROR_SUCCESS);
}
END_TEST

START_TEST(a_missing_directory_holds_nothing_and_is_made)
{
	struct stat st;
	HANDLE h;

	rmdir(shared_dir);
	seen_open(&seen);
	ck_assert_uint_eq(seen.n, 0);
	mode_t mask = umask(077);
	h = offer_provider(1);
	umask(mask);
	ck_assert_int_eq(stat(shared_dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, 1);
	seen_close(&seen);
	PerfStopProvider(h);
}
END_TEST

Suite *life_suite(void)
{
	return SUITE("shared: a provider's life", .set_up = begin, .tear_down = end, .timeout = 60,
		TESTS(a_set_appears_with_all_its_properties, names_that_were_not_set_are_made_up,
			instances_come_and_go, only_wanted_columns_are_set,
			a_stopped_one_is_gone_and_its_file_too, of_equal_sets_the_first_is_seen,
			sets_are_added_to_a_running_provider,
			a_set_holds_as_many_instances_as_it_may, deleted_names_are_not_found_again,
			a_query_reads_another_programs_values,
			a_missing_directory_holds_nothing_and_is_made));
}
