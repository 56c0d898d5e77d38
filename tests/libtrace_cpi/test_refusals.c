/* Where the kernel grants no switch page, or no more of them: the thread's clock takes over. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../formats/cpi_hooks.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/counters/thread/thread.h"
#include "../lib/refuse_call.h"
#include "double.h"
#include "instances.h"
#include "suites.h"

static void set_up(void)
{
	use_counters("auto");
	ring_double.on = ring_double.with_time = true;
}

/* ------------------------------------------------------------------------- refusals */

/* perf_event_paranoid 3, the filters of containers, and a process that has no descriptor left. */
static const uint32_t errors[] = {EACCES, EPERM, ENOSYS, EMFILE};

static const struct record_view *time_hook(void)
{
	unsigned hooks = group_records();
	const struct record_view *v = hooks ? group_record(hooks - 1) : NULL;

	return v && v->major == INTERVAL_MAJOR &&
			       (v->minor & INTERVAL_MINOR_KIND) == INTERVAL_MINOR_TIME
		       ? v
		       : NULL;
}

static const struct record_view *quality_hook(void)
{
	for (unsigned n = 0; n < group_records(); n++) {
		const struct record_view *v = group_record(n);

		if (v->major == CPI_MAJOR && (v->minor & CPI_MINOR_KIND) == CPI_MINOR_QUALITY)
			return v;
	}
	return NULL;
}

static UINT32 activity_known(void)
{
	const struct record_view *v = quality_hook();

	return v ? v->word[CPI_QUALITY_KNOWN] : 0;
}

static void trace_sleep(void *h, UINT32 types)
{
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	sleep_ms(5);
	ck_assert_int_eq(CpiGetAndTrace(h, 3, types, "sleep", NULL), PU_SUCCESS);
}

/* With quality the hook names the slower source and has its figures. */
START_TEST(quality_comes_from_the_clock)
{
	void *h;

	if (!refuse_call(SYS_perf_event_open, errors[_i])) {
		printf("skipped: quality_comes_from_the_clock: the kernel offers no filters\n");
		return;
	}
	h = init(CPI_TYPE_TRACE_QUALITY);
	for (int i = 0; i < 3; i++) {
		trace_sleep(h, CPI_TYPE_TRACE_QUALITY);
		ck_assert_ptr_nonnull(time_hook());
		ck_assert_uint_eq(time_hook()->word[0], INTERVAL_TIME_CLOCK);
		ck_assert_uint_eq(
			activity_known(), CPI_KNOWN_ON_CPU | CPI_KNOWN_SWITCHES | CPI_KNOWN_FAULTS);
	}
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}
END_TEST

/* The time on the processor and the switches, behind the quantities. */
static bool figures_are_unknown(void)
{
	const UINT32 *word =
		quality_hook()->word + CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES;

	ck_assert_uint_eq(
		activity_known(), CPI_KNOWN_ON_CPU | CPI_KNOWN_SWITCHES | CPI_KNOWN_FAULTS);
	return (word[0] & word[1] & word[2] & word[3]) == UINT32_MAX;
}

/* What came between an interval's end and the stamp that the ring raised: a switch, or nothing. */
START_TEST(a_raised_stamp_is_no_switch)
{
	bool known = false;
	void *h;

	if (!refuse_call(SYS_perf_event_open, EACCES)) {
		printf("skipped: a_raised_stamp_is_no_switch: the kernel offers no filters\n");
		return;
	}
	h = init(CPI_TYPE_TRACE_QUALITY);
	ring_double.sleeps = true;
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 3, 0, "sleep", NULL), PU_SUCCESS);
	ck_assert(figures_are_unknown());
	ck_assert_uint_eq(time_hook()->word[INTERVAL_TIME_WORD_SOURCE], INTERVAL_TIME_NONE);
	ring_double.sleeps = false;
	/* More than one try: other programs run, too. */
	for (int i = 0; i < 100 && !known; i++) {
		ring_double.stamp = clock_now() + clock_ticks_per_second();
		ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
		ck_assert_int_eq(CpiGetAndTrace(h, 3, 0, "work", NULL), PU_SUCCESS);
		known = !figures_are_unknown();
	}
	ck_assert(known);
	ck_assert_uint_eq(time_hook()->word[INTERVAL_TIME_WORD_SOURCE], INTERVAL_TIME_CLOCK);
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}
END_TEST

/* Without, no system call is worth it: nothing is said of the thread, and nothing made up. */
START_TEST(nothing_is_said_without_quality)
{
	void *h;

	if (!refuse_call(SYS_perf_event_open, errors[_i])) {
		printf("skipped: nothing_is_said_without_quality: the kernel offers no filters\n");
		return;
	}
	h = init(CPI_TYPE_RAW);
	for (int i = 0; i < 3; i++) {
		trace_sleep(h, CPI_TYPE_TRACE_SUMMARY);
		ck_assert_ptr_null(time_hook());
	}
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}
END_TEST

