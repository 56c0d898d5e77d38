/*
 * Readers of a file that changes between two reads, at each pair of reads: the system call is the
 * test's own.
 */
#include "shared.h"

#include <sys/syscall.h>

static HANDLE h;
static GUID set;
static struct seen seen;
static PERF_COUNTERSET_INSTANCE *one;

/* Called after each read of the slots with its bytes; `look` counts from 0. */
static void (*meddle)(int look, uint8_t *slot);
static int looks;

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, bytes, at);

	if (n > 0 && meddle && at > PROV_HEADER_BYTES)
		meddle(looks++, to);
	return n;
}

static uint64_t *word_of(uint8_t *slot, unsigned column)
{
	return (uint64_t *)(void *)(slot + prov_values_offset(PROV_ROOM_SHORT)) + column;
}

static void begin(void)
{
	shared_begin();
	set = guid_of(2);
	h = offer_provider(1);
	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	one = PerfCreateInstance(h, &set, "one", 1);
	PerfSetULongLongCounterValue(h, one, REQUESTS, 0x500000005);
	PerfSetULongLongCounterValue(h, one, BUSY, 0x600000006);
	PerfSetULongCounterValue(h, one, QUEUE, 7);
	seen_open(&seen);
	looks = 0;
}

static void end(void)
{
	meddle = NULL;
	seen_close(&seen);
	PerfStopProvider(h);
	shared_end();
}

static void collect(void)
{
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
}

static void change_nothing(int look, uint8_t *slot)
{
	(void)look, (void)slot;
}

START_TEST(three_reads_suffice_if_nothing_changes)
{
	meddle = change_nothing;
	collect();
	ck_assert_int_eq(looks, 3);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), 0x500000005);
	ck_assert_uint_eq(seen_value(&seen, 0, 1), 7);
	ck_assert_uint_eq(seen_value(&seen, 0, 2), 0x600000006);
}
END_TEST

/* Low halves that go on: the second look's. */
static void count_on(int look, uint8_t *slot)
{
	*word_of(slot, 0) += (uint64_t)look;
	*word_of(slot, 1) += (uint64_t)look;
}

START_TEST(values_are_those_of_the_second_read)
{
	meddle = count_on;
	collect();
	ck_assert_int_eq(looks, 3);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), 0x500000006);
	ck_assert_uint_eq(seen_value(&seen, 0, 1), 8);
}
END_TEST

/* A carry while it is copied: half old, half new, in the look of this number. */
static int torn;

static void tear(int look, uint8_t *slot)
{
	if (look == torn)
		*word_of(slot, 0) = 0x400000005;
	/* A 32-bit counter: the upper half is unused. */
	*word_of(slot, 1) |= (uint64_t)look << 32;
}

START_TEST(a_torn_value_is_read_again)
{
	meddle = tear;
	for (torn = 0; torn < 3; torn++) {
		looks = 0;
		collect();
		ck_assert_int_eq(looks, 6);
		ck_assert_uint_eq(seen_value(&seen, 0, 0), 0x500000005);
		ck_assert_uint_eq(seen_value(&seen, 0, 1), 7);
	}
}
END_TEST

static void never_still(int look, uint8_t *slot)
{
	*word_of(slot, 0) = (uint64_t)look << 32;
}

START_TEST(one_that_never_settles_is_not_available)
{
	const uint64_t others[4] = {0xe};

	meddle = never_still;
	collect();
	ck_assert_int_eq(looks, 3 * 16);
	ck_assert_uint_eq(seen.rows.used, 1);
	ck_assert_uint_eq(seen.rows.known[0], 0);
	ck_assert_uint_eq(seen_value(&seen, 0, 2), 0x600000006);
	/* Nor is it read again if no query wants it. */
	looks = 0;
	ck_assert_uint_eq(
		seen.sets[0]->operations->collect(seen.sets[0], NULL, others, NULL, &seen.rows),
		ERROR_SUCCESS);
	ck_assert_int_eq(looks, 3);
}
END_TEST

/* States of the three looks, and whether that is an instance. */
static const uint64_t *states;

static void set_state(int look, uint8_t *slot)
{
	*(uint64_t *)(void *)slot = states[look % 3];
}

START_TEST(an_instance_is_in_all_reads_or_in_none)
{
	static const struct {
		uint64_t state[3];
		bool there;
	} cases[] = {{{1, 1, 1}, true}, {{3, 3, 3}, true}, {{0, 0, 0}, false}, {{2, 2, 2}, false},
		{{0, 1, 1}, false}, {{1, 1, 2}, false}, {{1, 2, 3}, false}, {{1, 3, 3}, false},
		{{1, 2, 2}, false}, {{UINT64_MAX, 1, 1}, false}};

	meddle = set_state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		states = cases[i].state;
		looks = 0;
		collect();
		ck_assert_uint_eq(seen.rows.used, cases[i].there);
	}
}
END_TEST

/* Deleted, and another in its place, between two looks. */
static int replaced;

static void replace(int look, uint8_t *slot)
{
	(void)slot;
	if (look != replaced)
		return;
	PerfDeleteInstance(h, one);
	one = PerfCreateInstance(h, &set, "two", 2);
	PerfSetULongLongCounterValue(h, one, REQUESTS, 2);
}

START_TEST(an_instance_that_is_replaced_is_not_mixed)
{
	for (replaced = 0; replaced < 3; replaced++) {
		uint32_t id = one->InstanceId;

		meddle = replace;
		looks = 0;
		collect();
		/* After the last look it is too late to matter. */
		ck_assert_uint_eq(seen.rows.used, replaced == 2);
		if (replaced == 2)
			ck_assert_uint_eq(seen.rows.row[0].id, id);
		meddle = NULL;
		collect();
		ck_assert_uint_eq(seen.rows.used, 1);
		ck_assert_int_eq(seen_row(&seen, "two", 2), 0);
		ck_assert_uint_eq(seen_value(&seen, 0, 0), 2);
	}
}
END_TEST

Suite *looks_suite(void)
{
	return SUITE("shared: looks", .set_up = begin, .tear_down = end,
		TESTS(three_reads_suffice_if_nothing_changes, values_are_those_of_the_second_read,
			a_torn_value_is_read_again, one_that_never_settles_is_not_available,
			an_instance_is_in_all_reads_or_in_none,
			an_instance_that_is_replaced_is_not_mixed));
}
