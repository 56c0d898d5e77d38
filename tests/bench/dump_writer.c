/*
 * The traced program of the dump benchmark: so many writers on each processor, flat out.
 *
 *	dump_writer WRITERS
 *
 * Prints "ready", then takes lines: "dump" and "rest" say that a dump goes on or not, "end" ends
 * it. Prints the hooks attempted, and ns per hook (median, 99.9th percentile) of batches outside
 * and inside dumps. Compiled with BENCH_LTTNG it writes LTTng-UST's events, of 8 fields.
 */
#ifdef BENCH_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tp.h"
#else
#include "perfutil.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "bench.h"

enum { MAJOR = 0x42, BATCH = 100, MOST_NS = 1 << 20 };

struct writer {
	pthread_t thread;
	int cpu;
	uint64_t hooks;
	uint32_t *batches[2]; /* by phase and ns of a batch; the last: longer */
};

static int phase, ended;

static void write_one(uint32_t *word, int i)
{
#ifdef BENCH_LTTNG
	lttng_ust_tracepoint(bench, fields8, word[0], (uint32_t)i, 0, 0, 0, 0, 0, 0);
#else
	TraceHookWords(MAJOR, 0x10, i & 1 ? 3 : 5, word);
#endif
}

static void *write_flat_out(void *arg)
{
	struct writer *w = arg;
	uint32_t word[5] = {0};

	pin(w->cpu);
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
		uint64_t begun = time_ns_monotonic(), ns;
		int p = __atomic_load_n(&phase, __ATOMIC_RELAXED);

		for (int i = 0; i < BATCH; i++) {
			word[0]++;
			write_one(word, i);
		}
		ns = time_ns_monotonic() - begun;
		w->batches[p][ns < MOST_NS ? ns : MOST_NS - 1]++;
		w->hooks += BATCH;
	}
	return NULL;
}

static double percentile(struct writer *w, int writers, int p, double share)
{
	uint64_t all = 0, below = 0;

	for (int i = 0; i < writers; i++)
		for (int ns = 0; ns < MOST_NS; ns++)
			all += w[i].batches[p][ns];
	for (int ns = 0; ns < MOST_NS; ns++) {
		for (int i = 0; i < writers; i++)
			below += w[i].batches[p][ns];
		if (below && (double)below >= share * (double)all)
			return (double)ns / BATCH;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int each = argc > 1 ? atoi(argv[1]) : 1;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), n = cpus * each;
	struct writer *w = calloc((size_t)n, sizeof *w);
	uint64_t hooks = 0;
	char line[32];

	for (int i = 0; w && i < n; i++) {
		w[i].cpu = i % cpus;
		for (int p = 0; p < 2; p++) {
			w[i].batches[p] = calloc(MOST_NS, sizeof *w[i].batches[p]);
			if (!w[i].batches[p])
				return 1;
		}
		if (pthread_create(&w[i].thread, NULL, write_flat_out, &w[i]) != 0)
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0)
		__atomic_store_n(&phase, strcmp(line, "dump\n") == 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		hooks += w[i].hooks;
	}
	printf("%llu %g %g %g %g\n", (unsigned long long)hooks, percentile(w, n, 0, 0.5),
		percentile(w, n, 0, 0.999), percentile(w, n, 1, 0.5), percentile(w, n, 1, 0.999));
	return 0;
}