/* ----------------------------------------------------------------- a thousand threads */

enum { THREADS = 1000, MEMLOCK_BYTES = 64 << 10, STACK_BYTES = 256 << 10 };

static pthread_barrier_t measured, judged;
static _Atomic unsigned by_page, by_clock, by_none;

static void *measure_thread(void *unused)
{
	const unsigned want = COUNTER_TIME_BIT | COUNTER_QUALITY_BIT;
	const uint32_t room = counters_room();
	struct counter_sample *from = calloc(1, counters_sample_size(room)),
			      *to = calloc(1, counters_sample_size(room));
	struct counter_interval *i = calloc(1, counters_interval_size(room));

	from->room = to->room = room;
	counters_start(from, want, clock_now());
	counters_read(to, want, COUNTER_GET);
	counters_difference(from, to, i);
	if (i->activity_source == INTERVAL_TIME_NONE || i->activity.on_cpu_ns == NOT_MEASURED ||
		i->activity.switches == NOT_MEASURED)
		by_none++;
	else if (thread_self()->group->page.is_open)
		by_page++;
	else if (i->activity_source == INTERVAL_TIME_CLOCK)
		by_clock++;
	free(from);
	free(to);
	free(i);
	pthread_barrier_wait(&measured);
	pthread_barrier_wait(&judged);
	return unused;
}

/* An event of the user's own, with that many pages of a ring. NULL: refused. */
static void *map_event(size_t ring_pages)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	size_t bytes = (1 + ring_pages) * (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Pages that the user may still map, one an event. */
static unsigned map_what_is_left(void)
{
	unsigned n = 0;

	while (n < 100000 && map_event(0))
		n++;
	return n;
}

static bool is_ordinary_user(void)
{
	const struct rlimit locked = {MEMLOCK_BYTES, MEMLOCK_BYTES};

	if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ||
				      setresuid(65534, 65534, 65534) != 0))
		return false;
	return setrlimit(RLIMIT_MEMLOCK, &locked) == 0;
}

static unsigned make_threads(pthread_t thread[THREADS])
{
	pthread_attr_t attr;
	unsigned n = 0;

	ck_assert_int_eq(pthread_attr_init(&attr), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
	ck_assert_int_eq(pthread_barrier_init(&measured, NULL, THREADS + 1), 0);
	ck_assert_int_eq(pthread_barrier_init(&judged, NULL, THREADS + 1), 0);
	while (n < THREADS && pthread_create(&thread[n], &attr, measure_thread, NULL) == 0)
		n++;
	return n;
}

/* Memory that another process of this user locks meanwhile can only reduce it. */
START_TEST(a_thousand_threads_leave_half_to_the_user)
{
	static const char name[] = "a_thousand_threads_leave_half_to_the_user";
	static pthread_t thread[THREADS];
	unsigned left;
	void *ring;

	if (!is_ordinary_user()) {
		printf("skipped: %s: no ordinary user to become\n", name);
		return;
	}
	if (!map_event(8)) {
		printf("skipped: %s: the kernel grants an ordinary user no page\n", name);
		return;
	}
	ck_assert_int_eq(counters_choose(), PU_SUCCESS);
	if (make_threads(thread) < THREADS) {
		printf("skipped: %s: fewer threads may be made\n", name);
		exit(0); /* the others wait */
	}
	pthread_barrier_wait(&measured);
	ring = map_event(8);
	left = map_what_is_left();
	pthread_barrier_wait(&judged);
	for (unsigned n = 0; n < THREADS; n++)
		ck_assert_int_eq(pthread_join(thread[n], NULL), 0);
	ck_assert_uint_eq(by_none, 0);
	ck_assert_uint_eq(by_page + by_clock, THREADS);
	ck_assert_uint_ge(by_page, 1);
	/* A machine of many processors grants them all a page. */
	ck_assert_ptr_nonnull(ring);
	ck_assert_msg(left + 2 * 9 >= by_page, "%u pages taken, %u left", by_page, left);
}
END_TEST

Suite *refusals_suite(void)
{
	return SUITE("refusals", .timeout = 60, .set_up = set_up,
		TESTS(a_thousand_threads_leave_half_to_the_user, a_raised_stamp_is_no_switch),
		LOOPS({quality_comes_from_the_clock, 0, sizeof errors / sizeof *errors},
			{nothing_is_said_without_quality, 0, sizeof errors / sizeof *errors}));
}
