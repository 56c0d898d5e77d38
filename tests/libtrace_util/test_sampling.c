/* When samples are due, by a clock that this test turns. */
#include <string.h>

#include "../../include/perfutil.h"
#include "../../libtrace/measure/util/sampling.h"
#include "double.h"
#include "instances.h"
#include "util_suites.h"

#define MS UINT64_C(1000000)

static uint64_t time_now;
static uint64_t due[100];
static unsigned waits;

static uint64_t now(void)
{
	return time_now;
}

/* Wakes up a little late, as sleepers do. */
static void wait_until(uint64_t until)
{
	due[waits++] = until;
	if (until > time_now)
		time_now = until;
	time_now += 50000;
}

static void set_up(void)
{
	sampling_calls = (struct sampling_calls){now, wait_until};
	time_now = 123456789;
	use_script("cycles 1000\nbusy all 40%\nswitches all 3\n");
}

static const struct {
	uint64_t n, now, next;
} nexts[] = {
	{1, 1000, 2},
	{1, 1099, 2},
	{1, 1100, 2}, /* just as it was due */
	{1, 1199, 2},
	{1, 1200, 3}, /* the second is due this moment: too late to wait for */
	{1, 1299, 3},
	{1, 1300, 4},
	{7, 1000, 8},
	{7, 0, 8}, /* a clock that went back */
	{7, 99999, 990},
};

START_TEST(the_next_sample_is_a_multiple_of_the_period)
{
	ck_assert_uint_eq(sampling_next(1000, 100, nexts[_i].n, nexts[_i].now), nexts[_i].next);
}
END_TEST

struct context {
	unsigned calls, last;
	uint64_t takes; /* ns, of the third call */
	int answer;
	UINT32 switches;
};

static int sampled(const CPUUTIL_DATA *d, void *context)
{
	struct context *c = context;

	c->calls++;
	c->switches += d->cpu_disp_cnt[0];
	ck_assert_double_eq_tol(d->sys_busy, 40, 1e-9);
	if (c->calls == 3)
		time_now += c->takes;
	return c->calls == c->last ? c->answer : 0;
}

static void sample(UINT32 period, struct context *c)
{
	void *h;

	ck_assert_int_eq(CpuUtilInit(CPUUTIL_TRACE_SUMMARY, &h), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilSample(h, period, sampled, c), c->answer);
	ck_assert_uint_eq(c->calls, c->last);
	/* Each since the one before. */
	ck_assert_uint_eq(c->switches, 3 * c->last);
	ck_assert_uint_eq(ring_double.reservations, c->last);
	ck_assert_int_eq(CpuUtilTerminate(h), PU_SUCCESS);
}

START_TEST(no_drift)
{
	struct context c = {.last = 50, .answer = 42};
	uint64_t begun = time_now;

	sample(20, &c);
	for (unsigned i = 0; i < 50; i++)
		ck_assert_uint_eq(due[i], begun + (i + 1) * 20 * MS);
}
END_TEST

START_TEST(default_period)
{
	struct context c = {.last = 2, .answer = -7};
	uint64_t begun = time_now;

	sample(0, &c);
	ck_assert_uint_eq(due[1], begun + UINT64_C(2) * CPUUTIL_DEFAULT_PERIOD_MS * MS);
}
END_TEST

/* A callback that takes 3.5 periods: two samples are left out, the others come when due. */
START_TEST(a_late_callback_skips_samples)
{
	struct context c = {.last = 5, .answer = 1, .takes = 70 * MS};
	uint64_t begun = time_now;

	sample(20, &c);
	ck_assert_uint_eq(due[2], begun + 60 * MS);
	ck_assert_uint_eq(due[3], begun + 140 * MS);
	ck_assert_uint_eq(due[4], begun + 160 * MS);
}
END_TEST

START_TEST(longest_period)
{
	struct context c = {.last = 1, .answer = 1};
	uint64_t begun = time_now;

	sample(UINT32_MAX, &c);
	ck_assert_uint_eq(due[0], begun + UINT32_MAX * MS);
}
END_TEST

/* Where one interval ends, the next begins: in the trace too. */
static uint64_t last_stamp;

static int check_order(const CPUUTIL_DATA *d, void *context)
{
	unsigned *calls = context;

	if (*calls > 0)
		ck_assert_uint_eq(ring_double.stamped - d->elapsed_cycles, last_stamp);
	last_stamp = ring_double.stamped;
	return ++*calls == 5;
}

START_TEST(intervals_abut)
{
	unsigned calls = 0;
	void *h;

	ck_assert_int_eq(CpuUtilInit(CPUUTIL_TRACE_SUMMARY, &h), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilSample(h, 20, check_order, &calls), 1);
	ck_assert_uint_eq(calls, 5);
}
END_TEST

Suite *sampling_suite(void)
{
	return SUITE("sampling", .set_up = set_up,
		TESTS(no_drift, default_period, a_late_callback_skips_samples, longest_period,
			intervals_abut),
		LOOPS({the_next_sample_is_a_multiple_of_the_period, 0,
			sizeof nexts / sizeof *nexts}));
}
