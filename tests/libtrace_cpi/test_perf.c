#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../libtrace/counters/perf/probe.h"
#include "../../libtrace/counters/thread/thread.h"
#include "double.h"
#include "fake_pmu.h"
#include "suites.h"

static struct cpu_set four;

static void set_up(void)
{
	fake_pmu_use();
	/* For machines whose clock does not count cycles. */
	setenv("SWTRACE_CPU_HZ", "2000000000", 0);
	ck_assert(cpu_set_parse(&four, "0-1,3-4", 7));
}

START_TEST(holds_share_groups)
{
	struct perf_reading r;

	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_uint_eq(fake_pmu.open, 12);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_READ);
	ck_assert_uint_eq(r.count[PERF_INSTRUCTIONS], 1000);
	ck_assert_uint_eq(r.count[PERF_REF_CYCLES], 500);
	ck_assert_uint_eq(r.count[PERF_CYCLES], 500);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 2, &r), PERF_CPU_READ);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 5, &r), PERF_CPU_READ);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, UINT32_MAX, &r), PERF_CPU_READ);
	for (int i = 0; i < 1000; i++)
		perf_drop_cpus(PERF_HARDWARE);
	ck_assert_uint_eq(fake_pmu.open, 0);
	perf_drop_cpus(PERF_HARDWARE);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 3, &r), PERF_CPU_READ);
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_uint_eq(fake_pmu.open, 12);
}
END_TEST

START_TEST(no_descriptors)
{
	fake_pmu.limit = (unsigned)_i;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_NO_DESCRIPTORS);
	ck_assert_uint_eq(fake_pmu.open, 0);
	fake_pmu.limit = 12;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
}
END_TEST

static const int refusals[] = {ENOENT, EACCES, EPERM, ENOSYS, EOPNOTSUPP, EBUSY, EINVAL};

START_TEST(a_refused_processor_stops_further_opens)
{
	struct perf_reading r;

	fake_pmu.cpu_errno = refusals[_i];
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_uint_eq(fake_pmu.open, 0);
	/* One processor refuses for all. */
	ck_assert_uint_le(fake_pmu.opens, PERF_KINDS);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
	perf_drop_cpus(PERF_HARDWARE);
}
END_TEST

START_TEST(one_went_offline)
{
	struct perf_reading r;

	fake_pmu.offline = 1;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 1, &r), PERF_CPU_READ);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 4, &r), PERF_CPU_READ);
}
END_TEST

START_TEST(bad_reads)
{
	struct perf_reading r;

	fake_pmu.interrupts = 3;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	fake_pmu.interrupts = 3;
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
	fake_pmu.short_reads = true;
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
	fake_pmu.short_reads = false;
	fake_pmu.read_fails = true;
	ck_assert_int_ne(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
}
END_TEST

START_TEST(no_ref_cycles)
{
	struct perf_reading r;

	fake_pmu.errno_of[PERF_REF_CYCLES] = ENOENT;
	ck_assert_int_eq(perf_hold_cpus(PERF_HARDWARE, &four), PERF_OPEN);
	ck_assert_int_eq(perf_read_cpu(PERF_HARDWARE, 0, &r), PERF_CPU_READ);
	ck_assert_uint_eq(r.count[PERF_INSTRUCTIONS], 1000);
	ck_assert_uint_eq(r.count[PERF_REF_CYCLES], NOT_MEASURED);
}
END_TEST

START_TEST(user_mode_only)
{
	struct perf_counters g;

	fake_pmu.thread_errno = EACCES;
	ck_assert_int_eq(perf_open_thread(&g, 0), PERF_OPEN);
	ck_assert(g.user_only);
	perf_close_counters(&g, false);
	fake_pmu.user_errno = EACCES;
	ck_assert_int_eq(perf_open_thread(&g, 0), PERF_UNAVAILABLE);
	ck_assert_int_eq(g.error, EACCES);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

static void *use_a_group(void *unused)
{
	(void)unused;
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_OPEN);
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_OPEN);
	return NULL;
}

