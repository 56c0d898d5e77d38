/*
 * The task table: which threads trace, their names, and whether they are alive.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../libtrace/ring/thread.h"
#include "../../libtrace/session/attach.h"
#include "task_table.h"
#include "users.h"

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

	table_begin();
	ck_assert_ptr_null(table_find((uint32_t)getpid()));
	ck_assert_int_eq(table_count, 0);
	prctl(PR_SET_NAME, "first");
	TraceHookWords(1, 1, 0, NULL);
	t = table_find((uint32_t)getpid());
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
	t = table_find(w.tid);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->pid, (uint32_t)getpid());
	ck_assert_str_eq(t->name, "a worker of our");
	ck_assert(t->alive && !t->leader);
	pthread_barrier_wait(&w.looked);
	pthread_join(thread, NULL);
	t = table_find(w.tid);
	ck_assert_ptr_nonnull(t); /* its name is still wanted */
	ck_assert(!t->alive);
	ck_assert_int_eq(table_count, 2);
	prctl(PR_SET_NAME, "renamed");
	attach_refresh_name();
	ck_assert_str_eq(table_find((uint32_t)getpid())->name, "renamed");
	/* Only one slot each, however many hooks. */
	for (int i = 0; i < 100; i++)
		TraceHookWords(1, 1, 0, NULL);
	table_find(0);
	ck_assert_int_eq(table_count, 2);
}
END_TEST

START_TEST(sources_are_the_processs)
{
	const struct session_task *t;
	int status;

	table_begin();
	attach_set_source(SHM_SOURCE_SOFTWARE, 5);
	TraceHookWords(1, 1, 0, NULL);
	t = table_find((uint32_t)getpid());
	ck_assert_uint_eq(t->source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(t->source_flags, 5);
	ck_assert_uint_eq(session_sticky(&table_box), 0);
	pid_t pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		attach_set_source(SHM_SOURCE_SCRIPTED, 0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_uint_eq(table_find((uint32_t)pid)->source, SHM_SOURCE_SCRIPTED);
	ck_assert_uint_eq(table_find((uint32_t)getpid())->source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(session_sticky(&table_box), SHM_STICKY_SCRIPTED);
}
END_TEST

/* A child that wrote a hook, or began one that stays unfinished, and is stopped. */
static pid_t fork_stopped(bool unfinished)
{
	struct hook_writer w;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (unfinished ? hook_begin(&w, 1, 64, 1) != HOOK_RESERVED
			       : TraceHookWords(1, 1, 0, NULL) != 0)
			_exit(1);
		raise(SIGSTOP);
		exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert(WIFSTOPPED(status));
	return pid;
}

/* The rings' content, and the hooks that had no slot. */
static void expect_account(uint64_t hooks, uint64_t no_slot)
{
	struct account a;

	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, hooks);
	ck_assert_uint_eq(a.torn, 0);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], no_slot);
}

START_TEST(a_child_has_its_own_ids)
{
	const struct session_task *t;
	int status;

	table_begin();
	TraceHookWords(1, 1, 0, NULL);
	pid_t pid = fork_stopped(false);
	t = table_find((uint32_t)pid);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->pid, (uint32_t)pid);
	ck_assert(t->alive && t->leader);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	t = table_find((uint32_t)pid);
	ck_assert(!t->alive);
	ck_assert(table_find((uint32_t)getpid())->alive);
}
END_TEST

static void *one_hook(void *arg)
{
	*(int *)arg += TraceHookWords(1, 1, 0, NULL) != 0;
	return NULL;
}

