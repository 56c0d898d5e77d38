/* The quality hook, as instances write it. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "../../formats/cpi_hooks.h"
#include "double.h"
#include "instances.h"
#include "suites.h"

/* The last of the CPI hooks in the last group. */
static const struct record_view *last_hook(unsigned hooks)
{
	ck_assert_uint_eq(group_records(), hooks);
	return group_record(hooks - 1);
}

/* The hook behind it says where the thread's time comes from, if that was read. */
static const struct record_view *quality_hook(unsigned hooks, unsigned time_hooks)
{
	const struct record_view *v;

	ck_assert_uint_eq(group_records(), hooks + time_hooks);
	if (time_hooks)
		ck_assert_uint_eq(group_record(hooks)->major, INTERVAL_MAJOR);
	v = group_record(hooks - 1);

	ck_assert_uint_eq(v->minor & CPI_MINOR_KIND, CPI_MINOR_QUALITY);
	ck_assert_uint_eq(v->word[CPI_QUALITY_QUANTITIES], CPI_QUANTITIES);
	return v;
}

static UINT64 count_at(const struct record_view *v, unsigned word)
{
	ck_assert_uint_lt(word + 1, v->nwords);
	return (UINT64)v->word[word] << 32 | v->word[word + 1];
}

/* A figure of the thread by its bit, which must be known. */
static UINT64 figure(const struct record_view *v, UINT32 bit)
{
	UINT32 known = v->word[CPI_QUALITY_KNOWN];
	unsigned word = CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES;

	ck_assert_uint_ne(known & bit, 0);
	for (UINT32 b = 1; b < bit; b <<= 1)
		word += known & b ? CPI_QUALITY_LIFE_WORDS : 0;
	return count_at(v, word);
}

static const UINT32 modes[] = {CPI_TYPE_TRACE_QUALITY, CPI_TYPE_TRACE_QUALITY | CPI_TYPE_SCALED,
	CPI_TYPE_TRACE_QUALITY | CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD};

static const char *const sources[] = {"software", "none", "auto"};

START_TEST(a_thread_that_sleeps)
{
	const struct record_view *v;
	const CPI_DATA *d;
	void *h;

	use_counters(sources[_i / 3]);
	h = init(modes[_i % 3]);
	ck_assert_uint_eq(CpiGetCurrentMode(h), modes[_i % 3] | CPI_TYPE_RAW);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	for (int i = 0; i < 5; i++) /* two to spare, as in test_activity.c */
		sleep_ms(5);
	ck_assert_int_eq(CpiGetAndTrace(h, 7, 0, NULL, &d), PU_SUCCESS);
	v = quality_hook(2, 1);
	ck_assert_uint_eq(v->minor & 0xFF, 7);
	ck_assert_uint_eq(count_at(v, CPI_QUALITY_ELAPSED), d->elapsed_cycles);
	ck_assert_uint_ge(figure(v, CPI_KNOWN_SWITCHES), 3);
	ck_assert(CyclesToMilliseconds(0, (double)d->elapsed_cycles) -
			  (double)figure(v, CPI_KNOWN_ON_CPU) / 1e6 >=
		  14.5);
	figure(v, CPI_KNOWN_FAULTS);
}
END_TEST

/* Reports the counts' quality; the thread's was not read at the start. */
START_TEST(asked_for_at_the_end_only)
{
	const struct record_view *v;
	void *h;

	use_script("cycles 3000000\ncpi all 1.5\nbusy all 40%\n");
	h = init(CPI_TYPE_SCALED);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 7, CPI_TYPE_TRACE_QUALITY, NULL, NULL), PU_SUCCESS);
	v = quality_hook(2, 0);
	ck_assert_uint_eq(v->word[CPI_QUALITY_KNOWN], 0);
	ck_assert_uint_eq(v->nwords, CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES);
	ck_assert_uint_eq(v->word[CPI_QUALITY_FIRST], CPI_SOURCE_SCRIPT);
	ck_assert_uint_eq(v->word[CPI_QUALITY_FIRST + CPI_QUALITY_WORDS], CPI_SOURCE_SCRIPT);
	ck_assert_uint_eq(v->word[CPI_QUALITY_FIRST + 2 * CPI_QUALITY_WORDS], CPI_SOURCE_NONE);
	ck_assert_int_eq(CpiGetAndTrace(h, 7, 0, NULL, NULL), PU_SUCCESS);
	ck_assert_uint_eq(last_hook(1)->minor, CPI_MINOR_SUMMARY | 7);
}
END_TEST

static void *get_there(void *h)
{
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
	return NULL;
}

START_TEST(another_thread_gets)
{
	pthread_t t;
	void *h;

	use_counters("software");
	h = init(CPI_TYPE_TRACE_QUALITY | CPI_TYPE_SCALED);
	pthread_create(&t, NULL, get_there, h);
	pthread_join(t, NULL);
	ck_assert_uint_eq(quality_hook(2, 0)->word[CPI_QUALITY_KNOWN], 0);
}
END_TEST

START_TEST(labels_surround_it)
{
	void *h;

	use_counters("software");
	h = init(CPI_TYPE_TRACE_QUALITY | CPI_TYPE_TRACE_DETAILED);
	ck_assert_int_eq(CpiGetAndTrace(h, 3, 0, "l", NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 6);
	ck_assert_uint_eq(group_record(3)->minor, CPI_MINOR_QUALITY | 3);
	ck_assert_uint_eq(group_record(4)->minor, CPI_MINOR_LABEL_END | 3);
	ck_assert_uint_eq(group_record(5)->major, INTERVAL_MAJOR);
	ck_assert_uint_eq(group_record(5)->minor, INTERVAL_MINOR_TIME | 3);
}
END_TEST

START_TEST(never_unasked)
{
	const CPI_DATA *d;
	void *h;

	use_counters("software");
	h = init(CPI_TYPE_ALL & ~CPI_TYPE_TRACE_ONLY_ON_GET);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 4 + time_hooks(CPI_TYPE_ALL));
	ck_assert_uint_eq(group_record(3)->minor & CPI_MINOR_KIND, CPI_MINOR_THREAD);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_ALL, NULL, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 4 + time_hooks(CPI_TYPE_ALL));
	ck_assert_uint_eq(group_record(3)->minor & CPI_MINOR_KIND, CPI_MINOR_THREAD);
}
END_TEST

Suite *instance_quality_suite(void)
{
	return SUITE("instance quality", .timeout = 60,
		TESTS(asked_for_at_the_end_only, another_thread_gets, labels_surround_it,
			never_unasked),
		LOOPS({a_thread_that_sleeps, 0, 9}));
}
