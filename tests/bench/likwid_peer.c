/*
 * LIKWID's marker region, as a module of the benchmark. Preloaded into a process of its own.
 */
#define LIKWID_PERFMON
#include <likwid-marker.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"
#include "work.h"

enum { EVENTS_MOST = 32 };

static uint64_t regions, failures;
static bool opened;

static void region(void)
{
	regions++;
	failures += likwid_markerStartRegion("bench") != 0;
	failures += likwid_markerStopRegion("bench") != 0;
}

/* clang-format off */
OP_LOOPS(region, , region())

static const struct op interval_peers[] = {
	{"likwid", tight_region, work_region, .place = LIKWID},
	{0},
};
/* clang-format on */

/* LIKWID's results of all regions so far: their number, and whether a counter moved. */
static bool has_counted(uint64_t *there)
{
	double count[EVENTS_MOST] = {0}, seconds = 0;
	int n = EVENTS_MOST, times = 0;
	bool moved = false;

	likwid_markerGetRegion("bench", &n, count, &seconds, &times);
	for (int i = 0; i < n; i++)
		moved |= count[i] > 0;
	*there = (uint64_t)times;
	return moved;
}

/* likwid-perfctr -m tells the same to the program that it starts; the caller is pinned. */
static const char *open_likwid(enum place place)
{
	char cpu[16];
	uint64_t there;

	(void)place;
	snprintf(cpu, sizeof cpu, "%d", sched_getcpu());
	setenv("LIKWID_THREADS", cpu, 1);
	setenv("LIKWID_MODE", "1", 1); /* by its access daemon */
	setenv("LIKWID_EVENTS", "BRANCH", 1);
	setenv("LIKWID_FILEPATH", "/dev/null", 1);
	likwid_markerInit();
	if (likwid_markerRegisterRegion("bench") != 0)
		return "LIKWID: no access to counters";
	region();
	opened = !failures && has_counted(&there);
	return opened ? NULL : "LIKWID: its counters do not count here";
}

static const char *check(void)
{
	uint64_t there = 0;

	if (!opened)
		return NULL;
	return !failures && has_counted(&there) && there == regions ? NULL
								    : "LIKWID missed a region";
}

const struct peers bench_peers = {
	.interval_ops = interval_peers,
	.open = open_likwid,
	.check = check,
};
