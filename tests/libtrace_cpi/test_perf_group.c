/*
 * Groups of counters: opening, reading, closing; on the made-up machine, and of software
 * events on this one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/counters/perf/group.h"
#include "fake_pmu.h"
#include "suites.h"

static struct perf_calls real;
static struct perf_group g;
static struct perf_group_reading r;
static struct perf_event_attr attr[3];

static void set_up(void)
{
	real = perf_calls;
	fake_pmu_use();
	fake_pmu.user_read = true;
	memset(attr, 0, sizeof attr);
	for (int i = 0; i < 3; i++)
		attr[i].type = PERF_TYPE_HARDWARE;
	attr[0].config = PERF_COUNT_HW_INSTRUCTIONS;
	attr[1].config = PERF_COUNT_HW_CPU_CYCLES;
	attr[2].config = PERF_COUNT_HW_REF_CPU_CYCLES;
}

static int open_three(unsigned *failed)
{
	return perf_group_open(&g, attr, 3, 0, -1, failed);
}

START_TEST(reads_together)
{
	unsigned failed;

	ck_assert_int_eq(open_three(&failed), 0);
	ck_assert_uint_eq(g.count, 3);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	ck_assert_uint_eq(fake_pmu.reads, 1);
	ck_assert_uint_eq(r.count[0], 1000);
	ck_assert_uint_eq(r.count[1], 500);
	ck_assert_uint_eq(r.enabled, 100);
	ck_assert(!r.in_user_mode);
	perf_group_close(&g, false);
	ck_assert_uint_eq(fake_pmu.open, 0);
	ck_assert_uint_eq(g.count, 0);
	perf_group_close(&g, false);
	ck_assert_int_eq(perf_group_read(&g, &r), -EBADF);
	ck_assert_int_eq(perf_group_read_here(&g, &r), -EBADF);
	ck_assert_int_eq(perf_group_reset(&g), -EBADF);
}
END_TEST

START_TEST(member_refused)
{
	unsigned failed = 99;

	fake_pmu.errno_of[_i] = ENOENT;
	ck_assert_int_eq(open_three(&failed), -ENOENT);
	ck_assert_uint_eq(failed, (unsigned)_i);
	ck_assert_uint_eq(fake_pmu.open, 0);
	ck_assert_uint_eq(g.count, 0);
	ck_assert_int_eq(open_three(NULL), -ENOENT);
}
END_TEST

START_TEST(out_of_descriptors)
{
	unsigned failed = 99;

	fake_pmu.limit = (unsigned)_i;
	ck_assert_int_eq(open_three(&failed), -EMFILE);
	ck_assert_uint_eq(failed, (unsigned)_i);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

START_TEST(groups_of_an_impossible_size_are_refused)
{
	ck_assert_int_eq(perf_group_open(&g, attr, 0, 0, -1, NULL), -EINVAL);
	ck_assert_int_eq(perf_group_open(&g, attr, PERF_GROUP_MAX + 1, 0, -1, NULL), -EINVAL);
	ck_assert_uint_eq(fake_pmu.opens, 0);
}
END_TEST

START_TEST(interrupted_calls_are_repeated)
{
	fake_pmu.interrupts = 5;
	ck_assert_int_eq(open_three(NULL), 0);
	fake_pmu.interrupts = 5;
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
}
END_TEST

START_TEST(bad_reads)
{
	ck_assert_int_eq(open_three(NULL), 0);
	fake_pmu.short_reads = true;
	ck_assert_int_eq(perf_group_read(&g, &r), -ENODATA);
	fake_pmu.short_reads = false;
	fake_pmu.read_fails = true;
	ck_assert_int_eq(perf_group_read(&g, &r), -EIO);
	fake_pmu.read_fails = false;
	/* One of the identities is another. */
	fake_pmu.foreign_reads = true;
	ck_assert_int_eq(perf_group_read(&g, &r), -EBADF);
	fake_pmu.foreign_reads = false;
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
}
END_TEST

