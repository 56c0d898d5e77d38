/*
 * The task table: who traces, under what name, and whether it still lives.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../libtrace/ring/thread.h"
#include "../../libtrace/session/attach.h"
#include "../lib/suites.h"
#include "sandbox.h"
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

/* ----------------------------------------------------------- the table's words */

static uint64_t word(size_t offset)
{
	uint64_t value;

	ck_assert_int_eq(pread(box.tasks_fd, &value, sizeof value, (off_t)offset), sizeof value);
	return value;
}

static void set_word(size_t offset, uint64_t value)
{
	ck_assert_int_eq(pwrite(box.tasks_fd, &value, sizeof value, (off_t)offset), sizeof value);
}

#define USED offsetof(struct shm_task_header, used)
#define FREED offsetof(struct shm_task_header, given.freed)
#define SWEPT offsetof(struct shm_task_header, swept.freed)

static off_t slot_at(uint32_t index)
{
	return (off_t)(offsetof(struct shm_task_file, slot) + index * sizeof(struct shm_task));
}

static uint32_t slots_of_kind(enum shm_task_state kind)
{
	const size_t bytes = SHM_TASK_SLOTS * sizeof(struct shm_task);
	struct shm_task *slots = malloc(bytes);
	uint32_t n = 0;

	ck_assert_ptr_nonnull(slots);
	ck_assert(ring_read_at(box.tasks_fd, slots, bytes, (uint64_t)slot_at(0)));
	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
		n += shm_task_kind(slots[i].state) == (uint32_t)kind;
	free(slots);
	return n;
}

/* Only so many slots are left. */
static void leave_slots(uint32_t n)
{
	set_word(USED, SHM_TASK_SLOTS - n);
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

	setup();
	leave_slots(LEFT);
	TraceHookWords(1, 1, 0, NULL);
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, one_hook, &failed), 0);
		pthread_join(thread, NULL);
	}
	ck_assert_int_eq(failed, 0);
	ck_assert_uint_eq(word(USED), SHM_TASK_SLOTS);
	const struct session_task *t = task_of((uint32_t)getpid());
	ck_assert_ptr_nonnull(t);
	ck_assert(t->alive);
	ck_assert_int_eq(count, LEFT - 1);
	/* In turn: each was used about as often as the others. */
	for (int i = 0; i < count; i++) {
		if (tasks[i].tid == (uint32_t)getpid())
			continue;
		uint32_t times = shm_task_sequence(tasks[i].number);
		ck_assert_uint_ge(times, THREADS / LEFT);
		ck_assert_uint_le(times, THREADS / LEFT + 2);
		last = times;
	}
	ck_assert_uint_ne(last, 0);
	struct account a;
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), THREADS + 1);
}
END_TEST

START_TEST(without_a_slot_hooks_are_lost_and_counted)
{
	struct account a;

	setup();
	leave_slots(0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 0);
	ck_assert_uint_eq(a.torn, 0);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 10);
	ck_assert_uint_eq(word(offsetof(struct shm_task_header, refused)), 1); /* asked once */
	task_of(0);
	ck_assert_int_eq(count, 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	/* For the process alone there is one: still none of its threads writes. */
	leave_slots(1);
	usleep(110000);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 0);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 11);
}
END_TEST

START_TEST(it_recovers_when_slots_are_given_back)
{
	struct account a;
	int status;
	pid_t pid;

	setup();
	leave_slots(2);
	pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		raise(SIGSTOP);
		exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	ck_assert_uint_eq(word(FREED), 2);
	/* At once: something was given back. */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	ck_assert_ptr_nonnull(task_of((uint32_t)getpid()));
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 1);
}
END_TEST

START_TEST(slots_of_the_dead_come_back_by_a_sweep)
{
	struct account a;

	setup();
	leave_slots(20);
	for (int i = 0; i < 10; i++)
		fork_and_hook(false);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 10);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	session_reclaim(&box);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 0);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_PROCESS), 0);
	ck_assert_uint_eq(word(SWEPT), 20);
	task_of(0);
	ck_assert_int_eq(count, 10); /* named still */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	for (int i = 0; i < 100; i++)
		fork_and_hook(true);
	session_reclaim(&box);
	ck_assert_uint_eq(word(SWEPT), 20);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 1);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 112);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 1);
}
END_TEST

