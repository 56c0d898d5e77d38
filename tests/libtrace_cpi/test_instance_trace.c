/* The hooks that a Get writes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/cpi_hooks.h"
#include "double.h"
#include "fake_pmu.h"
#include "instances.h"
#include "suites.h"

static const struct {
	UINT32 mode;
	unsigned hooks; /* of a CpiGet */
} gets[] = {
	{0, 0},
	{CPI_TYPE_RAW, 0},
	{CPI_TYPE_TRACE_SUMMARY, 0},
	{CPI_TYPE_TRACE_EVERYTHING, 0},
	{CPI_TYPE_TRACE_ON_GET, 1},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_SUMMARY, 1},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_DETAILED, 2},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_DETAILED | CPI_TYPE_ONTHREAD, 3},
	{CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_ONLY_ON_GET, 1},
	{CPI_TYPE_TRACE_ONLY_ON_GET | CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_ONLY_ON_GET | CPI_TYPE_TRACE_ON_GET, 1},
	{CPI_TYPE_ALL, 4},
	{CPI_TYPE_TRACE_QUALITY, 0},
	{CPI_TYPE_TRACE_QUALITY | CPI_TYPE_TRACE_ON_GET, 3},
	{CPI_TYPE_TRACE_QUALITY | CPI_TYPE_TRACE_ONLY_ON_GET | CPI_TYPE_TRACE_DETAILED, 4},
	{CPI_TYPE_TRACE_QUALITY | CPI_TYPE_ALL, 6},
};

START_TEST(trace_on_get)
{
	const CPI_DATA *d = (const CPI_DATA *)&d;
	bool only = gets[_i].mode & CPI_TYPE_TRACE_ONLY_ON_GET;
	unsigned hooks = gets[_i].hooks;
	void *h;

	if (hooks && !(gets[_i].mode & CPI_TYPE_TRACE_QUALITY))
		hooks += time_hooks(gets[_i].mode);

	use_counters("software");
	h = init(gets[_i].mode);
	ck_assert_uint_eq(CpiGetCurrentMode(h), gets[_i].mode | CPI_TYPE_RAW);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert((d == (const CPI_DATA *)&d) == only);
	ck_assert_uint_eq(group_records(), hooks);
	if (gets[_i].hooks)
		ck_assert_uint_eq(group_record(0)->minor & 0xFF, CPI_TRACE_DEFAULT_MINOR);
	if (gets[_i].mode & CPI_TYPE_TRACE_SUMMARY && gets[_i].hooks && !only)
		ck_assert_uint_eq(d->elapsed_cycles,
			(UINT64)group_record(0)->word[2] << 32 | group_record(0)->word[3]);
	if (only)
		ck_assert_int_eq(CpiGet(h, NULL), PU_SUCCESS);
}
END_TEST

static const struct {
	UINT32 mode, flags;
	unsigned hooks;
} get_and_traces[] = {
	{0, 0, 1},
	{0, CPI_TYPE_TRACE_SUMMARY, 1},
	{0, CPI_TYPE_TRACE_DETAILED, 2},
	{0, CPI_TYPE_TRACE_EVERYTHING, 3},
	{CPI_TYPE_TRACE_SUMMARY, 0, 1},
	{CPI_TYPE_TRACE_SUMMARY, CPI_TYPE_TRACE_DETAILED, 3},
	{CPI_TYPE_TRACE_DETAILED, 0, 2},
	{CPI_TYPE_TRACE_DETAILED, CPI_TYPE_TRACE_SUMMARY, 3},
	/* these say nothing here */
	{0, CPI_TYPE_ONTHREAD | CPI_TYPE_SCALED, 1},
	{CPI_TYPE_TRACE_ONLY_ON_GET, 0, 1},
	{CPI_TYPE_ONTHREAD, CPI_TYPE_ALL, 4},
	{0, CPI_TYPE_TRACE_QUALITY, 2},
	/* and the time hook */
	{CPI_TYPE_TRACE_QUALITY, 0, 3},
	{CPI_TYPE_TRACE_QUALITY, CPI_TYPE_TRACE_DETAILED, 4},
	{CPI_TYPE_TRACE_DETAILED, CPI_TYPE_TRACE_QUALITY, 3},
	{CPI_TYPE_ONTHREAD, CPI_TYPE_ALL | CPI_TYPE_TRACE_QUALITY, 5},
};

START_TEST(trace_types)
{
	const CPI_DATA *d = NULL;
	void *h;

	use_counters("software");
	h = init(get_and_traces[_i].mode);
	ck_assert_int_eq(CpiSetTraceHookId(h, 9, "not mine"), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 0xFF, get_and_traces[_i].flags, NULL, &d), PU_SUCCESS);
	ck_assert_uint_eq(
		group_records(), get_and_traces[_i].hooks + time_hooks(get_and_traces[_i].mode));
	ck_assert_uint_eq(group_record(0)->minor & 0xFF, 0xFF);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
}
END_TEST

