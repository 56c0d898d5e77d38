/*
 * Offers a counterset of the name that is given, with names that are hard to write down, until
 * standard input ends. Says "ready" when it is there.
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
	char line[16];
	HANDLE h;

	if (argc != 2 || PerfStartProvider(&provider, NULL, &h) ||
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
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		for (int i = 0; i < INSTANCES; i++)
			PerfIncrementULongLongCounterValue(h, instance[i], 2, 1000);
	return (int)PerfStopProvider(h);
}
