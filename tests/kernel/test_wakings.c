/*
 * Wake-ups, from the tracepoint's format and an event's bytes to hooks: what is cut short, hostile
 * or refused wakes no thread.
 */
#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/kernel_hooks.h"
#include "../../libtrace/counters/perf/group.h"
#include "../../libtrace/kernel/batch.h"
#include "../../libtrace/kernel/wakings.h"
#include "../lib/suites.h"

/* ------------------------------------------------------------------------- stand-ins */

static struct {
	struct perf_event_attr attr;
	int cpu, open_errno, ioctl_errno, output, enabled, closed;
} kernel;

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)pid;
	(void)group;
	(void)flags;
	kernel.attr = *attr;
	kernel.cpu = cpu;
	errno = kernel.open_errno;
	return errno ? -1 : 7;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	ck_assert_int_eq(fd, 7);
	if (request == PERF_EVENT_IOC_ENABLE) {
		ck_assert_int_ne(kernel.output, 0);
		kernel.enabled++;
		return 0;
	}
	ck_assert(request == PERF_EVENT_IOC_SET_OUTPUT);
	kernel.output = (int)(intptr_t)argument;
	errno = kernel.ioctl_errno;
	return errno ? -1 : 0;
}

static int fake_close(int fd)
{
	kernel.closed = fd;
	return 0;
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	const uint64_t count = 2931;

	ck_assert_uint_eq(size, sizeof count);
	memcpy(bytes, &count, sizeof count);
	return fd == 7 ? (ssize_t)sizeof count : -1;
}

struct perf_calls perf_calls = {
	.open = fake_open, .ioctl = fake_ioctl, .close = fake_close, .read = fake_read};

static struct {
	UINT32 minor, count, words[1024];
	int hooks;
	bool is_full;
} ring;

UINT32 swtrace_gate[SWTRACE_GATE_SIZE / 4] = {[KERNEL_MAJOR] = 1};

int(TraceHookWords)(UINT32 major, UINT32 minor, UINT32 count, const UINT32 *words)
{
	ck_assert_uint_eq(major, KERNEL_MAJOR);
	ck_assert_uint_le(count, 1024);
	if (ring.is_full)
		return PU_ERROR_BUFFER_FULL;
	ring.minor = minor;
	ring.count = count;
	memcpy(ring.words, words, count * sizeof *words);
	ring.hooks++;
	return PU_SUCCESS;
}

/* ---------------------------------------------------------------------------- format */

#define FORMAT                                                                                     \
	"name: sched_waking\nID: 375\nformat:\n"                                                   \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                               \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                 \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                     \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"

static const struct waking_format usual = {.id = 375, .flags_at = 2, .tid_at = 24};

START_TEST(format_of_the_kernel)
{
	struct waking_format f;

	ck_assert(waking_parse_format(FORMAT, &f));
	ck_assert_uint_eq(f.id, 375);
	ck_assert_uint_eq(f.flags_at, 2);
	ck_assert_uint_eq(f.tid_at, 24);
}
END_TEST

/* In the usual text, `from` becomes `to`. */
static const struct {
	const char *from, *to;
} bad_formats[] = {
	{"\nID: 375", ""},
	{"\nID: 375", "\nID: "},
	{"\nID: 375", "\nID: -375"},
	{"\nID: 375", "\nID: 375x"},
	{"field:unsigned char common_flags", "field:unsigned char flags"},
	{"common_flags;\toffset:2;\tsize:1;", "common_flags;\toffset:2;\tsize:2;"},
	{"field:pid_t pid", "field:pid_t tid"},
	{"field:pid_t pid", "field:u64 pid"},
	{"offset:24;\tsize:4", "offset:24;\tsize:8"},
	{"offset:24;\tsize:4", "offset:24"},
	{"offset:24", "offset:-24"},
	{"offset:24", "offset:99999999999999999999"},
	{"offset:24", "offset:70000"},
	{"offset:24;", "offset:24"},
	/* The next line has them. */
	{"offset:24;\tsize:4;", ""},
};
enum { BAD_FORMATS = sizeof bad_formats / sizeof *bad_formats };

