/* Events of a list in intervals: with the kernel's software events. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/record.h"
#include "../../libtrace/counters/events/count.h"
#include "../../libtrace/counters/thread/thread.h"
#include "../../libtrace/ring/thread.h"
#include "../lib/sanitized.h"
#include "double.h"
#include "instances.h"
#include "suites.h"

static struct perf_calls kernel;
static unsigned opened, closed;
static int refused; /* the errno of opening in the kernel's mode, too; 0: allowed */
static unsigned group_limit;
static unsigned group_size;

static int watched_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int fd;

	if (refused && !attr->exclude_kernel) {
		errno = refused;
		return -1;
	}
	group_size = group < 0 ? 1 : group_size + 1;
	if (group_limit && group_size > group_limit) {
		errno = EINVAL;
		return -1;
	}
	fd = kernel.open(attr, pid, cpu, group, flags);
	opened += fd >= 0;
	return fd;
}

static bool may_count_in_the_kernel(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES};
	int fd = kernel.open(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		kernel.close(fd);
	return fd >= 0;
}

static unsigned reads;

static ssize_t watched_read(int fd, void *bytes, size_t size)
{
	reads++;
	return kernel.read(fd, bytes, size);
}

static int watched_close(int fd)
{
	closed++;
	return kernel.close(fd);
}

static void set_up(void)
{
	kernel = perf_calls;
	perf_calls.open = watched_open;
	perf_calls.close = watched_close;
	perf_calls.read = watched_read;
	use_counters("none");
}

static void set_events(const char *list)
{
	setenv("SWTRACE_EVENTS", list, 1);
	ring_double_renew(NULL);
}

static void trace_interval(void *h)
{
	ck_assert_int_eq(CpiGetAndTrace(h, 3, 0, NULL, NULL), PU_SUCCESS);
}

static bool is_events(const struct record_view *v)
{
	return v->major == INTERVAL_MAJOR &&
	       (v->minor & INTERVAL_MINOR_KIND) == INTERVAL_MINOR_EVENTS;
}

/* The last group's; NULL: it has none. It is the last one of a group. */
static const struct record_view *events_hook(void)
{
	unsigned n = group_records();
	const struct record_view *v;

	for (unsigned i = 0; i + 1 < n; i++)
		ck_assert(!is_events(group_record(i)));
	v = group_record(n - 1);
	return is_events(v) ? v : NULL;
}

static const struct record_view *need_events(unsigned count)
{
	const struct record_view *v = events_hook();

	ck_assert_ptr_nonnull(v);
	ck_assert_uint_eq(v->minor & 0xFF, 3);
	ck_assert_uint_eq(v->word[INTERVAL_EVENTS_WORD_COUNT], count);
	ck_assert_uint_eq(v->word[INTERVAL_EVENTS_WORD_TEXTS], count);
	ck_assert_uint_eq(v->nstrings, count);
	ck_assert_uint_eq(v->nwords, INTERVAL_EVENTS_WORD_FIRST + count * INTERVAL_EVENT_WORDS);
	return v;
}

static uint32_t event_word(const struct record_view *v, unsigned event, unsigned word)
{
	return v->word[INTERVAL_EVENTS_WORD_FIRST + event * INTERVAL_EVENT_WORDS + word];
}

static uint64_t event_count(const struct record_view *v, unsigned event, unsigned word)
{
	return (uint64_t)event_word(v, event, word) << 32 | event_word(v, event, word + 1);
}

static bool is_known(const struct record_view *v, unsigned event)
{
	return event_word(v, event, INTERVAL_EVENT_FLAGS) & INTERVAL_EVENT_KNOWN;
}

static uint64_t known_value(const struct record_view *v, unsigned event)
{
	ck_assert(is_known(v, event));
	return event_count(v, event, INTERVAL_EVENT_VALUE);
}

static void is_unknown(const struct record_view *v, unsigned event)
{
	ck_assert(!is_known(v, event));
	for (unsigned word = INTERVAL_EVENT_VALUE; word < INTERVAL_EVENT_WORDS; word++)
		ck_assert_uint_eq(event_word(v, event, word), 0);
}

static void is_named(const struct record_view *v, unsigned event, const char *name)
{
	const uint8_t *p = v->strings;

	ck_assert_uint_eq(event_word(v, event, INTERVAL_EVENT_NAME), 0);
	while (event--)
		p += rec_string_bytes(get_le32(p));
	ck_assert_uint_eq(get_le32(p), strlen(name));
	ck_assert_int_eq(memcmp(p + 4, name, strlen(name)), 0);
}

