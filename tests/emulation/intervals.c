/*
 * CPI intervals around loops of known length, as a user's program would mark them:
 *
 *	intervals [-q] [-r REPEAT] [-x EVENTS] [-c CPU] [-m MODE] TURNS...
 *
 * An interval for every TURNS, all of them REPEAT times over; its label is TURNS, and its hook
 * group has all hooks. A line for each on stdout: NAME=VALUE, what was not measured is n/a.
 *
 *	-q	with the quality hook
 *	-x	so many more events count this thread, so that the counters do not suffice
 *	-c	this CPU goes offline, or comes online, in the middle of each interval
 *	-m	the mode of CpiInit (default 7: raw, scaled, on-thread)
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loop.h"
#include "perfutil.h"

static int switched = -1; /* the CPU of -c */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void crowd(int events)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1};

	for (int i = 0; i < events; i++)
		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
			fail("perf_event_open");
}

static void switch_cpu(void)
{
	char path[64], state;
	int fd;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", switched);
	fd = open(path, O_RDWR);
	if (fd < 0 || pread(fd, &state, 1, 0) != 1 ||
		pwrite(fd, state == '1' ? "0" : "1", 1, 0) != 1)
		fail(path);
	close(fd);
}

static void print(const char *name, double value)
{
	if (isnan(value))
		printf(" %s=n/a", name);
	else
		printf(" %s=%.17g", name, value);
}

static void print_data(const char *turns, const CPI_DATA *d)
{
	char name[32];

	printf("turns=%s tid=%u cpus=%d elapsed=%llu", turns, d->tid, d->num_cpus,
		(unsigned long long)d->elapsed_cycles);
	print("thread", d->thread_cpi);
	print("raw", d->raw_sys_cpi);
	print("scaled", d->scaled_sys_cpi);
	print("busy", d->sys_busy);
	for (int cpu = 0; cpu < d->num_cpus; cpu++) {
		snprintf(name, sizeof name, "raw%d", cpu);
		print(name, d->raw_cpi[cpu]);
		snprintf(name, sizeof name, "scaled%d", cpu);
		print(name, d->scaled_cpi[cpu]);
		snprintf(name, sizeof name, "busy%d", cpu);
		print(name, d->cpu_busy[cpu]);
	}
	putchar('\n');
}

static void interval(void *cpi, const char *turns)
{
	const CPI_DATA *d;
	uint64_t n = strtoull(turns, NULL, 10);
	int rc;

	CpiStart(cpi);
	if (switched >= 0) {
		loop_turns(n / 2);
		switch_cpu();
		loop_turns(n / 2);
	} else {
		loop_turns(n);
	}
	rc = CpiGetAndTrace(cpi, 1, CPI_TYPE_TRACE_EVERYTHING, turns, &d);
	if (rc != PU_SUCCESS) {
		fprintf(stderr, "CpiGetAndTrace: %s\n", RcToString(rc));
		exit(1);
	}
	print_data(turns, d);
}

int main(int argc, char **argv)
{
	UINT32 mode = CPI_TYPE_RAW | CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD, quality = 0;
	int o, rc, repeat = 1;
	void *cpi;

	while ((o = getopt(argc, argv, "qr:x:c:m:")) != -1) {
		if (o == 'q')
			quality = CPI_TYPE_TRACE_QUALITY;
		else if (o == 'r')
			repeat = atoi(optarg);
		else if (o == 'x')
			crowd(atoi(optarg));
		else if (o == 'c')
			switched = atoi(optarg);
		else if (o == 'm')
			mode = (UINT32)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	rc = CpiInit(mode | quality, &cpi);
	if (rc != PU_SUCCESS) {
		fprintf(stderr, "CpiInit: %s\n", RcToString(rc));
		return 1;
	}
	while (repeat-- > 0)
		for (int i = optind; i < argc; i++)
			interval(cpi, argv[i]);
	return CpiTerminate(cpi) != PU_SUCCESS;
}
