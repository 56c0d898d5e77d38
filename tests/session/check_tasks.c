/*
 * The task table: who traces, under what name, and whether it still lives.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../libtrace/session/attach.h"
#include "suite.h"
#include "users.h"

static struct session box;

static void setup(void)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
}

static struct session_task *tasks;
static int count;

static const struct session_task *task_of(uint32_t tid)
{
	free(tasks);
	count = session_tasks(&box, &tasks);
	ck_assert_int_ge(count, 0);
	for (int i = 0; i < count; i++) {
		if (tasks[i].tid == tid)
			return &tasks[i];
	}
	return NULL;
}

struct worker {
	uint32_t tid;
	pthread_barrier_t traced, looked;
};

static void *worker(void *arg)
{
	struct worker *w = arg;

	w->tid = (uint32_t)syscall(SYS_gettid);
	prctl(PR_SET_NAME, "a worker of ours"); /* cut to 15 */
	TraceHookWords(1, 1, 0, NULL);
	pthread_barrier_wait(&w->traced);
	pthread_barrier_wait(&w->looked);
	return NULL;
}

START_TEST(threads_and_their_names)
{
	uint64_t before = clock_now();
	const struct session_task *t;
	struct worker w;
	pthread_t thread;

	setup();
	ck_assert_ptr_null(task_of((uint32_t)getpid()));
	ck_assert_int_eq(count, 0);
	prctl(PR_SET_NAME, "first");
	TraceHookWords(1, 1, 0, NULL);
	t = task_of((uint32_t)getpid());
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->pid, (uint32_t)getpid());
	ck_assert_str_eq(t->name, "first");
	ck_assert(t->alive && t->leader);
	ck_assert_uint_ge(t->first, before);
	ck_assert_uint_le(t->first, clock_now());
	ck_assert_uint_eq(t->source, SHM_SOURCE_NONE);
	pthread_barrier_init(&w.traced, NULL, 2);
	pthread_barrier_init(&w.looked, NULL, 2);
	pthread_create(&thread, NULL, worker, &w);
	pthread_barrier_wait(&w.traced);
	t = task_of(w.tid);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->pid, (uint32_t)getpid());
	ck_assert_str_eq(t->name, "a worker of our");
	ck_assert(t->alive && !t->leader);
	pthread_barrier_wait(&w.looked);
	pthread_join(thread, NULL);
	t = task_of(w.tid);
	ck_assert_ptr_nonnull(t); /* its name is still wanted */
	ck_assert(!t->alive);
	ck_assert_int_eq(count, 2);
	prctl(PR_SET_NAME, "renamed");
	attach_refresh_name();
	ck_assert_str_eq(task_of((uint32_t)getpid())->name, "renamed");
	/* Only one slot each, however many hooks. */
	for (int i = 0; i < 100; i++)
		TraceHookWords(1, 1, 0, NULL);
	task_of(0);
	ck_assert_int_eq(count, 2);
}
END_TEST

START_TEST(sources_are_the_processs)
{
	const struct session_task *t;
	int status;

	setup();
	attach_set_source(SHM_SOURCE_SOFTWARE, 5);
	TraceHookWords(1, 1, 0, NULL);
	t = task_of((uint32_t)getpid());
	ck_assert_uint_eq(t->source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(t->source_flags, 5);
	ck_assert_uint_eq(session_sticky(&box), 0);
	pid_t pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		attach_set_source(SHM_SOURCE_SCRIPTED, 0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_uint_eq(task_of((uint32_t)pid)->source, SHM_SOURCE_SCRIPTED);
	ck_assert_uint_eq(task_of((uint32_t)getpid())->source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(session_sticky(&box), SHM_STICKY_SCRIPTED);
}
END_TEST

START_TEST(a_child_has_its_own_ids)
{
	const struct session_task *t;
	int status;
	pid_t pid;

	setup();
	TraceHookWords(1, 1, 0, NULL);
	pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	t = task_of((uint32_t)pid);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->pid, (uint32_t)pid);
	ck_assert(t->alive && t->leader);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	t = task_of((uint32_t)pid);
	ck_assert(!t->alive);
	ck_assert(task_of((uint32_t)getpid())->alive);
}
END_TEST

static void *one_hook(void *arg)
{
	*(int *)arg += TraceHookWords(1, 1, 0, NULL) != 0;
	return NULL;
}

START_TEST(slots_of_ended_threads_are_used_again)
{
	int failed = 0;

	setup();
	TraceHookWords(1, 1, 0, NULL);
	for (uint32_t i = 0; i < SHM_TASK_SLOTS + 500; i++) {
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, one_hook, &failed), 0);
		pthread_join(thread, NULL);
	}
	ck_assert_int_eq(failed, 0);
	const struct session_task *t = task_of((uint32_t)getpid());
	ck_assert_ptr_nonnull(t);
	ck_assert(t->alive);
	ck_assert_int_eq(count, SHM_TASK_SLOTS - 1);
	struct account a;
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), SHM_TASK_SLOTS + 501);
}
END_TEST

