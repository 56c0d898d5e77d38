/* The figures that a Get returns. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/session.h"
#include "double.h"
#include "instances.h"
#include "suites.h"

START_TEST(software_counts_have_busy_but_no_cpi)
{
	const CPI_DATA *d;
	void *h;

	use_counters("software");
	h = init(7);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_SOFTWARE);
	ck_assert_uint_eq(ring_double.source_flags & 5, 0);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	sleep_ms(60);
	errno = 77;
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_int_eq(errno, 77);
	ck_assert_int_eq(d->num_cpus, GetActiveProcessorCount());
	ck_assert_uint_eq(d->tid, (UINT32)gettid());
	ck_assert(CyclesToMilliseconds(0, (double)d->elapsed_cycles) >= 59);
	ck_assert(isnan(d->raw_sys_cpi) && isnan(d->scaled_sys_cpi) && isnan(d->thread_cpi));
	ck_assert(d->sys_busy >= 0 && d->sys_busy <= 100);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		ck_assert(isnan(d->raw_cpi[cpu]) && isnan(d->scaled_cpi[cpu]));
	for (int cpu = d->num_cpus; cpu < MAX_CPUS; cpu++)
		ck_assert(isnan(d->cpu_busy[cpu]));
}
END_TEST

/* The second Get is from the same start. */
START_TEST(interval_goes_on)
{
	const CPI_DATA *d;
	UINT64 first;
	void *h;

	use_counters("software");
	h = init(1);
	sleep_ms(2);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS); /* since CpiInit */
	first = d->elapsed_cycles;
	ck_assert(CyclesToMilliseconds(0, (double)first) >= 2);
	sleep_ms(2);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert_uint_gt(d->elapsed_cycles, first);
	ck_assert(isnan(d->sys_busy)); /* not asked for */
}
END_TEST

START_TEST(without_a_source_only_elapsed_cycles_are_measured)
{
	const CPI_DATA *d;
	void *h;

	use_counters("none");
	h = init(7);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_NONE);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_EVERYTHING, NULL, &d), PU_SUCCESS);
	ck_assert(isnan(d->sys_busy) && isnan(d->raw_sys_cpi));
	ck_assert_uint_gt(d->elapsed_cycles, 0);
	ck_assert_uint_eq(group_record(0)->word[0], 5);
}
END_TEST

static const char script[] = "cycles 3000000\ncpi all 1.5\nbusy all 40%\n"
			     "thread cycles 1000001\nthread cpi 2\n";

/* Every word can be told beforehand, but for the elapsed ticks. */
START_TEST(scripted_words)
{
	const struct record_view *v;
	const CPI_DATA *d;
	UINT32 n;
	void *h;

	use_script(script);
	h = init(CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_SCRIPTED);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 0xAB, CPI_TYPE_TRACE_EVERYTHING, "l", &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 1.5 && d->scaled_cpi[0] == 0.6 && d->raw_sys_cpi == 1.5);
	ck_assert(d->cpu_busy[0] == 40.0 && d->sys_busy == 40.0);
	ck_assert_double_eq_tol(d->thread_cpi, 2, 1e-5);
	ck_assert_uint_eq(group_records(), 6);
	n = (UINT32)d->num_cpus;
	v = group_record(1);
	ck_assert_uint_eq(v->minor, 0x100000AB);
	ck_assert_uint_eq(v->word[0], 7);
	ck_assert_uint_eq(v->word[1], n);
	ck_assert_uint_eq((UINT64)v->word[2] << 32 | v->word[3], d->elapsed_cycles);
	ck_assert_uint_eq(v->word[4], 1);
	ck_assert_uint_eq(v->word[5], 5000);
	v = group_record(3);
	ck_assert_uint_eq(v->word[5], 2000000);
	ck_assert_uint_eq(v->word[7], 3000000);
	ck_assert_uint_eq(v->word[11], 1200000);
	ck_assert_uint_eq(v->word[13], 6000);
	ck_assert_uint_eq(v->word[14], 40);
	v = group_record(4);
	ck_assert_uint_eq(v->word[0], (UINT32)gettid());
	ck_assert_uint_eq(v->word[4], 500001);
	ck_assert_uint_eq(v->word[6], 1000001);
}
END_TEST

/* RAW alone: the script gives all figures, and hooks of CpiGetAndTrace's flags may want them. */
START_TEST(not_asked_for)
{
	const CPI_DATA *d;
	void *h;

	use_script(script);
	h = init(CPI_TYPE_RAW);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_EVERYTHING, NULL, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 1.5 && d->raw_sys_cpi == 1.5);
	ck_assert(isnan(d->scaled_cpi[0]) && isnan(d->cpu_busy[0]));
	ck_assert(isnan(d->scaled_sys_cpi) && isnan(d->sys_busy) && isnan(d->thread_cpi));
}
END_TEST

