/*
 * Values: one atomic operation on an aligned word of the file. Any thread or signal handler.
 */
#include "offer.h"

#include "../../../../formats/base/search.h"

/* Relaxed throughout: a value is independent and orders no other data. */

static uint64_t *offer_find_column(
	const struct offered_instance *i, uint32_t counter, uint32_t size, uint32_t *status)
{
	const struct offered_set *set = i->set;
	uint64_t *value = __atomic_load_n(&i->value, __ATOMIC_RELAXED);
	struct search s = {0, set->counters};
	uint32_t at = counter - set->id[0];

	*status = ERROR_NOT_FOUND;
	/* Ids are mostly consecutive. */
	if (at >= set->counters || set->id[at] != counter) {
		while (s.low < s.high)
			search_narrow(&s, set->id[search_middle(&s)] < counter);
		at = (uint32_t)s.low;
	}
	if (at >= set->counters || set->id[at] != counter)
		return NULL;
	*status = set->size[at] == size ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
	return *status ? NULL : value + at;
}

static uint64_t *value_of(HANDLE provider, const PERF_COUNTERSET_INSTANCE *instance,
	uint32_t counter, uint32_t size, uint32_t *status)
{
	const struct offered_instance *i;

	if (!offer_find(provider)) {
		*status = ERROR_INVALID_HANDLE;
		return NULL;
	}
	*status = ERROR_INVALID_PARAMETER;
	i = offer_instance_of(provider, instance);
	return i ? offer_find_column(i, counter, size, status) : NULL;
}

/* A 32-bit counter uses the low half, which comes first on both (little-endian) architectures. */
static uint32_t *low_half(uint64_t *value)
{
	return (uint32_t *)value;
}

ULONG PerfSetULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value)
{
	uint32_t status;
	uint32_t *at = low_half(value_of(provider, instance, counter, PERF_SIZE_DWORD, &status));

	if (at)
		__atomic_store_n(at, value, __ATOMIC_RELAXED);
	return status;
}

ULONG PerfSetULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value)
{
	uint32_t status;
	uint64_t *at = value_of(provider, instance, counter, PERF_SIZE_LARGE, &status);

	if (at)
		__atomic_store_n(at, value, __ATOMIC_RELAXED);
	return status;
}

ULONG PerfIncrementULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value)
{
	uint32_t status;
	uint32_t *at = low_half(value_of(provider, instance, counter, PERF_SIZE_DWORD, &status));

	if (at)
		__atomic_fetch_add(at, value, __ATOMIC_RELAXED);
	return status;
}

ULONG PerfIncrementULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value)
{
	uint32_t status;
	uint64_t *at = value_of(provider, instance, counter, PERF_SIZE_LARGE, &status);

	if (at)
		__atomic_fetch_add(at, value, __ATOMIC_RELAXED);
	return status;
}

ULONG PerfDecrementULongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONG value)
{
	return PerfIncrementULongCounterValue(provider, instance, counter, 0 - value);
}

ULONG PerfDecrementULongLongCounterValue(
	HANDLE provider, PPERF_COUNTERSET_INSTANCE instance, ULONG counter, ULONGLONG value)
{
	return PerfIncrementULongLongCounterValue(provider, instance, counter, 0 - value);
}
