/*
 * The cost of a hook, or an interval, to the program that writes it.
 *
 *	writer [-i] [-r REPETITIONS] [-t MILLISECONDS] [-p MODULE]... [-f DIRECTORY]
 *	-i	intervals, and the slowest of short batches of them
 *	-t	approximate time of a batch
 *	-p	also measures the peers of MODULE (lttng_peer.c, papi_peer.c, likwid_peer.c)
 *	-f	also measures fwrite to a file in DIRECTORY
 *
 * Traces in an existing session, which must be on. Prints lines of tab-separated fields for
 * report.awk: sample ROW VALUE; absent ROWS REASON; machine NAME VALUE;
 * attempted KIND HOOKS.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peers.h"
#include "perfutil.h"

/* Calibrated: a turn of work takes so many ns on this machine. */
#define WORK_NS 75
/* Batches of one repetition: with 2000, the p99.9 is the third slowest. */
#define TAIL_BATCHES 2000

static const struct op *op[MAX_OPS];
static unsigned number[MAX_OPS]; /* of the op in its table */
static uint64_t tight_turns[MAX_OPS], work_turns[MAX_OPS];
static unsigned ops, own_ops;	     /* the first ones are our own */
static const char *table_of[PLACES]; /* of a peer with a process of its own: the module */
static unsigned repetitions = 15;
static bool intervals; /* and the slowest short batches of ours */
static uint64_t batch_ns = 8000000;

static void sample(const char *scene, const char *id, double value)
{
	printf("sample\t%s.%s\t%.6g\n", scene, id, value);
}

static bool is_served(enum place place)
{
	return place >= EVENTS;
}

static double ask(unsigned i, enum ask what, uint64_t amount)
{
	const struct op *o = op[i];
	double value;

	if (is_served(o->place))
		return server_ask(o->place, number[i], what, amount);
	if (o->place == HERE_OFF && TraceOff() != PU_SUCCESS)
		die("cannot turn tracing off");
	value = measure(o, what, amount);
	if (o->place == HERE_OFF && TraceOn() != PU_SUCCESS)
		die("cannot turn tracing on again");
	return value;
}

/* Lets other processes run between two batches: real-time priority must not starve them. */
static void give_way(void)
{
	sleep_ns(batch_ns / 8);
}

/* ------------------------------------------------------------------ preparation */

static void add_op(const struct op *table, unsigned i)
{
	if (ops == MAX_OPS)
		die("too many ops");
	number[ops] = i;
	op[ops++] = &table[i];
}

static void collect_own(const char *fwrite_directory)
{
	const struct op *own = intervals ? interval_ops : our_ops;
	unsigned n = intervals ? interval_op_count : our_op_count;

	for (unsigned i = 0; i < n; i++)
		add_op(own, i);
	own_ops = ops;
	if (!fwrite_directory)
		return;
	fwrite_begin(fwrite_directory);
	add_op(&fwrite_op, 0);
}

static void collect_peers(const char *module)
{
	const struct op *peer = peers_load(module, intervals);

	for (unsigned i = 0; peer[i].id; i++) {
		add_op(peer, i);
		if (is_served(peer[i].place))
			table_of[peer[i].place] = module;
	}
}

/* Starts the peers' own processes. Tells why ops are absent that cannot be measured here, and
 * removes them. A preloaded module may replace functions of libc for the peer's library. */
static void start_peers(int cpu)
{
	unsigned kept = own_ops;

	for (unsigned i = own_ops; i < ops; i++) {
		const char *why = NULL;

		if (table_of[op[i]->place]) {
			const char *module = table_of[op[i]->place];

			server_start(op[i]->place, "LD_PRELOAD", module, cpu, module);
			why = server_open(op[i]->place, number[i]);
		}
		if (why) {
			printf("absent\t\\.%s$\t%s\n", op[i]->id, why);
			continue;
		}
		op[kept] = op[i];
		number[kept++] = number[i];
	}
	ops = kept;
}

