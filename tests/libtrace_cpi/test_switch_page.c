/* Whether an interval had a context switch, by the page of an event. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/core/clock.h"
#include "../../libtrace/core/online.h"
#include "../../libtrace/counters/machine/rate.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/counters/thread/activity.h"
#include "../../libtrace/counters/thread/switch_page.h"
#include "../../libtrace/counters/thread/thread.h"
#include "instances.h"
#include "../lib/sanitized.h"
#include "suites.h"

static struct counter_sample *from, *to;
static struct counter_interval *interval;
static struct perf_calls kernel;

static void set_up(void)
{
	kernel = perf_calls;
	use_counters("auto");
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

static bool page_opens_with(const char *test, bool faults)
{
	struct switch_page p = {0};
	bool opens = switch_page_open(&p, faults);

	if (opens)
		switch_page_free(&p, false);
	else
		printf("skipped: %s: %s\n", test,
			faults ? "no right to count in the kernel" : "the kernel grants no page");
	return opens;
}

static bool page_opens(const char *test)
{
	return page_opens_with(test, false);
}

static int refusing_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	errno = EACCES;
	return -1;
}

static long switches_of_usage(void)
{
	struct rusage u;

	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &u), 0);
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* A short sleep may be over before the thread leaves its processor, as when a host pauses that: the
 * kernel tells. */
static bool sleep_switches(unsigned us)
{
	long before = switches_of_usage();

	usleep(us);
	return switches_of_usage() != before;
}

static void check_moves_with_switches(const struct switch_page *p)
{
	int switched = 0;

	for (int i = 0; i < 20; i++) {
		uint32_t lock = switch_page_lock(p);

		if (!sleep_switches(1000))
			continue;
		switched++;
		ck_assert_uint_ne(switch_page_lock(p), lock);
	}
	ck_assert_int_ge(switched, 10);
}

START_TEST(moves_with_each_switch)
{
	struct switch_page p = {0};

	if (!page_opens("moves_with_each_switch"))
		return;
	ck_assert(switch_page_open(&p, false));
	check_moves_with_switches(&p);
	switch_page_free(&p, false);
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
		ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_PAGE);
		ck_assert_uint_ne(interval->activity.switches, NOT_MEASURED);
		ck_assert_uint_ne(interval->activity.on_cpu_ns, NOT_MEASURED);
		ck_assert(interval->stayed == (interval->activity.switches == 0));
		stayed += interval->stayed;
	}
	ck_assert_int_ge(stayed, 500);
}
END_TEST

START_TEST(time_off_the_processor_is_measured_by_its_switches)
{
	if (!page_opens("time_off_the_processor_is_measured_by_its_switches"))
		return;
	for (int i = 0; i < 5; i++) {
		measure(COUNTER_TIME_BIT, 20);
		ck_assert(!interval->stayed);
		ck_assert_uint_ge(interval->activity.switches, 1);
		ck_assert_uint_lt(interval->activity.on_cpu_ns, 10000000);
	}
}
END_TEST

/* Between the kernel's answer and the hook's stamp the thread ran; if it was switched, nothing is
 * known. */
START_TEST(time_after_the_reading_is_on_the_processor)
{
	unsigned stayed = 0, left = 0;

	if (!page_opens("time_after_the_reading_is_on_the_processor"))
		return;
	for (int i = 0; i < 100; i++) {
		struct activity_start light;
		struct activity_since since;
		uint64_t begun = activity_begin(&light), end;

		if (!sleep_switches(1) || !activity_read_since(&light, begun, &since))
			continue;
		if (i % 2)
			sleep_switches(1);
		const struct activity_since before = since;

		end = since.ticks + clock_ticks_per_second() / 1000;
		activity_extend_since(&light, &since, end);
		if (activity_page_is(light.group, light.page, since.lock)) {
			ck_assert_uint_ge(since.on_cpu_ns - before.on_cpu_ns, 999000);
			ck_assert_uint_eq(since.switches, before.switches);
			stayed++;
		} else {
			ck_assert_uint_eq(since.on_cpu_ns, NOT_MEASURED);
			ck_assert_uint_eq(since.switches, NOT_MEASURED);
			left++;
		}
	}
	ck_assert_uint_ge(stayed, 10);
	ck_assert_uint_ge(left, 10);
}
END_TEST

START_TEST(refused_pages_leave_the_clock_of_the_thread)
{
	perf_calls.open = refusing_open;
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_NONE);
	ck_assert_uint_eq(interval->activity.switches, NOT_MEASURED);
	ck_assert_uint_eq(interval->activity.on_cpu_ns, NOT_MEASURED);
	measure(COUNTER_TIME_BIT | COUNTER_QUALITY_BIT, 20);
	ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_CLOCK);
	ck_assert_uint_ge(interval->activity.switches, 1);
	ck_assert_uint_lt(interval->activity.on_cpu_ns, 10000000);
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
		ck_assert(interval->activity.switches == NOT_MEASURED ||
			  interval->activity.switches >= 1);
		ck_assert(interval->activity.on_cpu_ns == NOT_MEASURED ||
			  interval->activity.on_cpu_ns < 10000000);
	}
}
END_TEST

