/*
 * A process that cannot attach: its hooks fail with a code, and are counted in the process and,
 * once it attaches, in the session.
 */
#include <string.h>
#include <sys/resource.h>

#include "../../libtrace/session/attach.h"
#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

static struct session box;
static struct session_config config = {
	.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};

#define WORKS(call) ck_assert_int_eq(call, 0)

/* Forbids further descriptors for this process, or restores the limit. */
static void allow_descriptors(bool allow)
{
	static rlim_t before;
	struct rlimit limit;

	WORKS(getrlimit(RLIMIT_NOFILE, &limit));
	if (!allow)
		before = limit.rlim_cur;
	limit.rlim_cur = allow ? before : 0;
	WORKS(setrlimit(RLIMIT_NOFILE, &limit));
}

/* Waits longer than the pause after a failed attach. */
static void wait_for_retry(void)
{
	const struct timespec wait = {.tv_nsec = 110000000};

	nanosleep(&wait, NULL);
}

static void expect_unattached(uint64_t expected)
{
	UINT64 hooks = 0;

	WORKS(TraceGetUnattached(&hooks));
	ck_assert_uint_eq(hooks, expected);
}

static void fail_hooks(unsigned n, int code)
{
	for (unsigned i = 0; i < n; i++)
		ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), code);
}

static void expect_rings(uint64_t hooks, uint64_t unattached)
{
	struct account a;

	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.damaged, 0);
	ck_assert_uint_eq(a.hooks, hooks);
	ck_assert_uint_eq(a.loss[SHM_LOST_UNATTACHED], unattached);
	ck_assert_uint_eq(account_lost(&a), unattached);
}

START_TEST(before_the_first_check)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	expect_unattached(0);
	ck_assert_int_eq(TraceGetUnattached(NULL), PU_ERR_NULL_PTR);
	allow_descriptors(false);
	fail_hooks(1001, PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_int_eq(TraceHook(1, 1, 1, 1, 7, "string"), PU_ERROR_INSUFFICIENT_RESOURCES);
	expect_unattached(1002);
	allow_descriptors(true);
	wait_for_retry();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	expect_unattached(1002);
	expect_rings(2, 1002);
}
END_TEST

START_TEST(with_the_control_page_in_view)
{
	struct hook_writer w;

	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	attach_discover();
	ck_assert_int_eq(TraceMajorIsOn(1), 1);
	allow_descriptors(false);
	fail_hooks(500, PU_ERROR_INSUFFICIENT_RESOURCES);
	/* A group of three hooks. */
	ck_assert_int_eq(hook_begin(&w, 1, 96, 3), PU_ERROR_INSUFFICIENT_RESOURCES);
	/* Hooks of a disabled major are not lost. */
	WORKS(session_enable(&box, 2, false, NULL));
	WORKS(TraceHookWords(2, 1, 0, NULL));
	/* An invalid call is not a hook. */
	ck_assert_int_eq(TraceHookWords(1, 1, 1, NULL), PU_ERR_NULL_PTR);
	attach_ready(1);
	expect_unattached(503);
	allow_descriptors(true);
	wait_for_retry();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	expect_unattached(503);
	expect_rings(1, 503);
}
END_TEST

START_TEST(tried_again_ten_times_a_second_at_most)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	attach_discover();
	allow_descriptors(false);
	uint64_t start = clock_raw_ns();
	fail_hooks(1, PU_ERROR_INSUFFICIENT_RESOURCES);
	allow_descriptors(true);
	/* Failures for a tenth of a second, even if attaching becomes possible meanwhile; then
	 * success. A loaded machine may let that pass before the next hook. */
	unsigned failed = 1;
	while (TraceHookWords(1, 1, 0, NULL) != 0)
		failed++;
	uint64_t took = clock_raw_ns() - start;
	ck_assert_uint_ge(took, 100000000);
	ck_assert_uint_le(took, 5000000000u);
	expect_unattached(failed);
	expect_rings(1, failed);
}
END_TEST

START_TEST(replaced_rings_get_no_failures)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	attach_discover();
	allow_descriptors(false);
	fail_hooks(10, PU_ERROR_INSUFFICIENT_RESOURCES);
	allow_descriptors(true);
	WORKS(session_off(&box, NULL));
	WORKS(session_init(&box, &config, NULL));
	WORKS(session_on(&box, NULL));
	wait_for_retry();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	expect_unattached(10);
	expect_rings(1, 0);
}
END_TEST

START_TEST(without_a_session_nothing_is_lost)
{
	setenv("SWTRACE_SESSION", "/nonexistent/session", 1);
	allow_descriptors(false);
	fail_hooks(10, PU_ERROR_INSUFFICIENT_RESOURCES);
	expect_unattached(10);
	allow_descriptors(true);
	wait_for_retry();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	expect_unattached(0);
	ck_assert_int_eq(TraceMajorIsOn(1), 0);
}
END_TEST

START_TEST(a_child_counts_its_own)
{
	int status;
	pid_t pid;

	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	allow_descriptors(false);
	fail_hooks(10, PU_ERROR_INSUFFICIENT_RESOURCES);
	pid = fork();
	if (pid == 0) {
		UINT64 hooks = 4711;

		if (TraceGetUnattached(&hooks) != 0 || hooks != 0)
			_exit(1);
		if (TraceHookWords(1, 1, 0, NULL) != PU_ERROR_INSUFFICIENT_RESOURCES)
			_exit(2);
		allow_descriptors(true);
		wait_for_retry();
		_exit(TraceHookWords(1, 1, 0, NULL) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	allow_descriptors(true);
	wait_for_retry();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	expect_unattached(10);
	expect_rings(2, 11);
}
END_TEST

static int not_permitted(void)
{
	UINT64 hooks = 4711;

	for (int i = 0; i < 10; i++) {
		if (TraceHookWords(1, 1, 0, NULL) != 0)
			return 1;
	}
	return TraceGetUnattached(&hooks) == 0 && hooks == 0 ? 0 : 2;
}

START_TEST(who_may_not_trace_loses_nothing)
{
	if (only_one_user())
		return;
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	WORKS(as_user(OTHER_USER, OTHER_GROUP, not_permitted));
	expect_rings(0, 0);
}
END_TEST

SANDBOX_MAIN(60, "unattached", .timeout = 60,
	TESTS(before_the_first_check, with_the_control_page_in_view,
		tried_again_ten_times_a_second_at_most, replaced_rings_get_no_failures,
		without_a_session_nothing_is_lost, a_child_counts_its_own,
		who_may_not_trace_loses_nothing))