static void fork_and_hook(bool orderly)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int rc = TraceHookWords(1, 1, 0, NULL);

		if (orderly)
			exit(rc != 0);
		_exit(rc != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(slots_of_ended_threads_are_used_again)
{
	enum { THREADS = 1000, LEFT = 50 };
	uint32_t last = 0;
	int failed = 0;

	table_begin();
	table_leave_slots(LEFT);
	TraceHookWords(1, 1, 0, NULL);
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, one_hook, &failed), 0);
		pthread_join(thread, NULL);
	}
	ck_assert_int_eq(failed, 0);
	ck_assert_uint_eq(table_word(USED), SHM_TASK_SLOTS);
	const struct session_task *t = table_find((uint32_t)getpid());
	ck_assert_ptr_nonnull(t);
	ck_assert(t->alive);
	ck_assert_int_eq(table_count, LEFT - 1);
	/* In turn: each was used about as often as the others. */
	for (int i = 0; i < table_count; i++) {
		if (table_tasks[i].tid == (uint32_t)getpid())
			continue;
		uint32_t times = shm_task_sequence(table_tasks[i].number);
		ck_assert_uint_ge(times, THREADS / LEFT);
		ck_assert_uint_le(times, THREADS / LEFT + 2);
		last = times;
	}
	ck_assert_uint_ne(last, 0);
	struct account a;
	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), THREADS + 1);
}
END_TEST

START_TEST(without_a_slot_hooks_are_lost_and_counted)
{
	uint64_t began = clock_raw_ns(), tenths;
	uint32_t refused;

	table_begin();
	table_leave_slots(0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	tenths = (clock_raw_ns() - began) / 100000000;
	expect_account(0, 10);
	/* Asks once, and again for each 100 ms that the hooks took. */
	refused = table_word(offsetof(struct shm_task_header, refused));
	ck_assert_uint_ge(refused, 1);
	ck_assert_uint_le(refused, 1 + tenths);
	table_find(0);
	ck_assert_int_eq(table_count, 0);
	ck_assert_int_eq(session_reclaim(&table_box), 0);
	/* For the process alone there is one: still none of its threads writes. */
	table_leave_slots(1);
	usleep(110000);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	expect_account(0, 11);
}
END_TEST

START_TEST(it_recovers_when_slots_are_given_back)
{
	int status;

	table_begin();
	table_leave_slots(2);
	pid_t pid = fork_stopped(false);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	ck_assert_uint_eq(table_word(FREED), 2);
	/* At once: something was given back. */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	ck_assert_ptr_nonnull(table_find((uint32_t)getpid()));
	expect_account(2, 1);
}
END_TEST

START_TEST(slots_of_the_dead_come_back_by_a_sweep)
{
	struct account a;

	table_begin();
	table_leave_slots(20);
	for (int i = 0; i < 10; i++)
		fork_and_hook(false);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 10);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	session_reclaim(&table_box);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 0);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_PROCESS), 0);
	ck_assert_uint_eq(table_word(SWEPT), 20);
	table_find(0);
	ck_assert_int_eq(table_count, 10); /* named still */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	for (int i = 0; i < 100; i++)
		fork_and_hook(true);
	session_reclaim(&table_box);
	ck_assert_uint_eq(table_word(SWEPT), 20);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 1);
	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 112);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 1);
}
END_TEST

/* A member was killed between ending its task and queueing the slot. */
START_TEST(a_slot_in_no_queue_comes_back)
{
	table_begin();
	table_leave_slots(2);
	fork_and_hook(true);
	ck_assert_uint_eq(table_word(FREED), 2);
	table_set_word(FREED, 0);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	session_reclaim(&table_box);
	ck_assert_uint_eq(table_word(SWEPT), 2);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
}
END_TEST

/* ------------------------------------------------------------------- nonsense */