/* ------------------------------------------------------------------------- page faults */

enum { ALL = COUNTER_TIME_BIT | COUNTER_QUALITY_BIT };

static bool fault_page_opens(const char *test)
{
	return page_opens_with(test, true);
}

static char *fresh_pages(unsigned n)
{
	size_t bytes = n * (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static int pipe_with_a_byte(void)
{
	int end[2];

	ck_assert_int_eq(pipe(end), 0);
	ck_assert_int_eq(write(end[1], "", 1), 1);
	close(end[1]);
	return end[0];
}

/* Each faults once, the last in the kernel. */
static void touch_pages(char *p, unsigned n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int zero = n ? pipe_with_a_byte() : -1;

	for (unsigned i = 0; i + 1 < n; i++)
		*(volatile char *)(p + i * page) = 1;
	if (n) {
		ck_assert_int_eq(read(zero, p + (n - 1) * page, 1), 1);
		close(zero);
	}
}

static uint64_t faults_of_usage(void)
{
	struct rusage u;

	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &u), 0);
	return (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
}

/* None is missed, however fast they come: 20,000 are several thousand a tick. */
START_TEST(every_fault_is_counted)
{
	enum { FAULTS = 20000 };
	struct switch_page p = {0};
	uint64_t page, usage;
	char *fresh;

	if (!fault_page_opens("every_fault_is_counted"))
		return;
	ck_assert(switch_page_open(&p, true));
	fresh = fresh_pages(FAULTS);
	usage = faults_of_usage();
	page = switch_page_faults(&p);
	touch_pages(fresh, FAULTS);
	page = switch_page_faults(&p) - page;
	usage = faults_of_usage() - usage;
	ck_assert_uint_ge(page, FAULTS);
	/* Asking the kernel may fault, too, and so may a sanitizer's runtime. */
	ck_assert_uint_ge(usage, page);
	ck_assert_uint_le(usage - page, SANITIZED ? 64 : 4);
	switch_page_free(&p, false);
}
END_TEST

/* It moves with each switch as one without faults does. */
START_TEST(switches_move_the_page_of_faults)
{
	struct switch_page p = {0};

	if (!fault_page_opens("switches_move_the_page_of_faults"))
		return;
	ck_assert(switch_page_open(&p, true));
	check_moves_with_switches(&p);
	switch_page_free(&p, false);
}
END_TEST

static unsigned reads;

static ssize_t counting_read(int fd, void *bytes, size_t size)
{
	reads++;
	return kernel.read(fd, bytes, size);
}

/* Whether the short end was enough for an interval with that many faults. */
static bool stays_on_page(unsigned want, char *fresh, unsigned faults)
{
	counters_start(from, want, clock_now());
	touch_pages(fresh, faults);
	return counters_have_stayed(from, want, clock_now(), interval);
}

/* All figures of an interval without a switch, its faults among them, by no system call. */
START_TEST(all_figures_of_a_stay_are_free)
{
	enum { TRIES = 3000 };
	char *fresh;
	int stayed = 0;

	if (!fault_page_opens("all_figures_of_a_stay_are_free"))
		return;
	fresh = fresh_pages(3 * TRIES);
	for (int i = 0; i < TRIES; i++) {
		unsigned faults = i % 4 ? 0 : 3;
		uint64_t usage;
		bool is_short;

		perf_calls.read = counting_read;
		reads = 0;
		usage = faults_of_usage();
		is_short = stays_on_page(ALL, fresh, faults);
		usage = faults_of_usage() - usage;
		perf_calls = kernel;
		fresh += faults * (size_t)sysconf(_SC_PAGESIZE);
		if (!is_short)
			continue;
		stayed++;
		ck_assert_uint_eq(reads, 0);
		ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_PAGE);
		ck_assert(interval->thread_known && interval->stayed && !interval->counted);
		ck_assert_uint_eq(interval->activity.switches, 0);
		ck_assert_uint_eq(interval->activity.migrations, 0);
		/* A sanitizer's runtime may fault as well. */
		ck_assert_uint_ge(interval->activity.faults, faults);
		ck_assert_uint_le(interval->activity.faults, usage);
		ck_assert_uint_ge(interval->cpus, 1);
	}
	ck_assert_int_ge(stayed, TRIES / 10);
}
END_TEST

