/*
 * Writers for the end-to-end tests: PROCESSES x THREADS threads write HOOKS hooks each
 * through the public interface. Every hook of major 0x42 says who wrote it and which it is:
 *
 *	minor = sequence number; words = process, thread, sequence, ~sequence; every 16th has
 *	a string too: "p<process> t<thread> <sequence>" and a byte 0xFF.
 *
 * usage: writers PROCESSES THREADS HOOKS [fork|late|names]
 *	fork	each process is forked after its parent has written
 *	late	waits on a line of standard input between loading and writing
 *	names	names its threads
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfutil.h"

enum { MAJOR = 0x42 };

struct job {
	pthread_t thread;
	UINT32 process, number, hooks;
	int failed;
	int named;
};

static int write_one(const struct job *j, UINT32 i)
{
	UINT32 words[4] = {j->process, j->number, i, ~i};
	char text[64];
	TRACE_STRING s = {text, 0};

	if (i % 16)
		return i % 2 ? TraceHookWords(MAJOR, i, 4, words)
			     : TraceHook(MAJOR, i, 4, 0, words[0], words[1], words[2], words[3]);
	s.length = (UINT32)snprintf(text, sizeof text - 1, "p%u t%u %u", j->process, j->number, i);
	text[s.length++] = (char)0xff;
	return TraceHookData(MAJOR, i, 4, words, 1, &s);
}

static void *write_hooks(void *arg)
{
	struct job *j = arg;

	if (j->named) {
		char name[16];

		snprintf(name, sizeof name, "w%u.%u", j->process, j->number);
		pthread_setname_np(pthread_self(), name);
	}
	for (UINT32 i = 0; i < j->hooks; i++) {
		int rc = write_one(j, i);

		/* Losses are the ledger's to tell, not an error of the program. */
		if (rc != PU_SUCCESS && rc != PU_ERROR_BUFFER_FULL && rc != PU_ERROR_NO_BUFFER) {
			fprintf(stderr, "writers: %s\n", RcToString(rc));
			j->failed = 1;
			break;
		}
	}
	return NULL;
}

static int process(UINT32 number, UINT32 threads, UINT32 hooks, int named)
{
	struct job *jobs = calloc(threads, sizeof *jobs);
	int failed = 0;

	for (UINT32 i = 0; jobs && i < threads; i++) {
		jobs[i] = (struct job){
			.process = number, .number = i, .hooks = hooks, .named = named};
		if (pthread_create(&jobs[i].thread, NULL, write_hooks, &jobs[i]) != 0)
			return 1;
	}
	for (UINT32 i = 0; jobs && i < threads; i++) {
		pthread_join(jobs[i].thread, NULL);
		failed |= jobs[i].failed;
	}
	free(jobs);
	return jobs ? failed : 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "";
	UINT32 processes, threads, hooks;
	int failed = 0, status;
	char line[16];

	if (argc < 4) {
		fprintf(stderr, "usage: writers PROCESSES THREADS HOOKS [fork|late|names]\n");
		return 2;
	}
	processes = (UINT32)strtoul(argv[1], NULL, 10);
	threads = (UINT32)strtoul(argv[2], NULL, 10);
	hooks = (UINT32)strtoul(argv[3], NULL, 10);
	if (strcmp(how, "late") == 0) {
		TraceHook(MAJOR, 0, 0, 0); /* looks for a session: there are no rings yet */
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin))
			return 1;
	}
	if (strcmp(how, "fork") == 0)
		failed |= process(processes, 1, hooks, 0);
	for (UINT32 p = 0; p < processes; p++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(process(p, threads, hooks, strcmp(how, "names") == 0));
		if (pid < 0)
			return 1;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