static void start_servers(int cpu)
{
	const char *own = intervals ? "intervals" : "hooks";

	server_start(EVENTS, "SWTRACE_EVENTS", bench_events, cpu, own);
	server_start(ALONE, "SWTRACE_EVENTS", "", cpu, own);
	server_start(GUEST, "SWTRACE_TEST_GUEST", "1", cpu, own);
	server_start(NO_SESSION, "SWTRACE_SESSION", "/nonexistent/session", cpu, own);
	start_peers(cpu);
}

static void cut_work(void)
{
	double ns = 0;

	/* Take the fastest: disturbances only slow it down. */
	for (int i = 0; i < 20; i++) {
		double again = measure(&work_alone, ASK_WORK, 500);

		ns = i == 0 || again < ns ? again : ns;
	}
	unsigned steps = (unsigned)(WORK_NS / ns * (work_items / WORK_STEP) + 0.5);
	work_items = steps < 1 ? WORK_STEP : steps * WORK_STEP;
	if (work_items > WORK_LARGEST)
		work_items = WORK_LARGEST;
	printf("machine\twork_items\t%u\n", work_items);
}

static void find_turns(void)
{
	for (unsigned i = 0; i < ops; i++) {
		tight_turns[i] = (uint64_t)ask(i, ASK_TIGHT_TURNS, batch_ns);
		work_turns[i] = (uint64_t)ask(i, ASK_WORK_TURNS, batch_ns);
	}
}

/* ----------------------------------------------------------------------- scenes */

/* One thread: measures every op once per repetition, starting with another one each time. */
static void one_thread(void)
{
	uint64_t turns = (uint64_t)measure(&work_alone, ASK_WORK_TURNS, batch_ns);

	for (unsigned r = 0; r < repetitions; r++) {
		sample("work", work_alone.id, measure(&work_alone, ASK_WORK, turns));
		for (unsigned k = 0; k < ops; k++) {
			unsigned i = (k + r * 5) % ops;

			sample("tight", op[i]->id, ask(i, ASK_TIGHT, tight_turns[i]));
			give_way();
			if (!intervals || i >= own_ops)
				continue;
			sample("tail", op[i]->id, ask(i, ASK_TAIL, TAIL_BATCHES));
			give_way();
			sample("alone", op[i]->id,
				tail_alone(
					(double)batch_ns / (double)tight_turns[i], TAIL_BATCHES));
			give_way();
		}
		for (unsigned k = 0; k < ops; k++) {
			unsigned i = (k + r * 5) % ops;

			sample("work", op[i]->id, ask(i, ASK_ADDED, work_turns[i]));
			give_way();
		}
	}
}

/* For the thread that slows down most: its rate among others divided by its rate alone. */
static void emit_worst(const char *scene, const char *id, const double *ratio, unsigned n)
{
	double worst = 0, *copy = malloc(repetitions * sizeof *copy);
	unsigned which = 0;

	if (!copy)
		die("no memory");
	for (unsigned c = 0; c < n; c++) {
		for (unsigned r = 0; r < repetitions; r++)
			copy[r] = ratio[r * n + c];
		double m = median(copy, repetitions);
		if (c == 0 || m < worst) {
			worst = m;
			which = c;
		}
	}
	for (unsigned r = 0; r < repetitions; r++)
		sample(scene, id, ratio[r * n + which]);
	free(copy);
}

static void measure_crowd(const struct op *o, bool work, uint64_t turns, unsigned n)
{
	double *ratio = calloc((size_t)repetitions * n, sizeof *ratio);
	double *alone = calloc(n, sizeof *alone), *together = calloc(n, sizeof *together);

	if (!ratio || !alone || !together)
		die("no memory");
	for (unsigned r = 0; r < repetitions; r++) {
		for (unsigned c = 0; c < n; c++) {
			double ns[1024];

			crowd_measure(o, work, turns, (int)c, ns);
			alone[c] = ns[c];
		}
		crowd_measure(o, work, turns, -1, together);
		for (unsigned c = 0; c < n; c++)
			ratio[r * n + c] = alone[c] / together[c];
		give_way();
	}
	emit_worst(work ? "crowd_work" : "crowd", o->id, ratio, n);
	free(ratio);
	free(alone);
	free(together);
}

