/* Whether an interval had a context switch, by the page of an event. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/core/online.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/counters/switch_page.h"
#include "../../libtrace/counters/thread.h"
#include "instances.h"
#include "suites.h"

static struct counter_sample *from, *to;
static struct counter_interval *interval;
static struct perf_calls kernel;

static void set_up(void)
{
	kernel = perf_calls;
	use("auto");
	ck_assert_int_eq(counters_choose(), PU_SUCCESS);
	from = calloc(1, counters_sample_size(counters_room()));
	to = calloc(1, counters_sample_size(counters_room()));
	interval = calloc(1, counters_interval_size(counters_room()));
	from->room = to->room = counters_room();
}

static void tear_down(void)
{
	free(from);
	free(to);
	free(interval);
}

static void measure(unsigned want, long ms)
{
	counters_read(from, want, COUNTER_START);
	if (ms)
		sleep_ms(ms);
	counters_read(to, want, COUNTER_GET);
	counters_difference(from, to, interval);
}

static bool page_opens(const char *test)
{
	struct switch_page p;
	bool opens = switch_page_open(&p);

	if (opens)
		switch_page_close(&p, false);
	else
		printf("skipped: %s: the kernel grants no page\n", test);
	return opens;
}

static int refusing_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	errno = EACCES;
	return -1;
}

START_TEST(moves_with_each_switch)
{
	struct switch_page p;
	uint32_t lock;

	if (!page_opens("moves_with_each_switch"))
		return;
	ck_assert(switch_page_open(&p));
	for (int i = 0; i < 20; i++) {
		lock = switch_page_lock(&p);
		sleep_ms(1);
		ck_assert_uint_ne(switch_page_lock(&p), lock);
	}
	switch_page_close(&p, false);
	ck_assert_ptr_null(p.page);
}
END_TEST

/* One of many tight intervals has no switch: it is on the processor to the nanosecond. */
START_TEST(without_a_switch_all_time_is_on_the_processor)
{
	int stayed = 0;

	if (!page_opens("without_a_switch_all_time_is_on_the_processor"))
		return;
	for (int i = 0; i < 1000; i++) {
		measure(COUNTER_TIME_BIT, 0);
		ck_assert_uint_eq(interval->life_source, INTERVAL_TIME_PAGE);
		ck_assert_uint_ne(interval->life.switches, CPI_NONE);
		ck_assert_uint_ne(interval->life.on_cpu_ns, CPI_NONE);
		ck_assert(interval->stayed == (interval->life.switches == 0));
		stayed += interval->stayed;
	}
	ck_assert_int_ge(stayed, 500);
}
END_TEST

START_TEST(time_off_the_processor_is_told_by_its_switches)
{
	if (!page_opens("time_off_the_processor_is_told_by_its_switches"))
		return;
	for (int i = 0; i < 5; i++) {
		measure(COUNTER_TIME_BIT, 20);
		ck_assert(!interval->stayed);
		ck_assert_uint_ge(interval->life.switches, 1);
		ck_assert_uint_lt(interval->life.on_cpu_ns, 10000000);
	}
}
END_TEST

START_TEST(refused_pages_leave_the_clock_of_the_thread)
{
	perf_calls.open = refusing_open;
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->life_source, INTERVAL_TIME_NONE);
	ck_assert_uint_eq(interval->life.switches, CPI_NONE);
	ck_assert_uint_eq(interval->life.on_cpu_ns, CPI_NONE);
	measure(COUNTER_TIME_BIT | COUNTER_QUALITY_BIT, 20);
	ck_assert_uint_eq(interval->life_source, INTERVAL_TIME_CLOCK);
	ck_assert_uint_ge(interval->life.switches, 1);
	ck_assert_uint_lt(interval->life.on_cpu_ns, 10000000);
}
END_TEST

/* The page stands still then, although the thread is switched. */
START_TEST(disabled_events_are_detected)
{
	if (!page_opens("disabled_events_are_detected"))
		return;
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_int_eq(prctl(PR_TASK_PERF_EVENTS_DISABLE), 0);
	for (int i = 0; i < 5; i++) {
		measure(COUNTER_TIME_BIT, 20);
		/* n/a or right, never "no switch" */
		ck_assert(!interval->stayed);
		ck_assert(interval->life.switches == CPI_NONE || interval->life.switches >= 1);
		ck_assert(interval->life.on_cpu_ns == CPI_NONE ||
			  interval->life.on_cpu_ns < 10000000);
	}
}
END_TEST

/* A child has none of its parent's pages mapped. */
START_TEST(children_open_their_own)
{
	int status;
	pid_t pid;

	if (!page_opens("children_open_their_own"))
		return;
	measure(COUNTER_TIME_BIT, 0);
	pid = fork();
	if (pid == 0) {
		measure(COUNTER_TIME_BIT, 5);
		_exit(interval->life_source != INTERVAL_TIME_PAGE || interval->stayed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->life_source, INTERVAL_TIME_PAGE);
}
END_TEST

START_TEST(reopened_after_a_rest)
{
	if (!page_opens("reopened_after_a_rest"))
		return;
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_ptr_nonnull(thread_self()->group->page.page);
	counters_rest();
	ck_assert_ptr_null(thread_self()->group->page.page);
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->life_source, INTERVAL_TIME_PAGE);
}
END_TEST

/* Counts of a group that was opened again are not subtracted from those of the first. */
START_TEST(counts_do_not_span_a_rest)
{
	counters_read(from, COUNTER_QUALITY_BIT, COUNTER_START);
	counters_rest();
	ck_assert(!thread_self()->group || thread_self()->group->life.count == 0);
	for (int i = 0; i < 5; i++)
		sleep_ms(2);
	counters_read(to, COUNTER_QUALITY_BIT, COUNTER_GET);
	counters_difference(from, to, interval);
	/* The kernel's counts since the thread began are right all the same. */
	ck_assert(interval->life.switches == CPI_NONE || interval->life.switches >= 5);
}
END_TEST

/* Half is left to the user's own events. */
START_TEST(a_process_takes_half_of_the_locked_memory)
{
	static struct switch_page pages[4096];
	struct rlimit limit;
	unsigned n = 0;

	ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (!page_opens("a_process_takes_half_of_the_locked_memory"))
		return;
	while (n < 4096 && switch_page_open(&pages[n]))
		n++;
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_lt(n, 4096);
	switch_page_close(&pages[0], false);
	ck_assert(switch_page_open(&pages[0]));
	while (n)
		switch_page_close(&pages[--n], false);
}
END_TEST

Suite *switch_page_suite(void)
{
	return SUITE("switch page", .timeout = 60, .set_up = set_up, .tear_down = tear_down,
		TESTS(moves_with_each_switch, without_a_switch_all_time_is_on_the_processor,
			time_off_the_processor_is_told_by_its_switches,
			refused_pages_leave_the_clock_of_the_thread, disabled_events_are_detected,
			children_open_their_own, reopened_after_a_rest, counts_do_not_span_a_rest,
			a_process_takes_half_of_the_locked_memory));
}
