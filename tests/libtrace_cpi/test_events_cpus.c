/* Events of all processors (`:a`): faked, so that no rights are needed. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/core/online.h"
#include "../../libtrace/counters/events/count.h"
#include "../../libtrace/counters/events/cpus.h"
#include "../../libtrace/counters/perf/group.h"
#include "../../libtrace/counters/sample.h"
#include "suites.h"

enum { FAKES = 64, FIRST_FD = 1 << 20 };

/* An event, which the kernel would have. */
static struct fake {
	bool is_open;
	int cpu, leader; /* leader: a descriptor */
	uint64_t count, enabled, running;
} fakes[FAKES];

static int refused;    /* an errno, of events of processors; 0: none */
static int refused_on; /* of this processor alone; -1: of all */
static unsigned reads, open_now;
static int last_read; /* the processor of the group; -1: the thread's */

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)attr;
	(void)flags;
	if (cpu >= 0 && refused && (refused_on < 0 || refused_on == cpu)) {
		errno = refused;
		return -1;
	}
	ck_assert(cpu < 0 || pid == -1);
	for (int i = 0; i < FAKES; i++)
		if (!fakes[i].is_open) {
			fakes[i] = (struct fake){.is_open = true,
				.cpu = cpu,
				.leader = group < 0 ? FIRST_FD + i : group,
				.enabled = 10,
				.running = 10};
			open_now++;
			return FIRST_FD + i;
		}
	errno = EMFILE;
	return -1;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = (uint64_t)fd;
	return 0;
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	uint64_t *word = bytes, n = 0;

	reads++;
	last_read = fakes[fd - FIRST_FD].cpu;
	for (int i = 0; i < FAKES; i++)
		if (fakes[i].is_open && fakes[i].leader == fd) {
			word[3 + 2 * n] = fakes[i].count;
			word[4 + 2 * n++] = (uint64_t)(FIRST_FD + i);
		}
	word[0] = n;
	word[1] = fakes[fd - FIRST_FD].enabled;
	word[2] = fakes[fd - FIRST_FD].running;
	ck_assert_uint_eq(size, (3 + 2 * n) * sizeof *word);
	return (ssize_t)size;
}

static int fake_close(int fd)
{
	ck_assert(fakes[fd - FIRST_FD].is_open);
	fakes[fd - FIRST_FD].is_open = false;
	open_now--;
	return 0;
}

static int fake_move(int fd, int least)
{
	(void)least;
	return fd;
}

static struct perf_calls kernel;

static void set_up(void)
{
	kernel = perf_calls;
	perf_calls.open = fake_open;
	perf_calls.ioctl = fake_ioctl;
	perf_calls.read = fake_read;
	perf_calls.close = fake_close;
	perf_calls.move = fake_move;
	refused = 0;
	refused_on = -1;
}

static void tear_down(void)
{
	perf_calls = kernel;
}

static unsigned processors(void)
{
	struct cpu_set online;
	unsigned n = 0;

	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++)
		n += cpu_set_has(&online, cpu);
	return n;
}

static const struct event_set *set_of(const char *list)
{
	char why[EVENT_WHY_MAX];
	const struct event_set *set;

	event_sets_lock();
	set = event_set_of(list, why);
	event_sets_unlock();
	ck_assert_msg(set != NULL, "%s", why);
	ck_assert_uint_eq(open_now, 0);
	return set;
}

/* Raises the counts of the processors' events, and no thread's. */
static void count_on_processors(uint64_t more)
{
	for (int i = 0; i < FAKES; i++)
		if (fakes[i].is_open && fakes[i].cpu >= 0) {
			fakes[i].count += more;
			fakes[i].enabled += 100;
			fakes[i].running += 100;
		}
}

START_TEST(all_processors_are_added)
{
	const struct event_set *set = set_of("context-switches,context-switches:a,cpu-clock:a");
	struct event_reading from, to;
	struct event_count c;
	const unsigned n = processors();

	event_count_read(set, &from, EVENT_AT_START);
	/* One group of the thread, and one of two on each processor. */
	ck_assert_uint_eq(open_now, 1 + 2 * n);
	count_on_processors(7);
	reads = 0;
	event_count_read(set, &to, EVENT_AT_END);
	ck_assert_uint_eq(reads, 1 + n);
	c = event_count_between(&from, &to, 0);
	ck_assert(c.known && c.value == 0);
	for (unsigned event = 1; event < 3; event++) {
		c = event_count_between(&from, &to, event);
		ck_assert(c.known);
		ck_assert_uint_eq(c.value, 7 * n);
		ck_assert_uint_eq(c.enabled, 100 * n);
		ck_assert_uint_eq(c.running, 100 * n);
	}
	event_count_rest();
	ck_assert_uint_eq(open_now, 0);
}
END_TEST

/* The processors' counts include the thread's, whatever a read itself counts. */
START_TEST(processors_are_read_outside_the_thread)
{
	const struct event_set *set = set_of("context-switches,context-switches:a");
	struct event_reading from, to;

	event_count_read(set, &from, EVENT_AT_START);
	ck_assert_int_eq(last_read, -1);
	event_count_read(set, &to, EVENT_AT_END);
	ck_assert_int_ge(last_read, 0);
	event_count_rest();
}
END_TEST