/* Faults of the quality hook, the second to last but for the time. */
static uint64_t quality_faults(void)
{
	for (unsigned i = 0; i < group_records(); i++) {
		const struct record_view *v = group_record(i);
		unsigned word = CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES;

		if (v->major != CPI_MAJOR || (v->minor & CPI_MINOR_KIND) != CPI_MINOR_QUALITY)
			continue;
		ck_assert(v->word[CPI_QUALITY_KNOWN] & CPI_KNOWN_FAULTS);
		for (UINT32 bit = 1; bit < CPI_KNOWN_FAULTS; bit <<= 1)
			word += v->word[CPI_QUALITY_KNOWN] & bit ? CPI_QUALITY_LIFE_WORDS : 0;
		return (uint64_t)v->word[word] << 32 | v->word[word + 1];
	}
	ck_abort_msg("no quality hook");
}

/* ---------------------------------------------------------------------- what is counted */

/* refused: with the rights of root, and of a user at perf_event_paranoid 2. */
START_TEST(faults_agree_with_the_quality_hook)
{
	const struct record_view *v;
	void *h;

	refused = _i ? EACCES : 0;
	set_events("page-faults,minor-faults,page-faults:u");
	h = init(CPI_TYPE_TRACE_QUALITY);
	CpiStart(h);
	trace_interval(h);
	CpiStart(h);
	touch_fresh_pages(64);
	trace_interval(h);
	v = need_events(3);
	is_named(v, 0, "page-faults");
	is_named(v, 2, "page-faults:u");
	ck_assert_uint_ge(known_value(v, 0), 64);
	ck_assert_uint_ge(known_value(v, 1), 64);
	ck_assert_uint_ge(known_value(v, 2), 64);
	ck_assert_uint_eq(event_word(v, 0, INTERVAL_EVENT_FLAGS), INTERVAL_EVENT_KNOWN);
	/* In this order: the other one moves v on. */
	uint64_t value = known_value(v, 0);
	uint64_t quality = quality_faults();
	uint64_t apart = value > quality ? value - quality : quality - value;
	/* Pages may fault in between the two readings: of code, and of a sanitizer's runtime. */
	ck_assert_uint_le(apart, SANITIZED ? 16 : 4);
}
END_TEST

START_TEST(task_clock_is_the_thread_s)
{
	const struct record_view *v;
	uint64_t outer, inner;
	void *h;

	set_events("task-clock");
	h = init(0);
	outer = thread_time_ns();
	CpiStart(h);
	inner = thread_time_ns();
	sleep_ms(20);
	touch_fresh_pages(200);
	inner = thread_time_ns() - inner;
	trace_interval(h);
	outer = thread_time_ns() - outer;
	v = need_events(1);
	ck_assert_uint_ge(known_value(v, 0), inner);
	ck_assert_uint_le(known_value(v, 0), outer);
	ck_assert_uint_eq(event_count(v, 0, INTERVAL_EVENT_ENABLED), 0);
	ck_assert_uint_eq(event_count(v, 0, INTERVAL_EVENT_RUNNING), 0);
}
END_TEST

START_TEST(switches_are_counted_in_the_kernel_or_not_at_all)
{
	const struct record_view *v;
	void *h;

	refused = _i ? EACCES : 0;
	set_events("context-switches,cpu-migrations,context-switches:u");
	h = init(0);
	CpiStart(h);
	for (int i = 0; i < 5; i++)
		sleep_ms(2);
	trace_interval(h);
	v = need_events(3);
	if (refused || !may_count_in_the_kernel()) {
		is_unknown(v, 0);
		is_unknown(v, 1);
	} else {
		ck_assert_uint_ge(known_value(v, 0), 3);
		known_value(v, 1);
		ck_assert_uint_ne(event_count(v, 0, INTERVAL_EVENT_ENABLED), 0);
		ck_assert_uint_eq(event_count(v, 0, INTERVAL_EVENT_RUNNING),
			event_count(v, 0, INTERVAL_EVENT_ENABLED));
	}
	is_unknown(v, 2);
	ck_assert_uint_eq(event_word(v, 0, INTERVAL_EVENT_FLAGS) & INTERVAL_EVENT_USER_ONLY, 0);
}
END_TEST

