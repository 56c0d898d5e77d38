/*
 * The time stamp clock and the processors, for programs.
 */
#include "../../../include/perfutil.h"
#include "../../core/clock.h"
#include "../../core/online.h"

void GetCycles(UINT64 *cycles)
{
	if (cycles)
		*cycles = clock_now();
}

UINT64 ReadCycles(void)
{
	return clock_now();
}

double CyclesToSeconds(double start, double end)
{
	return (end - start) / (double)clock_ticks_per_second();
}

double CyclesToMilliseconds(double start, double end)
{
	return CyclesToSeconds(start, end) * 1e3;
}

double CyclesToMicroseconds(double start, double end)
{
	return CyclesToSeconds(start, end) * 1e6;
}

int GetActiveProcessorCount(void)
{
	struct cpu_set set;

	cpu_set_online(&set);
	return (int)set.end;
}
