/*
 * A traced program for the command's tests.
 *
 *	writer hooks N [MAJOR]	writes N hooks, prints how many were accepted
 *	writer paced N [FIRST]	writes N hooks of 8 words, 200 a millisecond, minors from FIRST
 *				on, prints how many were accepted
 *	writer phases		writes 100 hooks in each of three phases of TraceOn and TraceOff,
 *				minors from 0 on; starts and ends with tracing on
 *	writer loop		writes hooks until SIGTERM, prints how many were attempted
 *	writer wait		writes one hook, prints "ready", waits for SIGTERM
 *	writer status N		exits with N
 *	writer signal N		is ended by signal N
 *	writer control DIR	the trace-control functions of perfutil.h
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perfutil.h"

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static int hooks(long n, UINT32 major)
{
	long accepted = 0;

	for (long i = 0; i < n; i++)
		accepted += TraceHook(major, (UINT32)i, 2, 1, (int)i, 7, "writer") == PU_SUCCESS;
	printf("%ld\n", accepted);
	return 0;
}

static int write_paced(long n, long first)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	long accepted = 0;

	for (long i = first; i < first + n; i++) {
		accepted += TraceHook(0x22, (UINT32)i, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8) == PU_SUCCESS;
		if (i % 200 == 199)
			nanosleep(&pause, NULL);
	}
	printf("%ld\n", accepted);
	return 0;
}

/* Off for long enough that the drain has noticed. */
static int phases(void)
{
	const struct timespec pause = {.tv_nsec = 400000000};
	int bad = 0;

	for (UINT32 i = 0; i < 300; i++) {
		bad += TraceHook(0x22, i, 1, 0, 1) != PU_SUCCESS;
		if (i == 99 || i == 199) {
			bad += TraceOff() != PU_SUCCESS;
			nanosleep(&pause, NULL);
			bad += TraceOn() != PU_SUCCESS;
		}
	}
	return bad != 0;
}

static int loop(void)
{
	unsigned long n = 0;

	signal(SIGTERM, end);
	while (!ended) {
		TraceHook(0x22, (UINT32)n, 3, 0, 1, 2, 3);
		n++;
	}
	printf("%lu\n", n);
	return 0;
}

static int wait_for_end(void)
{
	signal(SIGTERM, end);
	TraceHook(0x22, 1, 0, 0);
	puts("ready");
	fflush(stdout);
	while (!ended)
		pause();
	return 0;
}

/* ---------------------------------------------------------------- the control functions */

static int failures;

static void expect(const char *what, int got, int want)
{
	if (got == want)
		return;
	failures++;
	printf("%s: %d (%s), expected %d (%s)\n", what, got, RcToString(got), want,
		RcToString(want));
}

#define EXPECT(call, want) expect(#call, call, want)

static void switches(void)
{
	EXPECT(IsTraceOn(), 0);
	EXPECT(IsTraceActive(), 0);
	EXPECT(TraceQueryMajor(0x22), 0);
	EXPECT(TraceOn(), PU_ERROR_DRIVER_NOT_LOADED);
	EXPECT(TraceOff(), PU_ERROR_DRIVER_NOT_LOADED);
	EXPECT(TraceTerminate(), PU_ERROR_DRIVER_NOT_LOADED);
	EXPECT(TraceSetSectionSize(8192), PU_SUCCESS);
	EXPECT(TraceSetSectionSize(-1), PU_ERROR_INVALID_PARAMETER);
	EXPECT(TraceSetSectionSize(1 << 30), PU_ERROR_INVALID_PARAMETER);
	EXPECT(TraceSetMode(TRACE_MODE_CONTINUOUS), PU_SUCCESS);
	EXPECT(TraceSetMode(TRACE_MODE_WRAP), PU_SUCCESS);
	EXPECT(TraceSetMode(3), PU_ERROR_INVALID_PARAMETER);
	EXPECT(TraceInit(65536), PU_SUCCESS);
	EXPECT(TraceOff(), PU_ERROR_INCORRECT_STATE);
	EXPECT(TraceSuspend(), PU_ERROR_INCORRECT_STATE);
	EXPECT(TraceOn(), PU_SUCCESS);
	EXPECT(TraceOn(), PU_ERROR_INCORRECT_STATE);
	EXPECT(TraceInit(0), PU_ERROR_INCORRECT_STATE);
	EXPECT(IsTraceOn(), 1);
	EXPECT(TraceMajorIsOn(0x22), 1);
	EXPECT(TraceResume(), PU_ERROR_INCORRECT_STATE);
	EXPECT(TraceSuspend(), PU_SUCCESS);
	EXPECT(IsTraceOn(), 0);
	EXPECT(IsTraceActive(), 1);
	EXPECT(TraceMajorIsOn(0x22), 0);
	EXPECT(TraceResume(), PU_SUCCESS);
	EXPECT(IsTraceOn(), 1);
}

