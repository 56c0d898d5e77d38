/*
 * Lost hooks by task: each task's count, and that tasks and unknown tasks add up to the rings'
 * losses.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "task_table.h"
#include "users.h"

/* A ring that is full after its first hooks. */
static void lost_begin(void)
{
	sandbox_fresh();
	box_open(&table_box, SHM_MODE_NORMAL, 8192, 4096);
}

/* Returns how many were lost. */
static uint64_t lose_hooks(uint32_t n)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += TraceHookWords(1, i, 8, (const UINT32[8]){0}) != PU_SUCCESS;
	return lost;
}

/* Returns the tasks' sum; sets *number and *hooks of the last task. */
static uint64_t lost_by_tasks(int tasks, uint32_t *number, uint64_t *hooks)
{
	struct session_loss *losses;
	uint64_t sum = 0;

	ck_assert_int_eq(session_losses(&table_box, &losses), tasks);
	for (int i = 0; i < tasks; i++) {
		sum += losses[i].hooks;
		*number = losses[i].number;
		*hooks = losses[i].hooks;
	}
	free(losses);
	return sum;
}

static uint64_t lost_by_rings(void)
{
	struct account a;

	box_account(&table_box, &a, NULL, NULL);
	return shm_losses_sum(a.loss);
}

/* Losses of a child, which sends its count by a pipe before it ends. */
static uint64_t lose_in_child(uint32_t n, bool orderly)
{
	uint64_t lost = 0;
	int fd[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		lost = lose_hooks(n);
		if (write(fd[1], &lost, sizeof lost) != sizeof lost)
			_exit(1);
		if (orderly)
			exit(0);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(read(fd[0], &lost, sizeof lost), sizeof lost);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(fd[0]);
	close(fd[1]);
	return lost;
}

START_TEST(each_task_counts_its_own)
{
	uint64_t own, killed, ended, hooks;
	uint32_t number;

	lost_begin();
	ck_assert_uint_eq(lost_by_tasks(0, &number, &hooks), 0);
	own = lose_hooks(5000);
	killed = lose_in_child(3000, false);
	ck_assert_uint_gt(own, 0);
	ck_assert_uint_gt(killed, 0);
	ck_assert_uint_eq(lost_by_tasks(2, &number, &hooks), own + killed);
	ck_assert_uint_eq(hooks, killed);
	ended = lose_in_child(2000, true);
	ck_assert_uint_eq(lost_by_tasks(3, &number, &hooks), own + killed + ended);
	ck_assert_uint_eq(hooks, ended);
	ck_assert_uint_eq(lost_by_rings(), own + killed + ended);
	/* Its number still identifies it. */
	table_find(0);
	ck_assert_uint_eq(table_tasks[table_count - 1].number, number);
}
END_TEST

/* A slot counts for the last task that lost hooks there; earlier tasks become unknown. */
START_TEST(a_slots_next_task_begins_at_none)
{
	uint64_t first, second, third, hooks;
	uint32_t number, before;

	lost_begin();
	table_leave_slots(2);
	first = lose_in_child(3000, true);
	ck_assert_uint_eq(lost_by_tasks(1, &before, &hooks), first);
	/* A process and its thread take each other's slots. */
	second = lose_in_child(2000, true);
	ck_assert_uint_eq(lost_by_tasks(2, &number, &hooks), first + second);
	third = lose_in_child(1000, true);
	ck_assert_uint_eq(lost_by_tasks(2, &number, &hooks), second + third);
	ck_assert_uint_eq(lost_by_rings(), first + second + third);
}
END_TEST

START_TEST(without_a_slot_losses_are_of_no_task)
{
	uint64_t hooks;
	uint32_t number;

	lost_begin();
	table_leave_slots(0);
	ck_assert_uint_eq(lose_hooks(10), 10);
	ck_assert_uint_eq(lost_by_tasks(0, &number, &hooks), 0);
	ck_assert_uint_eq(lost_by_rings(), 10);
}
END_TEST

static volatile uint64_t lost_in_handler;
static volatile sig_atomic_t handled;

static void lose_in_handler(int signal)
{
	(void)signal;
	lost_in_handler += lose_hooks(3);
	handled++;
}

START_TEST(handlers_count_in_interrupted_code)
{
	const struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
	uint64_t lost = 0, hooks;
	uint32_t number;

	lost_begin();
	signal(SIGALRM, lose_in_handler);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	while (handled < 200)
		lost += lose_hooks(10);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	ck_assert_uint_eq(lost_by_tasks(1, &number, &hooks), lost + lost_in_handler);
	ck_assert_uint_eq(lost_by_rings(), lost + lost_in_handler);
}
END_TEST

/* A session made by an older swtrace: its task table has no room for the counts. */
START_TEST(rings_of_an_older_version_count_by_ring)
{
	uint64_t lost, hooks;
	uint32_t number;

	lost_begin();
	ck_assert_int_eq(ftruncate(table_box.tasks_fd, sizeof(struct shm_task_file)), 0);
	lost = lose_hooks(5000);
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(lost_by_tasks(0, &number, &hooks), 0);
	ck_assert_uint_eq(lost_by_rings(), lost);
	table_find(0);
	ck_assert_int_eq(table_count, 1);
}
END_TEST

SANDBOX_MAIN(60, "lost hooks", .timeout = 60,
	TESTS(each_task_counts_its_own, a_slots_next_task_begins_at_none,
		without_a_slot_losses_are_of_no_task, handlers_count_in_interrupted_code,
		rings_of_an_older_version_count_by_ring))
