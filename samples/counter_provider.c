/*
 * Offers a counterset with an instance per worker: requests per second, queue length, and how busy
 * the worker is. While it runs, show them with
 *
 *	swtrace counters query '\Sample Workers(*)\*'
 *
 * usage: counter_provider [WORKERS [SECONDS]]; default: 2 workers, until interrupted.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perflib.h"

static const GUID provider_id = {
	0x3f6a1c52, 0x0d54, 0x4b9e, {0x9a, 0x10, 0x6f, 0x2b, 0x77, 0x41, 0xc8, 0x05}};
static const GUID workers_id = {
	0x81d2e0b7, 0x5c19, 0x4f03, {0xb6, 0x2e, 0x14, 0xa9, 0x3d, 0x58, 0xf0, 0x66}};

enum { REQUESTS = 1, QUEUE_LENGTH = 2, BUSY_TIME = 3, COUNTERS = 3, MOST_WORKERS = 64 };

struct worker {
	pthread_t thread;
	PERF_COUNTERSET_INSTANCE *instance;
	atomic_int waiting; /* requests in the queue */
};

static HANDLE provider;
static struct worker worker[MOST_WORKERS];
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static uint64_t now_100ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 10000000 + (uint64_t)t.tv_nsec / 100;
}

static void pause_ms(unsigned ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

/* Registers the names and the counters' types, which is all that consumers know about them. */
static ULONG offer(void)
{
	struct {
		PERF_COUNTERSET_INFO set;
		PERF_COUNTER_INFO counter[COUNTERS];
	} info = {.set = {workers_id, provider_id, COUNTERS, PERF_COUNTERSET_MULTI_INSTANCES},
		.counter = {
			{.CounterId = REQUESTS, .Type = PERF_COUNTER_BULK_COUNT},
			{.CounterId = QUEUE_LENGTH, .Type = PERF_COUNTER_RAWCOUNT},
			{.CounterId = BUSY_TIME, .Type = PERF_100NSEC_TIMER},
		}};
	ULONG rc = PerfStartProvider(&provider_id, NULL, &provider);

	if (rc)
		return rc;
	for (int i = 0; i < COUNTERS; i++) {
		info.counter[i].Size = sizeof info.counter[i];
		info.counter[i].DetailLevel = PERF_DETAIL_NOVICE;
	}
	PerfSetCounterSetName(
		provider, &workers_id, "Sample Workers", "Workers of the sample counter_provider.");
	PerfSetCounterName(provider, &workers_id, REQUESTS, PERF_NO_COUNTER, "Requests/sec",
		"Requests that were served.");
	PerfSetCounterName(provider, &workers_id, QUEUE_LENGTH, PERF_NO_COUNTER, "Queue Length",
		"Requests that wait.");
	PerfSetCounterName(provider, &workers_id, BUSY_TIME, PERF_NO_COUNTER, "% Busy Time",
		"Time spent on requests.");
	return PerfSetCounterSetInfo(provider, &info.set, sizeof info);
}

/* Serves a request: 2 ms of processor time. */
static void serve(void)
{
	const uint64_t until = now_100ns() + 20000;

	while (now_100ns() < until)
		;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!stopped) {
		if (atomic_load(&w->waiting) == 0) {
			pause_ms(1);
			continue;
		}
		uint64_t from = now_100ns();
		atomic_fetch_sub(&w->waiting, 1);
		PerfDecrementULongCounterValue(provider, w->instance, QUEUE_LENGTH, 1);
		serve();
		PerfIncrementULongLongCounterValue(
			provider, w->instance, BUSY_TIME, now_100ns() - from);
		PerfIncrementULongLongCounterValue(provider, w->instance, REQUESTS, 1);
	}
	return NULL;
}

static int start_workers(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof name, "worker %u", i);
		worker[i].instance = PerfCreateInstance(provider, &workers_id, name, i);
		if (!worker[i].instance) {
			perror("counter_provider: PerfCreateInstance");
			return -1;
		}
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	ULONG rc;

	if (workers < 1 || workers > MOST_WORKERS) {
		fprintf(stderr, "usage: counter_provider [WORKERS (1 to %d) [SECONDS]]\n",
			MOST_WORKERS);
		return 2;
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	rc = offer();
	if (rc) {
		fprintf(stderr, "counter_provider: no counterset can be offered: %s\n",
			PerfStatusName(rc));
		return 1;
	}
	if (start_workers(workers) != 0)
		return 1;
	/* Later workers get more requests. */
	for (unsigned tick = 0; !stopped && (!seconds || tick < seconds * 100); tick++) {
		for (unsigned i = 0; i < workers; i++) {
			if (tick % workers > i || atomic_load(&worker[i].waiting) > 100)
				continue;
			atomic_fetch_add(&worker[i].waiting, 1);
			PerfIncrementULongCounterValue(
				provider, worker[i].instance, QUEUE_LENGTH, 1);
		}
		pause_ms(10);
	}
	stopped = 1;
	for (unsigned i = 0; i < workers; i++)
		pthread_join(worker[i].thread, NULL);
	return PerfStopProvider(provider) == ERROR_SUCCESS ? 0 : 1;
}
