/*
 * Forks of every kind while hooks are being written: children trace under their own ids, and a hook
 * interrupted by a fork remains the parent's.
 *
 *	stress_fork [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/ring/points.h"
#include "../../../libtrace/ring/thread.h"
#include "storm.h"

enum { CHILDREN = SLOW_MACHINE > 1 ? 25 : 100, HOOKS_EACH = 20, MAX_IDS = 4000 };

static uint64_t *attempts;
static uint32_t *tids; /* by id of checked hooks */
static struct session box;

struct seen {
	struct follow follow;
	uint32_t wrong_tid, of_id[MAX_IDS];
};

static struct seen seen;

static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	uint32_t id = checked_id(record) % MAX_IDS;

	(void)arg;
	seen.wrong_tid += tids[id] != box_tid(&box, get_le32(record + REC_TID));
	seen.of_id[id]++;
	follow_record(&seen.follow, ring, position, record);
}

static void write_as(uint32_t id, uint32_t hooks)
{
	tids[id] = (uint32_t)syscall(SYS_gettid);
	for (uint32_t i = 0; i < hooks; i++)
		checked_hook(id, i, i % 30);
	__atomic_fetch_add(attempts, hooks, __ATOMIC_RELAXED);
}

static void open_box(uint32_t mode)
{
	box_open(&box, mode, 2 << 20, 16384);
	follow_open(&seen.follow, box.geometry.cpus + box.geometry.guests);
}

static void check(const char *name)
{
	struct account a;

	box_account(&box, &a, collect_record, NULL);
	count_result(account_sum(&a) == *attempts && !a.torn && !a.gone_torn && !a.damaged &&
			     !a.backwards && !seen.follow.not_whole && !seen.follow.foreign &&
			     !seen.follow.out_of_order && !seen.wrong_tid,
		name,
		"%llu attempted, %llu accounted, torn %llu, incomplete %u, out of order %u, under another's id %u",
		(unsigned long long)*attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)(a.torn + a.gone_torn), seen.follow.not_whole,
		seen.follow.out_of_order, seen.wrong_tid);
}

static void finish(void)
{
	follow_close(&seen.follow);
	session_remove(&box);
	session_close(&box);
}

static int stop;

static void *busy(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, i = 0;

	tids[id] = (uint32_t)syscall(SYS_gettid);
	for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
		checked_hook(id, i, i % 50);
	__atomic_fetch_add(attempts, i, __ATOMIC_RELAXED);
	return NULL;
}

/* Children of fork and _Fork while two threads write. */
static void plain(const void *arg)
{
	const char *name = arg;
	pthread_t threads[2];
	int status, bad = 0;

	open_box(SHM_MODE_WRAP);
	write_as(1, HOOKS_EACH);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, (void *)(uintptr_t)(2 + i));
	for (uint32_t i = 0; i < CHILDREN; i++) {
		pid_t pid = strcmp(name, "fork") == 0 ? fork() : _Fork();

		if (pid == 0) {
			write_as(10 + i, HOOKS_EACH);
			_exit(0);
		}
		while (waitpid(pid, &status, 0) != pid)
			;
		bad += status != 0;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	count_result(bad == 0, name, "%d children, %d failed", CHILDREN, bad);
	check(name);
	finish();
}

static void *one_thread(void *arg)
{
	write_as((uint32_t)(uintptr_t)arg, HOOKS_EACH);
	return NULL;
}

