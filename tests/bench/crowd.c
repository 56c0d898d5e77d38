/*
 * One thread per processor, timed while all of them run.
 */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>

struct member {
	pthread_t thread;
	int cpu;
	unsigned number;
	double ns;
};

static struct {
	struct member *member;
	unsigned n;
	pthread_barrier_t begin, end;
	/* the job */
	const struct op *op; /* NULL: exit */
	uint64_t turns;
	bool work;
	int only;
	unsigned active, ready, done;
} crowd;

static unsigned count_arrival(unsigned *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL);
}

static bool all(const unsigned *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE) >= crowd.active;
}

static void take_part(struct member *m)
{
	uint64_t start;

	run_turns(crowd.op, crowd.work, crowd.turns / 8 + 1);
	count_arrival(&crowd.ready);
	while (!all(&crowd.ready))
		;
	start = now_ns();
	run_turns(crowd.op, crowd.work, crowd.turns);
	m->ns = (double)(now_ns() - start) / (double)crowd.turns;
	/* Keep running until all are timed: no thread may have the machine to itself at the end. */
	count_arrival(&crowd.done);
	while (!all(&crowd.done))
		run_turns(crowd.op, crowd.work, crowd.turns / 64 + 1);
}

static void *member(void *arg)
{
	struct member *m = arg;

	pin(m->cpu);
	realtime();
	for (;;) {
		pthread_barrier_wait(&crowd.begin);
		if (!crowd.op)
			return NULL;
		if (crowd.only < 0 || (unsigned)crowd.only == m->number)
			take_part(m);
		pthread_barrier_wait(&crowd.end);
	}
}

void crowd_start(void)
{
	const int *cpu = processors(&crowd.n);

	crowd.member = calloc(crowd.n, sizeof *crowd.member);
	if (!crowd.member)
		die("no memory");
	pthread_barrier_init(&crowd.begin, NULL, crowd.n + 1);
	pthread_barrier_init(&crowd.end, NULL, crowd.n + 1);
	for (unsigned i = 0; i < crowd.n; i++) {
		struct member *m = &crowd.member[i];

		m->cpu = cpu[i];
		m->number = i;
		if (pthread_create(&m->thread, NULL, member, m) != 0)
			die("cannot start a thread");
	}
}

void crowd_measure(const struct op *op, bool work, uint64_t turns, int only, double *ns)
{
	crowd.op = op;
	crowd.work = work;
	crowd.turns = turns;
	crowd.only = only;
	crowd.active = only < 0 ? crowd.n : 1;
	crowd.ready = crowd.done = 0;
	pthread_barrier_wait(&crowd.begin);
	pthread_barrier_wait(&crowd.end);
	for (unsigned i = 0; i < crowd.n; i++)
		ns[i] = crowd.member[i].ns;
}

void crowd_end(void)
{
	crowd.op = NULL;
	pthread_barrier_wait(&crowd.begin);
	for (unsigned i = 0; i < crowd.n; i++)
		pthread_join(crowd.member[i].thread, NULL);
	free(crowd.member);
}