START_TEST(format_that_is_not_understood)
{
	struct waking_format f;
	char text[1024];
	const char *at = strstr(FORMAT, bad_formats[_i].from);
	const size_t before = (size_t)(at - FORMAT);

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof text, "%.*s%s%s", (int)before, FORMAT, bad_formats[_i].to,
		at + strlen(bad_formats[_i].from));
	ck_assert_msg(!waking_parse_format(text, &f), "%s", text);
}
END_TEST

START_TEST(format_cut_short)
{
	struct waking_format f;
	char text[] = FORMAT;

	/* Up to the end of the field that is read last. */
	for (size_t length = (size_t)(strstr(text, "\tsigned:1;\n\tfield:int prio") - text);
		length-- > 0;) {
		text[length] = 0;
		ck_assert_msg(!waking_parse_format(text, &f), "%zu bytes", length);
	}
}
END_TEST

/* ---------------------------------------------------------------------------- records */

enum { RAW = 36, RECORD = 8 + 8 + 8 + 8 + 4 + RAW };

/* Makes a record of thread 12 of process 11, which wakes thread 34. */
static void make_record(uint8_t bytes[RECORD], uint8_t flags)
{
	const uint32_t ids[] = {11, 12}, raw = RAW, woken = 34;
	const uint64_t at = UINT64_C(0x123456789abc);

	memset(bytes, 0, RECORD);
	memcpy(bytes + 8, ids, sizeof ids);
	memcpy(bytes + 16, &at, sizeof at);
	memcpy(bytes + 32, &raw, sizeof raw);
	bytes[36 + 2] = flags;
	memcpy(bytes + 36 + 24, &woken, sizeof woken);
}

/* common_flags, and the record of a wake-up by an interrupt. */
static const uint32_t flags[][2] = {{0, 0}, {0x01, 0}, {0x08, KERNEL_WAKEUP_HARD_IRQ},
	{0x10, KERNEL_WAKEUP_SOFT_IRQ}, {0x18, KERNEL_WAKEUP_HARD_IRQ | KERNEL_WAKEUP_SOFT_IRQ},
	{0xe7, 0}};

START_TEST(record_of_a_waker)
{
	uint8_t bytes[RECORD];
	struct waking w;

	make_record(bytes, (uint8_t)flags[_i][0]);
	ck_assert(waking_parse(&usual, bytes, sizeof bytes, &w));
	ck_assert_uint_eq(w.at, UINT64_C(0x123456789abc));
	ck_assert_uint_eq(w.pid, 11);
	ck_assert_uint_eq(w.tid, 12);
	ck_assert_uint_eq(w.woken, 34);
	ck_assert_uint_eq(w.how, flags[_i][1]);
}
END_TEST

/* Never reads beyond the record: each is the end of its own allocation. */
START_TEST(record_cut_short)
{
	uint8_t whole[RECORD];
	struct waking w;

	make_record(whole, 0);
	for (size_t size = 0; size < RECORD; size++) {
		uint8_t *bytes = malloc(size + 1);

		memcpy(bytes, whole, size);
		ck_assert_msg(!waking_parse(&usual, bytes, size, &w), "%zu bytes", size);
		free(bytes);
	}
}
END_TEST

START_TEST(record_with_another_raw_size)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 4, 24, 27, RAW + 1, UINT32_MAX};
	uint8_t bytes[RECORD];
	struct waking w;

	make_record(bytes, 0);
	memcpy(bytes + 32, &sizes[_i], sizeof sizes[_i]);
	ck_assert(!waking_parse(&usual, bytes, sizeof bytes, &w));
}
END_TEST

