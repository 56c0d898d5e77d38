/*
 * How many instructions an interval's start and end take together, the thread's counters being read
 * in user mode:
 *
 *	pairs MOST		at most so many in the kernel: no system call
 *
 * Counted by events of the thread over loops of two lengths: what their difference is, the pairs
 * beyond the shorter one's took. Of several rounds the least, since a timer's tick may come in
 * between. On stdout a line for each kind of interval; exit status 1 with more.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "swtrace.h"

enum { PAIRS = 1000, ROUNDS = 7 };

/* The thread's instructions: in user mode, and in the kernel. */
enum { USER, KERNEL, MODES };
static int counter[MODES];

struct counts {
	uint64_t of[MODES];
};

static struct counts instructions(void)
{
	struct counts now;

	for (int mode = 0; mode < MODES; mode++)
		if (read(counter[mode], &now.of[mode], sizeof now.of[mode]) != sizeof now.of[mode])
			exit((perror("read"), 1));
	return now;
}

static void open_counters(void)
{
	for (int mode = 0; mode < MODES; mode++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
			.size = sizeof attr,
			.config = PERF_COUNT_HW_INSTRUCTIONS,
			.exclude_user = mode == KERNEL,
			.exclude_kernel = mode == USER};

		counter[mode] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (counter[mode] < 0)
			exit((perror("perf_event_open"), 1));
	}
}

static void run_empty(void *handle, int pairs)
{
	(void)handle;
	for (int i = 0; i < pairs; i++)
		__asm__ volatile("" ::: "memory");
}

static void run_cpi(void *handle, int pairs)
{
	for (int i = 0; i < pairs; i++) {
		CpiStart(handle);
		CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "pair", NULL);
	}
}

static void run_light(void *handle, int pairs)
{
	(void)handle;
	for (int i = 0; i < pairs; i++) {
		SWTRACE_SCOPE("pair");
		__asm__ volatile("" ::: "memory");
	}
}

/* The counts of a pair. */
static struct counts count(void (*run)(void *handle, int pairs), void *handle)
{
	struct counts least = {{UINT64_MAX, UINT64_MAX}};

	for (int round = 0; round < ROUNDS; round++) {
		struct counts start = instructions(), middle, end;

		run(handle, PAIRS);
		middle = instructions();
		run(handle, 2 * PAIRS);
		end = instructions();
		for (int mode = 0; mode < MODES; mode++) {
			const uint64_t shorter = middle.of[mode] - start.of[mode];
			const uint64_t longer = end.of[mode] - middle.of[mode];
			const uint64_t more = longer > shorter ? longer - shorter : 0;

			if (more < least.of[mode])
				least.of[mode] = more;
		}
	}
	for (int mode = 0; mode < MODES; mode++)
		least.of[mode] = (least.of[mode] + PAIRS / 2) / PAIRS;
	return least;
}

/* Returns how many in the kernel. */
static uint64_t print(const char *name, struct counts n)
{
	printf("%s: %" PRIu64 " instructions, and %" PRIu64 " in the kernel\n", name, n.of[USER],
		n.of[KERNEL]);
	return n.of[KERNEL];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		UINT32 mode;
	} modes[] = {{"RAW", CPI_TYPE_RAW}, {"RAW + ONTHREAD", CPI_TYPE_RAW | CPI_TYPE_ONTHREAD},
		{"RAW + ONTHREAD + QUALITY",
			CPI_TYPE_RAW | CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY}};
	const uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
	int status = 0;

	open_counters();
	print("an empty loop", count(run_empty, NULL));
	print("a light interval", count(run_light, NULL));
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		void *handle;

		if (CpiInit(modes[i].mode, &handle) != PU_SUCCESS)
			exit((puts("CpiInit fails"), 1));
		const uint64_t n = print(modes[i].name, count(run_cpi, handle));
		status |= n > most;
		CpiTerminate(handle);
	}
	return status;
}
