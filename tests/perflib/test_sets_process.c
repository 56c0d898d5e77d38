/*
 * Process, of processes that are made up and of real ones.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/counters/perf/group.h"
#include "../../libtrace/perflib/sets/process/process.h"
#include "../../libtrace/perflib/sets/sets.h"
#include "sets_tests.h"

enum { TICK = 100000 }; /* of USER_HZ 100 */

static struct process_machine machine;
static const struct counterset made_up = {&process_definition, &process_operations, &machine};
static char proc[96];

static void begin(void)
{
	snprintf(proc, sizeof proc, "%s/proc", made_up_root());
	machine = (struct process_machine){.proc = proc};
	write_file("proc/version", "no process\n");
	write_file("proc/12x/stat", "no process\n");
	write_file("proc/0/stat", "0 (no process) R 1\n");
}

static void put_process(
	unsigned pid, const char *name, unsigned user, unsigned threads, unsigned start)
{
	char path[64];

	snprintf(path, sizeof path, "proc/%u/stat", pid);
	write_file(path, "%u (%s) S 1 1 1 0 -1 0 10 0 2 0 %u 5 0 0 20 0 %u 0 %u 8192 3 0 0\n", pid,
		name, user, threads, start);
}

static void put_switches(unsigned pid, unsigned tid, unsigned voluntary, unsigned involuntary)
{
	char path[64];

	snprintf(path, sizeof path, "proc/%u/task/%u/status", pid, tid);
	write_file(path,
		"Name:\tx\nvoluntary_ctxt_switches:\t%u\nnonvoluntary_ctxt_switches:\t%u\n",
		voluntary, involuntary);
}

START_TEST(the_process_sets_definition_is_valid)
{
	check_definition(process_set.definition);
	ck_assert_str_eq(process_definition.counter[PROCESS_ID].name, "ID Process");
	ck_assert_uint_eq(process_definition.counter[PROCESS_ELAPSED].type, PERF_ELAPSED_TIME);
}
END_TEST

