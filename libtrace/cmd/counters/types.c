/*
 * counters: names of types and statuses.
 */
#include <string.h>

#include "counters.h"

const char *counter_type_name(ULONG type)
{
	static const struct {
		ULONG type;
		const char *name;
	} names[] = {
#define NAME(x) {x, #x}
		NAME(PERF_COUNTER_RAWCOUNT_HEX),
		NAME(PERF_COUNTER_LARGE_RAWCOUNT_HEX),
		NAME(PERF_COUNTER_RAWCOUNT),
		NAME(PERF_COUNTER_LARGE_RAWCOUNT),
		NAME(PERF_COUNTER_DELTA),
		NAME(PERF_COUNTER_LARGE_DELTA),
		NAME(PERF_COUNTER_COUNTER),
		NAME(PERF_COUNTER_BULK_COUNT),
		NAME(PERF_SAMPLE_COUNTER),
		NAME(PERF_COUNTER_TIMER),
		NAME(PERF_COUNTER_TIMER_INV),
		NAME(PERF_100NSEC_TIMER),
		NAME(PERF_100NSEC_TIMER_INV),
		NAME(PERF_OBJ_TIME_TIMER),
		NAME(PERF_COUNTER_MULTI_TIMER),
		NAME(PERF_COUNTER_MULTI_TIMER_INV),
		NAME(PERF_100NSEC_MULTI_TIMER),
		NAME(PERF_100NSEC_MULTI_TIMER_INV),
		NAME(PERF_COUNTER_MULTI_BASE),
		NAME(PERF_COUNTER_QUEUELEN_TYPE),
		NAME(PERF_COUNTER_LARGE_QUEUELEN_TYPE),
		NAME(PERF_COUNTER_100NS_QUEUELEN_TYPE),
		NAME(PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE),
		NAME(PERF_RAW_FRACTION),
		NAME(PERF_LARGE_RAW_FRACTION),
		NAME(PERF_RAW_BASE),
		NAME(PERF_LARGE_RAW_BASE),
		NAME(PERF_SAMPLE_FRACTION),
		NAME(PERF_SAMPLE_BASE),
		NAME(PERF_AVERAGE_TIMER),
		NAME(PERF_AVERAGE_BASE),
		NAME(PERF_AVERAGE_BULK),
		NAME(PERF_ELAPSED_TIME),
		NAME(PERF_PRECISION_SYSTEM_TIMER),
		NAME(PERF_PRECISION_100NS_TIMER),
		NAME(PERF_PRECISION_OBJECT_TIMER),
		NAME(PERF_COUNTER_TEXT),
		NAME(PERF_COUNTER_NODATA),
		NAME(PERF_COUNTER_HISTOGRAM_TYPE),
#undef NAME
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].type == type)
			return names[i].name;
	return NULL;
}

bool counter_is_hidden(const struct catalogue_counter *c)
{
	switch (c->type) {
	case PERF_RAW_BASE:
	case PERF_LARGE_RAW_BASE:
	case PERF_SAMPLE_BASE:
	case PERF_AVERAGE_BASE:
	case PERF_COUNTER_MULTI_BASE:
		return true;
	default:
		return c->attributes & PERF_ATTRIB_NO_DISPLAYABLE;
	}
}

/* Whether the type's formula divides by the base counter's value. */
static bool divides_by_base(ULONG type)
{
	switch (type) {
	case PERF_RAW_FRACTION:
	case PERF_LARGE_RAW_FRACTION:
	case PERF_SAMPLE_FRACTION:
	case PERF_AVERAGE_TIMER:
	case PERF_AVERAGE_BULK:
	case PERF_PRECISION_SYSTEM_TIMER:
	case PERF_PRECISION_100NS_TIMER:
	case PERF_PRECISION_OBJECT_TIMER:
	case PERF_COUNTER_MULTI_TIMER:
	case PERF_COUNTER_MULTI_TIMER_INV:
	case PERF_100NSEC_MULTI_TIMER:
	case PERF_100NSEC_MULTI_TIMER_INV:
		return true;
	default:
		return false;
	}
}

const char *counter_no_value(const struct catalogue_counter *c)
{
	const PERF_SAMPLE any = {0};
	double value;

	if (counter_is_hidden(c))
		return NULL;
	if (PerfFormatCounterValue(c->type, NULL, &any, &value) == ERROR_NOT_SUPPORTED)
		return "has no formula";
	if (c->base == PERF_NO_COUNTER && divides_by_base(c->type))
		return "needs a base counter, and its provider registered none";
	return NULL;
}

const char *counters_status(ULONG status)
{
	switch (status) {
	case ERROR_FILE_NOT_FOUND:
		return "there is no such file";
	case ERROR_ACCESS_DENIED:
		return "this user may not read it";
	case ERROR_INVALID_DATA:
		return "its content is invalid";
	case ERROR_OUTOFMEMORY:
		return "not enough memory";
	case ERROR_NOT_SUPPORTED:
		return "this machine cannot supply it";
	case ERROR_WMI_GUID_NOT_FOUND:
		return "its provider is gone";
	case ERROR_WMI_INSTANCE_NOT_FOUND:
		return "there is no such instance";
	case ERROR_WMI_ITEMID_NOT_FOUND:
		return "there is no such counter";
	case ERROR_NO_MORE_ITEMS:
		return "there are no samples";
	default:
		return PerfStatusName(status);
	}
}
