/*
 * Intervals of which something is known beforehand, each with its quality hook:
 *
 *	quality [late | crowd]
 *
 * "asleep" sleeps eight times 10 ms, "pages" touches 200 new pages, "moved" is moved to another
 * processor (not there where it cannot be), "elsewhere" is ended by another thread. With late,
 * only CpiGetAndTrace asks for the hook. With crowd, instead, threads on one processor make short
 * intervals, "crowd", in most of whose time the library reads and writes: a thread that is
 *preempted there has ended its interval, and finds the stamp raised.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perfutil.h"

enum { PAGES = 200, CROWD = 4, CROWD_INTERVALS = 2000 };

static void *handle;
static UINT32 flags;
static int bad;

static void begin(void)
{
	bad += CpiStart(handle) != PU_SUCCESS;
}

static void end(const char *label)
{
	bad += CpiGetAndTrace(handle, 1, flags, label, NULL) != PU_SUCCESS;
}

/* Three to spare: one at whose beginning the host stops the processor is none. */
static void asleep(void)
{
	for (int i = 0; i < 8; i++) {
		struct timespec t = {0, 10000000};

		while (nanosleep(&t, &t) != 0)
			;
	}
}

static void pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(
		NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		bad++;
		return;
	}
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		*(volatile char *)(p + (size_t)i * page) = 1;
}

/* To one after the other, so that it leaves the one it is on. */
static int moved(void)
{
	cpu_set_t all, one;
	int moves = 0;

	if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2)
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && moves < 2; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		moves += CPU_ISSET(cpu, &all) && sched_setaffinity(0, sizeof one, &one) == 0;
	}
	return moves == 2;
}

static void *elsewhere(void *unused)
{
	(void)unused;
	end("elsewhere");
	return NULL;
}

static void *crowd(void *one)
{
	void *mine;

	if (pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), one) != 0 ||
		CpiInit(CPI_TYPE_TRACE_QUALITY, &mine) != PU_SUCCESS)
		return NULL;
	for (int i = 0; i < CROWD_INTERVALS; i++) {
		CpiStart(mine);
		CpiGetAndTrace(mine, 1, 0, "crowd", NULL);
	}
	CpiTerminate(mine);
	return mine;
}

static int make_crowd(void)
{
	pthread_t thread[CROWD];
	cpu_set_t one;
	int cpu = sched_getcpu(), failed = cpu < 0;

	CPU_ZERO(&one);
	CPU_SET(failed ? 0 : cpu, &one);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&thread[i], NULL, crowd, &one) != 0)
			return 2;
	for (int i = 0; i < CROWD; i++) {
		void *done;

		failed |= pthread_join(thread[i], &done) != 0 || !done;
	}
	return failed ? 2 : 0;
}

int main(int argc, char **argv)
{
	const UINT32 mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	int late = argc > 1 && strcmp(argv[1], "late") == 0;
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "crowd") == 0)
		return make_crowd();
	flags = late ? CPI_TYPE_TRACE_QUALITY : 0;
	if (CpiInit(late ? mode : mode | CPI_TYPE_TRACE_QUALITY, &handle) != PU_SUCCESS)
		return 2;
	begin();
	asleep();
	end("asleep");
	begin();
	pages();
	end("pages");
	begin();
	if (moved())
		end("moved");
	begin();
	if (pthread_create(&thread, NULL, elsewhere, NULL) != 0)
		return 2;
	pthread_join(thread, NULL);
	CpiTerminate(handle);
	if (bad)
		printf("%d refused\n", bad);
	return bad != 0;
}
