/*
 * Threads with known wakers, for the test of switches: the main thread, "woken", waits twice, some
 * 20 ms, in an interval "asked" for its thread "waker", which writes to a pipe from an interval
 * "answer"; then, in an interval "slept", for a timer.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "swtrace.h"

enum { ROUNDS = 2, WORK_NS = 20000000 };

static int pipes[2];

static void sleep_ns(long ns)
{
	const struct timespec t = {.tv_nsec = ns};

	nanosleep(&t, NULL);
}

static void *answer_requests(void *unused)
{
	prctl(PR_SET_NAME, "waker");
	for (int i = 0; i < ROUNDS; i++) {
		sleep_ns(WORK_NS);
		SwtraceBegin("answer");
		if (write(pipes[1], "", 1) != 1)
			return unused;
		SwtraceEnd();
	}
	return NULL;
}

int main(void)
{
	pthread_t waker;
	char byte;

	prctl(PR_SET_NAME, "woken");
	if (pipe(pipes) != 0 || pthread_create(&waker, NULL, answer_requests, NULL) != 0)
		return 2;
	SwtraceBegin("asked");
	for (int i = 0; i < ROUNDS; i++)
		if (read(pipes[0], &byte, 1) != 1)
			return 2;
	SwtraceEnd();
	pthread_join(waker, NULL);
	SwtraceBegin("slept");
	sleep_ns(WORK_NS);
	SwtraceEnd();
	return 0;
}
