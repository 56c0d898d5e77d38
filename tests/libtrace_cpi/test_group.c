#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/thread/thread.h"
#include "../../libtrace/measure/cpi/group.h"
#include "double.h"
#include "suites.h"

/* Processors 0 and 2; 1 is offline. */
static struct counter_interval *it;

static void set_up(void)
{
	static const struct counter_interval_cpu cpu[3] = {
		{0x200000000u, 0x300000000u, 0x0C0000000u, 1, 4, true, {0}},
		{NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, false, {0}},
		{0x100000000u, 0x300000000u, 0x240000000u, 3, 4, true, {0}},
	};

	it = calloc(1, counters_interval_size(3));
	it->cpus = 3;
	it->thread_known = it->counted = true;
	it->end_switches = it->end_on_cpu_ns = NOT_MEASURED;
	it->thread_instructions = 0x100000002u;
	it->thread_cycles = 0x180000003u;
	memcpy(it->cpu, cpu, sizeof cpu);
}

static void tear_down(void)
{
	free(it);
}

static uint64_t start_ticks = 1000;
static struct group_spec spec = {.mm = 0x5A, .tid = 77};

static uint64_t elapsed;

static int write_it(void)
{
	elapsed = 12345;
	ring_double.stamp = 1000 + 0x500000006u;
	return group_write(&spec, it, start_ticks, NULL, &elapsed);
}

/* Writes the group, which has so many records. */
static void write_records(unsigned records)
{
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), records);
}

static void expect(unsigned n, uint32_t minor, const uint32_t *word, uint32_t nwords)
{
	const struct record_view *v = group_record(n);

	ck_assert_uint_eq(v->minor, minor);
	ck_assert_uint_eq(v->nwords, nwords);
	for (uint32_t i = 0; i < nwords; i++)
		ck_assert_msg(v->word[i] == word[i], "%08x word %u: %#x, not %#x", minor, i,
			v->word[i], word[i]);
}

#define EXPECT(n, minor, ...)                                                                      \
	do {                                                                                       \
		static const uint32_t words_[] = {__VA_ARGS__};                                    \
		expect(n, minor, words_, sizeof words_ / 4);                                       \
	} while (0)

static void expect_label(unsigned n, uint32_t minor, const char *label)
{
	EXPECT(n, minor, 5, 6);
	ck_assert_uint_eq(group_record(n)->nstrings, 1);
	ck_assert_uint_eq(group_record(n)->length, strlen(label));
	ck_assert(memcmp(group_record(n)->string, label, strlen(label)) == 0);
}

START_TEST(a_group_has_all_requested_hooks)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED;
	spec.mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	spec.label = "read block";
	write_records(6);
	ck_assert_uint_eq(elapsed, 0x500000006u);
	expect_label(0, 0x0000005A, "read block");
	EXPECT(1, 0x1000005A, 7, 3, 5, 6,
		/* raw CPI */ 1, 5000, 0, 0, 3, 0, 2, 0,
		/* scaled CPI, busy */ 0, 3750, 25, 0, 0, 0, 0, 0, 2, 2500, 75, 0, 1, 0, 50, 0,
		/* thread */ 1, 5000);
	EXPECT(2, 0x8000005A, 3, 5, 6, 3, 0, 6, 0, 2, 0, 3, 0, 1, 0, 50, 0);
	EXPECT(3, 0x4000005A, 3, 3, 5, 6, 2, 0, 3, 0, 1, 5000, 0, 0xC0000000, 0, 3750, 25, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 3, 0, 2, 0x40000000, 2, 2500, 75, 0);
	EXPECT(4, 0x2000005A, 77, 5, 6, 1, 2, 1, 0x80000003, 1, 5000);
	expect_label(5, 0xF000005A, "read block");
}
END_TEST

