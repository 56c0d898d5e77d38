/*
 * A writer keeps its record and its guest ring's lock while it lives, even stopped. They are
 * reclaimed once it is proven dead.
 *
 *	kill_held [guest]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

static struct session box;

/* A stopped writer keeps its reservation and lock while it lives. */
static void stopped_writer(const void *arg)
{
	const char *name = "a stopped writer";
	struct hook_writer w;
	struct account a;
	uint32_t hooks = 0;
	int status;
	pid_t pid;

	(void)arg;
	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	pid = fork();
	if (pid == 0) {
		if (hook_begin(&w, 1, 512, 1) != HOOK_RESERVED)
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	waitpid(pid, &status, WUNTRACED);
	count_result(WIFSTOPPED(status), name, "stopped with a reservation");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	count_result(session_reclaim(&box) == 0, name, "not reclaimed while it lives");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	box_account(&box, &a, NULL, NULL);
	count_result(a.torn == 1 && a.gone_torn == 0 && account_sum(&a) == hooks + 1, name,
		"its record is still there after many laps");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	count_result(session_reclaim(&box) == 1, name, "reclaimed once it is dead");
	count_result(session_reclaim(&box) == 0, name, "once");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	box_account(&box, &a, NULL, NULL);
	/* Without rseq the writer may have locked another guest ring than ours; then its record
	 * stays. */
	count_result(a.torn + a.gone_torn == 1 && account_sum(&a) == hooks + 1, name,
		"and counted as torn when overwritten");
	session_remove(&box);
	session_close(&box);
}

/* A writer was killed while it held a guest ring's lock. */
static void dead_lock_holder(const void *arg)
{
	const char *name = "a guest ring's lock";
	struct session_task *tasks;
	uint32_t lock;
	pid_t pid;
	int n;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	pid = fork();
	if (pid == 0) {
		checked_hook(1, 1, 1);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &n, WUNTRACED);
	n = session_tasks(&box, &tasks);
	count_result(
		n == 1 && tasks[0].tid == (uint32_t)pid && tasks[0].alive, name, "one task, alive");
	lock = n == 1 ? tasks[0].number : 0;
	free(tasks);
	for (uint32_t i = 0; i < box.geometry.guests; i++) {
		if (pwrite(box.rings_fd, &lock, 4,
			    (off_t)(ring_offset(&box.geometry, box.geometry.cpus + i) +
				    offsetof(struct shm_ring, lock))) != 4)
			die("write");
	}
	count_result(session_reclaim(&box) == 0 && box_locks_taken(&box) == box.geometry.guests,
		name, "kept while the holder lives");
	kill(pid, SIGKILL);
	waitpid(pid, &n, 0);
	count_result(
		session_reclaim(&box) == (int)box.geometry.guests && box_locks_taken(&box) == 0,
		name, "reclaimed once it is dead");
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	if (!box_guest(argc, argv))
		scenario(stopped_writer, NULL);
	scenario(dead_lock_holder, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