/* alignment-faults is an event with no use for the kernel's part on most machines. */
START_TEST(user_mode_alone_is_said)
{
	const struct record_view *v;
	void *h;

	refused = EACCES;
	set_events("alignment-faults,alignment-faults:u");
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	v = need_events(2);
	ck_assert_uint_eq(event_word(v, 0, INTERVAL_EVENT_FLAGS),
		INTERVAL_EVENT_KNOWN | INTERVAL_EVENT_USER_ONLY);
	ck_assert_uint_eq(event_word(v, 1, INTERVAL_EVENT_FLAGS), INTERVAL_EVENT_KNOWN);
}
END_TEST

START_TEST(an_event_that_the_machine_lacks)
{
	const struct record_view *v;
	void *h;

	set_events("page-faults,nosuchpmu/event=1,umask=2/,cpu-clock");
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	v = need_events(3);
	known_value(v, 0);
	is_named(v, 1, "nosuchpmu/event=1,umask=2/");
	is_unknown(v, 1);
	known_value(v, 2);
}
END_TEST

START_TEST(eight_events)
{
	static const char list[] =
		"page-faults,minor-faults,major-faults,context-switches,cpu-migrations,"
		"task-clock,cpu-clock,alignment-faults";
	const struct record_view *v;
	void *h;

	set_events(list);
	h = init(CPI_TYPE_ALL | CPI_TYPE_TRACE_QUALITY);
	CpiStart(h);
	touch_fresh_pages(10);
	ck_assert_int_eq(
		CpiGetAndTrace(h, 3, CPI_TYPE_TRACE_EVERYTHING, "label", NULL), PU_SUCCESS);
	v = need_events(8);
	ck_assert_uint_ge(known_value(v, 0), 10);
	is_named(v, 7, "alignment-faults");
}
END_TEST

static const char nine_events[] =
	"page-faults,task-clock,cpu-clock,minor-faults,major-faults,context-switches,cpu-migrations,"
	"alignment-faults,emulation-faults";
static const char *const wrong[] = {"no-such-event", "page-faults,", ",page-faults",
	"page-faults,,task-clock", "{page-faults,task-clock}", "page-faults,page-faults",
	nine_events, "page-faults:x", "cpu/event=1", " "};

START_TEST(a_wrong_list_counts_nothing)
{
	void *h;

	set_events(wrong[_i]);
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	ck_assert_ptr_null(events_hook());
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(opened, closed);
}
END_TEST

/* --------------------------------------------------------------------- when it is counted */

START_TEST(nothing_is_opened_while_off)
{
	void *h;

	set_events("page-faults:u,task-clock");
	ring_double.on = false;
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	ck_assert_uint_eq(opened, 0);
	/* The start read nothing. */
	ring_double.on = true;
	trace_interval(h);
	ck_assert_ptr_null(events_hook());
	CpiStart(h);
	trace_interval(h);
	need_events(2);
	ck_assert_uint_gt(opened, closed);
	ring_double.on = false;
	CpiStart(h);
	ck_assert_uint_eq(opened, closed);
	ring_double.on = true;
	trace_interval(h);
	ck_assert_ptr_null(events_hook());
	CpiStart(h);
	trace_interval(h);
	need_events(2);
}
END_TEST

START_TEST(the_session_s_list)
{
	void *h;

	ring_double_renew("page-faults");
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	is_named(need_events(1), 0, "page-faults");
	/* An interval across the change has none. */
	CpiStart(h);
	ring_double_renew("task-clock,minor-faults");
	trace_interval(h);
	is_named(need_events(1), 0, "page-faults");
	CpiStart(h);
	trace_interval(h);
	is_named(need_events(2), 1, "minor-faults");
	CpiStart(h);
	ring_double_renew(NULL);
	CpiStart(h);
	trace_interval(h);
	ck_assert_ptr_null(events_hook());
	ck_assert_uint_eq(opened, closed);
	ring_double_renew("no-such-event");
	CpiStart(h);
	trace_interval(h);
	ck_assert_ptr_null(events_hook());
}
END_TEST

/* Most intervals of it are written from the image of the one before. */
static void *begin_loop(const char *events)
{
	use_counters("auto");
	set_events(events);
	ring_double.with_time = true;
	ring_double_hold(true);
	return init(0);
}