/* Two of the thread's figures are known, two of the quantities were measured. */
static void set_quality(void)
{
	it->flags = CPI_QUALITY_MULTIPLEXED | CPI_QUALITY_USER_ONLY;
	it->quality[COUNTER_INSTRUCTIONS] =
		(struct counter_quality){CPI_SOURCE_COUNTER, 0x700000008u, 0x600000007u};
	it->quality[COUNTER_THREAD_CYCLES] =
		(struct counter_quality){CPI_SOURCE_THREAD_CLOCK, 11, 12};
	it->activity = (struct counter_activity){
		0x900000001u, NOT_MEASURED, NOT_MEASURED, 0x30000000Cu, 0, COUNTER_NO_CPU};
}

#define QUANTITIES 4, 1, 7, 8, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 11, 0, 12

START_TEST(quality_follows_the_summary)
{
	set_quality();
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY;
	write_records(2);
	ck_assert_uint_eq(group_record(0)->minor, 0x1000005A);
	EXPECT(1, 0xA000005A, 9, 9, 5, 6, QUANTITIES, 9, 1, 3, 12);
}
END_TEST

START_TEST(quality_precedes_the_label)
{
	set_quality();
	it->activity.switches = 0;
	it->activity.migrations = 0x200000002u;
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED | CPI_TYPE_TRACE_QUALITY;
	spec.mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	spec.label = "read block";
	write_records(7);
	ck_assert_uint_eq(group_record(4)->minor, 0x2000005A);
	EXPECT(5, 0xA000005A, 9, 15, 5, 6, QUANTITIES, 9, 1, 0, 0, 2, 2, 3, 12);
	expect_label(6, 0xF000005A, "read block");
}
END_TEST

START_TEST(quality_of_another_thread)
{
	set_quality();
	it->thread_known = false;
	spec.types = CPI_TYPE_TRACE_QUALITY;
	write_records(1);
	EXPECT(0, 0xA000005A, 9, 0, 5, 6, QUANTITIES);
}
END_TEST

START_TEST(summary_raw)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	write_records(1);
	EXPECT(0, 0x1000005A, 1, 3, 5, 6, 1, 5000, 0, 0, 3, 0, 2, 0);
}
END_TEST

START_TEST(summary_thread)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	spec.mode = CPI_TYPE_ONTHREAD;
	write_records(1);
	EXPECT(0, 0x1000005A, 5, 3, 5, 6, 1, 5000, 0, 0, 3, 0, 2, 0, 1, 5000);
}
END_TEST

START_TEST(detailed_raw)
{
	spec.types = CPI_TYPE_TRACE_DETAILED;
	write_records(2);
	EXPECT(0, 0x8000005A, 1, 5, 6, 3, 0, 6, 0, 2, 0);
	EXPECT(1, 0x4000005A, 1, 3, 5, 6, 2, 0, 3, 0, 1, 5000, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 3, 0);
}
END_TEST

START_TEST(detailed_thread_has_no_thread_bit)
{
	spec.types = CPI_TYPE_TRACE_DETAILED;
	spec.mode = CPI_TYPE_ONTHREAD;
	write_records(3);
	ck_assert_uint_eq(group_record(0)->word[0], 1);
	ck_assert_uint_eq(group_record(1)->word[0], 1);
}
END_TEST

START_TEST(busy_not_measured)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED;
	spec.mode = CPI_TYPE_SCALED;
	it->cpu[2].busy = it->cpu[2].busy_part = it->cpu[2].busy_whole = NOT_MEASURED;
	write_records(3);
	EXPECT(0, 0x1000005A, 1, 3, 5, 6, 1, 5000, 0, 0, 3, 0, 2, 0);
	EXPECT(1, 0x8000005A, 1, 5, 6, 3, 0, 6, 0, 2, 0);
	ck_assert_uint_eq(group_record(2)->word[0], 1);
}
END_TEST

