/*
 * Threads move between CPUs all the time: by themselves, moved by another thread of their process,
 * and by another process; many of them on each CPU. The ledger is exact, and the decoder returns
 * each thread's hooks in the order in which they were written.
 *
 * stress_migrate [guest]
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../libtrace/dump/dump.h"
#include "storm.h"
#include "traced.h"

enum {
	SOME_CPUS = 64,
	MAX_PROCESSES = 3,
	MAX_THREADS = 12,
	HOOK_LIMIT = 4000,
	ENOUGH = 100 /* moves */
};

struct kind {
	const char *name;
	uint32_t mode, ring_kib, section_kib, processes, threads;
	bool from_outside, dumped;
	uint32_t hooks; /* per thread; 0: as many as fit in the time */
};

struct shared {
	uint64_t attempts, moves, seen; /* moves made, and those that the moved thread noticed */
	uint32_t running, threads, started; /* running: threads that have not ended yet */
	pid_t tid[MAX_PROCESSES * MAX_THREADS];
};

static struct shared *all;
static const struct kind *kind;
static uint32_t cpu[SOME_CPUS], cpus;

static bool go_on(uint32_t i)
{
	return kind->hooks ? i < kind->hooks
			   : i % 64 || __atomic_load_n(&all->running, __ATOMIC_RELAXED);
}