START_TEST(threads_close_theirs)
{
	pthread_t t[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, use_a_group, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	ck_assert_uint_eq(fake_pmu.open, 0);
	ck_assert_uint_ge(fake_pmu.most, 2);
}
END_TEST

START_TEST(child_counts_itself)
{
	uint64_t id;
	int status;
	pid_t pid;

	use_a_group(NULL);
	id = counters_thread();
	ck_assert_uint_eq(fake_pmu.open, 2);
	pid = fork();
	if (pid == 0) {
		bool good = fake_pmu.open == 0 && counters_thread() != id &&
			    counters_tid() == (uint32_t)getpid() &&
			    thread_open_group(thread_self()) == PERF_OPEN && fake_pmu.open == 2;

		_exit(good ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(fake_pmu.open, 2);
}
END_TEST

START_TEST(thread_out_of_descriptors)
{
	fake_pmu.limit = 1;
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_NO_DESCRIPTORS);
	ck_assert_uint_eq(fake_pmu.open, 0);
	fake_pmu.limit = 2;
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_OPEN);
}
END_TEST

/* ------------------------------------------------------------------- the whole facility */

START_TEST(instances_share_the_processors_groups)
{
	void *h[100];
	const CPI_DATA *d;

	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(CpiInit(7, &h[i]), PU_SUCCESS);
	ck_assert_uint_eq(fake_pmu.open, 3 * (unsigned)GetActiveProcessorCount() + 2);
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_PERF);
	ck_assert_uint_eq(ring_double.source_flags & 15, 15);
	ck_assert_int_eq(CpiStart(h[5]), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h[5], &d), PU_SUCCESS);
	ck_assert(d->thread_cpi == 0.5);
	ck_assert(d->raw_cpi[0] > 0);
	ck_assert(d->scaled_cpi[0] > 0 && d->scaled_cpi[0] <= 0.5);
	ck_assert(d->cpu_busy[0] > 0 && d->cpu_busy[0] <= 100);
	ck_assert(!isnan(d->raw_sys_cpi));
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(CpiTerminate(h[i]), PU_SUCCESS);
	ck_assert_uint_eq(fake_pmu.open, 2);
}
END_TEST

START_TEST(instance_without_descriptors)
{
	void *h = &h;

	/* Enough to find the counters, not to hold them all. */
	fake_pmu.limit = 4;
	ck_assert_int_eq(CpiInit(7, &h), PU_ERROR_INSUFFICIENT_RESOURCES);
	fake_pmu.limit = 100;
	ck_assert_int_eq(CpiInit(7, &h), PU_SUCCESS);
}
END_TEST