/* While tracing is off and no Get has had a cd, a start reads the clock alone. */
START_TEST(nothing_is_read_while_off)
{
	const CPI_DATA *d;
	void *h;

	use_script(script);
	ring_double.on = false;
	h = init(CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	sleep_ms(2);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(CyclesToMilliseconds(0, (double)d->elapsed_cycles) >= 2);
	ck_assert_int_eq(d->num_cpus, GetActiveProcessorCount());
	ck_assert(isnan(d->raw_cpi[0]) && isnan(d->raw_sys_cpi) && isnan(d->scaled_cpi[0]));
	ck_assert(isnan(d->cpu_busy[0]) && isnan(d->sys_busy) && isnan(d->thread_cpi));
	/* From then on it always reads. */
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
		ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	}
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 1.5 && d->scaled_cpi[0] == 0.6 && d->cpu_busy[0] == 40.0);
	ck_assert_double_eq_tol(d->thread_cpi, 2, 1e-5);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

static void expect_zeros(const struct record_view *v, unsigned from)
{
	for (unsigned i = from; i < v->nwords; i++)
		ck_assert_uint_eq(v->word[i], 0);
}

START_TEST(turned_on_in_an_interval)
{
	const UINT32 all = CPI_TYPE_TRACE_EVERYTHING;
	const struct record_view *v;
	void *h;

	use_script(script);
	ring_double.on = false;
	h = init(CPI_TYPE_ONTHREAD);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, all, NULL, NULL), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ring_double.on = true;
	ck_assert_int_eq(CpiGetAndTrace(h, 1, all, NULL, NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 4);
	v = group_record(0);
	ck_assert_uint_eq(v->word[1], (UINT32)GetActiveProcessorCount());
	ck_assert((UINT64)v->word[2] << 32 | v->word[3]);
	expect_zeros(v, 4);
	expect_zeros(group_record(3), 3);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, all, NULL, NULL), PU_SUCCESS);
	v = group_record(0);
	ck_assert(v->word[4] == 1 && v->word[5] == 5000);
}
END_TEST

/* Nested intervals add up, as with counters. */
START_TEST(scripted_nesting)
{
	const CPI_DATA *d;
	void *outer, *inner;

	use_script(
		"step 2\nstep\ncycles 100\ninstructions all 10\n"
		"step\ncycles 100\ninstructions all 40\nstep\ncycles 100\ninstructions all 50\n");
	outer = init(1);
	inner = init(1);
	ck_assert_int_eq(CpiStart(outer), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(inner), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(inner, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 2.0);
	ck_assert_int_eq(CpiGet(outer, &d), PU_SUCCESS);
	ck_assert(d->raw_cpi[0] == 300.0 / 140.0);
}
END_TEST

static void *get_there(void *h)
{
	const CPI_DATA *d;

	ck_assert_int_eq(CpiGetAndTrace(h, 1, CPI_TYPE_TRACE_EVERYTHING, NULL, &d), PU_SUCCESS);
	ck_assert(isnan(d->thread_cpi));
	ck_assert(d->raw_cpi[0] == 1.5);
	return NULL;
}

START_TEST(get_by_another_thread)
{
	const struct record_view *v;
	pthread_t t;
	void *h;
	UINT32 n;

	use_script(script);
	h = init(CPI_TYPE_ONTHREAD);
	pthread_create(&t, NULL, get_there, h);
	pthread_join(t, NULL);
	v = group_record(0);
	n = v->word[1];
	ck_assert_uint_eq(v->word[0], 5);
	ck_assert_uint_eq(v->word[4 + 2 * n + 2], 0);
	ck_assert_uint_eq(v->word[4 + 2 * n + 3], 0);
	v = group_record(3);
	ck_assert_uint_eq(v->word[0], (UINT32)gettid());
	for (int i = 3; i < 9; i++)
		ck_assert_uint_eq(v->word[i], 0);
}
END_TEST

START_TEST(get_by_a_child)
{
	int status;
	pid_t pid;
	void *h;

	use_script(script);
	h = init(CPI_TYPE_ONTHREAD);
	pid = fork();
	if (pid == 0) {
		const CPI_DATA *d;
		int rc = CpiGet(h, &d);
		bool other = rc == 0 && isnan(d->thread_cpi);

		rc |= CpiStart(h) | CpiGet(h, &d);
		_exit(other && rc == 0 && d->raw_cpi[0] == 1.5 && fabs(d->thread_cpi - 2) < 1e-5
				? 0
				: 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

Suite *instance_figures_suite(void)
{
	return SUITE("instance figures", .timeout = 60,
		TESTS(software_counts_have_busy_but_no_cpi, interval_goes_on,
			without_a_source_only_elapsed_cycles_are_measured, scripted_words,
			not_asked_for, nothing_is_read_while_off, turned_on_in_an_interval,
			scripted_nesting, get_by_another_thread, get_by_a_child));
}
