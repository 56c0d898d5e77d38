/*
 * Formatted values. Subtracts integers exactly and divides last.
 */
#include <stdbool.h>

#include "../../include/perflib.h"

enum formula {
	RAW,	      /* N1 */
	DIFFERENCE,   /* N1-N0 */
	RATE,	      /* (N1-N0) / ((T1-T0)/F) */
	OF_TICKS,     /* 100 (N1-N0) / (T1-T0) */
	NOT_OF_TICKS, /* 100 (1 - (N1-N0)/(T1-T0)) */
	OF_100NS,     /* the same, of t */
	NOT_OF_100NS,
	MULTI_OF_TICKS,	    /* 100 (N1-N0)/(T1-T0) / B1 */
	MULTI_NOT_OF_TICKS, /* 100 (B1 - (N1-N0)/(T1-T0)) */
	MULTI_OF_100NS,	    /* the same, of t */
	MULTI_NOT_OF_100NS,
	QUEUE_OF_TICKS, /* (N1-N0) / (T1-T0) */
	QUEUE_OF_100NS, /* (N1-N0) / (t1-t0) */
	OF_TIME_BASE,	/* 100 (N1-N0) / (B1-B0) */
	FRACTION,	/* 100 N1/B1 */
	SAMPLED,	/* 100 (N1-N0) / (B1-B0) */
	AVERAGE_TIME,	/* ((N1-N0)/F) / (B1-B0) */
	AVERAGE,	/* (N1-N0) / (B1-B0) */
	ELAPSED		/* (T1-N1)/F */
};

static const struct rule {
	ULONG type;
	enum formula formula;
} rules[] = {
	{PERF_COUNTER_RAWCOUNT_HEX, RAW},
	{PERF_COUNTER_LARGE_RAWCOUNT_HEX, RAW},
	{PERF_COUNTER_RAWCOUNT, RAW},
	{PERF_COUNTER_LARGE_RAWCOUNT, RAW},
	{PERF_COUNTER_DELTA, DIFFERENCE},
	{PERF_COUNTER_LARGE_DELTA, DIFFERENCE},
	{PERF_COUNTER_COUNTER, RATE},
	{PERF_COUNTER_BULK_COUNT, RATE},
	{PERF_SAMPLE_COUNTER, RATE},
	{PERF_COUNTER_TIMER, OF_TICKS},
	{PERF_COUNTER_TIMER_INV, NOT_OF_TICKS},
	{PERF_100NSEC_TIMER, OF_100NS},
	{PERF_100NSEC_TIMER_INV, NOT_OF_100NS},
	{PERF_OBJ_TIME_TIMER, OF_TICKS},
	{PERF_COUNTER_MULTI_TIMER, MULTI_OF_TICKS},
	{PERF_COUNTER_MULTI_TIMER_INV, MULTI_NOT_OF_TICKS},
	{PERF_100NSEC_MULTI_TIMER, MULTI_OF_100NS},
	{PERF_100NSEC_MULTI_TIMER_INV, MULTI_NOT_OF_100NS},
	{PERF_COUNTER_QUEUELEN_TYPE, QUEUE_OF_TICKS},
	{PERF_COUNTER_LARGE_QUEUELEN_TYPE, QUEUE_OF_TICKS},
	{PERF_COUNTER_100NS_QUEUELEN_TYPE, QUEUE_OF_100NS},
	{PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, QUEUE_OF_TICKS},
	{PERF_PRECISION_SYSTEM_TIMER, OF_TIME_BASE},
	{PERF_PRECISION_100NS_TIMER, OF_TIME_BASE},
	{PERF_PRECISION_OBJECT_TIMER, OF_TIME_BASE},
	{PERF_RAW_FRACTION, FRACTION},
	{PERF_LARGE_RAW_FRACTION, FRACTION},
	{PERF_SAMPLE_FRACTION, SAMPLED},
	{PERF_AVERAGE_TIMER, AVERAGE_TIME},
	{PERF_AVERAGE_BULK, AVERAGE},
	{PERF_ELAPSED_TIME, ELAPSED},
};

static const struct rule *rule_of(ULONG type)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].type == type)
			return &rules[i];
	return NULL;
}