/* Software counters: cycles and busy, no instructions. */
START_TEST(instructions_not_measured)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED;
	spec.mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	it->cpu[0].instructions = it->cpu[2].instructions = NOT_MEASURED;
	it->thread_instructions = NOT_MEASURED;
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	EXPECT(0, 0x1000005A, 7, 3, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 0, 0, 0, 0, 75,
		0, 0, 0, 50, 0, 0, 0);
	EXPECT(1, 0x8000005A, 3, 5, 6, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0, 50, 0);
	EXPECT(3, 0x2000005A, 77, 5, 6, 0, 0, 1, 0x80000003, 0, 0);
}
END_TEST

START_TEST(one_processor_without_instructions)
{
	spec.types = CPI_TYPE_TRACE_DETAILED;
	it->cpu[0].instructions = NOT_MEASURED;
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	EXPECT(0, 0x8000005A, 1, 5, 6, 0, 0, 6, 0, 0, 0);
	EXPECT(1, 0x4000005A, 1, 3, 5, 6, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 3, 0);
}
END_TEST

START_TEST(thread_of_another)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	spec.mode = CPI_TYPE_ONTHREAD;
	it->thread_instructions = it->thread_cycles = NOT_MEASURED;
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	EXPECT(0, 0x1000005A, 5, 3, 5, 6, 1, 5000, 0, 0, 3, 0, 2, 0, 0, 0);
}
END_TEST

START_TEST(a_label_surrounds_the_group)
{
	static const char *const label[] = {
		"", "a", "ab", "abc", "abcd", "\xff\x01\n;\"", "abcdefgh"};

	spec.types = CPI_TYPE_TRACE_SUMMARY;
	spec.label = label[_i];
	write_records(3);
	expect_label(0, 0x0000005A, label[_i]);
	expect_label(2, 0xF000005A, label[_i]);
}
END_TEST

START_TEST(label_too_long)
{
	static const size_t sizes[] = {600 * 1024, 9 << 20, 20 << 20};
	char *label = malloc(sizes[_i] + 1);

	memset(label, 'x', sizes[_i]);
	label[sizes[_i]] = 0;
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	spec.label = label;
	ck_assert_int_eq(write_it(), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_uint_eq(elapsed, 12345);
	ck_assert_uint_eq(ring_double.refused, 1);
	free(label);
}
END_TEST

START_TEST(a_refusal_is_returned)
{
	static const int codes[] = {PU_ERROR_BUFFER_FULL, PU_ERROR_NO_BUFFER};

	spec.types = CPI_TYPE_TRACE_SUMMARY;
	ring_double.rc = codes[_i];
	ck_assert_int_eq(write_it(), codes[_i]);
	ck_assert_uint_eq(elapsed, 12345);
}
END_TEST

START_TEST(nothing_is_reserved_while_tracing_is_off)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	ring_double.on = false;
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	ck_assert_uint_eq(elapsed, 12345);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

START_TEST(stamp_before_start)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	start_ticks = UINT64_MAX;
	ck_assert_int_eq(write_it(), PU_SUCCESS);
	ck_assert_uint_eq(elapsed, 0);
}
END_TEST

