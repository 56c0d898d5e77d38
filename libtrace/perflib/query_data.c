/*
 * The result blocks of a sample.
 */
#include <string.h>

#include "../../formats/base/glob.h"
#include "host.h"
#include "query.h"

static SYSTEMTIME system_time(int64_t time_100ns)
{
	const int64_t per_day = INT64_C(864000000000), last = per_day * 10675199;
	SYSTEMTIME t = {0};
	uint32_t day, era, in_era, year, in_year, month, ms;

	if (time_100ns < 0 || time_100ns >= last)
		return t; /* before the first SYSTEMTIME */
	day = (uint32_t)(time_100ns / per_day);
	ms = (uint32_t)(time_100ns % per_day / 10000);
	t.wDayOfWeek = (WORD)((day + 1) % 7);
	/* Civil date from days: years begin in March, eras have 400 years, and one era begins on
	 * 1600-03-01. */
	day += 306;
	era = day / 146097;
	in_era = day % 146097;
	year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	in_year = in_era - (365 * year + year / 4 - year / 100);
	month = (5 * in_year + 2) / 153;
	t.wDay = (WORD)(in_year - (153 * month + 2) / 5 + 1);
	t.wMonth = (WORD)(month < 10 ? month + 3 : month - 9);
	t.wYear = (WORD)(1600 + era * 400 + year + (month >= 10));
	t.wHour = (WORD)(ms / 3600000);
	t.wMinute = (WORD)(ms / 60000 % 60);
	t.wSecond = (WORD)(ms / 1000 % 60);
	t.wMilliseconds = (WORD)(ms % 1000);
	return t;
}

bool query_takes(const struct specification *spec, uint32_t row)
{
	const struct rows *rows = &spec->set->rows;
	const struct row *r = &rows->row[row];

	if (spec->identifier.InstanceId != PERF_ANY_INSTANCE_ID &&
		spec->identifier.InstanceId != r->id)
		return false;
	return spec->set->set->definition->type == PERF_COUNTERSET_SINGLE_INSTANCE ||
	       glob_match_name(
		       spec->pattern, spec->pattern_bytes, rows->names + r->name, r->name_bytes);
}

static void put_value(struct block *b, const struct query_set *s, uint32_t row, uint32_t column)
{
	size_t at = (size_t)row * s->rows.columns + column;
	uint32_t type = s->set->definition->counter[column].type;
	struct {
		PERF_COUNTER_DATA data;
		uint8_t value[8];
	} out = {{0, sizeof out}, {0}};

	if (s->rows.known[at]) {
		uint64_t large = s->rows.value[at];
		uint32_t small = (uint32_t)large;

		if ((type & PERF_SIZE_MASK) == PERF_SIZE_LARGE) {
			out.data.dwDataSize = sizeof large;
			memcpy(out.value, &large, sizeof large);
		} else {
			out.data.dwDataSize = sizeof small;
			memcpy(out.value, &small, sizeof small);
		}
	}
	block_put(b, &out, sizeof out);
}

/* The columns of a result: one, or all that are available. */
static uint32_t list_columns(const struct query_set *s, int one, uint16_t list[COUNTERSET_COUNTERS])
{
	uint32_t n = 0;

	if (one >= 0) {
		list[0] = (uint16_t)one;
		return 1;
	}
	for (uint32_t i = 0; i < s->rows.columns; i++)
		if (s->rows.used == 0 || column_wanted(s->there, i))
			list[n++] = (uint16_t)i;
	return n;
}

static void put_counters(
	struct block *b, const struct query_set *s, const uint16_t *list, uint32_t n)
{
	uint64_t at = b->size;
	PERF_MULTI_COUNTERS counters = {.dwCounters = n};

	block_put(b, &counters, sizeof counters);
	for (uint32_t i = 0; i < n; i++)
		block_put(b, &s->set->definition->counter[list[i]].id, sizeof(uint32_t));
	block_pad(b);
	counters.dwSize = (uint32_t)(b->size - at);
	block_patch(b, at, &counters, sizeof counters);
}