/* Several threads of the child write its first hooks at the same time. */
static void threads_in_child(const void *arg)
{
	int status, bad = 0;

	(void)arg;
	open_box(SHM_MODE_NORMAL);
	write_as(1, 1);
	for (uint32_t i = 0; i < 80; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_t threads[4];

			for (uint32_t t = 0; t < 4; t++)
				pthread_create(&threads[t], NULL, one_thread,
					(void *)(uintptr_t)(10 + 4 * i + t));
			for (uint32_t t = 0; t < 4; t++)
				pthread_join(threads[t], NULL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	count_result(bad == 0, "threads of a child", "%d of 80 children failed", bad);
	check("threads of a child");
	finish();
}

/* A child's child's child. */
static void generations(const void *arg)
{
	uint32_t depth = 0;

	(void)arg;
	open_box(SHM_MODE_NORMAL);
	write_as(1, HOOKS_EACH);
	for (;;) {
		pid_t pid = fork();
		int status;

		if (pid != 0) {
			waitpid(pid, &status, 0);
			if (depth != 0)
				_exit(status != 0);
			count_result(status == 0, "children of children", "status %d", status);
			break;
		}
		write_as(10 + ++depth, HOOKS_EACH);
		if (depth == 25)
			_exit(0);
	}
	check("children of children");
	finish();
}

/* ------------------------------------------------------- forks in signal handlers */

/* The parent's interrupted hook; a child's copy of it becomes the child's own hook, or nothing. */
enum { PARENT = 1 };

static uint32_t forks, next_id = 10;
static volatile sig_atomic_t is_child;

static void child_begins(uint32_t id)
{
	is_child = 1;
	write_as(id, 5);
}

/* The child continues what the signal interrupted. */
static void fork_in_handler(int number)
{
	uint32_t id = next_id++;

	(void)number;
	if (id >= 10 + CHILDREN || is_child)
		return;
	if (fork() == 0)
		child_begins(id);
	else
		forks++;
}

/* After _Fork no handler separates the child's rings from its parent's, so it must not continue. */
static void underscore_fork_in_handler(int number)
{
	uint32_t id = next_id++;

	(void)number;
	if (id >= 10 + CHILDREN)
		return;
	if (_Fork() == 0) {
		write_as(id, 5);
		_exit(0);
	}
	forks++;
}

/* Whether the child's completion of the interrupted hook reached the rings: the hook had not begun,
 * and became the child's. */
static bool became_a_hook(const struct hook_writer *w)
{
	const struct ring_map *map = ring_self.map;

	return map && w->first >= map->base && w->first < map->base + map->geometry.file_size;
}

/* By sequence; large enough for all (an idle CPU's ring keeps its oldest). */
static uint8_t parents_own[1 << 26];

static void see_forked(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	if (checked_id(record) == PARENT) {
		/* A hook completed by a child has the child's thread id and the parent's words. */
		if (box_tid(&box, get_le32(record + REC_TID)) != tids[PARENT])
			return;
		seen.wrong_tid += parents_own[checked_sequence(record) % sizeof parents_own]++;
	}
	if (record[4] == COUNTED_MAJOR || record[4] == HELD_MAJOR)
		storm_follow(&seen.follow, ring, position, record);
	else
		collect_record(arg, ring, position, record);
}

static void check_forked(const char *name)
{
	struct account a;

	box_account(&box, &a, see_forked, NULL);
	storm_ledger(name, &a, &seen.follow, *attempts);
	count_result(seen.wrong_tid == 0, name, "under another's id %u", seen.wrong_tid);
}

static void parents_hooks(uint32_t *i)
{
	struct hook_writer w = {.first = NULL};

	while (next_id < 10 + CHILDREN && !is_child) {
		w.first = NULL;
		storm_reserve_counted(&w);
		if (is_child && became_a_hook(&w))
			__atomic_fetch_add(attempts, 1, __ATOMIC_RELAXED);
		if (w.first)
			storm_fill_counted(&w, PARENT, *i);
		(*i)++;
	}
}

static void from_a_handler(const void *arg)
{
	const char *name = arg;
	bool with_handlers = strcmp(name, "fork in a handler") == 0;
	const struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {
		.sa_handler = with_handlers ? fork_in_handler : underscore_fork_in_handler,
		.sa_flags = SA_RESTART};
	uint32_t i = 0;
	int status, bad = 0;

	open_box(SHM_MODE_WRAP);
	tids[PARENT] = (uint32_t)syscall(SYS_gettid);
	checked_hook(2, 0, 3);
	tids[2] = tids[PARENT];
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	parents_hooks(&i);
	if (is_child)
		_exit(0);
	setitimer(ITIMER_REAL, &never, NULL);
	__atomic_fetch_add(attempts, i + 1, __ATOMIC_RELAXED);
	while (wait(&status) > 0)
		bad += status != 0;
	count_result(
		bad == 0 && forks > CHILDREN / 2, name, "%u forks, %d children failed", forks, bad);
	check_forked(name);
	finish();
}

/* ------------------------------------------------------------ forks in the middle */

enum { POINT_HOOKS = 3000, POINT_FORKS = 12 };

static bool armed, plain_fork;
static uint32_t at_point[RING_POINTS], parents_next;

/* The ring, built for this test, calls this at its points. A reservation belongs to the parent
 * alone, except at the first of these points, where the child reserves a hook of its own. */
void ring_point(enum ring_point point)
{
	uint32_t id;

	if (!armed || is_child || at_point[point] >= POINT_FORKS || next_id >= MAX_IDS)
		return;
	/* Spread forks over the run: the ring overwrites the hooks of early ones. */
	if (parents_next < (at_point[point] + 1) * (POINT_HOOKS / POINT_FORKS) - 100)
		return;
	at_point[point]++;
	id = next_id++;
	armed = false;
	if (plain_fork && fork() == 0) {
		child_begins(id);
		if (point == POINT_BEFORE_RESERVE)
			__atomic_fetch_add(attempts, 1, __ATOMIC_RELAXED);
	} else if (!plain_fork && _Fork() == 0) {
		write_as(id, 5);
		_exit(0);
	}
	forks++;
	armed = true;
}

static void at_points(const void *arg)
{
	uint32_t points = 0;
	struct hook_writer held;
	int status, bad = 0;

	plain_fork = strcmp(arg, "fork at each point") == 0;
	box_open(&box, SHM_MODE_WRAP, 6 * 4096, 4096);
	follow_open(&seen.follow, box.geometry.cpus + box.geometry.guests);
	box_pin(0);
	tids[PARENT] = (uint32_t)syscall(SYS_gettid);
	/* Hold a section throughout, so that writers skip it. */
	if (hook_begin(&held, HELD_MAJOR, rec_size(0, 0), 1) != HOOK_RESERVED)
		die("nothing held");
	armed = true;
	for (; !is_child && parents_next < POINT_HOOKS; parents_next++)
		checked_hook(PARENT, parents_next, parents_next % 40);
	if (is_child)
		_exit(0);
	armed = false;
	hook_record(&held, HELD_MAJOR, 0, 0, 0, 0);
	hook_commit(&held);
	__atomic_fetch_add(attempts, parents_next + 1, __ATOMIC_RELAXED);
	while (wait(&status) > 0)
		bad += status != 0;
	for (int p = 0; p < RING_POINTS; p++)
		points += at_point[p] > 0;
	count_result(bad == 0 && points >= 9, arg, "%u forks at %u points, %d children failed",
		forks, points, bad);
	check_forked(arg);
	finish();
}

static void run_scenario(void (*what)(const void *), const char *name)
{
	*attempts = 0;
	memset(tids, 0, MAX_IDS * sizeof *tids);
	scenario(what, name);
}

static int sandboxed_main(int argc, char **argv)
{
	attempts = box_shared(4096);
	tids = box_shared(MAX_IDS * sizeof *tids);
	box_guest(argc, argv);
	if (SEES_ONE_PROCESS) {
		count_skipped("forks", "the sanitizer cannot follow threads of a forked child");
		return results();
	}
	run_scenario(plain, "fork");
	run_scenario(plain, "_Fork");
	run_scenario(threads_in_child, NULL);
	run_scenario(generations, NULL);
	run_scenario(from_a_handler, "fork in a handler");
	run_scenario(from_a_handler, "_Fork in a handler");
	run_scenario(at_points, "fork at each point");
	run_scenario(at_points, "_Fork at each point");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