/* System calls at both ends measure the part that the thread's clock lacks. */
START_TEST(the_first_interval_of_a_millisecond_shows_unexplained_time)
{
	int told = 0;

	if (!fault_page_opens("the_first_interval_of_a_millisecond_shows_unexplained_time"))
		return;
	for (int i = 0; i < 50; i++) {
		sleep_ms(2);
		ck_assert(!stays_on_page(ALL, NULL, 0));
		ck_assert_uint_eq(from->activity_source, INTERVAL_TIME_CLOCK);
		counters_read(to, ALL | COUNTER_ASK_BIT, COUNTER_GET);
		counters_difference(from, to, interval);
		if (!interval->stayed)
			continue;
		told++;
		ck_assert_uint_ne(interval->unexplained_ns, NOT_MEASURED);
	}
	ck_assert_int_ge(told, 5);
}
END_TEST

static int open_of_user_mode(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	if (attr->exclude_kernel)
		return kernel.open(attr, pid, cpu, group, flags);
	errno = EACCES;
	return -1;
}

/* An ordinary user has a page for the switches; of the faults the kernel is asked. */
START_TEST(without_the_right_faults_come_from_the_kernel)
{
	char *fresh = fresh_pages(5);

	if (!page_opens("without_the_right_faults_come_from_the_kernel"))
		return;
	perf_calls.open = open_of_user_mode;
	for (int i = 0; i < 10; i++) {
		ck_assert(!stays_on_page(ALL, fresh, i ? 0 : 5));
		ck_assert(thread_self()->group->page.is_open);
		counters_read(to, ALL, COUNTER_GET);
		counters_difference(from, to, interval);
		ck_assert_uint_ne(interval->activity.faults, NOT_MEASURED);
		ck_assert_uint_ge(interval->activity.faults, i ? 0 : 5);
		ck_assert_uint_ne(interval->activity.on_cpu_ns, NOT_MEASURED);
		ck_assert_uint_eq(interval->activity.migrations, NOT_MEASURED);
	}
}
END_TEST

/* An interval does not span two pages: the kernel's counts measure it instead. */
START_TEST(a_page_with_faults_replaces_one_without)
{
	if (!fault_page_opens("a_page_with_faults_takes_the_place_of_one_without"))
		return;
	counters_start(from, COUNTER_TIME_BIT, clock_now());
	ck_assert(!thread_self()->group->page.has_faults);
	counters_start(to, ALL, clock_now());
	ck_assert(thread_self()->group->page.has_faults);
	sleep_ms(5);
	ck_assert(!counters_have_stayed(from, COUNTER_TIME_BIT, clock_now(), interval));
	counters_read(to, COUNTER_TIME_BIT, COUNTER_GET);
	counters_difference(from, to, interval);
	ck_assert_uint_ne(interval->activity.switches, NOT_MEASURED);
	ck_assert_uint_ge(interval->activity.switches, 1);
	/* Who asks for less uses it, too. */
	counters_start(from, COUNTER_TIME_BIT, clock_now());
	ck_assert_uint_eq(from->activity_source, INTERVAL_TIME_PAGE);
}
END_TEST

/* Another thread's Get, or one after the session's end, is no short one. */
START_TEST(others_have_not_stayed)
{
	if (!page_opens("others_have_not_stayed"))
		return;
	counters_start(from, COUNTER_TIME_BIT, clock_now());
	from->page_thread++;
	ck_assert(!counters_have_stayed(from, COUNTER_TIME_BIT, clock_now(), interval));
	from->page_thread--;
	/* The reading has to be made anew after a while. */
	ck_assert(!counters_have_stayed(
		from, COUNTER_TIME_BIT, from->ticks + clock_ticks_per_second() / 100, interval));
	counters_rest(false);
	ck_assert(!counters_have_stayed(from, COUNTER_TIME_BIT, clock_now(), interval));
	counters_stamp(from, clock_now());
	ck_assert(!counters_have_stayed(from, COUNTER_TIME_BIT, clock_now(), interval));
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
		_exit(interval->activity_source != INTERVAL_TIME_PAGE || interval->stayed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_PAGE);
}
END_TEST

START_TEST(reopened_after_a_rest)
{
	if (!page_opens("reopened_after_a_rest"))
		return;
	measure(COUNTER_TIME_BIT, 0);
	ck_assert(thread_self()->group->page.is_open);
	counters_rest(false);
	ck_assert(!thread_self()->group->page.is_open);
	measure(COUNTER_TIME_BIT, 0);
	ck_assert_uint_eq(interval->activity_source, INTERVAL_TIME_PAGE);
}
END_TEST

static pthread_t reader;
static _Atomic bool reader_ends;

/* Turns tracing off, and every other time on again. */
static void rest_in_handler(int signal)
{
	static unsigned n;

	(void)signal;
	counters_rest(false);
	if (n++ % 2)
		counters_start(to, COUNTER_TIME_BIT, clock_now());
}

