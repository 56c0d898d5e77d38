/* Counting on counters that are made up: how they are opened, and how values are reported. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/cmd/stat/stat.h"
#include "../../libtrace/counters/perf/group.h"
#include "../lib/suites.h"

enum { FIRST_FD = 100, OPENED_MAX = 64 };

static struct opened {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, leader;
	bool closed, started;
	uint64_t word[3];
} opened[OPENED_MAX];

static int opened_count;
/* The result of an opening: 0, or an errno. */
static int (*rule)(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader);

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int leader, unsigned long flags)
{
	(void)flags;
	errno = rule ? rule(attr, pid, cpu, leader) : 0;
	if (errno)
		return -1;
	ck_assert_int_lt(opened_count, OPENED_MAX);
	opened[opened_count] =
		(struct opened){.attr = *attr, .pid = pid, .cpu = cpu, .leader = leader};
	return FIRST_FD + opened_count++;
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	ck_assert_uint_eq(size, sizeof opened[0].word);
	memcpy(bytes, opened[fd - FIRST_FD].word, size);
	return (ssize_t)size;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	(void)argument;
	ck_assert_uint_eq(request, PERF_EVENT_IOC_ENABLE);
	opened[fd - FIRST_FD].started = true;
	return 0;
}

static int fake_close(int fd)
{
	ck_assert(!opened[fd - FIRST_FD].closed);
	opened[fd - FIRST_FD].closed = true;
	return 0;
}

static struct stat_events events;
static struct count count;
static const struct verb verb = {.name = "stat"};

static void begin(const char *list, int (*answer)(const struct perf_event_attr *, pid_t, int, int))
{
	perf_calls.open = fake_open;
	perf_calls.read = fake_read;
	perf_calls.ioctl = fake_ioctl;
	perf_calls.close = fake_close;
	opened_count = 0;
	rule = answer;
	events = (struct stat_events){0};
	stat_events_add(&events, &verb, list);
	count = (struct count){.event = events.event, .events = events.count};
}

static void end(void)
{
	count_close(&count);
	for (int i = 0; i < opened_count; i++)
		ck_assert_msg(opened[i].closed, "descriptor %d stays open", i);
}

/* ---------------------------------------------------------------------------- opening */

START_TEST(a_command_counts_from_its_exec_with_all_it_starts)
{
	begin("cycles,{instructions,page-faults}", NULL);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	ck_assert_int_eq(opened_count, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(opened[i].pid, 77);
		ck_assert_int_eq(opened[i].cpu, -1);
		ck_assert(opened[i].attr.inherit);
		/* A member follows its leader. */
		ck_assert_int_eq(opened[i].attr.disabled, i < 2);
		ck_assert_int_eq(opened[i].attr.enable_on_exec, i < 2);
		ck_assert_int_eq(opened[i].leader, i == 2 ? FIRST_FD + 1 : -1);
	}
	end();
}
END_TEST

START_TEST(threads_alone_inherit_nothing)
{
	const pid_t tid[] = {5, 6};

	begin("cycles", NULL);
	ck_assert_int_eq(count_open_threads(&count, tid, 2), 0);
	ck_assert_int_eq(opened_count, 2);
	ck_assert(!opened[0].attr.inherit && opened[0].attr.disabled);
	ck_assert(!opened[0].attr.enable_on_exec);
	count_start(&count);
	ck_assert(opened[0].started && opened[1].started);
	end();
}
END_TEST

static int six_has_gone(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)attr, (void)cpu, (void)leader;
	return pid == 6 ? ESRCH : 0;
}

START_TEST(a_thread_that_ends_meanwhile_is_left_out)
{
	const pid_t tid[] = {5, 6, 7};

	begin("cycles,instructions", six_has_gone);
	ck_assert_int_eq(count_open_threads(&count, tid, 3), 0);
	ck_assert_uint_eq(count.targets, 2);
	ck_assert_int_eq(count.target[1], 7);
	opened[3].word[0] = 42;
	ck_assert_uint_eq(count_read(&count, 1, 1).count, 42);
	end();
	begin("cycles", six_has_gone);
	ck_assert_int_eq(count_open_threads(&count, tid + 1, 1), -ESRCH);
	end();
}
END_TEST

static int no_kernel(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)pid, (void)cpu, (void)leader;
	return attr->exclude_kernel ? 0 : EACCES;
}

START_TEST(without_the_right_user_mode_is_counted_and_shown)
{
	char name[EVENT_NAME_MAX + 8];

	begin("cycles,context-switches,task-clock,instructions:k", no_kernel);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	ck_assert(events.event[0].user_only && events.event[0].error == 0);
	ck_assert_str_eq(stat_event_name(&events.event[0], name), "cycles:u");
	/* In user mode there is none: 0 would be made up. */
	ck_assert_int_eq(events.event[1].error, EACCES);
	ck_assert(strstr(events.event[1].why, "perf_event_paranoid"));
	ck_assert_str_eq(stat_event_name(&events.event[2], name), "task-clock");
	ck_assert_int_eq(events.event[3].error, EACCES);
	end();
}
END_TEST