static void majors(void)
{
	EXPECT(TraceQueryMajor(0x22), 1);
	EXPECT(TraceDisable(0x22), PU_SUCCESS);
	EXPECT(TraceQueryMajor(0x22), 0);
	EXPECT(TraceMajorIsOn(0x22), 0);
	EXPECT(TraceMajorIsOn(0x23), 1);
	EXPECT(TraceDisable(ALL_MAJORS), PU_SUCCESS);
	EXPECT(TraceMajorIsOn(0x23), 0);
	EXPECT(TraceEnable(0x22), PU_SUCCESS);
	EXPECT(TraceMajorIsOn(0x22), 1);
	EXPECT(TraceEnable(ALL_MAJORS), PU_SUCCESS);
	EXPECT(TraceEnable(256), PU_ERROR_INVALID_PARAMETER);
	EXPECT(TraceDisable(-2), PU_ERROR_INVALID_PARAMETER);
	EXPECT(TraceQueryMajor(-1), PU_ERROR_INVALID_PARAMETER);
}

static long size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 ? (long)st.st_size : -1;
}

static void files(const char *dir)
{
	char a[4096], b[4096];

	snprintf(a, sizeof a, "%s/a.bin", dir);
	snprintf(b, sizeof b, "%s/b.bin", dir);
	expect("TraceGetName", strcmp(TraceGetName(), "swtrace.bin"), 0);
	EXPECT(TraceSetName(NULL), PU_ERR_NULL_PTR);
	EXPECT(TraceSetName(a), PU_SUCCESS);
	expect("TraceGetName", strcmp(TraceGetName(), a), 0);
	for (int i = 0; i < 50; i++)
		TraceHook(0x22, 1, 3, 0, 1, 2, 3);
	EXPECT(TraceWriteBufferToFile(NULL), PU_SUCCESS);
	EXPECT(TraceDiscard(), PU_SUCCESS);
	EXPECT(TraceWriteBufferToFile(b), PU_SUCCESS);
	EXPECT(TraceWriteBufferToFile("/no/such/t.bin"), PU_ERR_FILE_ERROR);
	expect("a.bin is larger than b.bin", size_of(a) > size_of(b) && size_of(b) > 0, 1);
	EXPECT(TraceOff(), PU_SUCCESS);
	EXPECT(TraceTerminate(), PU_SUCCESS);
	EXPECT(TraceTerminate(), PU_ERROR_NO_BUFFER);
	EXPECT(TraceOn(), PU_ERROR_NO_BUFFER);
	EXPECT(TraceWriteBufferToFile(b), PU_ERROR_NO_BUFFER);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *argument = argc > 2 ? argv[2] : "0";

	if (strcmp(what, "schema") == 0)
		return TraceRegisterSchema("major 0x22 mine\nmajor 0x12 theirs\n");
	if (strcmp(what, "hooks") == 0)
		return hooks(atol(argument), argc > 3 ? (UINT32)strtoul(argv[3], NULL, 0) : 0x22);
	if (strcmp(what, "paced") == 0)
		return write_paced(atol(argument), argc > 3 ? atol(argv[3]) : 0);
	if (strcmp(what, "phases") == 0)
		return phases();
	if (strcmp(what, "loop") == 0)
		return loop();
	if (strcmp(what, "wait") == 0)
		return wait_for_end();
	if (strcmp(what, "status") == 0)
		return atoi(argument);
	if (strcmp(what, "signal") == 0)
		return raise(atoi(argument));
	if (strcmp(what, "control") == 0) {
		switches();
		majors();
		files(argument);
		return failures != 0;
	}
	return 99;
}
