/*
 * The cost of a fresh process's first hook, which finds the session and attaches to it.
 *
 *	attach MB REPETITIONS PROCESSES
 *
 * Traces in an existing session, which must be on and have rings of MB megabytes. Prints the
 * median and the 99th percentile of each repetition's processes, in us, as samples of the rows
 * attach.median_MB and attach.p99_MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "perfutil.h"

/* Returns ns; 0: failed. */
static uint64_t first_hook(void)
{
	UINT32 words[8] = {0};
	uint64_t start = now_ns();

	return TraceHookWords(1, 1, 8, words) == PU_SUCCESS ? now_ns() - start : 0;
}

static double in_a_process(void)
{
	uint64_t ns = 0;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) != 0 || (pid = fork()) < 0)
		die("no process");
	if (pid == 0) {
		ns = first_hook();
		_exit(write(ends[1], &ns, sizeof ns) != sizeof ns);
	}
	close(ends[1]);
	if (read(ends[0], &ns, sizeof ns) != sizeof ns || waitpid(pid, &status, 0) != pid || !ns)
		die("a process could not write its first hook");
	close(ends[0]);
	return (double)ns / 1000;
}

int main(int argc, char **argv)
{
	unsigned repetitions = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
	unsigned processes = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	double *us = calloc(processes + 1, sizeof *us);

	if (!repetitions || !processes || !us)
		die("see the first lines of attach.c");
	now_ns(); /* children inherit the mapped page */
	for (unsigned r = 0; r < repetitions; r++) {
		for (unsigned i = 0; i < processes; i++)
			us[i] = in_a_process();
		printf("sample\tattach.median_%s\t%.6g\n", argv[1], median(us, processes));
		/* median() sorted them. */
		printf("sample\tattach.p99_%s\t%.6g\n", argv[1], us[(processes - 1) * 99 / 100]);
	}
	free(us);
	return fflush(stdout) ? 1 : 0;
}
