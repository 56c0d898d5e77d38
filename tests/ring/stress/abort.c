/*
 * Counts aborted restartable sequences: by membarrier, by signals, by many threads that preempt
 * each other; and more aborts in a row than a writer retries, by a debugger's single steps and the
 * program's own. The hook then goes to a guest ring.
 *
 *	stress_abort
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

enum {
	WRITERS = 4,
	MILLISECONDS = 400,
	STEPPED = 10,
	/* A debugger's step costs two context switches. */
	DEBUGGED = SANITIZED ? 1 : 3
};

struct shared {
	uint64_t attempts, aborts, barriers, signals;
	uint32_t running;
};

static struct shared *all;

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

static bool running(void)
{
	return __atomic_load_n(&all->running, __ATOMIC_RELAXED);
}

/* Use a small ring in wrap mode, to run all of the slow path. */
static void open_box(struct session *s, struct follow *f, uint32_t mode, uint64_t bytes)
{
	memset(all, 0, sizeof *all);
	all->running = 1;
	box_open(s, mode, bytes, 4096);
	follow_open(f, s->geometry.cpus + s->geometry.guests);
}

static void finish(struct session *s, struct follow *f, const char *name)
{
	struct account a;

	box_account(s, &a, storm_follow, f);
	storm_ledger(name, &a, f, all->attempts);
	follow_close(f);
	session_remove(s);
	session_close(s);
}

/* ------------------------------------------------------- barriers, and giving way */

static bool yields;

/* Writes counted hooks under an even id, and checked ones through the library under the odd id. */
static void *writer(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, i = 0;
	uint64_t aborts = 0;

	checked_hook(id + 1, i++, 0);
	while (i % 64 || running()) {
		if (i % 64 == 0) {
			add(&all->aborts, aborts);
			aborts = 0;
		}
		if (i % 2)
			storm_counted_hook(id, i, &aborts);
		else
			checked_hook(id + 1, i, i % 60);
		i++;
		if (yields && i % 4 == 0)
			sched_yield();
	}
	add(&all->attempts, i);
	add(&all->aborts, aborts);
	return NULL;
}

static void *barriers(void *arg)
{
	(void)arg;
	while (running()) {
		storm_barrier();
		add(&all->barriers, 1);
	}
	return NULL;
}

enum { LEAST_ABORTS = 20, LEAST_BARRIERS = 100 / SLOW_MACHINE };

/* On a busy machine barriers take long, and writers seldom run during one. */
static bool barriers_have_hit(void)
{
	return __atomic_load_n(&all->aborts, __ATOMIC_RELAXED) >= LEAST_ABORTS &&
	       __atomic_load_n(&all->barriers, __ATOMIC_RELAXED) > LEAST_BARRIERS;
}

static void threads(const char *name, uint32_t writers, bool with_barriers)
{
	const struct timespec some = {MILLISECONDS / 1000, MILLISECONDS % 1000 * 1000000l};
	pthread_t thread[32];
	uint32_t n = 0;
	struct session s;
	struct follow f;

	open_box(&s, &f, SHM_MODE_WRAP, 16 * 4096);
	for (; n < writers; n++)
		pthread_create(&thread[n], NULL, writer, (void *)(uintptr_t)(2 * n));
	if (with_barriers)
		pthread_create(&thread[n++], NULL, barriers, NULL);
	nanosleep(&some, NULL);
	for (int i = 0; with_barriers && i < 100 * SLOW_MACHINE && !barriers_have_hit(); i++)
		nanosleep(&some, NULL);
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	finish(&s, &f, name);
}

static void by_membarrier(const void *arg)
{
	uint32_t cpu[2];

	if (storm_no_barriers() || storm_cpus(cpu, 2) < 2) {
		count_skipped(
			arg, storm_no_barriers() ? storm_no_barriers() : "one CPU is allowed");
		return;
	}
	threads(arg, WRITERS, true);
	count_result(all->aborts > 0 && all->barriers > LEAST_BARRIERS, arg,
		"%llu barriers aborted %llu sequences of counted hooks",
		(unsigned long long)all->barriers, (unsigned long long)all->aborts);
}

static void by_yielding(const void *arg)
{
	yields = true;
	threads(arg, 24, false);
	printf("%s: %llu sequences of counted hooks aborted\n", (const char *)arg,
		(unsigned long long)all->aborts);
}

/* ----------------------------------------------------------------------- signals */

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	all->signals++;
	all->aborts += storm_aborted(context);
}

static void handle(int number)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(number, &action, NULL);
}

static void by_signals(const void *arg)
{
	struct session s;
	struct follow f;
	uint32_t i;
	timer_t timer;

	open_box(&s, &f, SHM_MODE_WRAP, 16 * 4096);
	handle(SIGRTMIN);
	timer = storm_timer(SIGRTMIN, 20000 * SLOW_MACHINE);
	for (i = 0; i < 10000000 && all->aborts < 500 / SLOW_MACHINE; i++)
		checked_hook(1, i, i % 20);
	timer_delete(timer);
	all->attempts = i;
	count_result(all->aborts >= 500 / SLOW_MACHINE, arg, "%llu signals aborted %llu sequences",
		(unsigned long long)all->signals, (unsigned long long)all->aborts);
	finish(&s, &f, arg);
}

/* ------------------------------------------------------------------------- steps */

