/*
 * The cost of reading counters.
 *
 *	counters [-r REPETITIONS] [-t MILLISECONDS]
 *	-t	approximate time of one op's batches in a repetition
 *
 * Traces in an existing session, which must be on. Prints lines of tab-separated fields for
 * report.awk: sample ROW VALUE; absent ROWS REASON; machine NAME VALUE; check WHAT OUTCOME
 * DETAIL; and traced GROUPS: the number of hook groups written.
 */
#include "counters.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../../libtrace/counters/perf/probe.h"
#include "bench.h"
#include "perfutil.h"

enum { SLICES = 8, OPS_MAX = 64 };

static unsigned repetitions = 15;
static uint64_t batch_ns = 8000000;

/* ------------------------------------------------------------------------ measuring */

struct slice {
	const struct reading *reading;
	uint64_t turns;
	uint64_t ns;
};

static void time_loop(struct slice *s)
{
	s->reading->loop(s->turns / 8 + 1);
	uint64_t start = now_ns();
	s->reading->loop(s->turns);
	s->ns = now_ns() - start;
}

static void *run_slice(void *slice)
{
	struct slice *s = slice;
	const char *why = s->reading->open();

	if (why)
		die("%s: %s", s->reading->id, why);
	time_loop(s);
	s->reading->close();
	return NULL;
}

/* Returns ns for so many turns, in a new thread, which inherits processor and priority. */
static double slice(const struct reading *r, uint64_t turns)
{
	struct slice s = {r, turns, 0};
	pthread_t thread;

	if (r->stays)
		time_loop(&s);
	else if (pthread_create(&thread, NULL, run_slice, &s) != 0 ||
		 pthread_join(thread, NULL) != 0)
		die("no thread");
	return (double)s.ns;
}

/* Number of turns that take this long. */
static uint64_t turns_in(const struct reading *r, uint64_t ns)
{
	uint64_t turns = 1;
	double took;

	while ((took = slice(r, turns)) < (double)ns / 4)
		turns *= 2;
	turns = (uint64_t)((double)turns * (double)ns / took);
	return turns ? turns : 1;
}

/* ------------------------------------------------- other processes, one for a source */

struct request {
	unsigned op;
	bool find; /* find how many turns take `amount` ns, rather than time `amount` turns */
	uint64_t amount;
};

/* A process's final report. */
struct summary {
	uint64_t failures, traced;
};

static struct server {
	pid_t pid;
	int to, from;
} server[SOURCES];

/* Tries in a thread, whose counters close when it ends. */
static void *try_in_thread(void *reading)
{
	const struct reading *r = reading;
	const char *why = r->open();

	if (!why && !r->stays)
		r->close();
	return (void *)(uintptr_t)why;
}

static bool try_it(const struct reading *r)
{
	void *why = NULL;
	pthread_t thread;

	if (r->stays)
		why = try_in_thread((void *)(uintptr_t)r);
	else if (pthread_create(&thread, NULL, try_in_thread, (void *)(uintptr_t)r) != 0 ||
		 pthread_join(thread, &why) != 0)
		die("no thread");
	if (why)
		printf("absent\t^%s$\t%s\n", r->id, (const char *)why);
	return !why;
}

static void serve_request(int in, int out, enum source source)
{
	struct request q;
	struct summary sum = {0};
	double value;
	bool there[OPS_MAX] = {false};

	readings_begin();
	for (unsigned i = 0; i < reading_count; i++) {
		if (readings[i].source == source)
			there[i] = try_it(&readings[i]);
	}
	fflush(stdout);
	if (write(out, there, sizeof there) != sizeof there)
		_exit(1);
	while (read(in, &q, sizeof q) == sizeof q) {
		const struct reading *r = &readings[q.op];

		value = q.find ? (double)turns_in(r, q.amount) : slice(r, q.amount);
		if (write(out, &value, sizeof value) != sizeof value)
			_exit(1);
	}
	sum.failures = reading_failures;
	sum.traced = readings_traced;
	if (write(out, &sum, sizeof sum) != sizeof sum)
		_exit(1);
	_exit(0);
}

