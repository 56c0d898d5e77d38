/*
 * Two containers in one session: processes of two PID namespaces, in which the same thread ids name
 * different threads. A dead writer of one is proven dead although a thread of its id lives in the
 * other, a live one is not taken for dead, and names and containers go by slot.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/trace_file.h"
#include "sandbox.h"

static struct session box;

struct container {
	pid_t init; /* seen from here; killing it kills all */
	int said;   /* a byte once its writer holds its record or has written it */
};

/* The steps of the writer, thread 2 of its namespace, before it reports and waits. */
typedef void container_fn(void);

static void run_container(const char *host, container_fn *writer, int say)
{
	if (unshare(CLONE_NEWPID | CLONE_NEWUTS) != 0 || sethostname(host, strlen(host)) != 0)
		_exit(1);
	if (fork() != 0) { /* not of the namespace: waits for its init */
		wait(NULL);
		_exit(0);
	}
	/* The namespace's init, which ignores SIGSTOP and ends with its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fork() == 0) {
		prctl(PR_SET_NAME, host, 0, 0, 0);
		if (getpid() != 2)
			_exit(1);
		writer();
		if (write(say, "x", 1) != 1)
			_exit(1);
	}
	for (;;)
		pause();
}

static struct container begin_container(const char *host, container_fn *writer)
{
	struct container c;
	int pipes[2];
	char said;

	if (pipe(pipes) != 0)
		die("pipe");
	c.init = fork();
	if (c.init == 0)
		run_container(host, writer, pipes[1]);
	close(pipes[1]);
	c.said = pipes[0];
	count_result(read(c.said, &said, 1) == 1, host, "its writer, thread 2, wrote");
	return c;
}

/* SIGKILL for the outer process, which the init follows, and the namespace the init. Returns once
 * the last of them closed the pipe. */
static void kill_container(struct container *c)
{
	char said;

	kill(c->init, SIGKILL);
	waitpid(c->init, NULL, 0);
	while (read(c->said, &said, 1) > 0)
		;
	close(c->said);
}

/* The kernel drops a dead process's lock a moment after its descriptors. */
static int reclaim_some(void)
{
	int n = 0;

	for (int i = 0; i < 5000 && n == 0; i++) {
		usleep(1000);
		n = session_reclaim(&box);
	}
	return n;
}

static void reserve(void)
{
	struct hook_writer w;

	box_pin(0);
	if (hook_begin(&w, 1, 512, 1) != HOOK_RESERVED)
		_exit(1);
}

static void write_hooks(void)
{
	box_pin(0);
	for (uint32_t i = 0; i < 10; i++)
		checked_hook(1, i, 20);
}

static void killed_writer(const void *arg)
{
	const char *name = "a killed writer beside a live one of its id";
	struct container dead, live;
	uint32_t hooks = 0;
	struct account a;

	(void)arg;
	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	dead = begin_container("alpha", reserve);
	live = begin_container("beta", write_hooks);
	count_result(session_reclaim(&box) == 0, name, "kept while it lives");
	kill_container(&dead);
	count_result(reclaim_some() == 1, name, "reclaimed once it is dead");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	box_account(&box, &a, NULL, NULL);
	count_result(account_lost(&a) == 0 && account_sum(&a) == hooks + 11, name,
		"its section is used again");
	kill_container(&live);
	session_remove(&box);
	session_close(&box);
}

static void live_writer(const void *arg)
{
	const char *name = "a live writer beside a killed one of its id";
	struct container dead, live;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	live = begin_container("alpha", reserve);
	dead = begin_container("beta", write_hooks);
	kill_container(&dead);
	count_result(session_reclaim(&box) == 0, name, "keeps its record");
	kill_container(&live);
	count_result(reclaim_some() == 1, name, "until it is dead, too");
	session_remove(&box);
	session_close(&box);
}

static bool is_in_container(const struct session_task *t, const char *host)
{
	char name[SHM_CGROUP_TEXT_MAX];
	uint32_t length = session_read_cgroup(&box, t->cgroup, name);

	return t->own_tid == 2 && t->own_pid == 2 && strcmp(t->name, host) == 0 && length &&
	       t->pid_namespace != box.control->pid_namespace && t->foreign &&
	       t->tid == (t->number | TF_ID_OF_SESSION);
}

static void tasks_of_both(const void *arg)
{
	const char *name = "tasks of two containers";
	struct container alpha, beta;
	struct session_task *tasks;
	int n;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	checked_hook(1, 0, 20);
	alpha = begin_container("alpha", write_hooks);
	beta = begin_container("beta", write_hooks);
	n = session_tasks(&box, &tasks);
	count_result(n == 3, name, "three tasks");
	if (n == 3) {
		count_result(tasks[0].tid == (uint32_t)getpid() && !tasks[0].foreign, name,
			"the owner's has its own id");
		count_result(
			is_in_container(&tasks[1], "alpha") && is_in_container(&tasks[2], "beta"),
			name, "the others have ids of the session, names and containers");
		count_result(tasks[1].tid != tasks[2].tid && tasks[1].pid != tasks[2].pid &&
				     tasks[1].pid_namespace != tasks[2].pid_namespace,
			name, "which differ");
	}
	free(tasks);
	kill_container(&alpha);
	kill_container(&beta);
	session_remove(&box);
	session_close(&box);
}

/* Whether this process may make PID namespaces. */
static bool can_contain(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWPID | CLONE_NEWUTS) != 0);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static int sandboxed_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (!can_contain()) {
		puts("skipped: containers: this user may not make PID namespaces");
		return 0;
	}
	scenario(killed_writer, NULL);
	scenario(live_writer, NULL);
	scenario(tasks_of_both, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
