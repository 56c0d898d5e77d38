/*
 * A traced program whose intervals have figures of each kind, for what top makes of them:
 *
 *	figures N
 *
 * N times an interval of each label: "thread" (on-thread CPI, all hooks), "summary" (the summary
 * alone), "system" (the system's CPI alone), "asleep" (a light one that sleeps), "arguments" (a
 * light one with arguments). Counters are those of SWTRACE_COUNTERS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perfutil.h"
#include "swtrace.h"

static void work(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns * 100; i++)
		;
}

static int interval(UINT32 types, const char *label, unsigned turns)
{
	void *handle;
	int bad = CpiInit(types, &handle) != PU_SUCCESS;

	if (bad)
		return bad;
	bad += CpiStart(handle) != PU_SUCCESS;
	work(turns);
	bad += CpiGetAndTrace(handle, 1, 0, label, NULL) != PU_SUCCESS;
	CpiTerminate(handle);
	return bad;
}

static void asleep(void)
{
	const struct timespec t = {.tv_nsec = 1000000};

	SWTRACE_SCOPE("asleep");
	nanosleep(&t, NULL);
}

static void arguments(unsigned n)
{
	SWTRACE_SCOPE("arguments", SWT_U64("n", n), SWT_STR("text", "three"));
	work(n);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	int bad = 0;

	for (unsigned i = 1; i <= n; i++) {
		bad += interval(CPI_TYPE_RAW | CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_EVERYTHING |
					CPI_TYPE_TRACE_QUALITY,
			"thread", i);
		bad += interval(
			CPI_TYPE_RAW | CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_SUMMARY, "summary", i);
		bad += interval(CPI_TYPE_RAW | CPI_TYPE_TRACE_DETAILED, "system", i);
		asleep();
		arguments(i);
	}
	printf("%d refused\n", bad);
	return bad != 0;
}