/* A member that was killed between the end of its task and the queue. */
START_TEST(a_slot_in_no_queue_comes_back)
{
	setup();
	leave_slots(2);
	fork_and_hook(true);
	ck_assert_uint_eq(word(FREED), 2);
	set_word(FREED, 0);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	session_reclaim(&box);
	ck_assert_uint_eq(word(SWEPT), 2);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
}
END_TEST

/* ---------------------------------------------------------------------- exit */

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
	setup();
	exit_beside_threads(0);
	ck_assert_uint_eq(word(USED), WAITING + 2);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_ENDED), WAITING + 2);
	ck_assert_uint_eq(word(FREED), WAITING + 2);
	task_of(0);
	ck_assert_int_eq(count, WAITING + 1);
	for (int i = 0; i < count; i++)
		ck_assert(!tasks[i].alive);
}
END_TEST

START_TEST(exit_leaves_a_thread_that_is_in_a_hook)
{
	setup();
	exit_beside_threads(1);
	/* Its slot, and its process's, that prove its death. */
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 1);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_PROCESS), 1);
	ck_assert_uint_eq(word(FREED), WAITING);
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
		tell_skipped("threads that trace during exit",
			"the sanitizer does not see what makes CPUs' rings exclusive");
		return;
	}
	setup();
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
	set_word(offsetof(struct shm_task_header, refused), 1);
	session_lock(&box, true, NULL);
	session_reclaim(&box);
	session_unlock(&box);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 0);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_PROCESS), 0);
	box_account(&box, &a, NULL, NULL);
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

	setup();
	pid = fork();
	if (pid == 0) {
		atexit(hook_late);
		TraceHookWords(1, 1, 0, NULL);
		exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_ENDED), 2);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
}
END_TEST

/* A hook that a handler interrupts writes under its number still when the handler's attaches
 * again: the number must not end. */
START_TEST(an_interrupted_hook_keeps_its_slot)
{
	struct hook_writer w;
	uint32_t outer;

	setup();
	ck_assert_int_eq(hook_begin(&w, 1, 64, 1), HOOK_RESERVED);
	outer = ring_self.number;
	ring_self.busy = 2; /* this one, and the handler's */
	ck_assert_int_eq(attach_thread(1), RING_MAY_WRITE);
	ck_assert_uint_ne(ring_self.number, outer);
	ck_assert_int_eq(session_reclaim(&box), 0);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 2);
	ring_self.busy = 1;
	hook_record(&w, 1, 1, 10, 0, 0);
	hook_commit(&w);
	ring_self.busy = 0;
	ck_assert_int_eq(attach_thread(0), RING_MAY_WRITE);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_LIVE), 1);
	ck_assert_uint_eq(slots_of_kind(SHM_TASK_ENDED), 2);
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

	setup();
	leave_slots(LEFT);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, hook_at_the_very_end, NULL);
		pthread_join(thread, NULL);
	}
	ck_assert_uint_le(slots_of_kind(SHM_TASK_LIVE), 2);
	struct account a;
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, THREADS);
}
END_TEST

/* ------------------------------------------------------------------- nonsense */

static void check_bounded(void)
{
	task_of(0);
	ck_assert_int_le(count, SHM_TASK_SLOTS);
	session_reclaim(&box);
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

	setup();
	srand(3);
	for (int round = 0; round < 8; round++) {
		for (size_t i = 0; i < bytes / sizeof(int); i++)
			((int *)(void *)f)[i] = rand();
		for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
			f->slot[i].state =
				f->slot[i].state << SHM_TASK_STATE_BITS | f->slot[i].state % 6;
		/* Queues that claim to hold something, and some that do. */
		f->head.used = round & 1 ? (uint64_t)rand() : UINT64_MAX;
		f->head.given.freed = f->head.given.reused + (round & 2 ? 1000 : UINT64_MAX / 2);
		f->head.swept.freed = f->head.swept.reused + (round & 4 ? 1000 : UINT64_MAX / 2);
		ck_assert_int_gt(pwrite(box.tasks_fd, f, bytes, 0), 0);
		check_bounded();
	}
	free(f);
}
END_TEST