START_TEST(values_are_those_of_the_processes)
{
	begin();
	put_process(7, "one", 100, 1, 50);
	put_process(3, "two", 200, 4, 60);
	ask_open(&made_up);
	read_rows(1);
	ck_assert_uint_eq(asked.rows.used, 3);
	ck_assert_str_eq(name_of(0), "_Total");
	ck_assert_str_eq(name_of(1), "two");
	ck_assert_uint_eq(asked.rows.row[1].id, 3);
	ck_assert_uint_eq(value("one", PROCESS_TIME), 105 * TICK);
	ck_assert_uint_eq(value("one", PROCESS_USER), 100 * TICK);
	ck_assert_uint_eq(value("one", PROCESS_PRIVILEGED), 5 * TICK);
	ck_assert_uint_eq(value("one", PROCESS_FAULTS), 12);
	ck_assert_uint_eq(value("one", PROCESS_MAJOR_FAULTS), 2);
	ck_assert_uint_eq(value("two", PROCESS_THREADS), 4);
	ck_assert_uint_eq(value("one", PROCESS_VIRTUAL), 8192);
	ck_assert_uint_eq(value("one", PROCESS_RESIDENT), 3 * (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(value("one", PROCESS_ID), 7);
	ck_assert_uint_eq(value("_Total", PROCESS_USER), 300 * TICK);
	ck_assert_uint_eq(value("_Total", PROCESS_THREADS), 5);
	ck_assert(!is_known("_Total", PROCESS_ID));
	ck_assert(!is_known("_Total", PROCESS_ELAPSED));
	/* Their threads' files are not there. */
	ck_assert(!is_known("one", PROCESS_SWITCHES));
	ck_assert(!is_known("_Total", PROCESS_SWITCHES));
	ck_assert(!is_known("one", PROCESS_INSTRUCTIONS));
}
END_TEST

START_TEST(totals_go_on)
{
	begin();
	put_process(3, "a", 100, 1, 1);
	put_process(4, "b", 1000, 1, 1);
	ask_open(&made_up);
	read_rows(1);
	ck_assert_uint_eq(value("_Total", PROCESS_USER), 1100 * TICK);
	/* One ends, one begins, and one is another of its number. */
	put_away("proc/4/stat");
	put_process(3, "a", 110, 1, 1);
	put_process(5, "c", 7, 1, 99);
	read_rows(2);
	ck_assert(!has_row("b"));
	ck_assert_uint_eq(value("_Total", PROCESS_USER), 1117 * TICK);
	put_process(3, "other", 2, 1, 100);
	read_rows(3);
	ck_assert_uint_eq(value("_Total", PROCESS_USER), 1119 * TICK);
	ck_assert_uint_eq(value("other", PROCESS_USER), 2 * TICK);
}
END_TEST

START_TEST(switches_are_those_of_all_threads)
{
	begin();
	put_process(3, "a", 0, 2, 1);
	put_switches(3, 3, 10, 1);
	put_switches(3, 8, 100, 2);
	ask_open(&made_up);
	read_rows(1);
	ck_assert_uint_eq(value("a", PROCESS_VOLUNTARY), 110);
	ck_assert_uint_eq(value("a", PROCESS_INVOLUNTARY), 3);
	ck_assert_uint_eq(value("a", PROCESS_SWITCHES), 113);
	/* An ended thread's counts stay in the total; a new one's are added. */
	put_away("proc/3/task/8/status");
	put_switches(3, 3, 12, 1);
	put_switches(3, 9, 5, 0);
	read_rows(2);
	ck_assert_uint_eq(value("a", PROCESS_VOLUNTARY), 117);
	ck_assert_uint_eq(value("_Total", PROCESS_SWITCHES), 120);
	/* Another thread of the same number. */
	put_switches(3, 9, 1, 0);
	read_rows(3);
	ck_assert_uint_eq(value("a", PROCESS_VOLUNTARY), 118);
	/* Not asked for: not read. */
	asked.wanted[0] = PROCESS_BIT(PROCESS_USER);
	read_rows(4);
	ck_assert(!is_known("a", PROCESS_SWITCHES));
}
END_TEST

START_TEST(hostile_names)
{
	begin();
	put_process(3, "a) R 1 (b", 1, 1, 1);
	put_process(4, "x\ny\tz\177", 2, 1, 1);
	put_process(5, "", 3, 1, 1);
	put_process(6, "\xff", 4, 1, 1);
	put_process(7, "same", 5, 1, 1);
	put_process(8, "same", 6, 1, 1);
	write_file("proc/9/stat", "9 (cut off");
	write_file("proc/10/stat", "%s", "");
	ask_open(&made_up);
	read_rows(1);
	ck_assert_uint_eq(asked.rows.used, 7);
	ck_assert_uint_eq(value("a) R 1 (b", PROCESS_USER), TICK);
	ck_assert_uint_eq(value("x\xef\xbf\xbdy\xef\xbf\xbdz\xef\xbf\xbd", PROCESS_USER), 2 * TICK);
	ck_assert_uint_eq(value("", PROCESS_USER), 3 * TICK);
	ck_assert_uint_eq(value("\xef\xbf\xbd", PROCESS_USER), 4 * TICK);
	ck_assert_uint_eq(asked.rows.row[5].id, 7);
	ck_assert_uint_eq(asked.rows.row[6].id, 8);
}
END_TEST

START_TEST(no_proc)
{
	struct rows rows = {0};
	void *state;

	machine = (struct process_machine){.proc = "/nonexistent"};
	ck_assert_uint_eq(made_up.operations->open(&made_up, &state), ERROR_SUCCESS);
	rows_begin(&rows, PROCESS_COLUMNS);
	ck_assert_uint_eq(made_up.operations->instances(&made_up, &rows), ERROR_READ_FAULT);
	ck_assert_uint_eq(made_up.operations->collect(&made_up, state, (uint64_t[]){1, 0, 0, 0},
				  &(struct sample_time){1, 1, 1}, &rows),
		ERROR_READ_FAULT);
	made_up.operations->close(&made_up, state);
	rows_free(&rows);
}
END_TEST

/* ---------------------------------------------------------------------- real processes */

static void burn(double seconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

static uint64_t of_pid(pid_t pid, uint32_t column)
{
	uint32_t row = 0;

	while (row < asked.rows.used && asked.rows.row[row].id != (uint32_t)pid)
		row++;
	ck_assert_uint_lt(row, asked.rows.used);
	ck_assert(asked.rows.known[(size_t)row * asked.rows.columns + column]);
	return asked.rows.value[(size_t)row * asked.rows.columns + column];
}

START_TEST(this_process)
{
	struct timespec before, after;
	uint64_t time;

	if (getenv("SWTRACE_TEST_EMULATED")) {
		puts("skipped: this process: the emulator makes up what /proc says of it");
		return;
	}
	prctl(PR_SET_NAME, "me (here)");
	burn(0.02);
	ask_open(&process_set);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	read_rows(1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	ck_assert(has_row("me (here)"));
	time = of_pid(getpid(), PROCESS_TIME) * 100;
	ck_assert_uint_ge(
		time + 100, (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec);
	ck_assert_uint_le(time, (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
	ck_assert_uint_eq(of_pid(getpid(), PROCESS_THREADS), 1);
	ck_assert_uint_gt(of_pid(getpid(), PROCESS_FAULTS), 0);
	ck_assert_uint_ge(of_pid(getpid(), PROCESS_VIRTUAL), of_pid(getpid(), PROCESS_RESIDENT));
}
END_TEST

/* Processes that come and go while they are read. */
START_TEST(a_crowd)
{
	ask_open(&process_set);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		read_rows(i + 1);
		ck_assert_uint_gt(value("_Total", PROCESS_THREADS), 0);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
	}
}
END_TEST

/* ------------------------------------------------------------------------ instructions */

/*
 * There may be no counter of instructions here. The kernel's own of the time on a processor
 * stands in for it: all else is as it would be.
 */
static unsigned tried, opened, closed;
static int open_errno;

static int open_clock(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	struct perf_event_attr clock = *attr;
	int fd;

	/* Whether there are counters is asked first, of this process. */
	tried += pid > 0;
	if (pid <= 0 || open_errno) {
		errno = pid <= 0 ? ENOENT : open_errno;
		return -1;
	}
	ck_assert_uint_eq(attr->type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(attr->config, PERF_COUNT_HW_INSTRUCTIONS);
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_TASK_CLOCK;
	fd = (int)syscall(SYS_perf_event_open, &clock, pid, cpu, group, flags);
	opened += fd >= 0;
	return fd;
}

static int close_clock(int fd)
{
	closed++;
	return close(fd);
}

/* Where there is no room up there, the low number stays. */
static int move_clock(int fd, int least)
{
	(void)fd;
	(void)least;
	return -1;
}

static bool clocks_can_be_opened(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_HW_INSTRUCTIONS};
	int fd = open_clock(&attr, getpid(), -1, -1, 0);

	if (fd >= 0)
		close(fd);
	opened = 0;
	return fd >= 0;
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *burn_in_a_thread(void *seconds)
{
	const double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + *(double *)seconds;

	while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
	return NULL;
}

/* A child with a thread; on a byte it burns in this one, in a new one and in a child of its. Writes
 * how long the first two took. */
static pid_t start_child(int to[2], int from[2])
{
	pid_t child;

	ck_assert(pipe(to) == 0 && pipe(from) == 0);
	child = fork();
	if (child == 0) {
		double seconds = 0.03, took;
		pthread_t thread;
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(to[0], &byte, 1) != 1)
			_exit(1);
		took = seconds_of(CLOCK_MONOTONIC);
		burn_in_a_thread(&seconds);
		pthread_create(&thread, NULL, burn_in_a_thread, &seconds);
		pthread_join(thread, NULL);
		took = seconds_of(CLOCK_MONOTONIC) - took;
		if (fork() == 0) {
			seconds = took + 0.2;
			burn_in_a_thread(&seconds);
			_exit(0);
		}
		wait(NULL);
		if (write(from[1], &took, sizeof took) != sizeof took || read(to[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	return child;
}

START_TEST(a_childs_instructions_are_counted)
{
	int to[2], from[2];
	uint64_t first, ns;
	double took;
	pid_t child;
	char byte = 0;

	if (!clocks_can_be_opened()) {
		fprintf(stderr, "not tested: perf_event_open is denied here\n");
		return;
	}
	setenv("SWTRACE_COUNTERS", "perf", 1);
	perf_calls.open = open_clock;
	perf_calls.close = close_clock;
	perf_calls.move = move_clock;
	child = start_child(to, from);
	ask_open(&process_set);
	asked.wanted[0] = PROCESS_BIT(PROCESS_INSTRUCTIONS);
	read_rows(1);
	first = of_pid(child, PROCESS_INSTRUCTIONS);
	ck_assert_int_eq(write(to[1], &byte, 1), 1);
	ck_assert_int_eq(read(from[0], &took, sizeof took), sizeof took);
	read_rows(2);
	ns = of_pid(child, PROCESS_INSTRUCTIONS) - first;
	/* Both threads, and not the child. The thread clock that they burn by runs up to a percent
	 * ahead of the event that counts here. */
	ck_assert_uint_ge(ns, 50000000);
	ck_assert_uint_lt(ns, (uint64_t)((took + 0.1) * 1e9));
	ck_assert_int_eq(write(to[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	read_rows(3);
	ck_assert_uint_gt(closed, 0);
	/* No longer wanted: nothing counts. */
	asked.wanted[0] = PROCESS_BIT(PROCESS_USER);
	read_rows(4);
	ck_assert_uint_gt(opened, 0);
	ck_assert_uint_eq(opened, closed);
	ask_close();
	ck_assert_uint_eq(opened, closed);
}
END_TEST

/* Not wanted; of one process; of this machine, which is asked once. */
static const struct {
	const char *counters;
	int error;
	unsigned least, most;
} denials[] = {{"none", EACCES, 0, 0}, {"perf", EACCES, 2, UINT32_MAX}, {"perf", ENOENT, 1, 1},
	{"perf", EINVAL, 1, 1}};

START_TEST(instructions_denied)
{
	setenv("SWTRACE_COUNTERS", denials[_i].counters, 1);
	perf_calls.open = open_clock;
	open_errno = denials[_i].error;
	ask_open(&process_set);
	for (int i = 1; i <= 2; i++) {
		read_rows(i);
		ck_assert(!is_known("_Total", PROCESS_INSTRUCTIONS));
	}
	ck_assert_uint_ge(tried, denials[_i].least);
	ck_assert_uint_le(tried, denials[_i].most);
}
END_TEST

Suite *sets_process_suite(void)
{
	return SUITE("sets: Process", .tear_down = ask_close, .timeout = 60,
		TESTS(the_process_sets_definition_is_valid, values_are_those_of_the_processes,
			totals_go_on, switches_are_those_of_all_threads, hostile_names, no_proc,
			this_process, a_crowd, a_childs_instructions_are_counted),
		LOOPS({instructions_denied, 0, sizeof denials / sizeof *denials}));
}