static void *writer(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, i;
	int at = -1;

	all->tid[id] = (pid_t)syscall(SYS_gettid);
	__atomic_fetch_add(&all->started, 1, __ATOMIC_RELEASE);
	for (i = 0; go_on(i); i++) {
		/* A thread must not finish before it was moved. */
		while (kind->hooks && __atomic_load_n(&all->moves, __ATOMIC_RELAXED) < i / 32)
			sched_yield();
		checked_hook(id, i, i % 211 == 0 ? 800 : i % 30);
		if (sched_getcpu() != at) {
			at = sched_getcpu();
			__atomic_fetch_add(&all->seen, 1, __ATOMIC_RELAXED);
		}
		/* Some threads also move themselves. */
		if (id % 4 == 0 && i % 32 == 0)
			box_pin(cpu[i / 32 % cpus]);
		if (kind->hooks && i % 4 == 0)
			sched_yield();
	}
	__atomic_fetch_add(&all->attempts, i, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&all->threads, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void move_writers(uint32_t first, uint32_t n)
{
	uint32_t seed = first + 1;

	while (__atomic_load_n(&all->started, __ATOMIC_ACQUIRE) < kind->processes * kind->threads)
		sched_yield();
	while (__atomic_load_n(&all->threads, __ATOMIC_ACQUIRE)) {
		cpu_set_t set;

		seed = seed * 1103515245 + 12345;
		CPU_ZERO(&set);
		CPU_SET(cpu[seed / 65536 % cpus], &set);
		/* fails for a thread that has ended */
		if (sched_setaffinity(all->tid[first + seed / 4096 % n], sizeof set, &set) == 0)
			__atomic_fetch_add(&all->moves, 1, __ATOMIC_RELAXED);
	}
}

static void process(uint32_t number)
{
	uint32_t first = number * kind->threads;
	pthread_t threads[MAX_THREADS];

	for (uint32_t i = 0; i < kind->threads; i++) {
		if (pthread_create(&threads[i], NULL, writer, (void *)(uintptr_t)(first + i)))
			die("no thread");
	}
	if (!kind->from_outside)
		move_writers(first, kind->threads);
	for (uint32_t i = 0; i < kind->threads; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* ----------------------------------------------------- the order across the rings */

struct order {
	uint32_t next[MAX_PROCESSES * MAX_THREADS], wrong, not_whole;
};

static void in_order(void *arg, uint32_t ring, const cpidecode_hook *hook)
{
	uint8_t record[TRACED_RECORD];
	struct order *o = arg;
	uint32_t id;

	(void)ring;
	if (!traced_record(hook, record) || !checked_is_whole(record) ||
		checked_id(record) >= MAX_PROCESSES * MAX_THREADS) {
		o->not_whole++;
		return;
	}
	id = checked_id(record);
	o->wrong += checked_sequence(record) != o->next[id];
	o->next[id] = checked_sequence(record) + 1;
}

static void dumped(struct session *s, const char *name)
{
	char path[128];
	struct dump_options options = {.path = path};
	struct session_error e = {""};
	struct order order = {.wrong = 0};
	struct traced t;

	snprintf(path, sizeof path, "%s/trace.bin", sandbox_dir());
	if (dump_write(s, &options, NULL, &e) != 0)
		die("dump: %s", e.text);
	int rc = traced_read(path, s->geometry.cpus, &t, in_order, &order);
	unlink(path);
	count_result(rc == 0 && traced_sum(&t, UINT64_MAX) == all->attempts &&
			     t.hooks == all->attempts && !t.torn && !t.malformed && !t.damaged &&
			     !t.damaged_bytes && !t.cut_off && !order.wrong && !order.not_whole,
		name,
		"%llu hooks in the dump, %u of them not in their thread's order, %u incomplete",
		(unsigned long long)t.hooks, order.wrong, order.not_whole);
}

/* A busy machine makes fewer moves: write until there were enough, or give up. */
static void write_for_a_while(void)
{
	usleep(400000);
	for (unsigned i = 0; i < 300 * SLOW_MACHINE &&
			     (__atomic_load_n(&all->seen, __ATOMIC_RELAXED) <= ENOUGH ||
				     __atomic_load_n(&all->moves, __ATOMIC_RELAXED) <= ENOUGH);
		i++)
		usleep(100000);
}

static void stress_migrate(const void *arg)
{
	struct session s;
	struct account a;
	struct follow f;
	int bad = 0;

	kind = arg;
	memset(all, 0, sizeof *all);
	all->running = 1;
	all->threads = kind->processes * kind->threads;
	box_open(&s, kind->mode, (uint64_t)kind->ring_kib << 10, kind->section_kib << 10);
	follow_open(&f, s.geometry.cpus + s.geometry.guests);
	for (uint32_t i = 0; i < kind->processes; i++) {
		if (fork() == 0)
			process(i);
	}
	if (kind->from_outside && fork() == 0) {
		move_writers(0, kind->processes * kind->threads);
		_exit(0);
	}
	if (!kind->hooks)
		write_for_a_while();
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	box_account(&s, &a, storm_follow, &f);
	count_result(bad == 0 && all->moves > ENOUGH && all->seen > ENOUGH, kind->name,
		"%llu moves, %llu noticed by %u threads, %d processes failed",
		(unsigned long long)all->moves, (unsigned long long)all->seen,
		kind->processes * kind->threads, bad);
	storm_ledger(kind->name, &a, &f, all->attempts);
	if (kind->dumped)
		dumped(&s, kind->name);
	follow_close(&f);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"moved, and all kept", SHM_MODE_NORMAL, 16 << 10, 64, 2, 6, true, true,
			HOOK_LIMIT},
		{"moved by a thread", SHM_MODE_WRAP, 64, 4, 1, 4, false, false, 0},
		{"moved by a process", SHM_MODE_WRAP, 64, 4, 2, 3, true, false, 0},
		{"2 sections", SHM_MODE_WRAP, 8, 4, 2, 3, true, false, 0},
		{"a full ring", SHM_MODE_NORMAL, 64, 4, 2, 3, true, false, 0},
		{"many threads", SHM_MODE_WRAP, 128, 8, 3, 12, true, false, 0},
	};

	box_guest_or_told(argc, argv);
	cpus = storm_cpus(cpu, SOME_CPUS);
	if (cpus < 2 || SEES_ONE_PROCESS) {
		count_skipped("migration",
			cpus < 2 ? "one CPU is allowed" : "the sanitizer sees one process");
		return results();
	}
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		scenario(stress_migrate, &kinds[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