/* Slots that the queue names, but that are somebody's: an attach looks at two and gives up. */
START_TEST(queues_of_nonsense)
{
	struct shm_task slot = {.state = shm_task_state(1u << SHM_TASK_INDEX_BITS, SHM_TASK_LIVE)};
	uint32_t number = 1u << SHM_TASK_INDEX_BITS; /* slot 0, its first task */
	struct account a;

	setup();
	leave_slots(0);
	ck_assert_int_gt(pwrite(box.tasks_fd, &slot, sizeof slot, slot_at(0)), 0);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_gt(pwrite(box.tasks_fd, &number, sizeof number,
					 (off_t)(offsetof(struct shm_task_file, given_entry) +
						 i * sizeof number)),
			0);
	set_word(FREED, 100);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_uint_eq(word(offsetof(struct shm_task_header, given.reused)), 2);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.loss[SHM_LOST_NO_SLOT], 1);
}
END_TEST

/* A process without proof of its death is alive; a number that its slot has no longer is not. */
START_TEST(only_proof_gives_back)
{
	struct shm_task slot, changed;
	struct hook_writer w;
	off_t at;
	pid_t pid;
	int status;

	setup();
	pid = fork();
	if (pid == 0)
		_exit(hook_begin(&w, 1, 64, 1) != HOOK_RESERVED);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	at = slot_at(shm_task_index(task_of((uint32_t)pid)->number));
	ck_assert_int_gt(pread(box.tasks_fd, &slot, sizeof slot, at), 0);
	changed = slot;
	changed.process = 0;
	ck_assert_int_gt(pwrite(box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	changed = slot;
	changed.state = slot.state - SHM_TASK_LIVE + SHM_TASK_CLAIMED;
	ck_assert_int_gt(pwrite(box.tasks_fd, &changed, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 0);
	ck_assert_int_gt(pwrite(box.tasks_fd, &slot, sizeof slot, at), 0);
	ck_assert_int_eq(session_reclaim(&box), 1);
	ck_assert_int_eq(session_reclaim(&box), 0);
}
END_TEST

/* Uncommitted when a discard moved the start behind it, then killed: it holds its section. */
START_TEST(what_a_discard_hid_is_given_back)
{
	struct session_error error;
	struct hook_writer w;
	int status;
	pid_t pid;

	setup();
	pid = fork();
	if (pid == 0) {
		if (hook_begin(&w, 1, 64, 1) != HOOK_RESERVED)
			_exit(1);
		raise(SIGSTOP);
		_exit(1);
	}
	waitpid(pid, &status, WUNTRACED);
	ck_assert(WIFSTOPPED(status));
	TraceHookWords(1, 1, 0, NULL);
	ck_assert_int_eq(session_discard(&box, &error), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(session_reclaim(&box), 1);
}
END_TEST

static int body(int argc, char **argv)
{
	const TTest *const tests[] = {threads_and_their_names, sources_are_the_processs,
		a_child_has_its_own_ids, slots_of_ended_threads_are_used_again,
		without_a_slot_hooks_are_lost_and_counted, it_recovers_when_slots_are_given_back,
		slots_of_the_dead_come_back_by_a_sweep, a_slot_in_no_queue_comes_back,
		exit_gives_back_the_slots_of_all_threads, exit_leaves_a_thread_that_is_in_a_hook,
		slots_of_threads_that_trace_during_exit_are_swept, exit_handlers_may_trace,
		an_interrupted_hook_keeps_its_slot, threads_whose_end_is_not_seen,
		tables_of_nonsense, queues_of_nonsense, only_proof_gives_back,
		what_a_discard_hid_is_given_back, NULL};

	(void)argc;
	(void)argv;
	return suites_run(suite_of("tasks", 60, tests), NULL);
}

int main(int argc, char **argv)
{
	return sandbox_run(body, argc, argv, 60);
}
