/* Children that no fork handler sees, of _Fork and clone: they have their parent's instances, but
 * not the pages by which its thread was measured, and its locks as they were. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/cpi_hooks.h"
#include "../../libtrace/counters/events/set.h"
#include "../../libtrace/counters/machine/idle.h"
#include "../../libtrace/counters/machine/proc_stat.h"
#include "../../libtrace/counters/plain.h"
#include "../lib/fork.h"
#include "double.h"
#include "fake_pmu.h"
#include "instances.h"
#include "suites.h"

enum { ROUNDS = 50, CHILD_SECONDS = 100 };

static const UINT32 modes[] = {CPI_TYPE_RAW, CPI_TYPE_ONTHREAD,
	CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY, CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD};

static void tear_down(void)
{
	ring_double_hold(false);
}

/* As Linux does since 4.14. An emulator of user mode does not. */
static bool fork_wipes_pages(const char *test)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 1;
	pid_t pid;

	ck_assert(page != MAP_FAILED);
	if (madvise((void *)page, bytes, MADV_WIPEONFORK) == 0) {
		*page = 1;
		pid = fork_without_handlers(FORK_BY_CLONE);
		if (pid == 0)
			syscall(SYS_exit_group, (int)*page);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
	munmap((void *)page, bytes);
	if (status)
		printf("skipped: %s: fork wipes no pages here\n", test);
	return status == 0;
}

static int trace(void *h)
{
	return CpiGetAndTrace(h, 7, CPI_TYPE_TRACE_SUMMARY, "loop", NULL);
}

static int run_loop(void *h)
{
	int rc = 0;

	for (int n = 0; n < ROUNDS; n++)
		rc |= CpiStart(h) | trace(h);
	return rc;
}

/* Without checks that would return to the tests. */
static int measure_in_child(void *h)
{
	const unsigned maps = fake_pmu.user_reads;
	const CPI_DATA *d = NULL;
	int rc;

	alarm(CHILD_SECONDS);
	rc = trace(h); /* ends the parent's */
	rc |= run_loop(h);
	rc |= CpiGet(h, &d);
	if (rc != PU_SUCCESS)
		return 1;
	if (counters_tid() != (uint32_t)gettid() || thread_self()->group)
		return 2;
	/* Nothing of its thread is counted. */
	if (!isnan(d->thread_cpi) || fake_pmu.user_reads != maps)
		return 3;
	rc = CpiStart(h) | CpiGet(h, &d);
	return rc == PU_SUCCESS && isnan(d->thread_cpi) && d->elapsed_cycles > 0 ? 0 : 4;
}

static void child_measures(int way, void *h)
{
	int status = 0;
	pid_t pid = fork_without_handlers(way);

	if (pid == 0)
		syscall(SYS_exit_group, measure_in_child(h));
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* An interval of the parent that is open at the fork, and those after it, are measured completely.
 */
static void parent_goes_on(UINT32 mode, const struct thread_group *g, bool counts)
{
	void *h = init(mode);
	const uint32_t number = g ? g->page_number : 0;

	ck_assert_int_eq(run_loop(h), 0);
	for (int way = 0; way < FORK_WAYS; way++) {
		CpiStart(h);
		child_measures(way, h);
		ck_assert_int_eq(trace(h), PU_SUCCESS);
		ck_assert_int_eq(run_loop(h), 0);
		ck_assert_ptr_eq(thread_self()->group, g);
		ck_assert_uint_eq(g ? g->page_number : 0, number);
		if (counts) {
			const struct record_view *v = group_record(1);

			ck_assert_uint_eq(v->minor, CPI_MINOR_SUMMARY | 7);
			ck_assert_uint_eq(v->word[v->nwords - 2], 0);
			ck_assert_uint_eq(v->word[v->nwords - 1], 5000);
		}
	}
	ck_assert_int_eq(CpiTerminate(h), PU_SUCCESS);
}

static const struct thread_group *open_all(UINT32 mode)
{
	void *h;

	ring_double.with_time = true;
	ring_double_hold(true);
	h = init(mode);
	ck_assert_int_eq(run_loop(h), 0);
	return thread_self()->group;
}

START_TEST(of_this_machine)
{
	if (!fork_wipes_pages("of_this_machine"))
		return;
	use_counters("auto");
	parent_goes_on(modes[_i], open_all(modes[_i]), false);
}
END_TEST

/* With counters that user mode reads. */
START_TEST(of_a_machine_with_counters)
{
	const struct thread_group *g;

	if (!fork_wipes_pages("of_a_machine_with_counters"))
		return;
	fake_pmu_use();
	fake_pmu.user_read = fake_pmu.switch_pages = true;
	fake_pmu.cpu_errno = EACCES;
	use_counters("auto");
	g = open_all(CPI_TYPE_ONTHREAD);
	ck_assert(g && g->count == 1 && g->perf[0].group.mapped);
	parent_goes_on(CPI_TYPE_ONTHREAD, g, true);
	parent_goes_on(CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY, g, false);
}
END_TEST

/* As if other threads held each at the fork. */
START_TEST(locks_are_held)
{
	const UINT32 mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY;
	void *h;

	if (!fork_wipes_pages("locks_are_held"))
		return;
	use_counters("auto");
	open_all(mode);
	h = init(mode);
	for (int way = 0; way < FORK_WAYS; way++) {
		CpiStart(h);
		event_sets_lock();
		perf_before_fork();
		idle_before_fork();
		stat_before_fork();
		child_measures(way, h);
		stat_after_fork();
		idle_after_fork(false);
		perf_after_fork();
		event_sets_unlock();
		ck_assert_int_eq(run_loop(h), 0);
	}
}
END_TEST

/* A grandchild has fork handlers, and the state of each fork's child. */
START_TEST(grandchildren_are_counted)
{
	int status = 0;
	pid_t pid;
	void *h;

	if (!fork_wipes_pages("grandchildren_are_counted"))
		return;
	fake_pmu_use();
	fake_pmu.user_read = fake_pmu.switch_pages = true;
	fake_pmu.cpu_errno = EACCES;
	use_counters("auto");
	open_all(CPI_TYPE_ONTHREAD);
	h = init(CPI_TYPE_ONTHREAD);
	pid = _Fork();
	if (pid == 0) {
		const CPI_DATA *d = NULL;

		if (measure_in_child(h) != 0)
			_exit(1);
		pid = fork();
		if (pid == 0)
			_exit((run_loop(h) | CpiStart(h) | CpiGet(h, &d)) != 0 ||
				isnan(d->thread_cpi));
		_exit(waitpid(pid, &status, 0) != pid || status != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

Suite *orphans_suite(void)
{
	return SUITE("children without fork handlers", .timeout = 300, .tear_down = tear_down,
		TESTS(of_a_machine_with_counters, locks_are_held, grandchildren_are_counted),
		LOOPS({of_this_machine, 0, sizeof modes / sizeof *modes}));
}