static void *interrupt_reader(void *unused)
{
	for (int i = 0; i < 20000 && !reader_ends; i++) {
		pthread_kill(reader, SIGUSR1);
		for (volatile int n = 0; n < 2000; n++)
			;
	}
	reader_ends = true;
	return unused;
}

/* The page goes, and comes back, under whatever reads it; no interval takes one for the other. */
START_TEST(a_signal_handler_may_close_and_open_it)
{
	pthread_t thread;
	unsigned n = 0;

	if (!page_opens("a_signal_handler_may_close_and_open_it"))
		return;
	measure(COUNTER_TIME_BIT, 0);
	reader = pthread_self();
	signal(SIGUSR1, rest_in_handler);
	ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_reader, NULL), 0);
	while (!reader_ends) {
		struct activity_start light;
		uint64_t begun = activity_begin(&light);
		struct activity_since since;
		bool switched;

		counters_start(from, COUNTER_TIME_BIT, begun);
		switched = n++ % 64 == 0 && sleep_switches(1);
		ck_assert(!counters_have_stayed(from, COUNTER_TIME_BIT, clock_now(), interval) ||
			  !switched);
		ck_assert(!activity_stayed_since(&light) || !switched);
		activity_read_since(&light, begun, &since);
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	signal(SIGUSR1, SIG_DFL);
}
END_TEST

/* Counts of a group that was opened again are not subtracted from those of the first. */
START_TEST(counts_do_not_span_a_rest)
{
	counters_read(from, COUNTER_QUALITY_BIT, COUNTER_START);
	counters_rest(false);
	ck_assert(!thread_self()->group || thread_self()->group->activity.count == 0);
	for (int i = 0; i < 5; i++)
		sleep_ms(2);
	counters_read(to, COUNTER_QUALITY_BIT, COUNTER_GET);
	counters_difference(from, to, interval);
	/* The kernel's counts since the thread began are right all the same. */
	ck_assert(interval->activity.switches == NOT_MEASURED || interval->activity.switches >= 5);
}
END_TEST

/* The end's ticks are read before the kernel is asked: the thread may be switched in between. */
START_TEST(a_switch_between_an_end_and_its_reading_is_in_the_interval)
{
	const struct activity_wants wants = {.time = true, .freely = true};
	struct thread_self *self = thread_self();
	uint64_t ticks, off_ns;

	if (!page_opens("a_switch_between_an_end_and_its_reading_is_in_the_interval"))
		return;
	do {
		uint32_t lock;

		measure(COUNTER_TIME_BIT, 0);
		lock = activity_read_lock(self);
		ticks = to->ticks = clock_now();
		if (!sleep_switches(2000))
			continue;
		activity_read_end(self, wants, to, lock);
	} while (to->ticks == ticks && to->activity_ticks <= ticks);
	ck_assert_uint_gt(to->ticks, ticks);
	ck_assert_uint_eq(to->ticks, to->activity_ticks);
	counters_difference(from, to, interval);
	ck_assert_uint_ge(interval->activity.switches, 1);
	off_ns = rate_ns_of_ticks(to->ticks - from->ticks) - interval->activity.on_cpu_ns;
	ck_assert_uint_ge(off_ns, 1000000);
}
END_TEST

/* Half is left to the user's own events. */
START_TEST(a_process_uses_half_of_the_locked_memory)
{
	static struct switch_page pages[4096];
	struct rlimit limit;
	unsigned n = 0;

	ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (!page_opens("a_process_takes_half_of_the_locked_memory"))
		return;
	while (n < 4096 && switch_page_open(&pages[n], false))
		n++;
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_lt(n, 4096);
	switch_page_free(&pages[0], false);
	ck_assert(switch_page_open(&pages[0], false));
	while (n)
		switch_page_free(&pages[--n], false);
}
END_TEST

Suite *switch_page_suite(void)
{
	return SUITE("switch page", .timeout = 60, .set_up = set_up, .tear_down = tear_down,
		TESTS(moves_with_each_switch, without_a_switch_all_time_is_on_the_processor,
			time_off_the_processor_is_measured_by_its_switches,
			time_after_the_reading_is_on_the_processor,
			a_switch_between_an_end_and_its_reading_is_in_the_interval,
			refused_pages_leave_the_clock_of_the_thread, disabled_events_are_detected,
			children_open_their_own, reopened_after_a_rest,
			a_signal_handler_may_close_and_open_it, counts_do_not_span_a_rest,
			a_process_uses_half_of_the_locked_memory, every_fault_is_counted,
			switches_move_the_page_of_faults, all_figures_of_a_stay_are_free,
			the_first_interval_of_a_millisecond_shows_unexplained_time,
			without_the_right_faults_come_from_the_kernel,
			a_page_with_faults_replaces_one_without, others_have_not_stayed));
}
