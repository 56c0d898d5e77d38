/*
 * Clock, processors and priority.
 */
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

const int *processors(unsigned *n)
{
	static int list[CPU_SETSIZE];
	static unsigned count;
	cpu_set_t set;

	/* Query once, before pinning a thread. */
	if (!count) {
		if (sched_getaffinity(0, sizeof set, &set) != 0)
			die("sched_getaffinity: %s", strerror(errno));
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				list[count++] = cpu;
	}
	*n = count;
	return list;
}

bool grants_switch_page(void)
{
	static int granted = -1;
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1};

	if (granted < 0) {
		long size = sysconf(_SC_PAGESIZE);
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		void *page = fd < 0 ? MAP_FAILED
				    : mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);

		granted = page != MAP_FAILED;
		if (granted)
			munmap(page, (size_t)size);
		if (fd >= 0)
			close(fd);
	}
	return granted;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		die("cannot pin a thread to processor %d: %s", cpu, strerror(errno));
}

bool realtime(void)
{
	struct sched_param p = {.sched_priority = 1};

	return sched_setscheduler(0, SCHED_FIFO, &p) == 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double permille(double *v, unsigned n, unsigned rank)
{
	qsort(v, n, sizeof *v, by_value);
	return v[((uint64_t)n * rank + 999) / 1000 - 1];
}

double median(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
