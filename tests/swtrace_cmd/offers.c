/*
 * Offers a counterset of the name that is given, with names that are hard to write down, until
 * standard input ends. Says "ready" when it is there. A second name is that of a counterset of
 * types that no counter of this machine has, one instance, whose object's clock counts a thousand
 * for each line.
 *
 * It has instances of the names below, of each a counter that stands still, one that counts a
 * thousand each time a line comes in, and a fraction with its base.
 */
#include <stdio.h>
#include <unistd.h>

#include "../../include/perflib.h"

static const char *const instances[] = {
	"plain", "a,b", "say \"x\"", "twice", "twice", "back\\slash", "\xc3\xa4"};
enum { INSTANCES = sizeof instances / sizeof *instances };

static const struct {
	const char *name;
	ULONG type, base;
	ULONGLONG value, step;
} types[] = {
	{"Components Busy", PERF_COUNTER_MULTI_TIMER, 1, 700, 0},
	{"Components", PERF_COUNTER_MULTI_BASE, PERF_NO_COUNTER, 4, 0},
	{"Components Idle", PERF_100NSEC_MULTI_TIMER_INV, 1, 700, 0},
	{"Object Busy", PERF_OBJ_TIME_TIMER, 4, 700, 250},
	{"Object Clock", PERF_LARGE_RAW_BASE, PERF_NO_COUNTER, 5000, 1000},
	{"Queue", PERF_COUNTER_LARGE_QUEUELEN_TYPE, PERF_NO_COUNTER, 700, 0},
	{"Text", PERF_COUNTER_HISTOGRAM_TYPE, PERF_NO_COUNTER, 0, 0},
	{"No Base", PERF_AVERAGE_BULK, PERF_NO_COUNTER, 700, 0},
};
enum { TYPES = sizeof types / sizeof *types };

/* NULL: it does not work. */
static PPERF_COUNTERSET_INSTANCE offer_types(
	HANDLE h, const GUID *provider, const GUID *set, const char *name)
{
	struct {
		PERF_COUNTERSET_INFO set;
		PERF_COUNTER_INFO counter[TYPES];
	} info = {{*set, *provider, TYPES, PERF_COUNTERSET_SINGLE_INSTANCE}, {{0}}};
	PPERF_COUNTERSET_INSTANCE instance;

	if (PerfSetCounterSetName(h, set, name, ""))
		return NULL;
	for (ULONG i = 0; i < TYPES; i++) {
		info.counter[i] = (PERF_COUNTER_INFO){
			i, types[i].type, 0, sizeof(PERF_COUNTER_INFO), PERF_DETAIL_NOVICE, 0, 0};
		if (PerfSetCounterName(h, set, i, types[i].base, types[i].name, ""))
			return NULL;
	}
	if (PerfSetCounterSetInfo(h, &info.set, sizeof info))
		return NULL;
	instance = PerfCreateInstance(h, set, "", 0);
	for (ULONG i = 0; instance && i < TYPES; i++)
		if (types[i].value && PerfSetULongLongCounterValue(h, instance, i, types[i].value))
			return NULL;
	return instance;
}

int main(int argc, char **argv)
{
	/* Others may run this at the same time. */
	const GUID provider = {(uint32_t)getpid(), 0x1111, 0x4222, {1, 2, 3, 4, 5, 6, 7, 8}};
	const GUID set = {(uint32_t)getpid(), 0x1111, 0x4222, {1, 2, 3, 4, 5, 6, 7, 9}};
	struct {
		PERF_COUNTERSET_INFO set;
		PERF_COUNTER_INFO counter[4];
	} info = {{set, provider, 4, PERF_COUNTERSET_MULTI_INSTANCES},
		{{1, PERF_COUNTER_LARGE_RAWCOUNT, 0, sizeof(PERF_COUNTER_INFO), PERF_DETAIL_NOVICE,
			 0, 0},
			{2, PERF_COUNTER_LARGE_DELTA, 0, sizeof(PERF_COUNTER_INFO),
				PERF_DETAIL_NOVICE, 0, 0},
			{3, PERF_RAW_FRACTION, 0, sizeof(PERF_COUNTER_INFO), PERF_DETAIL_NOVICE, 0,
				0},
			{4, PERF_RAW_BASE, 0, sizeof(PERF_COUNTER_INFO), PERF_DETAIL_NOVICE, 0,
				0}}};
	PPERF_COUNTERSET_INSTANCE instance[INSTANCES];
	const GUID types_set = {(uint32_t)getpid(), 0x1111, 0x4222, {1, 2, 3, 4, 5, 6, 7, 10}};
	PPERF_COUNTERSET_INSTANCE typed = NULL;
	char line[16];
	HANDLE h;

	if (argc < 2 || argc > 3 || PerfStartProvider(&provider, NULL, &h) ||
		PerfSetCounterSetName(h, &set, argv[1], "It has \"quotes\", too") ||
		PerfSetCounterName(h, &set, 1, PERF_NO_COUNTER, "Still, \"quoted\"", "") ||
		PerfSetCounterName(h, &set, 2, PERF_NO_COUNTER, "Moving", "") ||
		PerfSetCounterName(h, &set, 3, 4, "Share, in %", "") ||
		PerfSetCounterName(h, &set, 4, PERF_NO_COUNTER, "Share Base", "") ||
		PerfSetCounterSetInfo(h, &info.set, sizeof info))
		return 1;
	for (ULONG i = 0; i < INSTANCES; i++) {
		instance[i] = PerfCreateInstance(h, &set, instances[i], i);
		if (!instance[i] || PerfSetULongLongCounterValue(h, instance[i], 1, 100 + i) ||
			PerfSetULongCounterValue(h, instance[i], 3, 1) ||
			PerfSetULongCounterValue(h, instance[i], 4, i ? 4 : 0))
			return 1;
	}
	if (argc == 3 && !(typed = offer_types(h, &provider, &types_set, argv[2])))
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		for (int i = 0; i < INSTANCES; i++)
			PerfIncrementULongLongCounterValue(h, instance[i], 2, 1000);
		for (ULONG i = 0; typed && i < TYPES; i++)
			if (types[i].step)
				PerfIncrementULongLongCounterValue(h, typed, i, types[i].step);
	}
	return (int)PerfStopProvider(h);
}