START_TEST(in_a_loop)
{
	void *h = begin_loop("page-faults,minor-faults");

	for (int n = 0; n < 100; n++) {
		const struct record_view *v;

		CpiStart(h);
		ck_assert_int_eq(
			CpiGetAndTrace(h, 3, CPI_TYPE_TRACE_SUMMARY, "loop", NULL), PU_SUCCESS);
		v = need_events(2);
		ck_assert_uint_eq(v->stamp, ring_double.stamped);
		is_named(v, 1, "minor-faults");
		ck_assert_uint_ge(group_records(), 4);
		ck_assert_uint_eq(group_record(0)->minor, CPI_MINOR_LABEL_START | 3);
	}
}
END_TEST

/* Two reads an interval, without the longer start that prepares a thread; the counts are right. */
START_TEST(most_intervals_of_a_loop_take_the_fast_path)
{
	enum { ROUNDS = 400, FRESH = 3 };
	const struct thread_group *g;
	void *h = begin_loop("minor-faults");

	CpiStart(h);
	g = thread_self()->group;
	if (!g || !g->page.is_open || !may_count_in_the_kernel()) {
		puts("skipped: most_intervals_of_a_loop_take_the_fast_path: the kernel grants no "
		     "page, or no counts of its own");
		return;
	}
	trace_interval(h);
	const uint32_t readied = ring_double.readied;
	reads = 0;
	for (unsigned n = 0; n < ROUNDS; n++) {
		const unsigned fresh = n % 4 ? 0 : FRESH;
		const struct record_view *v;

		CpiStart(h);
		if (fresh)
			touch_fresh_pages(fresh);
		trace_interval(h);
		v = need_events(1);
		is_named(v, 0, "minor-faults");
		ck_assert_uint_ge(known_value(v, 0), fresh);
		/* A sanitizer touches pages of its own for each. */
		if (!SANITIZED)
			ck_assert_uint_le(known_value(v, 0), fresh + 4);
	}
	/* Each group readies the thread once more for the events' names. */
	ck_assert_uint_lt(ring_double.readied - readied, ROUNDS + ROUNDS / 2);
	ck_assert_uint_ge(reads, 2 * ROUNDS);
	ck_assert_uint_lt(reads, 2 * ROUNDS + ROUNDS / 2);
}
END_TEST

static void has_names(uint32_t labels)
{
	const struct record_view *v = events_hook();

	ck_assert_ptr_nonnull(v);
	ck_assert_uint_eq(v->word[INTERVAL_EVENTS_WORD_TEXTS], 0);
	ck_assert_uint_eq(event_word(v, 0, INTERVAL_EVENT_NAME), labels + 'p' + 11);
	ck_assert_uint_eq(event_word(v, 1, INTERVAL_EVENT_NAME), labels + 't' + 10);
}

START_TEST(names_are_numbers_of_these_rings)
{
	static struct ring_map rings[2];
	void *h;

	ring_double_renew("page-faults,task-clock");
	h = init(0);
	for (uint32_t n = 0; n < 4; n++) {
		ring_double.labels = 1000 * (1 + n / 2);
		ring_self.map = &rings[n / 2];
		ring_double_renew("page-faults,task-clock");
		CpiStart(h);
		trace_interval(h);
		has_names(ring_double.labels);
		CpiStart(h);
		trace_interval(h);
		has_names(ring_double.labels);
	}
	ring_self.map = NULL;
}
END_TEST

START_TEST(the_program_s_list_is_the_one)
{
	setenv("SWTRACE_EVENTS", _i ? "" : "minor-faults", 1);
	ring_double_renew("page-faults");

	void *h = init(0);

	CpiStart(h);
	trace_interval(h);
	is_named(need_events(1), 0, _i ? "page-faults" : "minor-faults");
}
END_TEST

/* -------------------------------------------------------------------- threads and children */

static void *measure_in_thread(void *unused)
{
	void *h = init(0);

	(void)unused;
	CpiStart(h);
	touch_fresh_pages(20);
	trace_interval(h);
	ck_assert_uint_ge(known_value(need_events(1), 0), 20);
	return h;
}

static void *get_in_thread(void *h)
{
	trace_interval(h);
	return NULL;
}

START_TEST(threads_have_their_own)
{
	pthread_t t;
	void *h;

	set_events("page-faults:u");
	h = init(0);
	CpiStart(h);
	pthread_create(&t, NULL, measure_in_thread, NULL);
	pthread_join(t, NULL);
	/* The thread's are closed, this one's are not. */
	ck_assert_uint_eq(opened, closed + 1);
	trace_interval(h);
	need_events(1);
	pthread_create(&t, NULL, get_in_thread, h);
	pthread_join(t, NULL);
	ck_assert_ptr_null(events_hook());
}
END_TEST