/* Without any count nothing of a processor is looked at. */
START_TEST(nothing_counted)
{
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	spec.mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	it->counted = false;
	it->thread_instructions = NOT_MEASURED;
	write_records(1);
	EXPECT(0, 0x1000005A, 5, 3, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
END_TEST

/* Changes from one group of an instance to the next. */
static const struct {
	uint32_t types, mm, cpus;
	uint64_t faults;
	const char *label;
	uint64_t instructions, cycles; /* of the thread; 0: not counted */
} next[] = {
	{CPI_TYPE_TRACE_SUMMARY, 1, 3, 0, "work", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 1, 3, 0, "rest", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 1, 3, 0, "resting", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 1, 3, 0, "", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 1, 3, 0, NULL, 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 3, 0, NULL, 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, NULL, 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, "48 letters of a label, which is the longest one.", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, "49 letters of a label, which is one more than it.", 0,
		0},
	{CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, 2, 2, 7, "work", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, 2, 2, 8, "work", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, 2, 2, NOT_MEASURED, "work", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, "work", 0, 0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, "work", 1000, 2500},
	{CPI_TYPE_TRACE_SUMMARY, 2, 2, 0, "work", 3, 1},
	{CPI_TYPE_TRACE_SUMMARY, 2, 3, 0, "work", 3, 0x123456789abcdef0},
	{CPI_TYPE_TRACE_SUMMARY, 2, 3, 0, NULL, 3, 7},
	{CPI_TYPE_TRACE_SUMMARY, 2, 3, 0, NULL, 0, 0},
	{CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, 2, 3, 8, NULL, 4, 5},
	{CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, 2, 3, 8, NULL, 4, 9},
};

/* The same bytes as without one, also if the thread was switched before the stamp, or is on another
 * processor's ring. */
START_TEST(image_of_a_group)
{
	static uint8_t written[4096];
	struct group_image *image = calloc(1, group_image_size(3));
	struct hook_time at = {2000, 0};

	ck_assert_uint_eq(strlen(next[7].label), IMAGE_LABEL_MOST);
	it->counted = false;
	it->thread_instructions = it->thread_cycles = it->unexplained_ns = NOT_MEASURED;
	it->stayed = true;
	it->activity_source = INTERVAL_TIME_PAGE;
	ring_double.cpus = 2;
	ring_double.cpu = 1;
	for (size_t turn = 0; turn < 4 * sizeof next / sizeof *next; turn++) {
		const size_t n = turn / 4;
		const struct group_spec now = {next[n].types, CPI_TYPE_ONTHREAD, next[n].mm, 77,
			next[n].label, NULL, NULL};

		it->page = turn & 1; /* one that is not open */
		it->thread_instructions = next[n].cycles ? next[n].instructions : NOT_MEASURED;
		it->thread_cycles = next[n].cycles ? next[n].cycles : NOT_MEASURED;
		it->cpus = next[n].cpus;
		it->activity =
			(struct counter_activity){n, 0, 0, next[n].faults, 0, (uint32_t)n % 3};
		it->quality[COUNTER_THREAD_CYCLES] =
			(struct counter_quality){CPI_SOURCE_THREAD_CLOCK, n, n};
		ring_double.stamp = 5000000000u + n;
		at.ticks = turn & 2 ? ring_double.stamp : 2000;
		ck_assert_int_eq(group_write(&now, it, n, &at, &elapsed), PU_SUCCESS);
		ck_assert_uint_eq(elapsed, 5000000000u);
		ck_assert_uint_lt(ring_double.size, sizeof written);
		memcpy(written, ring_double.bytes, ring_double.size);
		/* Made, and used. */
		for (int twice = 0; twice < 2; twice++) {
			uint32_t size = ring_double.size, hooks = ring_double.hooks;

			elapsed = 0;
			if (next[n].cycles && !image->cpi)
				image->key = 0;
			ck_assert_int_eq(
				group_write_stayed(image, &now, it, n, &at, &elapsed), PU_SUCCESS);
			ck_assert_uint_eq(elapsed, 5000000000u);
			ck_assert_uint_eq(ring_double.size, size);
			ck_assert_uint_eq(ring_double.hooks, hooks);
			ck_assert(memcmp(written, ring_double.bytes, size) == 0);
		}
	}
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	ring_double.rc = PU_ERROR_BUFFER_FULL;
	elapsed = 12345;
	ck_assert_int_eq(
		group_write_stayed(image, &spec, it, 0, &at, &elapsed), PU_ERROR_BUFFER_FULL);
	ck_assert_uint_eq(elapsed, 12345);
	free(image);
}
END_TEST

static void check_time_hook(enum interval_time_source source, uint32_t switches_half)
{
	const struct record_view *v = group_record(group_records() - 1);

	ck_assert_uint_eq(v->word[INTERVAL_TIME_WORD_SOURCE], source);
	ck_assert_uint_eq(v->word[INTERVAL_TIME_WORD_FIRST], switches_half);
	ck_assert_uint_eq(v->word[INTERVAL_TIME_WORD_FIRST + 1], switches_half);
}

/* The group lasts to the stamp, and what the thread did after the interval's end is not known. */
START_TEST(a_switch_before_the_stamp_leaves_nothing_known)
{
	const struct hook_time at = {2000, 0};

	it->counted = false;
	it->stayed = true;
	it->activity_source = INTERVAL_TIME_PAGE;
	it->activity = (struct counter_activity){10, 0, 0, 0, 0, COUNTER_NO_CPU};
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	for (it->page = 0; it->page < 2; it->page++) {
		ring_double.stamp = 2000;
		ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		check_time_hook(INTERVAL_TIME_PAGE, 0);
	}
	it->page = 1;
	ring_double.stamp = 3000;
	ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
	ck_assert_uint_eq(elapsed, 2000);
	check_time_hook(INTERVAL_TIME_NONE, UINT32_MAX);
}
END_TEST

static uint64_t count_switches(void)
{
	struct rusage u;

	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &u), 0);
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

/* Without a page the count tells, if the stamp is a later one. */
START_TEST(a_count_shows_a_switch_before_the_stamp)
{
	const struct hook_time at = {2000, 0};
	const uint64_t stamps[] = {2000, 3000};

	it->counted = false;
	it->stayed = true;
	it->activity_source = INTERVAL_TIME_CLOCK;
	it->activity = (struct counter_activity){10, 0, 0, 0, 0, COUNTER_NO_CPU};
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	for (int later = 0; later < 2; later++) {
		ring_double.stamp = stamps[later];
		/* Unless this thread is preempted meanwhile. */
		do {
			it->end_switches = count_switches();
			ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		} while (count_switches() != it->end_switches);
		check_time_hook(INTERVAL_TIME_CLOCK, 0);
		usleep(1000);
		ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		if (later)
			check_time_hook(INTERVAL_TIME_NONE, UINT32_MAX);
		else
			check_time_hook(INTERVAL_TIME_CLOCK, 0);
	}
}
END_TEST

/* What an interval with a switch ran until a later stamp is asked of the thread's clock. */
START_TEST(time_up_to_the_stamp)
{
	const uint64_t second = clock_ticks_per_second();
	const struct hook_time at = {2000, 0};
	const struct {
		uint64_t ran_ns, ticks, least_ns, most_ns;
	} cases[] = {{0, 0, 10, 10}, {1000000, second / 10000, 100010, 100010},
		{1000000, second, 1000010, 500000010}, {NOT_MEASURED, second, 10, 10}};

	it->counted = false;
	it->activity_source = INTERVAL_TIME_CLOCK;
	it->activity = (struct counter_activity){10, 1, NOT_MEASURED, 0, 0, COUNTER_NO_CPU};
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	while (thread_time_ns() < 1000000)
		;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		const struct record_view *v;
		uint64_t ns;

		ring_double.stamp = at.ticks + cases[n].ticks;
		it->end_on_cpu_ns = cases[n].ran_ns == NOT_MEASURED
					    ? NOT_MEASURED
					    : thread_time_ns() - cases[n].ran_ns;
		ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		v = group_record(group_records() - 1);
		ck_assert_uint_ne(v->word[INTERVAL_TIME_WORD_KNOWN] & INTERVAL_KNOWN_ON_CPU, 0);
		ns = (uint64_t)v->word[INTERVAL_TIME_WORD_FIRST] << 32 |
		     v->word[INTERVAL_TIME_WORD_FIRST + 1];
		ck_assert_uint_ge(ns + 1, cases[n].least_ns);
		ck_assert_uint_le(ns, cases[n].most_ns + 1);
	}
}
END_TEST