START_TEST(record_of_a_far_field)
{
	const struct waking_format far_tid = {.flags_at = 2, .tid_at = UINT16_MAX},
				   far_flags = {.flags_at = UINT16_MAX, .tid_at = 24};
	uint8_t bytes[RECORD];
	struct waking w;

	make_record(bytes, 0);
	ck_assert(!waking_parse(&far_tid, bytes, sizeof bytes, &w));
	ck_assert(!waking_parse(&far_flags, bytes, sizeof bytes, &w));
}
END_TEST

START_TEST(record_that_wakes_no_thread)
{
	static const uint32_t tids[] = {0, UINT32_MAX, 0x80000000u};
	uint8_t bytes[RECORD];
	struct waking w;

	make_record(bytes, 0);
	memcpy(bytes + 36 + 24, &tids[_i], sizeof tids[_i]);
	ck_assert(!waking_parse(&usual, bytes, sizeof bytes, &w));
}
END_TEST

/* ------------------------------------------------------------------------------ event */

START_TEST(event_joins_the_switches)
{
	memset(&kernel, 0, sizeof kernel);
	ck_assert_int_eq(waking_open(&usual, 3, 5), 7);
	ck_assert_int_eq(kernel.cpu, 3);
	ck_assert_int_eq(kernel.output, 5);
	ck_assert_uint_eq(kernel.attr.type, PERF_TYPE_TRACEPOINT);
	ck_assert_uint_eq(kernel.attr.config, 375);
	ck_assert_uint_eq(kernel.attr.sample_period, 1);
	ck_assert(kernel.attr.use_clockid && kernel.attr.sample_id_all);
	ck_assert(kernel.attr.disabled && kernel.enabled == 1);
	ck_assert_uint_eq(waking_count(7), 2931);
	ck_assert_uint_eq(waking_count(8), 0);
}
END_TEST

START_TEST(event_refused)
{
	char why[256];

	memset(&kernel, 0, sizeof kernel);
	kernel.open_errno = EPERM;
	ck_assert_int_eq(waking_open(&usual, 0, 5), -EPERM);
	waking_explain(-EPERM, why, sizeof why);
	ck_assert_ptr_nonnull(strstr(why, "(run as root)"));
	kernel.open_errno = 0;
	kernel.ioctl_errno = EINVAL;
	ck_assert_int_eq(waking_open(&usual, 0, 5), -EINVAL);
	ck_assert_int_eq(kernel.closed, 7);
	ck_assert_int_eq(waking_try(&usual, 0), 0);
	kernel.open_errno = EACCES;
	ck_assert_int_eq(waking_try(&usual, 0), -EACCES);
}
END_TEST

/* ------------------------------------------------------------------------------- hooks */

static struct kernel_record wake(uint32_t tid, uint32_t by, uint32_t how)
{
	return (struct kernel_record){
		.kind = KERNEL_RECORD_WAKING, .pid = 9, .tid = by, .other_tid = tid, .how = how};
}

START_TEST(hook_of_wakeups)
{
	static const UINT32 wanted[] = {
		6, 3, 1, 2, 1, 5, 0, 34, 9, 12, 0, 10, 35, 9, 0, 1, 10, 36, 9, 13, 2};
	const uint64_t first = UINT64_C(0x100000005);
	struct waking_batch b = {.cpu = 6, .since = first - 3, .last = first - 3};
	struct kernel_record r = wake(34, 12, 0);

	memset(&ring, 0, sizeof ring);
	waking_batch_flush(&b);
	ck_assert_int_eq(ring.hooks, 0);
	waking_batch_add(&b, &r, first);
	r = wake(35, 0, KERNEL_WAKEUP_HARD_IRQ);
	waking_batch_add(&b, &r, first + 10);
	/* Back in time: by an interrupt between stamp and record. */
	r = wake(36, 13, KERNEL_WAKEUP_SOFT_IRQ);
	waking_batch_add(&b, &r, first + 4);
	ck_assert_int_eq(ring.hooks, 0);
	waking_batch_flush(&b);
	ck_assert_int_eq(ring.hooks, 1);
	ck_assert_uint_eq(ring.minor, KERNEL_MINOR_WAKEUPS);
	ck_assert_uint_eq(ring.count, sizeof wanted / sizeof *wanted);
	ck_assert_mem_eq(ring.words, wanted, sizeof wanted);
	ck_assert_uint_eq(b.written, 3);
	ck_assert_uint_eq(b.hooks, 1);
}
END_TEST