START_TEST(hook_id)
{
	char label[] = "mine";
	const CPI_DATA *d;
	void *h;

	use_counters("software");
	h = init(CPI_TYPE_TRACE_ON_GET);
	ck_assert_int_eq(CpiSetTraceHookId(h, 0, label), PU_SUCCESS);
	label[0] = 'x';
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 3);
	ck_assert_uint_eq(group_record(0)->minor, 0);
	ck_assert(memcmp(group_record(0)->string, "mine", 4) == 0);
	ck_assert_uint_eq(group_record(2)->minor, 0xF0000000);
	ck_assert_int_eq(CpiSetTraceHookId(h, -1, "bad"), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(memcmp(group_record(0)->string, "mine", 4) == 0);
	ck_assert_int_eq(CpiSetTraceHookId(h, 0x42, NULL), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(group_record(0)->minor, 0x10000042);
}
END_TEST

START_TEST(tracing_off)
{
	const CPI_DATA *d = NULL;
	void *h;

	use_counters("software");
	ring_double.on = false;
	h = init(CPI_TYPE_ALL & ~CPI_TYPE_TRACE_ONLY_ON_GET);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", &d), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", NULL), PU_SUCCESS);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

static const int losses[] = {PU_ERROR_BUFFER_FULL, PU_ERROR_NO_BUFFER, PU_ERROR_HOOK_TOO_LONG};

START_TEST(lost_hooks)
{
	const CPI_DATA *d = NULL;
	void *h;

	use_counters("software");
	h = init(CPI_TYPE_TRACE_ON_GET);
	ring_double.rc = losses[_i];
	ck_assert_int_eq(CpiGet(h, &d), losses[_i]);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	d = NULL;
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "x", &d), losses[_i]);
	ck_assert_ptr_nonnull(d);
}
END_TEST

START_TEST(long_label)
{
	char *label = malloc(3 << 20);
	const CPI_DATA *d = NULL;
	void *h;

	memset(label, 'l', 3 << 20);
	label[(3 << 20) - 1] = 0;
	use_counters("software");
	h = init(0);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, label, &d), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	free(label);
}
END_TEST

/* ------------------------------------------------------- with and without counters read */

enum { HOOKS = 5, WORDS = 40 };

struct copied {
	unsigned hooks;
	uint32_t minor[HOOKS], nwords[HOOKS], word[HOOKS][WORDS];
};

static void copy_group(struct copied *c)
{
	memset(c, 0, sizeof *c);
	c->hooks = group_records();
	ck_assert_uint_le(c->hooks, HOOKS);
	for (unsigned n = 0; n < c->hooks; n++) {
		const struct record_view *v = group_record(n);

		ck_assert_uint_le(v->nwords, WORDS);
		c->minor[n] = v->minor;
		c->nwords[n] = v->nwords;
		memcpy(c->word[n], v->word, 4 * v->nwords);
	}
}

/* Zeroes the times, of which two Gets of an interval have two. */
static void drop_times(struct copied *c)
{
	unsigned activity = CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES;

	for (unsigned n = 0; n < c->hooks; n++) {
		/* elapsed, of a label or of another hook */
		memset(&c->word[n][c->nwords[n] == 2 ? 0 : 2], 0, 8);
		if ((c->minor[n] & CPI_MINOR_KIND) != CPI_MINOR_QUALITY)
			continue;
		for (unsigned q = 0; q < CPI_QUANTITIES; q++)
			memset(&c->word[n][CPI_QUALITY_FIRST + 1 + q * CPI_QUALITY_WORDS], 0, 16);
		memset(&c->word[n][activity], 0, 8);
		/* The one that returns data faults, perhaps. */
		memset(&c->word[n][c->nwords[n] - 2], 0, 8);
	}
}

static const UINT32 light_modes[] = {CPI_TYPE_RAW, CPI_TYPE_ONTHREAD, CPI_TYPE_TRACE_QUALITY,
	CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY};

/* A Get that returns no data of an interval without a switch reads no counters, and writes the
 * same. */
START_TEST(a_get_without_data_writes_the_same_hooks)
{
	struct copied without, with;
	const CPI_DATA *d;
	int same = 0;
	void *h;

	use_counters("auto");
	ring_double.with_time = true;
	h = init(light_modes[_i]);
	/* All but those with a switch, and the first of a millisecond, however many these are. */
	for (int i = 0; i < 20000 && same < 50; i++) {
		ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
		ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "same", NULL), PU_SUCCESS);
		copy_group(&without);
		ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "same", &d), PU_SUCCESS);
		copy_group(&with);
		drop_times(&without);
		drop_times(&with);
		same += memcmp(&without, &with, sizeof with) == 0;
	}
	ck_assert_int_eq(same, 50);
}
END_TEST

