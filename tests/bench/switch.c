/*
 * The cost of a context switch once the threads have measured an interval.
 *
 *	switch [-r REPETITIONS] [-t MILLISECONDS]
 *	-t	approximate time of a sample
 *
 * A sample is a process of its own, forked from one that never calls the library: two threads on
 * one processor pass a byte to and fro through two pipes. Before, each writes one interval, or none
 * for the row `none`, in which nothing of the library runs.
 *
 * Traces in an existing session, which must be on. Prints lines for report.awk: sample ROW VALUE in
 * ns per switch; attempted switch HOOKS.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "perfutil.h"

struct kind {
	const char *id;
	UINT32 mode; /* 0: never measured */
	bool is_on;
	unsigned hooks; /* of one interval */
	bool timed;	/* and one more if the kernel grants a switch page */
};

/* As interval_ops. */
static const struct kind kinds[] = {
	{"none", 0, true, 0, false},
	{"off_raw", CPI_TYPE_RAW, false, 0, false},
	{"off_thread", CPI_TYPE_ONTHREAD, false, 0, false},
	{"off_quality", CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY, false, 0, false},
	{"off_scaled", CPI_TYPE_SCALED, false, 0, false},
	{"raw", CPI_TYPE_RAW, true, 3, true},
	{"thread", CPI_TYPE_ONTHREAD, true, 4, false},
	{"quality", CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY, true, 5, false},
	{"scaled", CPI_TYPE_SCALED, true, 3, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds, THREADS = 2 };

static struct {
	const struct kind *kind;
	int cpu;
	uint64_t rounds; /* each has two switches */
	pthread_barrier_t measured;
	int pipes[THREADS][2]; /* each thread reads its own */
	double ns;	       /* per switch */
} game;

static void measure_one(void)
{
	void *instance;

	if (!game.kind->mode)
		return;
	if (CpiInit(game.kind->mode, &instance) != PU_SUCCESS || CpiStart(instance) != PU_SUCCESS ||
		CpiGetAndTrace(instance, 1, CPI_TYPE_TRACE_SUMMARY, "bench", NULL) != PU_SUCCESS)
		die("a thread cannot write an interval");
	/* Never ended: the threads must still be measured ones while they switch. */
}

static void send_byte(unsigned thread)
{
	if (write(game.pipes[!thread][1], "", 1) != 1)
		die("cannot write to a pipe");
}

static void receive_byte(unsigned thread)
{
	char byte;

	if (read(game.pipes[thread][0], &byte, 1) != 1)
		die("cannot read from a pipe");
}

static void *first(void *unused)
{
	uint64_t start = 0;

	measure_one();
	pthread_barrier_wait(&game.measured);
	for (uint64_t i = 0, warm = game.rounds / 8 + 1; i < warm + game.rounds; i++) {
		if (i == warm)
			start = now_ns();
		send_byte(0);
		receive_byte(0);
	}
	game.ns = (double)(now_ns() - start) / (2 * (double)game.rounds);
	return unused;
}

static void *second(void *unused)
{
	measure_one();
	pthread_barrier_wait(&game.measured);
	for (uint64_t i = 0, warm = game.rounds / 8 + 1; i < warm + game.rounds; i++) {
		receive_byte(1);
		send_byte(1);
	}
	return unused;
}

/* Plays in this process. The threads inherit its processor and priority. */
static double play(void)
{
	pthread_t threads[THREADS];

	if (game.kind->mode && !game.kind->is_on && TraceOff() != PU_SUCCESS)
		die("cannot turn tracing off");
	pin(game.cpu);
	realtime();
	pthread_barrier_init(&game.measured, NULL, THREADS);
	if (pipe(game.pipes[0]) != 0 || pipe(game.pipes[1]) != 0)
		die("no pipe");
	if (pthread_create(&threads[0], NULL, first, NULL) != 0 ||
		pthread_create(&threads[1], NULL, second, NULL) != 0)
		die("cannot start a thread");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (game.kind->mode && !game.kind->is_on && TraceOn() != PU_SUCCESS)
		die("cannot turn tracing on again");
	return game.ns;
}

static double in_a_process(const struct kind *kind, uint64_t rounds)
{
	double ns = 0;
	int ends[2], status;
	pid_t pid;

	game.kind = kind;
	game.rounds = rounds;
	if (pipe(ends) != 0 || (pid = fork()) < 0)
		die("no process");
	if (pid == 0) {
		ns = play();
		_exit(write(ends[1], &ns, sizeof ns) != sizeof ns);
	}
	close(ends[1]);
	if (read(ends[0], &ns, sizeof ns) != sizeof ns || waitpid(pid, &status, 0) != pid || status)
		die("two threads could not switch");
	close(ends[0]);
	return ns;
}

int main(int argc, char **argv)
{
	unsigned repetitions = 15, n;
	double sample_ns = 32e6;
	uint64_t attempted = 0;
	int option;

	while ((option = getopt(argc, argv, "r:t:")) != -1) {
		if (option == 'r')
			repetitions = (unsigned)atoi(optarg);
		else if (option == 't')
			sample_ns = atof(optarg) * 1e6;
		else
			return 2;
	}
	if (optind != argc || !repetitions || sample_ns < 10000)
		die("see the first lines of switch.c");
	const int *cpu = processors(&n);
	game.cpu = cpu[n - 1];
	uint64_t rounds = (uint64_t)(sample_ns / (2 * in_a_process(&kinds[0], 1000))) + 1;

	for (unsigned r = 0; r < repetitions; r++) {
		for (unsigned k = 0; k < KINDS; k++) {
			const struct kind *kind = &kinds[(k + r * 5) % KINDS];

			printf("sample\tswitch.%s\t%.6g\n", kind->id, in_a_process(kind, rounds));
			fflush(stdout);
			attempted +=
				THREADS * (kind->hooks + (kind->timed && grants_switch_page()));
			sleep_ns((uint64_t)sample_ns / 8);
		}
	}
	printf("attempted\tswitch\t%llu\n", (unsigned long long)attempted);
	return fflush(stdout) ? 1 : 0;
}