/* On another processor's ring it did not begin where it ended. */
START_TEST(a_migration_before_the_reservation_leaves_nothing_known)
{
	static const struct {
		uint32_t cpus, cpu, start;
		bool known;
	} cases[] = {{2, 0, 0, true}, {2, 1, 1, true}, {2, 0, 1, false}, {2, 1, 0, false},
		{2, 1, COUNTER_NO_CPU, true}, {2, 1, 2, true}, {2, 2, 0, true}, {2, 2, 1, true},
		{0, 0, 1, true}};
	const struct hook_time at = {2000, 0};

	it->counted = false;
	spec.types = CPI_TYPE_TRACE_SUMMARY;
	ring_double.stamp = at.ticks;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		ring_double.cpus = cases[n].cpus;
		ring_double.cpu = cases[n].cpu;
		it->activity_source = INTERVAL_TIME_CLOCK;
		it->activity = (struct counter_activity){10, 0, 0, 0, 0, cases[n].start};
		it->stayed = true;
		ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		check_time_hook(cases[n].known ? INTERVAL_TIME_CLOCK : INTERVAL_TIME_NONE,
			cases[n].known ? 0 : UINT32_MAX);
		/* One that was switched says where. */
		it->stayed = false;
		it->activity.on_cpu_ns = NOT_MEASURED;
		ck_assert_int_eq(group_write(&spec, it, 1000, &at, &elapsed), PU_SUCCESS);
		check_time_hook(INTERVAL_TIME_CLOCK, 0);
	}
}
END_TEST