/* The first intervals of a mode are the samples; later ones report the cost found. */
START_TEST(own_cost_is_in_the_hooks)
{
	const struct record_view *time;
	unsigned told = 0;
	void *h;

	use_counters("auto");
	ring_double.with_time = true;
	h = init(CPI_TYPE_RAW);
	for (int i = 0; i < 40; i++) {
		ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
		ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, "same", NULL), PU_SUCCESS);
		time = group_record(group_records() - 1);
		if (time->major != INTERVAL_MAJOR || !(time->word[1] & INTERVAL_KNOWN_OWN_COST))
			continue;
		told++;
		ck_assert_int_ge(i, 16);
		/* The processor of the start stands behind it, where the thread moved. */
		const uint32_t *cost = &time->word[time->nwords - 2];
		cost -= time->word[1] & INTERVAL_KNOWN_START_CPU ? 1 : 0;
		ck_assert_uint_gt(cost[0], 0);
		ck_assert_uint_gt(cost[1], cost[0]);
	}
	/* Where the kernel shows switches. */
	if (time_hooks(CPI_TYPE_RAW))
		ck_assert_uint_ge(told, 20);
}
END_TEST

/* --------------------------------------------------------- counters while tracing is off */

/* Whether the last group has the thread's CPI, which ends its summary. */
static bool has_thread_cpi(void)
{
	const struct record_view *v = group_records() ? group_record(0) : NULL;

	ck_assert_ptr_nonnull(v);
	ck_assert_uint_eq(v->minor & CPI_MINOR_KIND, CPI_MINOR_SUMMARY);
	return v->word[v->nwords - 2] || v->word[v->nwords - 1];
}

static void start(void *h, bool on)
{
	ring_double.on = on;
	fake_pmu.control = 0;
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
}

static void trace_without_data(void *h)
{
	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_SUMMARY, NULL, NULL), PU_SUCCESS);
}

/* An instance on a machine with counters, after an interval whose caller took no data. */
static void *init_without_data(void)
{
	void *h;

	use_counters("auto");
	h = init(CPI_TYPE_ONTHREAD);
	start(h, true);
	trace_without_data(h);
	ck_assert(has_thread_cpi());
	return h;
}

START_TEST(counters_rest_while_off)
{
	void *h;

	fake_pmu_use();
	h = init_without_data();
	start(h, false);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_DISABLE);
	start(h, false);
	ck_assert_uint_eq(fake_pmu.control, 0);
	start(h, true);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_ENABLE);
	trace_without_data(h);
	ck_assert(has_thread_cpi());
	start(h, true);
	ck_assert_uint_eq(fake_pmu.control, 0);
}
END_TEST

/* No figure includes the time in which they did not count. */
START_TEST(no_interval_spans_a_rest)
{
	void *outer, *inner;

	fake_pmu_use();
	outer = init_without_data();
	inner = init_without_data();
	start(outer, true);
	start(inner, false);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_DISABLE);
	ring_double.on = true;
	trace_without_data(outer);
	ck_assert(!has_thread_cpi());
	start(inner, true);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_ENABLE);
	trace_without_data(outer);
	ck_assert(!has_thread_cpi());
	trace_without_data(inner);
	ck_assert(has_thread_cpi());
}
END_TEST

START_TEST(counters_continue_for_an_instance_that_reads_data)
{
	void *with, *without;
	const CPI_DATA *d;

	fake_pmu_use();
	without = init_without_data();
	with = init_without_data();
	ck_assert_int_eq(CpiGet(with, &d), PU_SUCCESS);
	start(with, false);
	start(without, false);
	ck_assert_uint_eq(fake_pmu.control, 0);
	ck_assert_int_eq(CpiGet(with, &d), PU_SUCCESS);
	ck_assert_double_eq_tol(d->thread_cpi, 0.5, 1e-9);
	ck_assert_int_eq(CpiTerminate(with), PU_SUCCESS);
	start(without, false);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_DISABLE);
	/* Its caller takes data from now on. */
	ck_assert_int_eq(CpiGet(without, &d), PU_SUCCESS);
	start(without, false);
	ck_assert_uint_eq(fake_pmu.control, PERF_EVENT_IOC_ENABLE);
	ck_assert_int_eq(CpiGet(without, &d), PU_SUCCESS);
	ck_assert_double_eq_tol(d->thread_cpi, 0.5, 1e-9);
}
END_TEST

Suite *instance_trace_suite(void)
{
	return SUITE("instance trace", .timeout = 60,
		TESTS(hook_id, tracing_off, long_label, own_cost_is_in_the_hooks,
			counters_rest_while_off, no_interval_spans_a_rest,
			counters_continue_for_an_instance_that_reads_data),
		LOOPS({trace_on_get, 0, sizeof gets / sizeof *gets},
			{trace_types, 0, sizeof get_and_traces / sizeof *get_and_traces},
			{lost_hooks, 0, 3},
			{a_get_without_data_writes_the_same_hooks, 0,
				sizeof light_modes / sizeof *light_modes}));
}