START_TEST(multiplexed_counts_are_scaled)
{
	const CPI_DATA *d;
	void *h;

	fake_pmu.running = 25; /* a quarter of the time */
	ck_assert_int_eq(CpiInit(CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_DETAILED, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGetAndTrace(h, 1, 0, NULL, &d), PU_SUCCESS);
	ck_assert(d->thread_cpi == 0.5);
	ck_assert_uint_eq(group_record(2)->word[4], 4000);
	ck_assert_uint_eq(group_record(2)->word[6], 2000);
	fake_pmu.running = 0; /* never counted */
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(isnan(d->thread_cpi));
	ck_assert(isnan(d->raw_cpi[0]));
}
END_TEST

START_TEST(only_the_thread)
{
	const CPI_DATA *d;
	void *h;

	fake_pmu.cpu_errno = EACCES;
	fake_pmu.thread_errno = EACCES;
	ck_assert_int_eq(CpiInit(7, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(isnan(d->raw_cpi[0]) && isnan(d->raw_sys_cpi));
	ck_assert(d->thread_cpi == 0.5);
}
END_TEST

START_TEST(only_the_processors)
{
	const CPI_DATA *d;
	void *h;

	fake_pmu.thread_errno = fake_pmu.user_errno = EPERM;
	ck_assert_int_eq(CpiInit(7, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(!isnan(d->raw_cpi[0]) && !isnan(d->raw_sys_cpi));
	ck_assert(isnan(d->thread_cpi));
}
END_TEST

/* ------------------------------------------------------------------------------- probe */

static const struct {
	int cpu, thread, user, second;
	bool present, cpu_wide, of_thread;
	const char *why, *advice;
} probes[] = {
	{0, 0, 0, 0, true, true, true, "", ""},
	{ENOENT, ENOENT, ENOENT, 0, false, false, false, "no PMU", "virtual PMU"},
	{EACCES, ENOENT, ENOENT, 0, false, false, false, "no PMU", "virtual PMU"},
	{EACCES, EACCES, 0, 0, true, false, true, "all processors", "perf_event_paranoid=0"},
	{EACCES, EACCES, EACCES, 0, false, false, false, "hardware counters", "CAP_PERFMON"},
	{0, EACCES, 0, 0, true, true, true, "user mode", "perf_event_paranoid=1"},
	{0, EBUSY, EBUSY, 0, true, true, false, "a thread", "profiler"},
	{EPERM, EPERM, EPERM, 0, false, false, false, "sandbox", "seccomp"},
	{EPERM, EACCES, 0, 0, true, false, true, "all processors: a sandbox", "seccomp"},
	{ENOSYS, ENOSYS, ENOSYS, 0, false, false, false, "perf_event_open", "seccomp"},
	{EMFILE, EMFILE, EMFILE, 0, false, false, false, "descriptors", "ulimit"},
	{0, 0, 0, ENOENT, true, true, false, "a thread", ""},
};

START_TEST(a_probe_says_what_can_be_counted)
{
	struct counters_pmu p;

	fake_pmu.cpu_errno = probes[_i].cpu;
	fake_pmu.thread_errno = probes[_i].thread;
	fake_pmu.user_errno = probes[_i].user;
	fake_pmu.errno_of[PERF_CYCLES] = probes[_i].second;
	fake_pmu.errno_of[PERF_REF_CYCLES] = probes[_i].second;
	counters_probe_pmu(&p);
	ck_assert(p.present == probes[_i].present);
	ck_assert(p.cpu_wide == probes[_i].cpu_wide);
	ck_assert(p.thread == probes[_i].of_thread);
	ck_assert_msg(strstr(p.why, probes[_i].why) != NULL, "%s", p.why);
	ck_assert_msg(strstr(p.advice, probes[_i].advice) != NULL, "%s", p.advice);
	ck_assert((*p.why == 0) == (*probes[_i].why == 0));
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

static const struct counters_pmu *probe_now(void)
{
	static struct counters_pmu p;

	counters_probe_pmu(&p);
	ck_assert_uint_eq(fake_pmu.open, 0);
	ck_assert_uint_eq(fake_pmu.mapped, 0);
	/* Either it is so, or there is a reason. */
	ck_assert(p.user_read == (*p.user_read_why == 0));
	return &p;
}

START_TEST(probe_user_read)
{
	const struct counters_pmu *p;

	fake_pmu.user_read = true;
	p = probe_now();
	ck_assert(p->user_read && p->cycles && p->ref_cycles && !p->taken);
	fake_pmu.off_counters = true;
	ck_assert(!probe_now()->user_read);
	fake_pmu.off_counters = false;
	fake_pmu.pages = 1;
	p = probe_now();
	ck_assert(!p->user_read && p->thread);
	fake_pmu.pages = 0;
	p = probe_now();
	ck_assert_ptr_nonnull(strstr(p->user_read_why, "cannot be mapped"));
	ck_assert_ptr_nonnull(strstr(p->user_read_advice, "perf_event_mlock_kb"));
	fake_pmu.pages = 1000;
	fake_pmu.user_read = false;
	ck_assert_ptr_nonnull(strstr(probe_now()->user_read_why, "kernel"));
	fake_pmu.thread_errno = fake_pmu.user_errno = EACCES;
	ck_assert_ptr_nonnull(strstr(probe_now()->user_read_why, "no counters of a thread"));
}
END_TEST

START_TEST(counters_in_use_are_reported)
{
	fake_pmu.running = 0;
	ck_assert(probe_now()->taken);
	fake_pmu.running = 1;
	ck_assert(!probe_now()->taken);
}
END_TEST

/* -------------------------------------------------------------- without a system call */

START_TEST(thread_read_in_user_mode)
{
	const CPI_DATA *d;
	unsigned reads;
	void *h;

	fake_pmu.user_read = true;
	fake_pmu.cpu_errno = EACCES;
	ck_assert_int_eq(CpiInit(CPI_TYPE_ONTHREAD, &h), PU_SUCCESS);
	reads = fake_pmu.reads;
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
		ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
		ck_assert(d->thread_cpi == 0.5);
	}
	ck_assert_uint_eq(fake_pmu.reads, reads);
	/* A daemon closes everything: it goes on. */
	fake_pmu_lose_descriptors();
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(d->thread_cpi == 0.5);
}
END_TEST

START_TEST(thread_without_descriptors)
{
	const CPI_DATA *d;
	void *h;

	ck_assert_int_eq(CpiInit(CPI_TYPE_ONTHREAD, &h), PU_SUCCESS);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	fake_pmu_lose_descriptors();
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(isnan(d->thread_cpi));
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &d), PU_SUCCESS);
	ck_assert(isnan(d->thread_cpi));
}
END_TEST

/* The pages are not there in the child; it maps its own. */
START_TEST(child_maps_its_own)
{
	int status;
	pid_t pid;

	fake_pmu.user_read = true;
	use_a_group(NULL);
	ck_assert_uint_eq(fake_pmu.mapped, 2);
	pid = fork();
	if (pid == 0) {
		bool good = fake_pmu.mapped == 2 && fake_pmu.open == 0 &&
			    thread_open_group(thread_self()) == PERF_OPEN && fake_pmu.mapped == 4;

		_exit(good ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

Suite *perf_suite(void)
{
	return SUITE("perf", .set_up = set_up,
		TESTS(holds_share_groups, one_went_offline, bad_reads, no_ref_cycles,
			user_mode_only, threads_close_theirs, child_counts_itself,
			thread_out_of_descriptors, instances_share_the_processors_groups,
			instance_without_descriptors, multiplexed_counts_are_scaled,
			only_the_thread, only_the_processors, probe_user_read,
			counters_in_use_are_reported, thread_read_in_user_mode,
			thread_without_descriptors, child_maps_its_own),
		LOOPS({no_descriptors, 0, 12},
			{a_refused_processor_stops_further_opens, 0,
				sizeof refusals / sizeof *refusals},
			{a_probe_says_what_can_be_counted, 0, sizeof probes / sizeof *probes}));
}
