/* Intervals in a loop, which take the fast path, and events that leave it. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../include/swtrace.h"
#include "../../libtrace/counters/thread/thread.h"
#include "../../libtrace/measure/scope/typical.h"
#include "double.h"
#include "fake_pmu.h"
#include "instances.h"
#include "suites.h"

enum { ROUNDS = 200, MINOR = 7 };

static const UINT32 modes[] = {
	CPI_TYPE_RAW, CPI_TYPE_ONTHREAD, CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY};

static void tear_down(void)
{
	ring_double_hold(false);
}

static uint64_t elapsed_at(const UINT32 *word)
{
	return (uint64_t)word[0] << 32 | word[1];
}

static void end(void *h, int minor, const char *label)
{
	ck_assert_int_eq(CpiGetAndTrace(h, minor, CPI_TYPE_TRACE_SUMMARY, label, NULL), PU_SUCCESS);
}

/* Checks that the group has the hooks of this label, minor and mode, all with the same time. */
static void is_complete(UINT32 mode, uint32_t minor, const char *label, unsigned more)
{
	const unsigned quality = mode & CPI_TYPE_TRACE_QUALITY ? 1 : 0, last = 3 + quality;
	uint64_t elapsed;

	ck_assert_uint_eq(group_records(), last + 1 + more);
	ck_assert_uint_eq(group_record(0)->minor, CPI_MINOR_LABEL_START | minor);
	ck_assert_uint_eq(group_record(0)->length, strlen(label));
	ck_assert_mem_eq(group_record(0)->string, label, strlen(label));
	elapsed = elapsed_at(group_record(0)->word);
	ck_assert_uint_eq(group_record(1)->minor, CPI_MINOR_SUMMARY | minor);
	ck_assert_uint_eq(elapsed_at(group_record(1)->word + CPI_SUMMARY_ELAPSED), elapsed);
	if (quality) {
		ck_assert_uint_eq(group_record(2)->minor, CPI_MINOR_QUALITY | minor);
		ck_assert_uint_eq(elapsed_at(group_record(2)->word + CPI_QUALITY_ELAPSED), elapsed);
	}
	ck_assert_uint_eq(group_record(last - 1)->minor, CPI_MINOR_LABEL_END | minor);
	ck_assert_uint_eq(group_record(last)->minor, INTERVAL_MINOR_TIME | minor);
	ck_assert_uint_eq(
		elapsed_at(group_record(last)->word + INTERVAL_TIME_WORD_ELAPSED), elapsed);
}

static void run_loop(void *h, UINT32 mode)
{
	for (int n = 0; n < ROUNDS; n++) {
		CpiStart(h);
		end(h, MINOR, "loop");
		if (n % 10 == 0)
			is_complete(mode, MINOR, "loop", 0);
	}
}

/* NULL: skip, because the groups would differ. */
static void *begin_loop(UINT32 mode, const char *test)
{
	const struct thread_group *g;
	void *h;

	use_counters("auto");
	ring_double.with_time = true;
	ring_double_hold(true);
	h = init(mode);
	CpiStart(h);
	g = thread_self()->group;
	if (!g || !g->page.is_open || (mode & CPI_TYPE_TRACE_QUALITY && !g->page.has_faults)) {
		printf("skipped: %s: the kernel grants no page\n", test);
		return NULL;
	}
	run_loop(h, mode);
	return h;
}

START_TEST(most_starts_are_usual)
{
	const UINT32 mode = modes[_i];
	void *h = begin_loop(mode, __func__);
	const uint32_t readied = ring_double.readied;

	if (!h)
		return;
	run_loop(h, mode);
	ck_assert_uint_lt(ring_double.readied - readied, ROUNDS);
}
END_TEST

/* The figures of quality, in the order of their bits. */
static uint64_t quality_figure(uint32_t bit)
{
	const UINT32 *word = group_record(2)->word, *p;

	ck_assert_uint_ne(word[CPI_QUALITY_KNOWN] & bit, 0);
	p = word + CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES;
	for (uint32_t before = 1; before < bit; before <<= 1)
		p += word[CPI_QUALITY_KNOWN] & before ? CPI_QUALITY_LIFE_WORDS : 0;
	return elapsed_at(p);
}

START_TEST(a_sleep_is_detected_by_its_switch)
{
	const UINT32 mode = modes[_i];
	void *h = begin_loop(mode, __func__);
	uint64_t elapsed;

	for (int n = 0; h && n < 3; n++) {
		CpiStart(h);
		sleep_ms(1);
		end(h, MINOR, "loop");
		is_complete(mode, MINOR, "loop", 0);
		elapsed = elapsed_at(group_record(0)->word);
		if (mode & CPI_TYPE_TRACE_QUALITY) {
			ck_assert_uint_ge(quality_figure(CPI_KNOWN_SWITCHES), 1);
			ck_assert_uint_gt(elapsed, 0);
		} else {
			const UINT32 *time = group_record(3)->word;

			ck_assert_uint_ne(
				time[INTERVAL_TIME_WORD_KNOWN] & INTERVAL_KNOWN_ON_CPU, 0);
		}
		/* The next intervals are as before. */
		run_loop(h, mode);
	}
}
END_TEST