static ULONGLONG format_limit_to_size(ULONG type, ULONGLONG value)
{
	return (type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? value : (uint32_t)value;
}

static ULONG count_difference(ULONG type, ULONGLONG from, ULONGLONG to, ULONGLONG *by)
{
	*by = to - from;
	if ((type & PERF_SIZE_MASK) != PERF_SIZE_LARGE)
		*by = (uint32_t)*by;
	else if (to < from)
		return ERROR_INVALID_DATA;
	return ERROR_SUCCESS;
}

/* Bases of averages have 32 bits by PERF_AVERAGE_BASE, or 64 if the counter is large. */
static ULONG base_difference(bool large, ULONGLONG from, ULONGLONG to, ULONGLONG *by)
{
	large |= (from | to) >> 32 != 0;
	*by = large ? to - from : (uint32_t)(to - from);
	if (large && to < from)
		return ERROR_INVALID_DATA;
	return *by ? ERROR_SUCCESS : ERROR_NOT_READY;
}

static ULONG time_difference(LONGLONG from, LONGLONG to, ULONGLONG *by)
{
	if (to < from)
		return ERROR_INVALID_DATA;
	*by = (ULONGLONG)to - (ULONGLONG)from;
	return *by ? ERROR_SUCCESS : ERROR_NOT_READY;
}

static bool is_multi(enum formula formula)
{
	return formula >= MULTI_OF_TICKS && formula <= MULTI_NOT_OF_100NS;
}

/* Clamps slightly negative values, from rounding or from clocks read one after the other. */
static double not_negative(double p)
{
	return p < 0 && p > -1 ? 0 : p;
}

static double format_percent(double share)
{
	double p = not_negative(100 * share);

	if (p > 100 && p < 101)
		return 100;
	return p;
}

/* The denominator of a formula that divides a difference. */
static ULONG format_find_divisor(
	enum formula formula, const PERF_SAMPLE *a, const PERF_SAMPLE *b, ULONGLONG *by)
{
	switch (formula) {
	case RATE:
	case OF_TICKS:
	case NOT_OF_TICKS:
	case MULTI_OF_TICKS:
	case MULTI_NOT_OF_TICKS:
	case QUEUE_OF_TICKS:
		return time_difference(a->PerfTimeStamp, b->PerfTimeStamp, by);
	case OF_100NS:
	case NOT_OF_100NS:
	case MULTI_OF_100NS:
	case MULTI_NOT_OF_100NS:
	case QUEUE_OF_100NS:
		return time_difference(a->PerfTime100NSec, b->PerfTime100NSec, by);
	case OF_TIME_BASE:
		return base_difference(true, a->Base, b->Base, by);
	case SAMPLED:
	case AVERAGE_TIME:
	case AVERAGE:
		return base_difference(false, a->Base, b->Base, by);
	default:
		*by = 1;
		return ERROR_SUCCESS;
	}
}

static ULONG from_two(
	const struct rule *rule, const PERF_SAMPLE *a, const PERF_SAMPLE *b, double *value)
{
	bool has_clock = rule->formula == RATE || rule->formula == AVERAGE_TIME;
	ULONGLONG count, by;
	ULONG status;
	double share;

	if (!a)
		return ERROR_NOT_READY;
	if (has_clock && b->PerfFreq <= 0)
		return ERROR_INVALID_DATA;
	if (is_multi(rule->formula) && b->Base == 0)
		return ERROR_NOT_READY;
	status = count_difference(rule->type, a->Value, b->Value, &count);
	if (!status)
		status = format_find_divisor(rule->formula, a, b, &by);
	if (status)
		return status;
	share = (double)count / (double)by;
	switch (rule->formula) {
	case RATE:
		*value = share * (double)b->PerfFreq;
		break;
	case AVERAGE_TIME:
		*value = share / (double)b->PerfFreq;
		break;
	case OF_TICKS:
	case OF_100NS:
	case OF_TIME_BASE:
		*value = format_percent(share);
		break;
	case NOT_OF_TICKS:
	case NOT_OF_100NS:
		*value = format_percent(1 - share);
		break;
	case MULTI_OF_TICKS:
	case MULTI_OF_100NS:
		*value = format_percent(share / (double)b->Base);
		break;
	case MULTI_NOT_OF_TICKS:
	case MULTI_NOT_OF_100NS:
		*value = not_negative(100 * ((double)b->Base - share));
		break;
	case SAMPLED:
		*value = 100 * share;
		break;
	default:
		*value = share;
	}
	return ERROR_SUCCESS;
}

static ULONG format_elapsed_time(const PERF_SAMPLE *s, double *value)
{
	if (s->PerfFreq <= 0 || s->PerfTimeStamp < 0 || (ULONGLONG)s->PerfTimeStamp < s->Value)
		return ERROR_INVALID_DATA;
	*value = (double)((ULONGLONG)s->PerfTimeStamp - s->Value) / (double)s->PerfFreq;
	return ERROR_SUCCESS;
}

ULONG PerfFormatCounterValue(
	ULONG type, const PERF_SAMPLE *first, const PERF_SAMPLE *second, double *value)
{
	const struct rule *rule = rule_of(type);

	if (!second || !value)
		return ERROR_INVALID_PARAMETER;
	if (!rule)
		return ERROR_NOT_SUPPORTED;
	switch (rule->formula) {
	case RAW:
		*value = (double)format_limit_to_size(type, second->Value);
		return ERROR_SUCCESS;
	case FRACTION:
		if (format_limit_to_size(type, second->Base) == 0)
			return ERROR_NOT_READY;
		*value = 100 * ((double)format_limit_to_size(type, second->Value) /
				       (double)format_limit_to_size(type, second->Base));
		return ERROR_SUCCESS;
	case ELAPSED:
		return format_elapsed_time(second, value);
	default:
		return from_two(rule, first, second, value);
	}
}