START_TEST(dissolved_group_is_enodata)
{
	ck_assert_int_eq(perf_group_open(&g, attr, 3, -1, 5, NULL), 0);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	fake_pmu.present[5]++;
	ck_assert_int_eq(perf_group_read(&g, &r), -ENODATA);
	perf_group_close(&g, false);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

/* A descriptor that the program closed now belongs to another file. */
START_TEST(descriptors_lost)
{
	ck_assert_int_eq(open_three(NULL), 0);
	fake_pmu_lose_descriptors();
	ck_assert_int_eq(perf_group_read(&g, &r), -EBADF);
	ck_assert_int_eq(perf_group_read_here(&g, &r), -EBADF);
	ck_assert_int_eq(perf_group_reset(&g), -EBADF);
	perf_group_map(&g);
	ck_assert_uint_eq(fake_pmu.maps, 0);
	perf_group_close(&g, false);
	ck_assert_uint_eq(fake_pmu.open, 3); /* not closed */
}
END_TEST

START_TEST(reset_enable_and_disable_reach_the_group)
{
	ck_assert_int_eq(open_three(NULL), 0);
	ck_assert_int_eq(perf_group_reset(&g), 0);
	ck_assert(fake_pmu.control == PERF_EVENT_IOC_RESET);
	ck_assert_int_eq(perf_group_enable(&g), 0);
	ck_assert(fake_pmu.control == PERF_EVENT_IOC_ENABLE);
	ck_assert_int_eq(perf_group_disable(&g), 0);
	ck_assert(fake_pmu.control == PERF_EVENT_IOC_DISABLE);
}
END_TEST

/* ---------------------------------------------------------------- read in user mode */

static void open_mapped(void)
{
	ck_assert_int_eq(open_three(NULL), 0);
	perf_group_map(&g);
}

/* Reading from this thread succeeds, in user mode or not, with this first count. */
static void expect_read_here(bool in_user_mode, uint64_t count)
{
	ck_assert_int_eq(perf_group_read_here(&g, &r), 0);
	ck_assert_int_eq(r.in_user_mode, in_user_mode);
	ck_assert_uint_eq(r.count[0], count);
}

START_TEST(mapped_pages_save_the_system_call)
{
	ck_assert_int_eq(open_three(NULL), 0);
	expect_read_here(false, 1000);
	ck_assert_uint_eq(fake_pmu.reads, 1);
	perf_group_map(&g);
	ck_assert(g.mapped);
	perf_group_map(&g);
	ck_assert_uint_eq(fake_pmu.mapped, 3);
	expect_read_here(true, 2000);
	ck_assert_uint_eq(r.count[1], 1000);
	ck_assert_uint_eq(fake_pmu.reads, 1);
	ck_assert_uint_eq(fake_pmu.user_reads, 4);
	/* Both ways go on from each other. */
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	ck_assert(!r.in_user_mode);
	ck_assert_uint_eq(r.count[0], 3000);
	perf_group_close(&g, false);
	ck_assert_uint_eq(fake_pmu.mapped, 0);
}
END_TEST

/* All or none. */
START_TEST(not_all_mapped)
{
	fake_pmu.pages = (unsigned)_i;
	open_mapped();
	ck_assert(!g.mapped);
	ck_assert_uint_eq(fake_pmu.mapped, 0);
	expect_read_here(false, 1000);
}
END_TEST

START_TEST(pages_without_counters)
{
	fake_pmu.user_read = false;
	open_mapped();
	ck_assert(!g.mapped);
	ck_assert_uint_eq(fake_pmu.mapped, 0);
	expect_read_here(false, 1000);
}
END_TEST

/* The kernel knows better, unless it cannot be asked. */
START_TEST(off_the_counters)
{
	fake_pmu.off_counters = true;
	open_mapped();
	ck_assert(g.mapped);
	expect_read_here(false, 1000);
	fake_pmu_lose_descriptors();
	memset(r.snapshot, 0x5a, sizeof r.snapshot);
	expect_read_here(true, 777);
	/* There is no register to go on from. */
	for (unsigned i = 0; i < g.count; i++)
		ck_assert_ptr_null(r.snapshot[i].page);
}
END_TEST

START_TEST(mapped_without_descriptors)
{
	open_mapped();
	fake_pmu_lose_descriptors();
	expect_read_here(true, 1000);
	ck_assert_int_eq(perf_group_read(&g, &r), -EBADF);
	perf_group_close(&g, false);
	ck_assert_uint_eq(fake_pmu.mapped, 0);
}
END_TEST

/* The child may have something else mapped there. */
START_TEST(a_forked_child_leaves_the_pages_mapped)
{
	open_mapped();
	perf_group_close(&g, true);
	ck_assert_uint_eq(fake_pmu.mapped, 3);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

#ifdef __aarch64__
START_TEST(access_asked_for)
{
	ck_assert_int_eq(open_three(NULL), 0);
	ck_assert_uint_eq(fake_pmu.access, 3);
	perf_group_close(&g, false);
	fake_pmu.errno_of_access[3] = EOPNOTSUPP;
	memset(&attr[0].config1, 0, sizeof attr[0].config1);
	for (int i = 0; i < 3; i++)
		attr[i].config1 = 0;
	ck_assert_int_eq(open_three(NULL), 0);
	ck_assert_uint_eq(fake_pmu.access, 2);
	perf_group_close(&g, false);
	fake_pmu.errno_of_access[2] = EINVAL;
	for (int i = 0; i < 3; i++)
		attr[i].config1 = 0;
	ck_assert_int_eq(open_three(NULL), 0);
	ck_assert_uint_eq(fake_pmu.access, 0);
	perf_group_close(&g, false);
	/* The kernel refuses it for processors. */
	fake_pmu.errno_of_access[2] = fake_pmu.errno_of_access[3] = 0;
	ck_assert_int_eq(perf_group_open(&g, attr, 3, -1, 0, NULL), 0);
	ck_assert_uint_eq(fake_pmu.access, 0);
}
END_TEST
#endif

/* --------------------------------------------------------------- this machine's kernel */

/* False: said so, nothing to test. */
static bool open_real(void)
{
	int rc;

	perf_calls = real;
	memset(attr, 0, sizeof attr);
	for (int i = 0; i < 2; i++)
		attr[i].type = PERF_TYPE_SOFTWARE, attr[i].exclude_kernel = 1;
	attr[0].config = PERF_COUNT_SW_TASK_CLOCK;
	attr[1].config = PERF_COUNT_SW_DUMMY;
	rc = perf_group_open(&g, attr, 2, 0, -1, NULL);
	if (rc == -EACCES || rc == -EPERM || rc == -ENOSYS) {
		printf("skipped: software events: perf_event_open: %s\n", strerror(-rc));
		return false;
	}
	ck_assert_int_eq(rc, 0);
	return true;
}

static void limit_descriptors(rlim_t soft)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (soft < limit.rlim_cur)
		limit.rlim_cur = soft;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

START_TEST(high_descriptors)
{
	limit_descriptors(100);
	if (!open_real())
		return;
	ck_assert_int_ge(g.member[0].fd, 50);
	ck_assert_int_ge(g.member[1].fd, 50);
	ck_assert_int_eq(fcntl(g.member[0].fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	ck_assert_uint_gt(r.enabled, 0);
	perf_group_close(&g, false);
}
END_TEST

/* No room above: the low numbers will do. */
START_TEST(low_descriptors)
{
	int taken[64], n = 0, last;

	limit_descriptors(40);
	while ((last = dup(0)) >= 0)
		taken[n++] = last;
	ck_assert_int_gt(n, 10);
	for (int i = 0; i < 3; i++)
		close(taken[i]);
	if (!open_real())
		return;
	ck_assert_int_lt(g.member[0].fd, 20);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
	perf_group_close(&g, false);
}
END_TEST

/* A program that closes all descriptors, and gets the same numbers for its own files. */
START_TEST(closed_by_the_program)
{
	static const char text[] = "the program's own";
	char back[sizeof text];
	int pipes[2];

	if (!open_real())
		return;
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(write(pipes[1], text, sizeof text), sizeof text);
	ck_assert_int_eq(dup2(pipes[1], g.member[1].fd), g.member[1].fd);
	close(g.member[0].fd);
	ck_assert_int_eq(perf_group_read(&g, &r), -EBADF);
	ck_assert_int_eq(perf_group_enable(&g), -EBADF);
	perf_group_close(&g, false);
	ck_assert_int_ge(fcntl(g.member[1].fd, F_GETFD), 0);
	ck_assert_int_eq(read(pipes[0], back, sizeof back), sizeof back);
	ck_assert_str_eq(back, text);
}
END_TEST

/* Another of the same kind is another. */
START_TEST(another_event)
{
	struct perf_group first;

	if (!open_real())
		return;
	first = g;
	ck_assert(open_real());
	ck_assert_int_eq(dup2(g.member[0].fd, first.member[0].fd), first.member[0].fd);
	ck_assert_int_eq(perf_group_read(&first, &r), -EBADF);
	perf_group_close(&first, false);
	ck_assert_int_ge(fcntl(first.member[0].fd, F_GETFD), 0);
	ck_assert_int_eq(perf_group_read(&g, &r), 0);
}
END_TEST

Suite *perf_group_suite(void)
{
	Suite *s = suite_create("perf_group");
	TCase *t = tcase_create("perf_group");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, reads_together);
	tcase_add_loop_test(t, member_refused, 0, 3);
	tcase_add_loop_test(t, out_of_descriptors, 0, 3);
	tcase_add_test(t, groups_of_an_impossible_size_are_refused);
	tcase_add_test(t, interrupted_calls_are_repeated);
	tcase_add_test(t, bad_reads);
	tcase_add_test(t, dissolved_group_is_enodata);
	tcase_add_test(t, descriptors_lost);
	tcase_add_test(t, reset_enable_and_disable_reach_the_group);
	tcase_add_test(t, mapped_pages_save_the_system_call);
	tcase_add_loop_test(t, not_all_mapped, 0, 3);
	tcase_add_test(t, pages_without_counters);
	tcase_add_test(t, off_the_counters);
	tcase_add_test(t, mapped_without_descriptors);
	tcase_add_test(t, a_forked_child_leaves_the_pages_mapped);
#ifdef __aarch64__
	tcase_add_test(t, access_asked_for);
#endif
	tcase_add_test(t, high_descriptors);
	tcase_add_test(t, low_descriptors);
	tcase_add_test(t, closed_by_the_program);
	tcase_add_test(t, another_event);
	suite_add_tcase(s, t);
	return s;
}