static void put_instances(
	struct block *b, const struct specification *spec, const uint16_t *list, uint32_t n)
{
	const struct query_set *s = spec->set;
	uint64_t at = b->size;
	PERF_MULTI_INSTANCES instances = {0};

	block_put(b, &instances, sizeof instances);
	for (uint32_t row = 0; row < s->rows.used; row++) {
		if (!query_takes(spec, row))
			continue;
		instances.dwInstances++;
		instance_put(b, &s->rows, row);
		for (uint32_t i = 0; i < n; i++)
			put_value(b, s, row, list[i]);
	}
	instances.dwTotalSize = (uint32_t)(b->size - at);
	block_patch(b, at, &instances, sizeof instances);
}

/* Finds the row of a single-instance counterset; false if there is none. */
static bool the_row(const struct specification *spec, uint32_t *row)
{
	for (*row = 0; *row < spec->set->rows.used; ++*row)
		if (query_takes(spec, *row))
			return true;
	return false;
}

/* Appends the result's data, unless its status is an error. */
static uint32_t put_result(
	struct block *b, const struct specification *spec, PerfCounterDataType *type)
{
	const struct query_set *s = spec->set;
	const struct counterset_definition *set = s->set->definition;
	bool all = spec->identifier.CounterId == PERF_WILDCARD_COUNTER;
	uint16_t list[COUNTERSET_COUNTERS];
	int one = all ? -1 : counterset_column(set, spec->identifier.CounterId);
	uint32_t n, row;

	if (s->status)
		return s->status;
	if (!all && one < 0)
		return ERROR_WMI_ITEMID_NOT_FOUND; /* gone since the query was made */
	if (!all && s->rows.used > 0 && !column_wanted(s->there, (uint32_t)one))
		return ERROR_NOT_SUPPORTED;
	n = list_columns(s, one, list);
	if (set->type != PERF_COUNTERSET_SINGLE_INSTANCE) {
		*type = all ? PERF_COUNTERSET : PERF_MULTIPLE_INSTANCES;
		if (all)
			put_counters(b, s, list, n);
		put_instances(b, spec, list, n);
		return ERROR_SUCCESS;
	}
	if (!the_row(spec, &row))
		return ERROR_WMI_INSTANCE_NOT_FOUND;
	*type = all ? PERF_MULTIPLE_COUNTERS : PERF_SINGLE_COUNTER;
	if (all)
		put_counters(b, s, list, n);
	for (uint32_t i = 0; i < n; i++)
		put_value(b, s, row, list[i]);
	return ERROR_SUCCESS;
}

static void write_data(struct block *b, const void *what)
{
	const struct query *q = what;
	PERF_DATA_HEADER data = {.dwNumCounters = q->specifications,
		.PerfTimeStamp = q->time.ticks,
		.PerfTime100NSec = q->time.time_100ns,
		.PerfFreq = q->time.frequency,
		.SystemTime = system_time(q->time.time_100ns)};

	block_put(b, &data, sizeof data);
	for (uint32_t i = 0; i < q->specifications; i++) {
		PERF_COUNTER_HEADER header = {.dwType = PERF_ERROR_RETURN};
		uint64_t at = b->size;

		block_put(b, &header, sizeof header);
		header.dwStatus = put_result(b, &q->specification[i], &header.dwType);
		header.dwSize = (uint32_t)(b->size - at);
		block_patch(b, at, &header, sizeof header);
	}
	data.dwTotalSize = (uint32_t)b->size;
	block_patch(b, 0, &data, sizeof data);
}

ULONG PerfQueryCounterData(HANDLE query, PPERF_DATA_HEADER data, DWORD bytes, LPDWORD actual)
{
	struct query *q = query_of(query);
	uint32_t status;

	if (!q)
		return ERROR_INVALID_HANDLE;
	if (!actual || (!data && bytes))
		return ERROR_INVALID_PARAMETER;
	status = query_collect(q);
	if (status)
		return status;
	status = block_deliver(write_data, q, data, bytes, actual);
	if (!status)
		q->stepped = false;
	return status;
}
