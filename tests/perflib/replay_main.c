/*
 * test_perflib_replay: in a session and a folder of its own, which it begins anew in, as the
 * library looks for its session when a program starts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/folder.h"
#include "replay.h"

static int run_replay_suites(bool unrecorded)
{
	if (unrecorded)
		return suites_run(unrecorded_suite(), NULL);
	return suites_run(record_suite(), samples_suite(), intervals_suite(), NULL);
}

int main(int argc, char **argv)
{
	char folder[] = "/dev/shm/perflib-replay-XXXXXX", session[64];
	int status;

	if (getenv("PERFLIB_REPLAY_SCRATCH"))
		return run_replay_suites(argc == 2 && strcmp(argv[1], "unrecorded") == 0);
	if (!mkdtemp(folder)) {
		perror(folder);
		return EXIT_FAILURE;
	}
	snprintf(session, sizeof session, "%s/session", folder);
	setenv("SWTRACE_SESSION", session, 1);
	setenv("PERFLIB_REPLAY_SCRATCH", folder, 1);
	if (fork() == 0) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	wait(&status);
	folder_remove(folder);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