struct where {
	struct follow follow;
	uint32_t cpus;
	uint32_t guest[2], cpu[2]; /* per id: hooks on guest rings and on CPU rings */
};

static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct where *w = arg;

	follow_record(&w->follow, ring, position, record);
	(ring < w->cpus ? w->cpu : w->guest)[checked_id(record) & 1]++;
}

/* Every stepped hook (id 1) is on a guest ring, and no other (id 0). */
static void check_where(struct session *s, const char *name, uint32_t stepped, uint32_t others)
{
	struct where w = {.cpus = s->geometry.cpus};
	struct account a;

	follow_open(&w.follow, s->geometry.cpus + s->geometry.guests);
	box_account(s, &a, collect_record, &w);
	count_result(
		w.guest[1] == stepped && w.cpu[1] == 0 && w.cpu[0] == others && w.guest[0] == 0,
		name,
		"of %u hooks stepped through %u are on guest rings, of %u others %u on the CPUs'",
		stepped, w.guest[1], others, w.cpu[0]);
	storm_ledger(name, &a, &w.follow, all->attempts);
	follow_close(&w.follow);
	session_remove(s);
	session_close(s);
}

static void by_own_steps(const void *arg)
{
	struct session s;
	uint64_t least = UINT64_MAX, most = 0;

	box_open(&s, SHM_MODE_NORMAL, 1 << 20, 4096);
	memset(all, 0, sizeof *all);
	checked_hook(0, 0, 0);
	handle(SIGTRAP);
	for (uint32_t i = 1; i <= STEPPED; i++) {
		uint64_t before = all->aborts;

		storm_steps_begin();
		checked_hook(1, i, i % 90 * 10);
		storm_steps_end();
		checked_hook(0, i, i % 90);
		before = all->aborts - before;
		least = before < least ? before : least;
		most = before > most ? before : most;
	}
	all->attempts = 2 * STEPPED + 1;
	count_result(least >= 100 && most <= 1000, arg, "%llu to %llu aborts, then a guest ring",
		(unsigned long long)least, (unsigned long long)most);
	check_where(&s, arg, STEPPED, STEPPED + 1);
}

/* Losses are counted while sequences are aborted, too. */
static void losses(const void *arg)
{
	struct session s;
	struct account a;
	uint32_t big = 0, full = 0;
	static const uint32_t words[1100];

	box_open(&s, SHM_MODE_NORMAL, 2 * 4096, 4096);
	memset(all, 0, sizeof *all);
	for (uint32_t i = 0; i < 3 * STEPPED; i++)
		checked_hook(0, i, 200); /* fill this CPU's ring */
	handle(SIGTRAP);
	storm_steps_begin();
	for (uint32_t i = 0; i < STEPPED; i++) {
		full += checked_hook(0, 1000 + i, 200) == PU_ERROR_BUFFER_FULL;
		big += TraceHookWords(CHECKED_MAJOR, 0, 1100, words) == PU_ERROR_HOOK_TOO_LONG;
	}
	storm_steps_end();
	box_account(&s, &a, NULL, NULL);
	all->attempts = 5 * STEPPED;
	count_result(account_sum(&a) == all->attempts && a.loss[SHM_LOST_BIG] == STEPPED &&
			     big == STEPPED && full > 0 && a.loss[SHM_LOST_FULL] > full,
		arg, "%llu attempted, %llu accounted (full %llu, of them stepped %u; big %llu)",
		(unsigned long long)all->attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)a.loss[SHM_LOST_FULL], full,
		(unsigned long long)a.loss[SHM_LOST_BIG]);
	session_remove(&s);
	session_close(&s);
}

static void debugged(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(77);
	checked_hook(0, 0, 0);
	raise(SIGUSR1);
	for (uint32_t i = 0; i < DEBUGGED; i++)
		checked_hook(1, i, i % 90);
	raise(SIGUSR2);
	checked_hook(0, 1, 0);
	_exit(0);
}

/* A debugger steps through everything between the two signals. */
static void by_debugger(const void *arg)
{
	struct session s;
	int status = 0, steps = 0;
	pid_t pid;

	box_open(&s, SHM_MODE_NORMAL, 1 << 20, 4096);
	pid = fork();
	if (pid == 0)
		debugged();
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		count_skipped(arg, "ptrace is not allowed");
		session_remove(&s);
		return;
	}
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGUSR2 && steps++ < 10000000) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
			break;
		waitpid(pid, &status, 0);
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	all->attempts = DEBUGGED + 2;
	count_result(WIFEXITED(status) && WEXITSTATUS(status) == 0, arg, "%d steps, status %#x",
		steps, (unsigned)status);
	check_where(&s, arg, DEBUGGED, 2);
}

static int sandboxed_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (!box_has_rseq() || SEES_ONE_PROCESS) {
		count_skipped(
			"aborts", "no restartable sequences, or not to be seen by the sanitizer");
		return results();
	}
	all = box_shared(sizeof *all);
	scenario(by_membarrier, "membarrier");
	scenario(by_yielding, "sched_yield");
	scenario(by_signals, "signals");
	if (storm_no_steps()) {
		count_skipped("a program's own steps", storm_no_steps());
	} else {
		scenario(by_own_steps, "a program's own steps");
		scenario(losses, "losses while stepped");
	}
	scenario(by_debugger, "a debugger's steps");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
