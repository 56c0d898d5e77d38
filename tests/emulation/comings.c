/*
 * CPU utilisation as a processor goes offline and comes back.
 *
 *	comings CPU
 *
 * On stdout: the observations, or the error, with exit status 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perfutil.h"

static int cpu;
static void *handle;

static void fail(const char *why)
{
	printf("%s\n", why);
	exit(1);
}

static void expect(int holds, const char *what)
{
	if (!holds)
		fail(what);
}

static void set_online(int online)
{
	char path[80];
	FILE *f;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", online) < 0 || fclose(f) != 0)
		fail("a processor's state cannot be changed");
}

static void pass_time(void)
{
	const struct timespec t = {.tv_nsec = 100000000};

	nanosleep(&t, NULL);
}

static const CPUUTIL_DATA *get(void)
{
	const CPUUTIL_DATA *d;

	if (CpuUtilGet(handle, &d) != PU_SUCCESS)
		fail("CpuUtilGet failed");
	printf("busy %.2f %%, processor %d %.2f %%, flags %u; ", d->sys_busy, cpu, d->cpu_busy[cpu],
		d->flags);
	return d;
}

static AI_COUNTERS *counters(void)
{
	AI_COUNTERS *c = AiAllocCounters(NULL);

	if (!c || AiGetCounters(c) != PU_SUCCESS)
		fail("AiGetCounters failed");
	return c;
}

static int changed(const CPUUTIL_DATA *d)
{
	return (d->flags & CPUUTIL_DATA_FLAG_CPUS_CHANGED) != 0;
}

int main(int argc, char **argv)
{
	AI_COUNTERS *before, *away, *back, *after;
	const CPUUTIL_DATA *d;
	uint64_t elapsed;

	cpu = argc > 1 ? atoi(argv[1]) : 1;
	if (AiInit() != PU_SUCCESS || CpuUtilInit(0, &handle) != PU_SUCCESS)
		fail(AiWhy());
	pass_time();
	before = counters();
	d = get();
	expect(!isnan(d->cpu_busy[cpu]) && !changed(d), "a CPU is not measured while it is online");

	set_online(0);
	d = get();
	expect(isnan(d->cpu_busy[cpu]) && changed(d), "it went, and that is not told");
	expect(!isnan(d->cpu_busy[0]) && !isnan(d->sys_busy), "the others are not measured");
	away = counters();
	expect(away[cpu].CurTime == AI_NOT_MEASURED && away[cpu].BusyTime == AI_NOT_MEASURED &&
			away[cpu].DispCnt == AI_COUNT_NOT_MEASURED,
		"it is counted while it is away");
	expect(away[0].BusyTime >= before[0].BusyTime, "the others' counts go back");
	CpuUtilStart(handle);
	pass_time();
	d = get();
	expect(isnan(d->cpu_busy[cpu]) && !changed(d), "away all the time is no change");
	expect(!isnan(d->sys_busy), "the system is not measured without it");

	set_online(1);
	d = get();
	expect(isnan(d->cpu_busy[cpu]) && changed(d), "it came, and that is not told");
	back = counters();
	expect(back[cpu].BusyTime != AI_NOT_MEASURED &&
			back[cpu].BusyTime >= before[cpu].BusyTime &&
			back[cpu].CurTime > before[cpu].CurTime,
		"its counts went back");
	CpuUtilStart(handle);
	pass_time();
	d = get();
	expect(!isnan(d->cpu_busy[cpu]) && !changed(d), "back again it is not measured");
	after = counters();
	/* An emulator that lags may keep it busy all the time. */
	elapsed = after[cpu].IdleTime + after[cpu].BusyTime -
		  (back[cpu].IdleTime + back[cpu].BusyTime);
	expect(elapsed > 0 && elapsed <= after[cpu].CurTime - back[cpu].CurTime,
		"a CPU that came back does not continue counting");
	puts(AiMethodName(d->method));
	return 0;
}