static void start(enum source source, const char *name, bool *there)
{
	bool its[OPS_MAX];
	int down[2], up[2];

	fflush(stdout);
	if (pipe(down) != 0 || pipe(up) != 0)
		die("no pipe");
	server[source].pid = fork();
	if (server[source].pid < 0)
		die("cannot fork");
	if (server[source].pid == 0) {
		close(down[1]);
		close(up[0]);
		/* Close the earlier processes' pipes: they end only when no process holds them. */
		for (int before = 0; before < (int)source; before++) {
			close(server[before].to);
			close(server[before].from);
		}
		setenv("SWTRACE_COUNTERS", name, 1);
		serve_request(down[0], up[1], source);
	}
	close(down[0]);
	close(up[1]);
	server[source].to = down[1];
	server[source].from = up[0];
	if (read(up[0], its, sizeof its) != sizeof its)
		die("the process that reads counters of the source %s failed", name);
	for (unsigned i = 0; i < reading_count; i++)
		there[i] |= its[i];
}

static double request_reading(unsigned op, bool find, uint64_t amount)
{
	const struct server *s = &server[readings[op].source];
	struct request q = {op, find, amount};
	double value;

	if (write(s->to, &q, sizeof q) != sizeof q ||
		read(s->from, &value, sizeof value) != sizeof value)
		die("a measuring process is gone (%s)", readings[op].id);
	return value;
}

static void end(enum source source, struct summary *sum)
{
	struct summary its;
	int status;

	close(server[source].to);
	if (read(server[source].from, &its, sizeof its) != sizeof its ||
		waitpid(server[source].pid, &status, 0) < 0 || status != 0)
		die("a measuring process failed");
	sum->failures += its.failures;
	sum->traced += its.traced;
}

/* ----------------------------------------------------------------------------- main */

static void measure_all(const bool *there)
{
	uint64_t turns[OPS_MAX] = {0};

	for (unsigned i = 0; i < reading_count; i++)
		if (there[i])
			turns[i] = (uint64_t)request_reading(i, true, batch_ns / SLICES);
	for (unsigned r = 0; r < repetitions; r++) {
		double ns[OPS_MAX] = {0};

		for (unsigned k = 0; k < SLICES * reading_count; k++) {
			unsigned i = (k + r * 5) % reading_count;

			if (there[i])
				ns[i] += request_reading(i, false, turns[i]);
		}
		for (unsigned i = 0; i < reading_count; i++) {
			ns[i] /= (double)turns[i] * SLICES;
			if (readings[i].per_cpu)
				ns[i] /= GetActiveProcessorCount();
			if (there[i])
				printf("sample\t%s\t%.6g\n", readings[i].id, ns[i]);
			if (there[i] && strcmp(readings[i].id, "cpi.trace") == 0) /* after CpiGet */
				printf("sample\tcpi.ring\t%.6g\n", ns[i] - ns[i - 1]);
		}
		sleep_ns(batch_ns);
	}
}

/* Asks in a child process, so that the choice of source does not persist here. */
static bool has_pmu(void)
{
	struct counters_pmu pmu;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		counters_probe_pmu(&pmu);
		if (!pmu.thread || !pmu.cpu_wide)
			printf("machine\tevents\tsoftware events stand in for hardware: %s\n",
				pmu.why);
		else
			printf("machine\tevents\thardware\n");
		fflush(stdout);
		_exit(pmu.thread && pmu.cpu_wide ? 0 : 3);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die("cannot fork");
	return status == 0;
}

int main(int argc, char **argv)
{
	struct summary sum = {0};
	bool there[OPS_MAX] = {false};
	unsigned n;
	int option;

	while ((option = getopt(argc, argv, "r:t:")) != -1) {
		if (option == 'r')
			repetitions = (unsigned)atoi(optarg);
		else if (option == 't')
			batch_ns = (uint64_t)(atof(optarg) * 1e6);
		else
			return 2;
	}
	if (optind != argc || repetitions < 1 || batch_ns < 10000 || reading_count > OPS_MAX)
		die("see the first lines of counters.c");

	const int *cpu = processors(&n);

	pin(cpu[n - 1]);
	printf("machine\tpriority\t%s\n", realtime() ? "SCHED_FIFO" : "normal");
	printf("machine\tprocessors\t%u\n", n);
	printf("machine\trepetitions\t%u\n", repetitions);
	printf("machine\tbatch_ms\t%g\n", (double)batch_ns / 1e6);
	fflush(stdout);
	if (!has_pmu())
		stand_in_begin();
	start(SOURCE_PERF, "perf", there);
	start(SOURCE_SOFTWARE, "software", there);
	measure_all(there);
	for (int source = 0; source < SOURCES; source++)
		end((enum source)source, &sum);
	printf("check\tevery reading worked\t%s\t%llu failed\n", sum.failures ? "failed" : "ok",
		(unsigned long long)sum.failures);
	printf("traced\t%llu\n", (unsigned long long)sum.traced);
	return fflush(stdout) ? 1 : 0;
}
