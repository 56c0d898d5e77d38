/*
 * A traced program with labelled intervals, for the tests of triggers.
 *
 *	intervals FAST SLOW_MS AFTER [ROUNDS]
 *
 * ROUNDS (1) times: FAST intervals "fast" of next to nothing, one "slow" of SLOW_MS
 * milliseconds (0: none), and AFTER hooks of major 0x22 with minors from 0 on, one a
 * millisecond, so that some come after a trigger has fired. 0 times: one light interval.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perfutil.h"
#include "swtrace.h"

static void sleep_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int interval(void *handle, const char *label, int mm, long ms)
{
	int rc = CpiStart(handle);

	if (ms)
		sleep_ms(ms);
	return rc ? rc : CpiGetAndTrace(handle, mm, 0, label, NULL);
}

int main(int argc, char **argv)
{
	long rounds = argc > 4 ? atol(argv[4]) : 1;
	UINT32 minor = 0;
	void *handle;
	int bad = 0;

	if (argc < 4 || CpiInit(CPI_TYPE_RAW | CPI_TYPE_TRACE_SUMMARY, &handle) != PU_SUCCESS)
		return 2;
	if (rounds == 0) {
		SWTRACE_SCOPE("light request");
		sleep_ms(1);
	}
	while (rounds-- > 0) {
		for (long i = atol(argv[1]); i > 0; i--)
			bad += interval(handle, "fast", 1, 0) != PU_SUCCESS;
		if (atol(argv[2]))
			bad += interval(handle, "slow request", 2, atol(argv[2])) != PU_SUCCESS;
		for (long i = atol(argv[3]); i > 0; i--) {
			bad += TraceHook(0x22, minor++, 1, 0, 1) != PU_SUCCESS;
			sleep_ms(1);
		}
	}
	CpiTerminate(handle);
	printf("%d refused\n", bad);
	return bad != 0;
}
