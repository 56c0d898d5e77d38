/*
 * Many processes and threads at once, with migrating threads and signal handlers that trace: every
 * loss is counted, every record read is complete and in order.
 *
 *	stress_many [guest | own | raw]
 *	own	libc registers no restartable sequences: the threads do
 *	raw	the clock is a call
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/ring/rseq.h"
#include "sandbox.h"

enum { PROCESSES = SEES_ONE_PROCESS ? 1 : 4, THREADS = 3 };

struct kind {
	const char *name;
	uint32_t mode, ring_kib, section_kib;
	bool migrate, signals;
	uint32_t hooks; /* per thread, unless the machine is slow */
};

static const struct kind *kind;
static uint64_t *attempts; /* shared by all processes */
static uint32_t hooks;	   /* per thread */
static __thread uint32_t handler_sequence, handler_id;

static void on_signal(int number)
{
	(void)number;
	if (!handler_id)
		return;
	checked_hook(handler_id, handler_sequence, handler_sequence % 9);
	handler_sequence++;
	__atomic_fetch_add(attempts, 1, __ATOMIC_RELAXED);
}

static void *thread(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, seed = id * 77 + 1;

	checked_hook(2 * id, 0, 0);
	handler_id = 2 * id + 1;
	for (uint32_t i = 1; i < hooks; i++) {
		seed = seed * 1103515245 + 12345;
		if (kind->migrate && i % 16 == 0)
			box_pin(i / 16 % 2);
		checked_hook(2 * id, i, (seed >> 16) % (i % 100 == 0 ? 900 : 40));
	}
	handler_id = 0;
	__atomic_fetch_add(attempts, hooks, __ATOMIC_RELAXED);
	return NULL;
}

static void process(uint32_t number)
{
	const struct itimerval every = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t threads[THREADS];

	sigaction(SIGALRM, &action, NULL);
	if (kind->signals)
		setitimer(ITIMER_REAL, &every, NULL);
	for (uint32_t i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, thread,
			    (void *)(uintptr_t)(1 + number * THREADS + i)))
			die("no thread");
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	_exit(0);
}

static bool on_cpu_rings; /* and on no other rings */

static uint64_t guest_bytes(struct session *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->geometry.guests; i++)
		sum += box_ring(s, s->geometry.cpus + i).head;
	return sum;
}

/* Unregisters and re-registers a thread's own rseq area. */
static void own_area(const void *arg)
{
	struct rseq *area = rseq_lookup();
	bool registered = area != rseq_none() && (int32_t)area->cpu_id >= 0;

	rseq_release();
	count_result(registered && (int32_t)area->cpu_id < 0 && rseq_lookup() == area &&
			     (int32_t)area->cpu_id >= 0,
		arg, "registered, given back, registered again");
}

static void stress_many(const void *arg)
{
	const struct kind *k = arg;
	struct session s;
	struct account a;
	struct follow f;
	int bad = 0;

	kind = k;
	hooks = kind->hooks / SLOW_MACHINE;
	*attempts = 0;
	box_open(&s, k->mode, (uint64_t)k->ring_kib << 10, k->section_kib << 10);
	follow_open(&f, s.geometry.cpus + s.geometry.guests);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		if (fork() == 0)
			process(i);
	}
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	box_account(&s, &a, follow_record, &f);
	count_result(!bad && account_sum(&a) == *attempts && a.torn + a.gone_torn == 0 &&
			     !a.damaged && !a.backwards && !f.not_whole && !f.out_of_order &&
			     !f.foreign,
		k->name,
		"%llu attempted, %llu accounted (%llu in the rings, %llu overwritten, full %llu held %llu no guest %llu, torn %llu), damaged %u, stamps back %u, incomplete %u, out of order %u, processes failed %d",
		(unsigned long long)*attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)a.hooks, (unsigned long long)a.overwritten,
		(unsigned long long)a.loss[SHM_LOST_FULL],
		(unsigned long long)a.loss[SHM_LOST_HELD],
		(unsigned long long)a.loss[SHM_LOST_NO_GUEST],
		(unsigned long long)(a.torn + a.gone_torn), a.damaged, a.backwards, f.not_whole,
		f.out_of_order, bad);
	if (k->mode == SHM_MODE_NORMAL && k->ring_kib > 5000)
		count_result(a.loss[SHM_LOST_FULL] + a.overwritten == 0, k->name,
			"a large ring keeps all");
	if (on_cpu_rings)
		count_result(guest_bytes(&s) == 0, k->name, "all of them are on the CPUs' rings");
	follow_close(&f);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"normal, large", SHM_MODE_NORMAL, 6 << 10, 64, false, false, 3000},
		{"normal, small", SHM_MODE_NORMAL, 256, 4, true, true, 8000},
		{"wrap, 16 sections", SHM_MODE_WRAP, 64, 4, false, false, 60000},
		{"wrap, migrating", SHM_MODE_WRAP, 64, 4, true, false, 30000},
		{"wrap, signals", SHM_MODE_WRAP, 64, 4, false, true, 60000},
		{"wrap, 2 sections, migrating, signals", SHM_MODE_WRAP, 8, 4, true, true, 30000},
		{"wrap, large sections, migrating, signals", SHM_MODE_WRAP, 512, 64, true, true,
			30000},
	};

	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "own") == 0)
		box_with_own_rseq(argv);
	if (strcmp(how, "raw") == 0)
		setenv("SWTRACE_CLOCK", "raw", 1);
	if (strcmp(how, "guest") == 0)
		box_without_rseq(argv);
	else if (SEES_ONE_PROCESS) {
		count_skipped(
			"CPUs' rings", "the sanitizer does not see what makes them exclusive");
		return results();
	} else if (!box_has_rseq())
		count_skipped("restartable sequences", "this kernel has none");
	else if (strcmp(how, "own") == 0)
		scenario(own_area, "an area of our own");
	on_cpu_rings = box_has_rseq() && strcmp(how, "guest") != 0;
	attempts = box_shared(4096);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		scenario(stress_many, &kinds[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