static int no_kernel_no_cycles(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)pid, (void)cpu, (void)leader;
	if (!attr->exclude_kernel)
		return EACCES;
	return attr->type == PERF_TYPE_HARDWARE ? ENOENT : 0;
}

START_TEST(an_impossible_event_does_not_blame_rights)
{
	begin("cycles,page-faults", no_kernel_no_cycles);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	ck_assert_int_eq(events.event[0].error, ENOENT);
	ck_assert(!strstr(events.event[0].why, "paranoid"));
	end();
}
END_TEST

static int no_hardware(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)pid, (void)cpu, (void)leader;
	return attr->type == PERF_TYPE_HARDWARE ? ENOENT : 0;
}

START_TEST(a_group_is_led_by_its_first_that_counts)
{
	begin("{cycles,page-faults,minor-faults}", no_hardware);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	ck_assert_int_eq(opened_count, 2);
	ck_assert(opened[0].leader == -1 && opened[0].attr.disabled);
	ck_assert(opened[1].leader == FIRST_FD && !opened[1].attr.disabled);
	end();
	begin("cycles,instructions", no_hardware);
	ck_assert_int_eq(count_open_command(&count, 77), -ENOENT);
	ck_assert(events.event[0].why[0] && events.event[1].why[0]);
	end();
}
END_TEST

static int third_is_too_many(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)attr, (void)pid, (void)cpu, (void)leader;
	return opened_count >= 2 ? EMFILE : 0;
}

START_TEST(no_descriptor_stays_open_after_a_failure)
{
	begin("cycles,instructions,page-faults", third_is_too_many);
	ck_assert_int_eq(count_open_command(&count, 77), -EMFILE);
	end();
}
END_TEST

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

static pthread_t newcomer;

static int makes_a_thread(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	(void)attr, (void)pid, (void)cpu, (void)leader;
	if (opened_count == 0)
		ck_assert_int_eq(pthread_create(&newcomer, NULL, wait_at_gate, NULL), 0);
	return 0;
}

/* It may have inherited its maker's event or not: opened as well it might count twice. */
START_TEST(a_thread_created_meanwhile_restarts_the_opening)
{
	const pid_t self = getpid();

	pthread_mutex_lock(&gate);
	begin("cycles", makes_a_thread);
	ck_assert_int_eq(count_open_processes(&count, &self, 1), 0);
	pthread_mutex_unlock(&gate);
	pthread_join(newcomer, NULL);
	ck_assert(!count.unsettled);
	ck_assert_uint_eq(count.targets, 2);
	ck_assert_int_eq(opened_count, 3);
	ck_assert(opened[0].closed && !opened[1].closed && !opened[2].closed);
	ck_assert(opened[1].attr.inherit);
	end();
}
END_TEST

/* ------------------------------------------------------------------------------- rows */

static struct stat_row rows[64];

static uint64_t least;

static struct stat_report report(
	const struct count_value *from, const struct count_value *to, bool per_cpu)
{
	struct stat_report r = {.row = rows, .elapsed = 1000000000, .least = least};

	stat_rows(&count, from, to, per_cpu, &r);
	return r;
}

#define VALUE(c, e, r)                                                                             \
	{                                                                                          \
		.count = (c), .enabled = (e), .running = (r), .known = true                        \
	}

START_TEST(multiplexed_counts_are_scaled)
{
	static const struct count_value first[] = {VALUE(500, 1000, 500), VALUE(0, 1000, 0)};
	static const struct count_value second[] = {VALUE(900, 2000, 1500), VALUE(7, 2000, 1000)};

	begin("cycles,instructions", NULL);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	report(NULL, first, false);
	ck_assert(rows[0].measured && rows[0].count == 1000);
	/* Never on a counter: not 0. */
	ck_assert(!rows[1].measured && rows[1].why);
	report(first, second, false);
	ck_assert_uint_eq(rows[0].count, 400);
	ck_assert_uint_eq(rows[1].count, 7);
	report(NULL, second, false);
	ck_assert_uint_eq(rows[0].count, 1200);
	ck_assert_uint_eq(
		count_scale(UINT64_MAX / 4, 2000000000000, 1000000000000), UINT64_MAX / 4 * 2);
	end();
}
END_TEST

