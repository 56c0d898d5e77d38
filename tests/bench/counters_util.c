/*
 * The cost of a sample of CPU utilisation: the library's own functions.
 */
#include "counters.h"

#include <stdlib.h>

#include "perfutil.h"

static AI_COUNTERS *array;
static void *instance;

const char *ai_open(void)
{
	array = AiAllocCounters(NULL);
	return array && AiInit() == PU_SUCCESS ? NULL : "the kernel tells no idle time";
}

__attribute__((noinline, aligned(64))) void ai_loop(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		reading_failures += AiGetCounters(array) != PU_SUCCESS;
}

void ai_close(void)
{
	AiTerminate();
	AiFreeCounters(array);
}

const char *util_open(void)
{
	return CpuUtilInit(0, &instance) == PU_SUCCESS ? NULL : "the kernel tells no idle time";
}

__attribute__((noinline, aligned(64))) void util_loop(uint64_t turns)
{
	const CPUUTIL_DATA *data;

	for (uint64_t i = 0; i < turns; i++)
		reading_failures += CpuUtilGet(instance, &data) != PU_SUCCESS;
}

void util_close(void)
{
	CpuUtilTerminate(instance);
}
