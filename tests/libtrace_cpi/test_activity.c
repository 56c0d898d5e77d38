#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/counters/thread/activity.h"
#include "../../libtrace/counters/thread/thread.h"
#include "../../formats/base/time_ns.h"
#include "instances.h"
#include "suites.h"

static struct perf_calls kernel;
static unsigned opened, closed, fail_from;
static int fail_with;

static void set_up(void)
{
	kernel = perf_calls;
}

/* All from the fail_from-th on are refused. */
static int failing_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int fd;

	ck_assert(!attr->exclude_kernel && pid == 0 && cpu == -1);
	if (opened >= fail_from) {
		errno = fail_with;
		return -1;
	}
	fd = kernel.open(attr, pid, cpu, group, flags);
	opened += fd >= 0;
	return fd;
}

static int counting_close(int fd)
{
	closed++;
	return kernel.close(fd);
}

static ssize_t failing_read(int fd, void *bytes, size_t size)
{
	(void)fd;
	(void)bytes;
	(void)size;
	errno = fail_with;
	return fail_with ? -1 : 0;
}

static void refuse_from(unsigned nth, int error)
{
	fail_from = nth;
	fail_with = error;
	perf_calls.open = failing_open;
	perf_calls.close = counting_close;
}

static void burn_ms(uint64_t ms)
{
	uint64_t last = thread_time_ns(), burnt = 0;

	while (burnt < ms * 1000000) {
		uint64_t now = thread_time_ns();

		/* A jump is a pause of the host's, perhaps in a switch. */
		burnt += now - last < 500000 ? now - last : 0;
		last = now;
	}
}

/* Activity that every source must count: three sleeps, 64 pages, 5 ms of work. */
static struct counter_activity measure_activity(void)
{
	struct counter_activity from, to, activity;
	uint64_t began = time_ns_monotonic();

	activity_read(thread_self(), &from);
	/* Two to spare: a pause on the way to a sleep uses it up. */
	for (int i = 0; i < 5; i++)
		sleep_ms(4);
	touch_fresh_pages(64);
	burn_ms(5);
	activity_read(thread_self(), &to);
	activity_difference(&from, &to, &activity);
	ck_assert_uint_ne(activity.switches, NOT_MEASURED);
	ck_assert_uint_ge(activity.switches, 3);
	ck_assert_uint_ne(activity.faults, NOT_MEASURED);
	ck_assert_uint_ge(activity.faults, 64);
	/* A thread's clock leaves out the switch to it, in which a host may pause the
	 * guest. */
	ck_assert_uint_ge(activity.on_cpu_ns, 2500000);
	ck_assert_uint_lt(activity.on_cpu_ns, time_ns_monotonic() - began - 11000000);
	return activity;
}

static bool counts_in_the_kernel(void)
{
	struct counter_activity activity;

	activity_read(thread_self(), &activity);
	return activity.migrations != NOT_MEASURED;
}

START_TEST(counted_as_the_rights_allow)
{
	struct counter_activity activity = measure_activity();

	ck_assert((activity.migrations != NOT_MEASURED) == counts_in_the_kernel());
}
END_TEST

static bool move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set) == 0;
}

START_TEST(migrations_are_seen)
{
	struct counter_activity from, to, activity;
	cpu_set_t all;
	int moves = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	if (CPU_COUNT(&all) < 2 || !counts_in_the_kernel()) {
		puts("skipped: migrations_are_seen: one processor, or no right to count");
		return;
	}
	activity_read(thread_self(), &from);
	for (int cpu = 0; cpu < CPU_SETSIZE && moves < 2; cpu++)
		moves += CPU_ISSET(cpu, &all) && move_to(cpu);
	activity_read(thread_self(), &to);
	activity_difference(&from, &to, &activity);
	ck_assert_uint_ge(activity.migrations, 1);
	ck_assert_uint_le(activity.migrations, 4);
}
END_TEST