/* The largest machine: what init reserves for a group is enough, and the words still count in 16
 * bits. */
START_TEST(the_largest_group_fits_its_reservation)
{
	size_t size = counters_interval_size(MAX_CPUS);
	struct counter_interval *i = calloc(1, size);
	uint32_t words = 0;

	i->cpus = MAX_CPUS;
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		i->cpu[cpu] = (struct counter_interval_cpu){NOT_MEASURED - 1, NOT_MEASURED - 1,
			NOT_MEASURED - 1, NOT_MEASURED - 1, NOT_MEASURED - 1, true, {0}};
	i->thread_known = i->counted = true;
	i->activity_source = INTERVAL_TIME_CLOCK;
	spec.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_DETAILED | CPI_TYPE_TRACE_QUALITY;
	spec.mode = CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	ck_assert_int_eq(group_write(&spec, i, start_ticks, NULL, &elapsed), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), CPI_GROUP_DATA_HOOKS);
	for (unsigned n = 0; n < CPI_GROUP_DATA_HOOKS; n++)
		words += group_record(n)->nwords;
	/* The time hook does not repeat the two figures of the quality hook, nor tell the own cost.
	 */
	ck_assert_uint_eq(words + 2 * 2 + 2, CPI_GROUP_DATA_WORDS(MAX_CPUS));
	ck_assert_uint_eq(group_record(0)->nwords, 6 * MAX_CPUS + 12);
	ck_assert_uint_eq(group_record(2)->nwords, 12 * MAX_CPUS + 4);
	free(i);
}
END_TEST

Suite *group_suite(void)
{
	return SUITE("group", .set_up = set_up, .tear_down = tear_down,
		TESTS(a_group_has_all_requested_hooks, quality_follows_the_summary,
			quality_precedes_the_label, quality_of_another_thread, summary_raw,
			summary_thread, detailed_raw, detailed_thread_has_no_thread_bit,
			busy_not_measured, instructions_not_measured,
			one_processor_without_instructions, thread_of_another,
			a_switch_before_the_stamp_leaves_nothing_known,
			a_count_shows_a_switch_before_the_stamp, time_up_to_the_stamp,
			a_migration_before_the_reservation_leaves_nothing_known,
			nothing_is_reserved_while_tracing_is_off, stamp_before_start,
			nothing_counted, image_of_a_group, the_largest_group_fits_its_reservation),
		LOOPS({a_label_surrounds_the_group, 0, 7}, {label_too_long, 0, 3},
			{a_refusal_is_returned, 0, 2}));
}
