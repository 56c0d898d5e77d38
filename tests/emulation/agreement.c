/*
 * Two ways to tell busy from idle, over the same second of a processor that is kept busy half
 * of the time: by its unhalted clock ticks, here, and by the kernel's idle time, in a child. They
 * must agree with each other, and with the time that the load ran.
 *
 *	agreement [--stand-in]
 *
 * --stand-in: instructions are counted for unhalted core ticks, at 1 GHz. So it is on a machine
 * emulated with -icount shift=0, each of whose instructions takes a nanosecond, and whose cycles
 * go on while it is halted.
 *
 * On stdout: the figures, or why there are none. Exit status: 0 they agree, 1 they do not, 77
 * this machine has not both.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../libtrace/counters/perf/group.h"

enum { FAILED = 1, SKIPPED = 77, ROUNDS = 50, HALF_NS = 10000000, TRIES = 3 };

/* Points: the steps of the kernel's account, and other work during a read. */
static const double near_enough = 3;

struct figure {
	int method;
	double busy; /* percent of the time, in interrupts included; NAN: none */
};

static int (*kernel_open)(struct perf_event_attr *, pid_t, int, int, unsigned long);

static int open_instructions(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		attr->config = PERF_COUNT_HW_INSTRUCTIONS;
	return kernel_open(attr, pid, cpu, group, flags);
}

static void stand_in(void)
{
	kernel_open = perf_calls.open;
	perf_calls.open = open_instructions;
	setenv("SWTRACE_CPU_HZ", "1000000000", 1);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void load(void)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	for (uint64_t i = 0; i < ROUNDS; i++) {
		const uint64_t turn = start + 2 * i * HALF_NS, end = turn + 2 * HALF_NS;
		const struct timespec until = {
			(time_t)(end / 1000000000u), (long)(end % 1000000000u)};

		while (now_ns(CLOCK_MONOTONIC) < turn + HALF_NS)
			;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

static struct figure get(void *handle, int cpu)
{
	const CPUUTIL_DATA *d;
	struct figure f = {AI_METHOD_NONE, NAN};

	if (CpuUtilGet(handle, &d) != PU_SUCCESS)
		return f;
	f.method = d->method;
	f.busy = d->cpu_busy[cpu] + (isnan(d->cpu_intr[cpu]) ? 0 : d->cpu_intr[cpu]);
	return f;
}

/* Starts on request, and reports its result. */
static void by_idle_time(int from, int to, int cpu)
{
	struct figure f;
	void *handle;
	char c;

	setenv("SWTRACE_COUNTERS", "software", 1);
	if (CpuUtilInit(0, &handle) != PU_SUCCESS)
		_exit(1);
	while (read(from, &c, 1) == 1) {
		if (c == 's')
			CpuUtilStart(handle);
		else
			f = get(handle, cpu);
		if (write(to, &f, sizeof f) != sizeof f)
			break;
	}
	_exit(0);
}

static int to_child, from_child;

static void begin_child(int cpu)
{
	int down[2], up[2];
	pid_t pid;

	if (pipe(down) != 0 || pipe(up) != 0 || (pid = fork()) < 0) {
		puts("no second process");
		exit(FAILED);
	}
	if (pid == 0) {
		close(down[1]);
		close(up[0]);
		by_idle_time(down[0], up[1], cpu);
	}
	close(down[0]);
	close(up[1]);
	to_child = down[1];
	from_child = up[0];
}

static struct figure ask_child(char what)
{
	struct figure f = {AI_METHOD_NONE, NAN};

	if (write(to_child, &what, 1) != 1 || read(from_child, &f, sizeof f) != sizeof f) {
		puts("the second process failed");
		exit(FAILED);
	}
	return f;
}

static bool agree(void *handle, int cpu)
{
	struct figure ticks, idle;
	uint64_t ran, start;
	double load_percent;

	ask_child('s');
	CpuUtilStart(handle);
	start = now_ns(CLOCK_MONOTONIC);
	ran = now_ns(CLOCK_THREAD_CPUTIME_ID);
	load();
	ticks = get(handle, cpu);
	ran = now_ns(CLOCK_THREAD_CPUTIME_ID) - ran;
	load_percent = 100 * (double)ran / (double)(now_ns(CLOCK_MONOTONIC) - start);
	idle = ask_child('g');
	printf("%s: %.2f %%; %s: %.2f %%; the load: %.2f %%\n", AiMethodName(ticks.method),
		ticks.busy, AiMethodName(idle.method), idle.busy, load_percent);
	return ticks.method <= AI_METHOD_CYCLES && idle.method >= AI_METHOD_IDLE_FINE &&
	       fabs(ticks.busy - idle.busy) <= near_enough &&
	       ticks.busy >= load_percent - near_enough;
}

int main(int argc, char **argv)
{
	int cpu = sched_getcpu();
	cpu_set_t one;
	void *handle;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0)
		puts("not pinned");
	begin_child(cpu);
	if (argc > 1 && strcmp(argv[1], "--stand-in") == 0)
		stand_in();
	if (AiMethod() == AI_METHOD_NONE || AiMethod() > AI_METHOD_CYCLES) {
		printf("skipped: no unhalted clock ticks: %s\n", AiWhy());
		return SKIPPED;
	}
	if (CpuUtilInit(0, &handle) != PU_SUCCESS) {
		puts("CpuUtilInit failed");
		return FAILED;
	}
	/* Another program's load may begin after one has read and before the other. */
	for (int i = 0; i < TRIES; i++)
		if (agree(handle, cpu))
			return 0;
	return FAILED;
}