static const int refusals[] = {EACCES, EPERM, ENOENT, ENOSYS, EMFILE, EINVAL};

START_TEST(refused_migrations_stay_unknown)
{
	struct counter_activity activity;

	refuse_from(0, refusals[_i]);
	activity = measure_activity();
	ck_assert_uint_eq(activity.migrations, NOT_MEASURED);
	/* Counts since another moment are not mixed in. */
	perf_calls = kernel;
	activity = measure_activity();
	ck_assert_uint_eq(activity.migrations, NOT_MEASURED);
}
END_TEST

static const int read_errors[] = {EIO, EBADF, 0};

START_TEST(not_readable)
{
	struct counter_activity good, activity;

	if (!counts_in_the_kernel()) {
		puts("skipped: not_readable: no right to count");
		return;
	}
	activity_read(thread_self(), &good);
	fail_with = read_errors[_i];
	perf_calls.read = failing_read;
	activity_read(thread_self(), &activity);
	ck_assert(activity.on_cpu_ns != NOT_MEASURED && activity.switches != NOT_MEASURED &&
		  activity.migrations == NOT_MEASURED && activity.faults != NOT_MEASURED);
	activity_difference(&good, &activity, &activity);
	ck_assert(activity.on_cpu_ns != NOT_MEASURED && activity.migrations == NOT_MEASURED);
}
END_TEST

static void *read_there(void *unused)
{
	(void)unused;
	measure_activity();
	return NULL;
}

START_TEST(closed_with_the_thread)
{
	pthread_t t;

	refuse_from(1000, 0);
	ck_assert_int_eq(pthread_create(&t, NULL, read_there, NULL), 0);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	ck_assert_uint_eq(opened, closed);
	if (opened == 0)
		puts("skipped: closed_with_the_thread: no right to count");
}
END_TEST

/* Their own, from nothing on; the parent's are none of theirs. */
START_TEST(a_child_has_its_own)
{
	int status;
	pid_t pid;

	measure_activity();
	pid = fork();
	if (pid == 0) {
		struct counter_activity activity;

		activity_read(thread_self(), &activity);
		_exit(activity.on_cpu_ns > 1000000000 || activity.faults == NOT_MEASURED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	measure_activity();
}
END_TEST

START_TEST(differences_of_unknown_figures_are_unknown)
{
	const struct counter_activity from = {10, NOT_MEASURED, 5, 7, 1, 2},
				      to = {15, 3, NOT_MEASURED, 6, 1, 0};
	struct counter_activity activity;

	activity_difference(&from, &to, &activity);
	ck_assert_uint_eq(activity.cpu, 2); /* where it began */
	ck_assert_uint_eq(activity.on_cpu_ns, 5);
	ck_assert_uint_eq(activity.switches, NOT_MEASURED);
	ck_assert_uint_eq(activity.migrations, NOT_MEASURED);
	ck_assert_uint_eq(activity.faults, NOT_MEASURED); /* it went back */

	const struct counter_activity counted = {10, 2, 5, 7, 1, 2}, reopened = {15, 3, 7, 9, 2, 0};

	/* The event's count began anew; the kernel's figures of the thread go on. */
	activity_difference(&counted, &reopened, &activity);
	ck_assert(activity.on_cpu_ns == 5 && activity.switches == 1 &&
		  activity.migrations == NOT_MEASURED && activity.faults == 2);
}
END_TEST

Suite *activity_suite(void)
{
	return SUITE("activity", .timeout = 60, .set_up = set_up,
		TESTS(counted_as_the_rights_allow, migrations_are_seen, closed_with_the_thread,
			a_child_has_its_own, differences_of_unknown_figures_are_unknown),
		LOOPS({refused_migrations_stay_unknown, 0, sizeof refusals / sizeof *refusals},
			{not_readable, 0, sizeof read_errors / sizeof *read_errors}));
}