START_TEST(a_child_starts_over)
{
	int status;
	void *h;

	set_events("page-faults");
	h = init(0);
	CpiStart(h);
	trace_interval(h);
	CpiStart(h);

	pid_t pid = fork();

	if (pid == 0) {
		/* Begun in the parent. */
		trace_interval(h);
		if (events_hook())
			_exit(1);
		CpiStart(h);
		touch_fresh_pages(30);
		trace_interval(h);
		_exit(known_value(need_events(1), 0) < 30);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	touch_fresh_pages(5);
	trace_interval(h);
	ck_assert_uint_ge(known_value(need_events(1), 0), 5);
}
END_TEST

START_TEST(groups_that_fit)
{
	const struct event_set *set;
	struct event_groups *g;
	char why[EVENT_WHY_MAX];
	struct event_reading r;

	set = event_set_of("page-faults:u,minor-faults:u,task-clock,cpu-clock,alignment-faults:u,"
			   "nosuchpmu/x/,emulation-faults:u",
		why);
	ck_assert_ptr_nonnull(set);
	group_limit = _i == 0 ? 0 : (unsigned)_i;
	opened = closed = 0;
	g = event_groups_open(set);
	ck_assert_uint_eq(g->groups, _i == 0 ? 1 : (5 + _i - 1) / _i);
	event_groups_read(g, &r);
	for (unsigned i = 0; i < set->count; i++)
		ck_assert((r.count[i] == NOT_MEASURED) == (i == 2 || i == 5));
	event_groups_close(g, false);
	ck_assert_uint_eq(opened, closed);
}
END_TEST

START_TEST(shared_counters_are_scaled)
{
	struct event_reading from = {.opening = 1}, to = {.opening = 1};
	struct event_count c;

	from.group_of[1] = EVENT_NO_GROUP;
	to.count[0] = 1000, to.enabled[0] = 400, to.running[0] = 100;
	from.count[0] = 200;
	c = event_count_between(&from, &to, 0);
	ck_assert(c.known);
	ck_assert_uint_eq(c.value, 3200);
	ck_assert_uint_eq(c.enabled, 400);
	ck_assert_uint_eq(c.running, 100);
	/* Never on a counter, unread at one end, gone back. */
	from.running[0] = 100;
	ck_assert(!event_count_between(&from, &to, 0).known);
	from.running[0] = 0, from.count[0] = NOT_MEASURED;
	ck_assert(!event_count_between(&from, &to, 0).known);
	from.count[0] = 1001;
	ck_assert(!event_count_between(&from, &to, 0).known);
	/* No perf event's. */
	from.count[1] = 5, to.count[1] = 12;
	c = event_count_between(&from, &to, 1);
	ck_assert(c.known);
	ck_assert_uint_eq(c.value, 7);
}
END_TEST

/* An emulator of user programs may offer none. */
static bool opens_software_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1};
	int fd = perf_calls.open(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		perf_calls.close(fd);
	return fd >= 0;
}

Suite *events_suite(void)
{
	Suite *s = suite_create("events");
	TCase *t = tcase_create("events");

	tcase_add_checked_fixture(t, set_up, NULL);
	if (opens_software_events()) {
		tcase_add_loop_test(t, faults_agree_with_the_quality_hook, 0, 2);
		tcase_add_test(t, user_mode_alone_is_said);
		tcase_add_test(t, an_event_that_the_machine_lacks);
		tcase_add_test(t, nothing_is_opened_while_off);
		tcase_add_test(t, threads_have_their_own);
		tcase_add_loop_test(t, groups_that_fit, 0, 4);
	} else {
		puts("skipped: events that are opened: no software event can be opened here");
	}
	tcase_add_test(t, task_clock_is_the_thread_s);
	tcase_add_loop_test(t, switches_are_counted_in_the_kernel_or_not_at_all, 0, 2);
	tcase_add_test(t, eight_events);
	tcase_add_loop_test(t, a_wrong_list_counts_nothing, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(t, the_session_s_list);
	tcase_add_test(t, names_are_numbers_of_these_rings);
	tcase_add_test(t, in_a_loop);
	tcase_add_test(t, most_intervals_of_a_loop_take_the_fast_path);
	tcase_add_loop_test(t, the_program_s_list_is_the_one, 0, 2);
	tcase_add_test(t, a_child_starts_over);
	tcase_add_test(t, shared_counters_are_scaled);
	suite_add_tcase(s, t);
	return s;
}
