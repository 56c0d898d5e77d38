/*
 * The traced program of the continuous benchmark. Prints "ready", then runs one command per line
 * of input, and exits at the end of input.
 *
 *	traced paced HOOKS-A-SECOND SECONDS
 *		go: writes at that total rate, with one thread per processor that sleeps between
 *		bursts; prints hooks and seconds
 *	traced stream HOOKS-A-SECOND SECONDS
 *		go: the same, with one thread on the last processor
 *	traced fill HOOKS
 *		go: writes so many as fast as possible, on the last processor; prints hooks and
 *		seconds
 *	traced bursts CPU MILLISECONDS
 *		go: bursts of hooks with pauses, for about that long; prints ns per hook
 *		hooks: prints the total number of hooks
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../formats/base/time_ns.h"
#include "bench.h"
#include "continuous.h"
#include "perfutil.h"

enum { MAJOR = 0x42 };

static void say(const char *line)
{
	puts(line);
	if (fflush(stdout) != 0)
		exit(1);
}

/* Whether the next line is this word; exits at the end of input. */
static bool told(const char *word)
{
	static char line[64];

	if (!fgets(line, sizeof line, stdin))
		exit(0);
	line[strcspn(line, "\n")] = 0;
	return strcmp(line, word) == 0;
}

/* Realistic words: counters, small numbers, constants, and some incompressible ones (about half of
 * the bytes). */
static void write_hooks(uint64_t n)
{
	static _Thread_local UINT32 word[8] = {0, 0, 0, 0x7f3a, 0, 1, 0, 0};
	static _Thread_local uint64_t random = 0x9E3779B97F4A7C15u;

	for (uint64_t i = 0; i < n; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		word[0]++;
		word[1] = (UINT32)(random >> 32);
		word[2] = (UINT32)(random >> 24);
		word[4] = (UINT32)(random >> 52);
		word[6] += 64;
		TraceHookWords(MAJOR, 0x10 + (word[4] & 7), 8, word);
	}
}

/* Hooks as a server might write for a request: its number, a random id, duration, bytes moved, and
 * constants. */
static void write_requests(uint64_t n)
{
	static _Thread_local UINT32 word[8] = {0, 0, 0, 0x7f3a, 0, 1, 0, 0};
	static _Thread_local uint64_t random = 0x9E3779B97F4A7C15u;

	for (uint64_t i = 0; i < n; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		word[0]++;
		word[1] = (UINT32)(random >> 32);
		word[2] = (UINT32)(random >> 52);
		word[4] = (UINT32)(random >> 20) & 0xff;
		TraceHookWords(MAJOR, 0x20, 8, word);
	}
}

/* -------------------------------------------------------------------------- paced */

#define PERIOD_NS 1000000u

struct paced {
	pthread_t thread;
	int cpu;
	void (*write)(uint64_t hooks);
	uint64_t start, periods, hooks; /* hooks per period */
	uint64_t written, end;
};

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* A late thread catches up at once, which keeps the average rate. */
static void *write_paced(void *arg)
{
	struct paced *p = arg;

	pin(p->cpu);
	for (uint64_t i = 0; i < p->periods; i++) {
		sleep_until(p->start + i * PERIOD_NS);
		p->write(p->hooks);
		p->written += p->hooks;
	}
	p->end = time_ns_monotonic();
	return NULL;
}

/* cpu: the threads' processors, n of them. */
static void paced(
	double rate, double seconds, const int *cpu, unsigned n, void (*write)(uint64_t hooks))
{
	char line[128];
	struct paced *p = calloc(n, sizeof *p);
	uint64_t start = time_ns_monotonic() + 5 * PERIOD_NS, end = start, hooks = 0;

	if (!p)
		die("no memory");
	for (unsigned i = 0; i < n; i++) {
		p[i].cpu = cpu[i];
		p[i].write = write;
		p[i].start = start;
		p[i].periods = (uint64_t)(seconds * 1e9 / PERIOD_NS);
		/* Round up, to attempt at least the requested number. */
		p[i].hooks = (uint64_t)(rate * PERIOD_NS / 1e9 / n + 0.999);
		if (pthread_create(&p[i].thread, NULL, write_paced, &p[i]) != 0)
			die("cannot start a thread");
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(p[i].thread, NULL);
		hooks += p[i].written;
		end = p[i].end > end ? p[i].end : end;
	}
	free(p);
	snprintf(line, sizeof line, "%llu %.6f", (unsigned long long)hooks,
		(double)(end - start) / 1e9);
	say(line);
}

/* ------------------------------------------------------------------------- bursts */

/* A million hooks a second on average, which a drain can follow, in bursts much smaller than a
 * ring. */
enum { BURST = 10000, PAUSE_NS = 10000000 };

static double bursts(uint64_t n, uint64_t *hooks)
{
	double *each = calloc(n, sizeof *each);
	double result;

	if (!each)
		die("no memory");
	for (uint64_t i = 0; i < n; i++) {
		sleep_ns(PAUSE_NS);
		write_hooks(100); /* warm up */
		uint64_t start = now_ns();
		write_hooks(BURST);
		each[i] = (double)(now_ns() - start) / BURST;
		*hooks += BURST + 100;
	}
	result = median(each, (unsigned)n);
	free(each);
	return result;
}

static void serve_bursts(int cpu, double ms)
{
	uint64_t hooks = 0, n = (uint64_t)(ms * 1e6 / PAUSE_NS) + 1;
	char line[64];

	pin(cpu);
	realtime();
	bursts(1, &hooks); /* attach, and touch the ring's pages */
	say("ready");
	for (;;) {
		if (told("go"))
			snprintf(line, sizeof line, "%.6g", bursts(n, &hooks));
		else
			snprintf(line, sizeof line, "%llu", (unsigned long long)hooks);
		say(line);
	}
}

static void fill(uint64_t hooks)
{
	char line[128];
	uint64_t start = time_ns_monotonic();

	write_requests(hooks);
	snprintf(line, sizeof line, "%llu %.6f", (unsigned long long)hooks,
		(double)(time_ns_monotonic() - start) / 1e9);
	say(line);
}

int traced(char **arguments)
{
	unsigned n;
	const int *all = processors(&n), one = atoi(arguments[1]);

	if (strcmp(arguments[0], "bursts") == 0)
		serve_bursts(one, atof(arguments[2]));
	say("ready");
	while (told("go")) {
		if (strcmp(arguments[0], "fill") == 0)
			fill(strtoull(arguments[1], NULL, 10));
		else if (strcmp(arguments[0], "stream") == 0)
			paced(atof(arguments[2]), atof(arguments[3]), &one, 1, write_requests);
		else
			paced(atof(arguments[1]), atof(arguments[2]), all, n, write_hooks);
	}
	return 1;
}