START_TEST(a_changed_interval_is_written)
{
	const UINT32 mode = modes[_i];
	void *h = begin_loop(mode, __func__);
	const CPI_DATA *d = NULL;
	char label[] = "loop";

	if (!h)
		return;
	CpiStart(h);
	end(h, MINOR + 1, label);
	is_complete(mode, MINOR + 1, "loop", 0);
	run_loop(h, mode);
	/* At the same address. */
	label[0] = 'h';
	CpiStart(h);
	end(h, MINOR, label);
	is_complete(mode, MINOR, "hoop", 0);
	CpiStart(h);
	ck_assert_int_eq(CpiArg(h, SWT_U64("size", 4711)), PU_SUCCESS);
	end(h, MINOR, "loop");
	is_complete(mode, MINOR, "loop", 1);
	run_loop(h, mode);
	CpiStart(h);
	ck_assert_int_eq(CpiGetAndTrace(h, MINOR, CPI_TYPE_TRACE_SUMMARY, "loop", &d), PU_SUCCESS);
	is_complete(mode, MINOR, "loop", 0);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->elapsed_cycles, elapsed_at(group_record(0)->word));
	ck_assert_int_eq(
		CpiGetAndTrace(h, MINOR, CPI_TYPE_TRACE_DETAILED, "loop", NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_record(1)->minor, CPI_MINOR_SYSTEM | MINOR);
	ck_assert_int_eq(
		CpiGetAndTrace(h, MINOR, 1u << 31, "loop", NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpiGetAndTrace(h, 256, CPI_TYPE_TRACE_SUMMARY, "loop", NULL),
		PU_ERROR_INVALID_PARAMETER);
}
END_TEST

START_TEST(tracing_that_is_off_writes_nothing)
{
	const UINT32 mode = modes[_i];
	void *h = begin_loop(mode, __func__);

	if (!h)
		return;
	CpiStart(h);
	ring_double.size = 0;
	ring_double.on = false;
	ring_double_hold(false);
	end(h, MINOR, "loop");
	ck_assert_uint_eq(ring_double.size, 0);
	CpiStart(h);
	end(h, MINOR, "loop");
	ck_assert_uint_eq(ring_double.size, 0);
	CpiStart(h);
	ring_double.on = true;
	ring_double_hold(true);
	/* It began with the clock alone. */
	end(h, MINOR, "loop");
	ck_assert_uint_eq(group_record(0)->minor, CPI_MINOR_LABEL_START | MINOR);
	run_loop(h, mode);
}
END_TEST

static void *end_there(void *h)
{
	end(h, MINOR, "loop");
	return NULL;
}

/* The other thread's activity in it and the processor where it began are unknown. */
START_TEST(another_thread_ends_it)
{
	void *h = begin_loop(CPI_TYPE_RAW, __func__);
	pthread_t t;

	if (!h)
		return;
	CpiStart(h);
	ck_assert_int_eq(pthread_create(&t, NULL, end_there, h), 0);
	pthread_join(t, NULL);
	ck_assert_uint_eq(group_records(), 3);
	run_loop(h, CPI_TYPE_RAW);
}
END_TEST

static void has_thread_cpi(uint32_t whole, uint32_t fraction)
{
	const struct record_view *summary = group_record(1);

	ck_assert_uint_eq(summary->minor, CPI_MINOR_SUMMARY | MINOR);
	ck_assert_uint_eq(summary->word[summary->nwords - 2], whole);
	ck_assert_uint_eq(summary->word[summary->nwords - 1], fraction);
}

static void measure(void *h, const char *label, uint32_t whole, uint32_t fraction)
{
	CpiStart(h);
	end(h, MINOR, label);
	has_thread_cpi(whole, fraction);
}

/* On a machine with counters: what they counted is of the interval alone, on whichever path it
 * starts and ends. The counts jump before some starts. */
START_TEST(counts_are_of_one_interval)
{
	void *h;

	fake_pmu_use();
	fake_pmu.user_read = fake_pmu.switch_pages = true;
	fake_pmu.cpu_errno = EACCES;
	h = begin_loop(CPI_TYPE_ONTHREAD, __func__);
	if (!h)
		return;
	has_thread_cpi(0, 5000);
	fake_pmu.reads = 0;
	for (uint32_t n = 1; n <= 6; n++) {
		fake_pmu.count[PERF_CYCLES] = 1000 * n;
		measure(h, n % 3 == 0 ? "another label" : "loop", n, 0);
		measure(h, "loop", n, 0);
	}
	ck_assert_uint_eq(fake_pmu.reads, 0);
}
END_TEST

/* The times are halfway between two readings of the clock. */
START_TEST(a_coarse_clock_does_not_round_the_cost)
{
	uint32_t sample[16];

	for (unsigned n = 0; n < 16; n++)
		sample[n] = n % 2 ? 52 : 26;
	sample[3] = 1000000;
	sample[4] = 0;
	ck_assert_uint_eq(typical_of(sample, 16), 39);
}
END_TEST

Suite *instance_loop_suite(void)
{
	const int all = sizeof modes / sizeof *modes;

	return SUITE("intervals in a loop", .timeout = 120, .tear_down = tear_down,
		TESTS(another_thread_ends_it, counts_are_of_one_interval,
			a_coarse_clock_does_not_round_the_cost),
		LOOPS({most_starts_are_usual, 0, all}, {a_sleep_is_detected_by_its_switch, 0, all},
			{a_changed_interval_is_written, 0, all},
			{tracing_that_is_off_writes_nothing, 0, all}));
}