static void check_bounded(void)
{
	table_find(0);
	ck_assert_int_le(table_count, SHM_TASK_SLOTS);
	session_reclaim(&table_box);
	/* Whatever it gets, it gets it soon. */
	pid_t pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

START_TEST(tables_of_nonsense)
{
	size_t bytes = sizeof(struct shm_task_file);
	struct shm_task_file *f = malloc(bytes);

	table_begin();
	srand(3);
	for (int round = 0; round < 8; round++) {
		for (size_t i = 0; i < bytes / sizeof(int); i++)
			((int *)(void *)f)[i] = rand();
		for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
			f->slot[i].state =
				f->slot[i].state << SHM_TASK_STATE_BITS | f->slot[i].state % 6;
		/* Queues that falsely claim to hold slots, and some that do hold them. */
		f->head.used = round & 1 ? (uint64_t)rand() : UINT64_MAX;
		f->head.given.freed = f->head.given.reused + (round & 2 ? 1000 : UINT64_MAX / 2);
		f->head.swept.freed = f->head.swept.reused + (round & 4 ? 1000 : UINT64_MAX / 2);
		ck_assert_int_gt(pwrite(table_box.tasks_fd, f, bytes, 0), 0);
		check_bounded();
	}
	free(f);
}
END_TEST

/* The queue names slots that are in use: an attach checks two and gives up. */
START_TEST(queues_of_nonsense)
{
	struct shm_task slot = {.state = shm_task_state(1u << SHM_TASK_INDEX_BITS, SHM_TASK_LIVE)};
	uint32_t number = 1u << SHM_TASK_INDEX_BITS; /* slot 0, its first task */

	table_begin();
	table_leave_slots(0);
	ck_assert_int_gt(pwrite(table_box.tasks_fd, &slot, sizeof slot, table_slot_at(0)), 0);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_gt(pwrite(table_box.tasks_fd, &number, sizeof number,
					 (off_t)(offsetof(struct shm_task_file, given_entry) +
						 i * sizeof number)),
			0);
	table_set_word(FREED, 100);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_uint_eq(table_word(offsetof(struct shm_task_header, given.reused)), 2);
	expect_account(0, 1);
}
END_TEST

/* Without proof of its death a process counts as alive; a number that its slot no longer has does
 * not. */
START_TEST(only_proof_gives_back)
{
	struct shm_task slot, changed;
	struct hook_writer w;
	off_t at;
	pid_t pid;
	int status;

	table_begin();
	pid = fork();
	if (pid == 0)
		_exit(hook_begin(&w, 1, 64, 1) != HOOK_RESERVED);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	at = table_slot_at(shm_task_index(table_find((uint32_t)pid)->number));
	ck_assert_int_gt(pread(table_box.tasks_fd, &slot, sizeof slot, at), 0);
	changed = slot;
	changed.process = 0;
	ck_assert_int_gt(pwrite(table_box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&table_box), 0);
	changed = slot;
	changed.state = slot.state - SHM_TASK_LIVE + SHM_TASK_CLAIMED;
	ck_assert_int_gt(pwrite(table_box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&table_box), 0);
	ck_assert_int_gt(pwrite(table_box.tasks_fd, &slot, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&table_box), 1);
	ck_assert_int_eq(session_reclaim(&table_box), 0);
}
END_TEST

/* Uncommitted, hidden by a discard that moved the start past it, then killed: it holds its
 * section. */
START_TEST(a_discarded_reservation_is_reclaimed)
{
	struct session_error error;
	int status;

	table_begin();
	pid_t pid = fork_stopped(true);
	TraceHookWords(1, 1, 0, NULL);
	ck_assert_int_eq(session_discard(&table_box, &error), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(session_reclaim(&table_box), 1);
}
END_TEST

SANDBOX_MAIN(60, "tasks", .timeout = 60,
	TESTS(threads_and_their_names, sources_are_the_processs, a_child_has_its_own_ids,
		slots_of_ended_threads_are_used_again, without_a_slot_hooks_are_lost_and_counted,
		it_recovers_when_slots_are_given_back, slots_of_the_dead_come_back_by_a_sweep,
		a_slot_in_no_queue_comes_back, tables_of_nonsense, queues_of_nonsense,
		only_proof_gives_back, a_discarded_reservation_is_reclaimed))