START_TEST(shared_counters_are_scaled)
{
	const struct event_set *set = set_of("cpu-clock:a");
	struct event_reading from, to;
	struct event_count c;

	event_count_read(set, &from, EVENT_AT_START);
	count_on_processors(1000);
	for (int i = 0; i < FAKES; i++)
		if (fakes[i].is_open)
			fakes[i].running -= 50;
	event_count_read(set, &to, EVENT_AT_END);
	c = event_count_between(&from, &to, 0);
	ck_assert(c.known);
	ck_assert_uint_eq(c.value, 2000 * processors());
	event_count_rest();
}
END_TEST

START_TEST(without_the_right_they_are_unknown)
{
	const struct event_set *set;
	struct event_reading from, to;

	refused = EACCES;
	set = set_of("context-switches:a,page-faults:ua,context-switches");
	ck_assert_int_eq(set->event[0].way, EVENT_BY_NOTHING);
	ck_assert_int_eq(set->event[0].error, EACCES);
	/* User mode alone takes the same right. */
	ck_assert_int_eq(set->event[1].way, EVENT_BY_NOTHING);
	event_count_read(set, &from, EVENT_AT_START);
	event_count_read(set, &to, EVENT_AT_END);
	ck_assert_uint_eq(open_now, 1);
	for (unsigned event = 0; event < 3; event++)
		ck_assert(event_count_between(&from, &to, event).known == (event == 2));
	event_count_rest();
	ck_assert_uint_eq(open_now, 0);
}
END_TEST

/* A sum that lacks a processor is none. */
START_TEST(a_processor_that_refuses)
{
	const struct event_set *set = set_of("cpu-clock:a,context-switches:a");
	struct event_reading from, to;

	refused = EMFILE;
	refused_on = (int)processors() - 1;
	event_count_read(set, &from, EVENT_AT_START);
	count_on_processors(7);
	event_count_read(set, &to, EVENT_AT_END);
	ck_assert(!event_count_between(&from, &to, 0).known);
	ck_assert(!event_count_between(&from, &to, 1).known);
	event_count_rest();
	ck_assert_uint_eq(open_now, 0);
}
END_TEST

/* No event of the kernel counts as one of a processor what is a thread's. */
START_TEST(task_clock_is_no_processor_s)
{
	const struct event_set *set = set_of("task-clock:a,nosuchpmu/event=1/a");

	ck_assert_int_eq(set->event[0].way, EVENT_BY_NOTHING);
	ck_assert_int_eq(set->event[1].way, EVENT_BY_NOTHING);
	ck_assert(!set->on_cpus);
}
END_TEST

static void *hold_in_thread(void *set)
{
	struct event_reading r;

	event_count_read(set, &r, EVENT_AT_START);
	ck_assert_uint_ne(r.count[0], NOT_MEASURED);
	return NULL;
}

START_TEST(threads_share_them)
{
	const struct event_set *set = set_of("cpu-clock:a");
	const unsigned n = processors();
	struct event_reading r;
	pthread_t t;

	event_count_read(set, &r, EVENT_AT_START);
	ck_assert_uint_eq(open_now, n);
	pthread_create(&t, NULL, hold_in_thread, (void *)(uintptr_t)set);
	pthread_join(t, NULL);
	/* Its end leaves them to this one. */
	ck_assert_uint_eq(open_now, n);
	event_count_rest();
	ck_assert_uint_eq(open_now, 0);
	event_count_read(set, &r, EVENT_AT_START);
	ck_assert_uint_eq(open_now, n);
	event_count_rest();
}
END_TEST

START_TEST(a_child_opens_its_own)
{
	const struct event_set *set = set_of("cpu-clock:a");
	struct event_reading r;
	int status;

	event_count_read(set, &r, EVENT_AT_START);
	pid_t pid = fork();
	if (pid == 0) {
		/* Closed in the handler of forks. */
		const unsigned left = open_now;

		event_count_read(set, &r, EVENT_AT_START);
		_exit(left != 0 || open_now != processors() || r.count[0] == NOT_MEASURED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(open_now, processors());
	event_count_rest();
}
END_TEST

Suite *events_cpus_suite(void)
{
	Suite *s = suite_create("events_cpus");
	TCase *t = tcase_create("events_cpus");

	tcase_add_checked_fixture(t, set_up, tear_down);
	if (2 * processors() < FAKES) {
		tcase_add_test(t, all_processors_are_added);
		tcase_add_test(t, processors_are_read_outside_the_thread);
		tcase_add_test(t, shared_counters_are_scaled);
		tcase_add_test(t, without_the_right_they_are_unknown);
		tcase_add_test(t, a_processor_that_refuses);
		tcase_add_test(t, task_clock_is_no_processor_s);
		tcase_add_test(t, threads_share_them);
		tcase_add_test(t, a_child_opens_its_own);
	} else {
		puts("skipped: events of all processors: more processors than the fake has events for");
	}
	suite_add_tcase(s, t);
	return s;
}