static void all_processors(void)
{
	unsigned n;

	processors(&n);
	if (n == 1) {
		puts("absent\t^crowd\tthere is one processor only");
		return;
	}
	crowd_start();
	measure_crowd(
		&work_alone, true, (uint64_t)measure(&work_alone, ASK_WORK_TURNS, batch_ns), n);
	for (unsigned i = 0; i < ops; i++) {
		if (!op[i]->crowd)
			continue;
		measure_crowd(op[i], false, tight_turns[i], n);
		measure_crowd(op[i], true, work_turns[i], n);
	}
	crowd_end();
}

/* ------------------------------------------------------------------------- main */

static bool has_rseq(void)
{
	/* An invalid address: a kernel with rseq rejects it with an error other than ENOSYS. */
	return syscall(SYS_rseq, NULL, 0, 0, 0) == 0 || (errno != ENOSYS && errno != EPERM);
}

static void report_machine(uint64_t ns, uint64_t cycles, bool is_realtime)
{
	unsigned n;

	processors(&n);
	printf("machine\tprocessors\t%u\n", n);
	printf("machine\tclock_hz\t%.0f\n", (double)cycles * 1e9 / (double)ns);
	printf("machine\tpriority\t%s\n", is_realtime ? "SCHED_FIFO" : "normal");
	printf("machine\trepetitions\t%u\n", repetitions);
	printf("machine\tbatch_ms\t%g\n", (double)batch_ns / 1e6);
}

static void report_attempted(void)
{
	uint64_t here = hooks_attempted() + server_attempted(EVENTS) + server_attempted(ALONE);
	uint64_t guest = server_attempted(GUEST);

	printf("attempted\tall\t%llu\n", (unsigned long long)(here + guest));
	printf("attempted\tguest\t%llu\n", (unsigned long long)(has_rseq() ? guest : here + guest));
	if (!has_rseq())
		puts("absent\t^ratio.guest\tno thread has restartable sequences here: all hooks went to guest rings");
}

int main(int argc, char **argv)
{
	const char *module[MAX_OPS], *fwrite_directory = NULL;
	unsigned modules = 0;
	int option;

	if (argc > 1 && strcmp(argv[1], "--serve") == 0)
		return serve(argc - 2, argv + 2);
	while ((option = getopt(argc, argv, "ir:t:p:f:")) != -1) {
		switch (option) {
		case 'i':
			intervals = true;
			break;
		case 'r':
			repetitions = (unsigned)atoi(optarg);
			break;
		case 't':
			batch_ns = (uint64_t)(atof(optarg) * 1e6);
			break;
		case 'p':
			if (modules < MAX_OPS)
				module[modules++] = optarg;
			break;
		case 'f':
			fwrite_directory = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind != argc || repetitions < 1 || batch_ns < 10000)
		die("see the first lines of writer.c");

	unsigned n;
	const int *cpu = processors(&n);
	uint64_t start = now_ns(), cycles = ReadCycles();

	collect_own(fwrite_directory);
	for (unsigned i = 0; i < modules; i++)
		collect_peers(module[i]); /* threads of others are not to be pinned */
	pin(cpu[n - 1]);		  /* the first one has most of the interrupts */
	bool is_realtime = realtime();
	ops_begin();
	cut_work();
	start_servers(cpu[n - 1]);
	find_turns();
	one_thread();
	all_processors();
	peers_trailer();
	report_machine(now_ns() - start, ReadCycles() - cycles, is_realtime);
	report_attempted();
	servers_end();
	return fflush(stdout) ? 1 : 0;
}
