/*
 * Forks of every kind while hooks are being written: children trace under their own ids,
 * and what a fork interrupted stays the parent's.
 *
 *	stress_fork [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

enum { CHILDREN = 150, HOOKS_EACH = 20, MAX_IDS = 4000 };

extern char **environ;

static uint64_t *attempts;
static uint32_t *tids; /* by id of checked hooks */
static struct session box;

struct seen {
	struct follow follow;
	uint32_t wrong_tid, of_id[MAX_IDS];
};

static struct seen seen;

static void see(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	uint32_t id = checked_id(record) % MAX_IDS;

	(void)arg;
	seen.wrong_tid += tids[id] != get_le32(record + 12);
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

static void check(const char *name, uint64_t more)
{
	struct account a;

	box_account(&box, &a, see, NULL);
	tell(account_sum(&a) >= *attempts && account_sum(&a) <= *attempts + more && !a.torn &&
			!a.gone_torn && !a.damaged && !a.backwards && !seen.follow.not_whole &&
			!seen.follow.foreign && !seen.follow.out_of_order && !seen.wrong_tid,
		name,
		"%llu attempted, %llu accounted, torn %llu, not whole %u, out of order %u, under "
		"another's id %u",
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
	tell(bad == 0, name, "%d children, %d failed", CHILDREN, bad);
	check(name, 0);
	finish();
}

static void *one_thread(void *arg)
{
	write_as((uint32_t)(uintptr_t)arg, HOOKS_EACH);
	return NULL;
}

/* The child's first hooks come from several threads at once. */
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
	tell(bad == 0, "threads of a child", "%d of 80 children failed", bad);
	check("threads of a child", 0);
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
			tell(status == 0, "children of children", "status %d", status);
			break;
		}
		write_as(10 + ++depth, HOOKS_EACH);
		if (depth == 25)
			_exit(0);
	}
	check("children of children", 0);
	finish();
}

/* ------------------------------------------------------- forks in signal handlers */

static uint32_t forks, next_id = 10;
static volatile sig_atomic_t is_child;

static void fork_in_handler(int number)
{
	uint32_t id = next_id++;
	pid_t pid;

	(void)number;
	if (id >= 10 + CHILDREN || is_child)
		return;
	pid = fork();
	if (pid == 0) {
		is_child = 1;
		write_as(id, 5);
		/* and goes on with what the signal interrupted */
	} else {
		forks++;
	}
}

static void underscore_fork_in_handler(int number)
{
	uint32_t id = next_id++;
	pid_t pid;

	(void)number;
	if (id >= 10 + CHILDREN)
		return;
	pid = _Fork();
	if (pid == 0) {
		write_as(id, 5);
		_exit(0); /* it may not go on with an interrupted hook: it shares the rings */
	}
	forks++;
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
	tids[1] = (uint32_t)syscall(SYS_gettid);
	checked_hook(1, i++, 3);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (next_id < 10 + CHILDREN && !is_child) {
		checked_hook(1, i, i % 50);
		i++;
	}
	if (is_child)
		_exit(0);
	setitimer(ITIMER_REAL, &never, NULL);
	*attempts += i;
	while (wait(&status) > 0)
		bad += status != 0;
	tell(bad == 0 && forks > CHILDREN / 2, name, "%u forks, %d children failed", forks, bad);
	/* A fork between two hooks' first instruction and the reservation: the child's copy of
	 * the interrupted call may still become a hook of the child, with the parent's id. */
	tids[1] = (uint32_t)getpid();
	struct account a;
	box_account(&box, &a, see, NULL);
	tell(account_sum(&a) >= *attempts && account_sum(&a) <= *attempts + forks && !a.torn &&
			!a.gone_torn && !a.damaged && !a.backwards && !seen.follow.not_whole &&
			!seen.follow.foreign,
		name, "%llu attempted, %llu accounted, torn %llu, not whole %u",
		(unsigned long long)*attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)(a.torn + a.gone_torn), seen.follow.not_whole);
	finish();
}

/* ------------------------------------------------------------------ posix_spawn */

static void spawned(const void *arg)
{
	char self[] = "/proc/self/exe", word[] = "spawned";
	char *argv[] = {self, word, NULL};
	struct session_task *tasks;
	struct account a;
	int status, bad = 0, n;

	(void)arg;
	open_box(SHM_MODE_NORMAL);
	write_as(1, HOOKS_EACH);
	setenv("SWTRACE_TEST_SANDBOX", sandbox_dir(), 1);
	for (int i = 0; i < 20; i++) {
		pid_t pid;

		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0)
			die("posix_spawn");
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	box_account(&box, &a, NULL, NULL);
	n = session_tasks(&box, &tasks);
	tell(!bad && account_sum(&a) == 21 * HOOKS_EACH && n == 21, "posix_spawn",
		"%llu accounted, %d tasks, %d failed", (unsigned long long)account_sum(&a), n, bad);
	free(tasks);
	finish();
}

static void *shared(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void run(void (*what)(const void *), const char *name)
{
	*attempts = 0;
	memset(tids, 0, MAX_IDS * sizeof *tids);
	scenario(what, name);
}

static int body(int argc, char **argv)
{
	attempts = shared(4096);
	tids = shared(MAX_IDS * sizeof *tids);
	if (argc > 1 && strcmp(argv[1], "spawned") == 0) {
		write_as(2, HOOKS_EACH);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "guest") == 0)
		box_without_rseq(argv);
	if (SEES_ONE_PROCESS) {
		tell_skipped("forks", "the sanitizer cannot follow threads of a forked child");
		return results();
	}
	run(plain, "fork");
	run(plain, "_Fork");
	run(threads_in_child, NULL);
	run(generations, NULL);
	run(from_a_handler, "fork in a handler");
	run(from_a_handler, "_Fork in a handler");
	run(spawned, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(body, argc, argv, 100);
}
