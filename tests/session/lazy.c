/*
 * A lazily bound program: its first hook, in a signal handler, must not bind any symbol. Links with
 * the installed interface only, shared or static.
 */
#include <perfutil.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/folder.h"
#include "painted.h"

static int words(void)
{
	return TraceHookWords(1, 1, 0, NULL);
}

static int ints(void)
{
	return TraceHook(1, 1, 1, 0, 7);
}

static int data(void)
{
	return TraceHookData(1, 1, 0, NULL, 0, NULL);
}

static int clocks(void)
{
	UINT64 cycles;

	GetCycles(&cycles);
	return ReadCycles() >= cycles ? 0 : 1;
}

static const struct row {
	const char *name;
	int (*run)(void);
} rows[] = {{"TraceHookWords", words}, {"TraceHook", ints}, {"TraceHookData", data},
	{"GetCycles, ReadCycles", clocks}};

/* In a process that has not called the library yet. */
static int run_row(const struct row *row)
{
	size_t used;
	int rc;

	used = painted_run(row->run, &rc);
	printf("%s: %s: rc %d, %zu bytes of stack\n",
		rc == 0 && used <= HANDLER_STACK_BYTES ? "ok" : "FAILED", row->name, rc, used);
	fflush(stdout);
	return rc != 0 || used > HANDLER_STACK_BYTES;
}

static int in_a_child(int (*run)(const struct row *), const struct row *row)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(row));
	return waitpid(pid, &status, 0) != pid || status != 0;
}

static int make_session(const struct row *none)
{
	(void)none;
	return TraceInit(1 << 20) != PU_SUCCESS || TraceOn() != PU_SUCCESS;
}

static int free_session(const struct row *none)
{
	(void)none;
	return TraceOff() != PU_SUCCESS || TraceTerminate() != PU_SUCCESS;
}

int main(void)
{
	static char dir[] = "/dev/shm/swtrace-test.XXXXXX";
	int failed = 0;

	if (!mkdtemp(dir) || setenv("SWTRACE_SESSION", dir, 1) != 0)
		return 1;
	failed += in_a_child(make_session, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		failed += in_a_child(run_row, &rows[i]);
	failed += in_a_child(free_session, NULL);
	folder_remove(dir);
	return failed != 0;
}
