/*
 * How a traced thread or process ends: which slots come back, and when.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/ring/thread.h"
#include "../../libtrace/session/attach.h"
#include "task_table.h"

enum { WAITING = 8 };

struct waiting {
	pthread_barrier_t traced;
	int inside; /* the first thread is in a hook */
};

static void *wait_for_ever(void *arg)
{
	struct waiting *w = arg;

	TraceHookWords(1, 1, 0, NULL);
	if (__atomic_exchange_n(&w->inside, 0, __ATOMIC_RELAXED))
		ring_self.busy++;
	pthread_barrier_wait(&w->traced);
	while (pause())
		;
	return NULL;
}

static void exit_beside_threads(int inside)
{
	static struct waiting w;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;

		w.inside = inside;
		pthread_barrier_init(&w.traced, NULL, WAITING + 1);
		TraceHookWords(1, 1, 0, NULL);
		for (int i = 0; i < WAITING; i++)
			pthread_create(&thread, NULL, wait_for_ever, &w);
		pthread_barrier_wait(&w.traced);
		exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(exit_gives_back_the_slots_of_all_threads)
{
	table_begin();
	exit_beside_threads(0);
	ck_assert_uint_eq(table_word(USED), WAITING + 2);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_ENDED), WAITING + 2);
	ck_assert_uint_eq(table_word(FREED), WAITING + 2);
	table_find(0);
	ck_assert_int_eq(table_count, WAITING + 1);
	for (int i = 0; i < table_count; i++)
		ck_assert(!table_tasks[i].alive);
}
END_TEST

START_TEST(exit_leaves_a_thread_that_is_in_a_hook)
{
	table_begin();
	exit_beside_threads(1);
	/* Its slot, and its process's, that prove its death. */
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 1);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_PROCESS), 1);
	ck_assert_uint_eq(table_word(FREED), WAITING);
}
END_TEST

static void *trace_for_ever(void *arg)
{
	struct waiting *w = arg;

	TraceHookWords(1, 1, 0, NULL);
	pthread_barrier_wait(&w->traced);
	for (;;)
		TraceHookWords(1, 1, 0, NULL);
	return NULL;
}

/* They attach again behind the library's exit handler, and die with their process. */
START_TEST(slots_of_threads_that_trace_during_exit_are_swept)
{
	struct account a;
	int status;

	if (WITH_TSAN) {
		count_skipped("threads that trace during exit",
			"the sanitizer does not see what makes CPUs' rings exclusive");
		return;
	}
	table_begin();
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			static struct waiting w;
			pthread_t thread;

			pthread_barrier_init(&w.traced, NULL, 3);
			for (int n = 0; n < 2; n++)
				pthread_create(&thread, NULL, trace_for_ever, &w);
			pthread_barrier_wait(&w.traced);
			exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	/* A refused claim asks for a sweep. */
	table_set_word(offsetof(struct shm_task_header, refused), 1);
	session_lock(&table_box, true, NULL);
	session_reclaim(&table_box);
	session_unlock(&table_box);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 0);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_PROCESS), 0);
	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(a.damaged, 0);
	ck_assert_uint_eq(a.backwards, 0);
}
END_TEST

static void hook_late(void)
{
	TraceHookWords(1, 1, 0, NULL);
}

START_TEST(exit_handlers_may_trace)
{
	struct account a;
	int status;
	pid_t pid;

	table_begin();
	pid = fork();
	if (pid == 0) {
		atexit(hook_late);
		TraceHookWords(1, 1, 0, NULL);
		exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_ENDED), 2);
	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
}
END_TEST

/* A hook that a handler interrupts writes under its number still when the handler's attaches
 * again: the number must not end. */
START_TEST(an_interrupted_hook_keeps_its_slot)
{
	struct hook_writer w;
	uint32_t outer;

	table_begin();
	ck_assert_int_eq(hook_begin(&w, 1, 64, 1), HOOK_RESERVED);
	outer = ring_self.number;
	ring_self.busy = 2; /* this one, and the handler's */
	ck_assert_int_eq(attach_thread(1), RING_MAY_WRITE);
	ck_assert_uint_ne(ring_self.number, outer);
	ck_assert_int_eq(session_reclaim(&table_box), 0);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 2);
	ring_self.busy = 1;
	hook_record(&w, 1, 1, 10, 0, 0);
	hook_commit(&w);
	ring_self.busy = 0;
	ck_assert_int_eq(attach_thread(0), RING_MAY_WRITE);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_LIVE), 1);
	ck_assert_uint_eq(table_slots_of_kind(SHM_TASK_ENDED), 2);
}
END_TEST

/* A thread that traces after its key's destructor ran, as a late signal handler does, and ends
 * unseen: its slot comes back when others of that kind attach. */
static void *hook_at_the_very_end(void *arg)
{
	(void)arg;
	ring_self.ending = true;
	TraceHookWords(1, 1, 0, NULL);
	return NULL;
}

START_TEST(threads_whose_end_is_not_seen)
{
	enum { THREADS = 500, LEFT = 40 };

	table_begin();
	table_leave_slots(LEFT);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, hook_at_the_very_end, NULL);
		pthread_join(thread, NULL);
	}
	ck_assert_uint_le(table_slots_of_kind(SHM_TASK_LIVE), 2);
	struct account a;
	box_account(&table_box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, THREADS);
}
END_TEST

SANDBOX_MAIN(60, "task ends", .timeout = 60,
	TESTS(exit_gives_back_the_slots_of_all_threads, exit_leaves_a_thread_that_is_in_a_hook,
		slots_of_threads_that_trace_during_exit_are_swept, exit_handlers_may_trace,
		an_interrupted_hook_keeps_its_slot, threads_whose_end_is_not_seen))