static uint64_t ring_u64(unsigned word)
{
	return (uint64_t)ring.words[word] << 32 | ring.words[word + 1];
}

/* Each begins where the one before ended, even if that found no room: its absence shows. */
START_TEST(hooks_in_a_chain)
{
	const struct kernel_record r = wake(34, 12, 0);
	struct waking_batch b = {.since = 100, .last = 100};

	memset(&ring, 0, sizeof ring);
	/* Before the recorder's begin, or back in time since the hook before. */
	waking_batch_add(&b, &r, 90);
	waking_batch_add(&b, &r, 150);
	waking_batch_flush(&b);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_SINCE), 100);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_FIRST), 100);
	waking_batch_add(&b, &r, 140);
	waking_batch_flush(&b);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_SINCE), 150);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_FIRST), 150);
	waking_batch_add(&b, &r, 170);
	ring.is_full = true;
	waking_batch_flush(&b);
	ring.is_full = false;
	waking_batch_add(&b, &r, 200);
	waking_batch_end(&b, 210);
	ck_assert_int_eq(ring.hooks, 4);
	ck_assert_uint_eq(ring.words[KERNEL_WAKEUPS_COUNT], 0);
	ck_assert_uint_eq(ring.count, KERNEL_WAKEUPS_WORDS);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_SINCE), 200);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_FIRST), 210);
	waking_batch_end(&b, 210);
	ck_assert_int_eq(ring.hooks, 4);
	waking_batch_add(&b, &r, 220);
	waking_batch_flush(&b);
	ck_assert_uint_eq(ring_u64(KERNEL_WAKEUPS_SINCE), 210);
	ck_assert_uint_eq(b.dropped, 1);
}
END_TEST

START_TEST(hooks_when_full_or_far_apart)
{
	struct waking_batch b = {.cpu = 0};
	const struct kernel_record r = wake(34, 12, 0);

	memset(&ring, 0, sizeof ring);
	for (int i = 0; i < KERNEL_WAKEUPS_MOST; i++)
		waking_batch_add(&b, &r, 100);
	ck_assert_int_eq(ring.hooks, 1);
	ck_assert_uint_eq(ring.words[KERNEL_WAKEUPS_COUNT], KERNEL_WAKEUPS_MOST);
	waking_batch_add(&b, &r, 200);
	waking_batch_add(&b, &r, 200 + (uint64_t)UINT32_MAX);
	ck_assert_int_eq(ring.hooks, 1);
	waking_batch_add(&b, &r, 201 + (uint64_t)UINT32_MAX);
	ck_assert_int_eq(ring.hooks, 2);
	ck_assert_uint_eq(ring.words[KERNEL_WAKEUPS_COUNT], 2);
	ring.is_full = true;
	waking_batch_flush(&b);
	ck_assert_uint_eq(b.dropped, 1);
	ck_assert_uint_eq(b.written, KERNEL_WAKEUPS_MOST + 2);
	ck_assert_uint_eq(b.count, 0);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("wakings",
			TESTS(format_of_the_kernel, format_cut_short, record_cut_short,
				record_of_a_far_field, event_joins_the_switches, event_refused,
				hook_of_wakeups, hooks_in_a_chain, hooks_when_full_or_far_apart),
			LOOPS({format_that_is_not_understood, 0, BAD_FORMATS},
				{record_of_a_waker, 0, sizeof flags / sizeof *flags},
				{record_with_another_raw_size, 0, 9},
				{record_that_wakes_no_thread, 0, 3})),
		NULL);
}
