/*
 * Programs started by programs that trace: by posix_spawn and vfork while other threads write, and
 * by exec. Their hooks go to the same session under their own thread ids.
 *
 *	stress_spawn [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

enum {
	PROGRAMS = SLOW_MACHINE > 1 ? 20 : 40,
	HOOKS_EACH = 20,
	BUSY = 2,
	BUSY_HOOKS = 8000,
	EXECS = SLOW_MACHINE > 1 ? 10 : 20
};

extern char **environ;

static char self[] = "/proc/self/exe", word[] = "spawned", stopped[] = "stopped";
static struct session box;
static uint64_t attempts;
static int stop;

struct seen {
	struct follow follow;
	uint32_t of_number[PROGRAMS + 1], numbers[PROGRAMS], programs;
	uint32_t foreign;
};

/* Collects hooks of spawned programs (id 0) by the thread that wrote them. */
static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;
	uint32_t number = get_le32(record + REC_TID), i = 0;

	if (checked_id(record) != 0) {
		storm_follow(&s->follow, ring, position, record);
		return;
	}
	s->foreign += !checked_is_whole(record);
	while (i < s->programs && s->numbers[i] != number)
		i++;
	if (i == s->programs && i < PROGRAMS)
		s->numbers[s->programs++] = number;
	s->of_number[i]++;
}

static void *busy(void *arg)
{
	const struct timespec pause = {.tv_nsec = 10000};
	uint32_t id = (uint32_t)(uintptr_t)arg, i = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		/* Few enough that all stay in the rings. */
		if (i < BUSY_HOOKS) {
			checked_hook(id, i, i % 50);
			i++;
		}
		nanosleep(&pause, NULL);
	}
	__atomic_fetch_add(&attempts, i, __ATOMIC_RELAXED);
	return NULL;
}

static int by_posix_spawn(void)
{
	char *argv[] = {self, word, NULL};
	int status;
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
		die("posix_spawn");
	waitpid(pid, &status, 0);
	return status;
}

/* A vfork child shares its parent's memory and must not trace; the program that it executes may. */
static int by_vfork(void)
{
	char *argv[] = {self, word, NULL};
	int status;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	pid_t pid = vfork();
#pragma GCC diagnostic pop

	if (pid == 0) {
		execve(self, argv, environ);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status;
}

/* Every spawned program's hooks are there, HOOKS_EACH of each. */
static void check_all(const char *name, uint32_t programs, uint64_t others)
{
	struct seen s = {.programs = 0};
	struct session_task *tasks;
	struct account a;
	uint32_t wrong = 0;
	int n = session_tasks(&box, &tasks);

	free(tasks);
	follow_open(&s.follow, box.geometry.cpus + box.geometry.guests);
	box_account(&box, &a, collect_record, &s);
	for (uint32_t i = 0; i < s.programs; i++)
		wrong += s.of_number[i] != HOOKS_EACH;
	storm_ledger(name, &a, &s.follow, others + (uint64_t)programs * HOOKS_EACH);
	count_result(s.programs == programs && wrong == 0 && s.foreign == 0 && n > (int)programs,
		name,
		"%u programs' hooks in the rings, %u with another count, %u incomplete; %d tasks",
		s.programs, wrong, s.foreign, n);
	follow_close(&s.follow);
	session_remove(&box);
	session_close(&box);
}

static void open_box(void)
{
	box_open(&box, SHM_MODE_NORMAL, 4 << 20, 16384);
	setenv("SWTRACE_TEST_SANDBOX", sandbox_dir(), 1);
}

static void while_others_write(const void *arg)
{
	bool vforks = strcmp(arg, "vfork and exec") == 0;
	pthread_t threads[BUSY];
	int bad = 0;

	open_box();
	for (uint32_t i = 0; i < BUSY; i++)
		pthread_create(&threads[i], NULL, busy, (void *)(uintptr_t)(1 + i));
	for (int i = 0; i < PROGRAMS; i++)
		bad += (vforks ? by_vfork() : by_posix_spawn()) != 0;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < BUSY; i++)
		pthread_join(threads[i], NULL);
	count_result(bad == 0, arg, "%d programs, %d failed", PROGRAMS, bad);
	check_all(arg, PROGRAMS, attempts);
}

/* exec keeps the thread id: hooks from before and after belong to it. */
static void exec_after_hooks(const void *arg)
{
	char *argv[] = {self, word, NULL};
	int status, bad = 0;

	open_box();
	for (uint32_t i = 0; i < EXECS; i++) {
		if (fork() == 0) {
			for (uint32_t k = 0; k < HOOKS_EACH; k++)
				checked_hook(1 + i, k, k);
			execve(self, argv, environ);
			_exit(127);
		}
		wait(&status);
		bad += status != 0;
	}
	count_result(bad == 0, arg, "%d failed", bad);
	check_all(arg, EXECS, EXECS * HOOKS_EACH);
}

/* No program owns a reservation from before exec, although the thread id is still in use. */
static void exec_in_the_middle(const void *arg)
{
	char *argv[] = {self, word, stopped, NULL};
	struct hook_writer w;
	struct account a;
	int status;
	pid_t pid;

	open_box();
	pid = fork();
	if (pid == 0) {
		if (hook_begin(&w, HELD_MAJOR, 64, 1) == HOOK_RESERVED)
			execve(self, argv, environ);
		_exit(127);
	}
	waitpid(pid, &status, WUNTRACED);
	count_result(WIFSTOPPED(status), arg, "status %#x", (unsigned)status);
	box_account(&box, &a, NULL, NULL);
	count_result(a.torn == 1 && account_sum(&a) == HOOKS_EACH + 1 && session_reclaim(&box) == 1,
		arg, "%llu torn of %llu, and given back while the program after it runs",
		(unsigned long long)a.torn, (unsigned long long)account_sum(&a));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], word) == 0) {
		for (uint32_t i = 0; i < HOOKS_EACH; i++)
			checked_hook(0, i, i % 30);
		if (argc > 2)
			raise(SIGSTOP);
		return 0;
	}
	box_guest(argc, argv);
	if (SEES_ONE_PROCESS) {
		count_skipped("programs started", "the sanitizer sees one process");
		return results();
	}
	scenario(while_others_write, "posix_spawn");
	scenario(while_others_write, "vfork and exec");
	scenario(exec_after_hooks, "exec");
	scenario(exec_in_the_middle, "exec in the middle of a hook");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