static void fill_table(uint32_t state, uint32_t lock)
{
	struct shm_task slot = {.state = state, .tid = 1, .pid = 1, .lock = lock};

	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++) {
		off_t at = (off_t)(offsetof(struct shm_task_file, slot) + i * sizeof slot);
		ck_assert_int_eq(
			pwrite(box.tasks_fd, &slot, sizeof slot, at), (ssize_t)sizeof slot);
	}
}

START_TEST(a_full_table_stops_nobody)
{
	struct account a;

	setup();
	fill_table(SHM_TASK_CLAIMED, 0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 10);
	task_of(0);
	ck_assert_int_eq(count, 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
}
END_TEST

START_TEST(slots_of_the_dead_are_freed_when_they_are_needed)
{
	int status;
	pid_t pid;

	setup();
	fill_table(SHM_TASK_LIVE, 7); /* nobody holds that lock */
	ck_assert_int_eq(session_reclaim(&box), 0);
	pid = fork();
	if (pid == 0)
		_exit(TraceHookWords(1, 1, 0, NULL) != 0);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_nonnull(task_of((uint32_t)pid));
}
END_TEST

START_TEST(tables_of_nonsense)
{
	struct shm_task *slots = malloc(SHM_TASK_SLOTS * sizeof *slots);

	setup();
	srand(3);
	for (int round = 0; round < 10; round++) {
		for (size_t i = 0; i < SHM_TASK_SLOTS * sizeof *slots; i++)
			((uint8_t *)slots)[i] = (uint8_t)rand();
		for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
			slots[i].state %= 6;
		ck_assert_int_gt(pwrite(box.tasks_fd, slots, SHM_TASK_SLOTS * sizeof *slots,
					 offsetof(struct shm_task_file, slot)),
			0);
		task_of(0);
		ck_assert_int_le(count, SHM_TASK_SLOTS);
		session_reclaim(&box);
	}
	free(slots);
}
END_TEST

/* A record of a thread that nobody registered, or of one that registered later, proves
 * nothing: it is kept. */
START_TEST(only_proof_gives_back)
{
	struct hook_writer w;
	struct shm_task slot;
	pid_t pid;
	int status;
	off_t at = -1;

	setup();
	pid = fork();
	if (pid == 0) {
		_exit(hook_begin(&w, 1, 64, 1) != HOOK_RESERVED);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	for (uint32_t i = 0; i < SHM_TASK_SLOTS && at < 0; i++) {
		at = (off_t)(offsetof(struct shm_task_file, slot) + i * sizeof slot);
		ck_assert_int_gt(pread(box.tasks_fd, &slot, sizeof slot, at), 0);
		if (slot.tid != (uint32_t)pid)
			at = -1;
	}
	ck_assert_int_ge(at, 0);
	struct shm_task changed = slot;
	changed.tid = 1; /* unknown */
	ck_assert_int_gt(pwrite(box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	changed = slot;
	changed.first = clock_now(); /* later */
	ck_assert_int_gt(pwrite(box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	changed = slot;
	changed.lock = UINT32_MAX; /* no proof */
	ck_assert_int_gt(pwrite(box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	ck_assert_int_gt(pwrite(box.tasks_fd, &slot, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 1);
	ck_assert_int_eq(session_reclaim(&box), 0);
}
END_TEST

static int body(int argc, char **argv)
{
	const TTest *const tests[] = {threads_and_their_names, sources_are_the_processs,
		a_child_has_its_own_ids, slots_of_ended_threads_are_used_again,
		a_full_table_stops_nobody, slots_of_the_dead_are_freed_when_they_are_needed,
		tables_of_nonsense, only_proof_gives_back, NULL};

	(void)argc;
	(void)argv;
	return run_suite("tasks", tests);
}

int main(int argc, char **argv)
{
	return sandbox_run(body, argc, argv, 60);
}