START_TEST(figures_need_counts_of_one_mode)
{
	static const struct count_value v[] = {
		VALUE(4000, 9, 9), VALUE(1000, 9, 9), VALUE(500000000, 9, 9), VALUE(10, 9, 9)};

	begin("cycles,instructions,task-clock,page-faults", NULL);
	ck_assert_int_eq(count_open_command(&count, 77), 0);
	report(NULL, v, false);
	ck_assert_str_eq(rows[0].figure_unit, "GHz");
	ck_assert_double_eq_tol(rows[0].figure.real, 4000 / 5e8, 1e-12);
	ck_assert_str_eq(rows[1].figure_unit, "CPI");
	ck_assert_double_eq(rows[1].figure.real, 4.0);
	ck_assert_double_eq(rows[2].figure.real, 0.5);
	ck_assert_double_eq(rows[3].figure.real, 10.0);
	/* User mode's cycles for all instructions: no CPI. */
	events.event[0].user_only = true;
	report(NULL, v, false);
	ck_assert_str_eq(rows[1].figure_unit, "/s");
	ck_assert_str_eq(rows[0].figure_unit, "/s");
	end();
}
END_TEST

/* A PMU of the first processor alone, as on a machine with cores of several types. */
START_TEST(processors_that_do_not_count_are_missing)
{
	enum { ALL = 1000000000 };
	static const struct count_value v[] = {VALUE(100, ALL, ALL), {0}, VALUE(50, ALL, ALL / 2),
		VALUE(50, ALL, ALL), VALUE(30, ALL, ALL), VALUE(40, ALL, ALL), VALUE(1, ALL, 0),
		VALUE(2, ALL, ALL)};
	int fd[4][2] = {{1, COUNT_MISSING}, {1, 1}, {COUNT_FOREIGN, 1}, {1, 1}}, cpus[] = {0, 2};

	begin("cycles,instructions,cache-misses,cache-references", NULL);
	for (int i = 0; i < 4; i++)
		events.event[i].fd = fd[i];
	count.processors = true;
	count.target = cpus;
	count.targets = 2;
	struct stat_report r = report(NULL, v, false);
	ck_assert_uint_eq(r.rows, 4);
	ck_assert(rows[0].count == 100 && rows[0].measured_targets == 1 && rows[0].targets == 2);
	ck_assert_uint_eq(rows[1].count, 150);
	/* Instructions of other processors than the cycles give no CPI. */
	ck_assert_str_eq(rows[1].figure_unit, "/s");
	ck_assert(rows[2].count == 40 && rows[2].targets == 1);
	ck_assert(rows[3].count == 2 && rows[3].measured_targets == 1);
	r = report(NULL, v, true);
	ck_assert_uint_eq(r.rows, 11);
	ck_assert(rows[0].cpu == 0 && rows[1].cpu == 2 && !rows[1].measured && rows[2].cpu == -1);
	/* Each processor's own. */
	ck_assert_str_eq(rows[3].figure_unit, "CPI");
	ck_assert_double_eq(rows[3].figure.real, 1.0);
}
END_TEST

START_TEST(an_offline_processor_is_reported)
{
	enum { ALL = 1000000000 };
	static const struct count_value v[] = {VALUE(100, ALL, ALL), VALUE(60, ALL / 2, ALL / 2)};
	int fd[] = {1, 1}, cpus[] = {0, 1};

	begin("page-faults", NULL);
	events.event[0].fd = fd;
	count.processors = true;
	count.target = cpus;
	count.targets = 2;
	least = ALL;
	report(NULL, v, true);
	ck_assert(rows[0].measured && !rows[1].measured && rows[1].why);
	ck_assert(rows[2].count == 160 && rows[2].measured_targets == 1 && rows[2].targets == 2);
	/* The command was preempted after this read: not an offline processor. */
	least = ALL / 2;
	report(NULL, v, true);
	ck_assert(rows[0].measured && rows[1].measured && rows[1].count == 60);
	ck_assert(rows[2].measured_targets == 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stat");
	TCase *opening = tcase_create("opening"), *row = tcase_create("rows");

	tcase_add_test(opening, a_command_counts_from_its_exec_with_all_it_starts);
	tcase_add_test(opening, threads_alone_inherit_nothing);
	tcase_add_test(opening, a_thread_that_ends_meanwhile_is_left_out);
	tcase_add_test(opening, without_the_right_user_mode_is_counted_and_shown);
	tcase_add_test(opening, an_impossible_event_does_not_blame_rights);
	tcase_add_test(opening, a_group_is_led_by_its_first_that_counts);
	tcase_add_test(opening, a_thread_created_meanwhile_restarts_the_opening);
	tcase_add_test(opening, no_descriptor_stays_open_after_a_failure);
	tcase_add_test(row, multiplexed_counts_are_scaled);
	tcase_add_test(row, figures_need_counts_of_one_mode);
	tcase_add_test(row, processors_that_do_not_count_are_missing);
	tcase_add_test(row, an_offline_processor_is_reported);
	suite_add_tcase(suite, opening);
	suite_add_tcase(suite, row);
	return suites_run(suite, NULL);
}
