/*
 * libcpc on machines that this one may not be: PMUs that are too small, cannot interrupt, or are
 * taken by others. System calls of the test's own stand in for them.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../libtrace/cpc/cpc.h"
#include "../lib/folder.h"
#include "../lib/suites.h"

static struct perf_calls real;

/* Each opens a file of its own in place of an event; 0: none. */
static struct {
	int fits;     /* events that a group can hold */
	int sampling; /* errno of one that shall notify */
	int opening;  /* errno of all */
	bool taken;   /* a pinned group that is not on the counters reads as empty */
	uint64_t enabled, running;
	int opened;
	bool pinned, sibling_pinned;
} fake;

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)pid, (void)cpu, (void)flags;
	if (group < 0)
		fake.opened = 0;
	if (fake.opening || (fake.sampling && attr->sample_period)) {
		errno = fake.opening ? fake.opening : fake.sampling;
		return -1;
	}
	if (fake.fits && fake.opened >= fake.fits) {
		errno = EINVAL;
		return -1;
	}
	if (group < 0)
		fake.pinned = attr->pinned;
	else
		fake.sibling_pinned |= attr->pinned;
	fake.opened++;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	uint64_t *word = bytes;

	(void)fd;
	if (fake.taken)
		return 0;
	memset(bytes, 0, size);
	word[0] = (size / 8 - 3) / 2;
	word[1] = fake.enabled;
	word[2] = fake.running;
	for (uint64_t i = 0; i < word[0]; i++) {
		word[3 + 2 * i] = 100 + i;
		word[4 + 2 * i] = 7;
	}
	return (ssize_t)size;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	(void)fd;
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = 7;
	return 0;
}

static void *no_map(int fd, size_t pages)
{
	(void)fd, (void)pages;
	return NULL;
}

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;
static char line[512];

static void keep_error(const char *fn, int subcode, const char *format, va_list ap)
{
	(void)fn, (void)subcode;
	vsnprintf(line, sizeof line, format, ap);
}

static void begin(void)
{
	memset(&fake, 0, sizeof fake);
	real = perf_calls;
	perf_calls.open = fake_open;
	perf_calls.read = fake_read;
	perf_calls.ioctl = fake_ioctl;
	perf_calls.map = no_map;
	cpc = cpc_open(CPC_VER_CURRENT);
	cpc_seterrhndlr(cpc, keep_error);
	set = cpc_set_create(cpc);
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
	perf_calls = real;
}

static void requests(int n, uint_t flags)
{
	for (int i = 0; i < n; i++)
		ck_assert_msg(cpc_set_add_request(cpc, set, "page-faults", 0,
				      CPC_COUNT_USER | flags, 0, NULL) == i,
			"%s", line);
	buf = cpc_buf_create(cpc, set);
}

static void bind_fails(int error, const char *text)
{
	errno = 0;
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), -1);
	ck_assert_msg(errno == error, "errno %d: %s", errno, line);
	ck_assert_msg(strstr(line, text) != NULL, "%s", line);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), -1);
	ck_assert_int_eq(errno, EINVAL);
}

START_TEST(a_set_is_one_pinned_group)
{
	requests(3, 0);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(fake.opened, 3);
	ck_assert(fake.pinned && !fake.sibling_pinned);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
}
END_TEST

START_TEST(too_many_events_are_einval)
{
	fake.fits = 2;
	requests(3, 0);
	bind_fails(EINVAL, "no counter is left");
}
END_TEST

START_TEST(no_overflow_interrupt_is_enotsup)
{
	fake.sampling = EOPNOTSUPP;
	requests(2, CPC_OVF_NOTIFY_EMT);
	bind_fails(ENOTSUP, "overflow cannot be detected");
	fake.sampling = EINVAL;
	bind_fails(ENOTSUP, "overflow cannot be detected");
}
END_TEST

START_TEST(kernel_errors_are_distinguished)
{
	static const struct {
		int of_kernel, told;
		const char *text;
	} errors[] = {
		{EACCES, EACCES, "denies"},
		{EPERM, EACCES, "denies"},
		{ENOENT, EINVAL, "cannot count it"},
		{EOPNOTSUPP, EINVAL, "cannot count it"},
		{EINVAL, EINVAL, "cannot count it"},
		{EMFILE, EAGAIN, "not available"},
		{ENFILE, EAGAIN, "not available"},
		{ENOMEM, EAGAIN, "not available"},
		{EBUSY, EAGAIN, "not available"},
		{ESRCH, ESRCH, "no thread"},
	};

	requests(1, 0);
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		fake.opening = errors[i].of_kernel;
		bind_fails(errors[i].told, errors[i].text);
	}
}
END_TEST

START_TEST(a_cpu_that_goes_offline_is_enodev)
{
	requests(1, 0);
	fake.opening = ENODEV;
	ck_assert_int_eq(cpc_bind_cpu(cpc, 0, set, 0), -1);
	ck_assert_int_eq(errno, ENODEV);
	ck_assert_ptr_nonnull(strstr(line, "not online"));
}
END_TEST

START_TEST(taken_counters_are_eagain)
{
	requests(2, 0);
	fake.taken = true;
	bind_fails(EAGAIN, "not available now");
	fake.taken = false;
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	fake.taken = true;
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_ptr_nonnull(strstr(line, "other users hold"));
}
END_TEST

/* Never scaled: a part is no number. */
START_TEST(a_part_of_the_time_is_eagain)
{
	requests(1, 0);
	fake.enabled = fake.running = 1000;
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	fake.enabled = 2000;
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_ptr_nonnull(strstr(line, "not on the counters all the time"));
}
END_TEST

int main(int argc, char **argv)
{
	char folder[] = "/tmp/libcpc.XXXXXX", path[64];
	Suite *s = suite_create("machines");
	TCase *t = tcase_create("machines");
	int failed;

	(void)argc, (void)argv;
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/registry", folder);
	setenv("SWTRACE_CPC_REGISTRY", path, 1);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, a_set_is_one_pinned_group);
	tcase_add_test(t, too_many_events_are_einval);
	tcase_add_test(t, no_overflow_interrupt_is_enotsup);
	tcase_add_test(t, kernel_errors_are_distinguished);
	tcase_add_test(t, a_cpu_that_goes_offline_is_enodev);
	tcase_add_test(t, taken_counters_are_eagain);
	tcase_add_test(t, a_part_of_the_time_is_eagain);
	suite_add_tcase(s, t);
	failed = suites_run(s, NULL);
	folder_remove(folder);
	return failed;
}
