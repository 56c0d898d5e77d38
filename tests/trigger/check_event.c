/* Events: which hooks belong together, and their contents. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpi_group.h"
#include "../../libtrace/trigger/condition.h"
#include "../lib/suites.h"
#include "../lib/trace_build.h"
#include "sandbox.h"

static uint8_t bytes[1 << 16];
static uint32_t used;

static void begin(void)
{
	memset(bytes, 0xEE, sizeof bytes);
	used = 0;
}

/* Adds a record; label NULL: no string. Returns it. */
static uint8_t *add(uint8_t major, uint32_t minor, uint32_t tid, uint64_t stamp, uint32_t nwords,
	const uint32_t *words, const char *label)
{
	uint32_t length = label ? (uint32_t)strlen(label) : 0;
	uint32_t size = rec_size(nwords, label ? rec_string_bytes(length) : 0);
	struct made_record made = {.major = major,
		.nstrings = label != NULL,
		.nwords = (uint16_t)nwords,
		.minor = minor,
		.tid = tid,
		.stamp = stamp,
		.words = words};
	uint8_t *r = bytes + used, *strings = record_begin(r, size, &made);

	if (label)
		record_string(strings, label, length);
	used += size;
	return r;
}

static uint8_t *add_label(uint32_t kind, uint32_t elapsed, const char *label)
{
	return add(CPI_MAJOR, kind | 5, 7, 100, 2, (const uint32_t[]){0, elapsed}, label);
}

static void add_system(uint32_t elapsed, uint32_t cpi)
{
	add(CPI_MAJOR, CPI_MINOR_SYSTEM | 5, 7, 100, 9,
		(const uint32_t[]){1, 0, elapsed, 0, 9, 0, 18, cpi, 5000}, NULL);
}

static void add_thread(uint32_t elapsed, uint32_t cpi)
{
	add(CPI_MAJOR, CPI_MINOR_THREAD | 5, 7, 100, 9,
		(const uint32_t[]){7, 0, elapsed, 0, 9, 0, 18, cpi, 2500}, NULL);
}

static void add_quality(uint32_t elapsed)
{
	add(CPI_MAJOR, CPI_MINOR_QUALITY | 5, 7, 100, 7,
		(const uint32_t[]){0, CPI_KNOWN_SWITCHES, 0, elapsed, 0, 0, 3}, NULL);
}

START_TEST(a_group_is_one_event)
{
	struct event e;

	begin();
	add_label(CPI_MINOR_LABEL_START, 50, "one");
	add_system(50, 2);
	add_thread(50, 3);
	add_quality(50);
	add_label(CPI_MINOR_LABEL_END, 50, "one");
	uint32_t group = used;
	add(0x22, 1, 7, 100, 0, NULL, NULL);
	event_read(&e, bytes, used);
	ck_assert_uint_eq(e.hooks, 5);
	ck_assert_uint_eq(e.bytes, group);
	ck_assert_uint_eq(e.minors, 5);
	ck_assert_uint_eq(e.minor[3], CPI_MINOR_QUALITY | 5);
	ck_assert_uint_eq(e.minor[4], CPI_MINOR_LABEL_END | 5);
	ck_assert(e.has_label && e.label_length == 3 && memcmp(e.label, "one", 3) == 0);
	ck_assert(e.has_elapsed && e.elapsed == 50);
	ck_assert(e.has_cpi && e.cpi == 32500); /* the thread's */
	event_read(&e, bytes + group, used - group);
	ck_assert_uint_eq(e.hooks, 1);
	ck_assert(!e.has_label && !e.has_elapsed && !e.has_cpi);
}
END_TEST

START_TEST(without_a_label_and_with_a_summary)
{
	/* types 7, 2 CPUs, elapsed, raw per CPU, raw 1.5, scaled and busy, thread 4.25 */
	static const uint32_t words[] = {
		7, 2, 1, 0, 1, 0, 2, 0, 1, 5000, 1, 0, 9, 0, 1, 0, 9, 0, 1, 0, 9, 0, 4, 2500};
	uint32_t raw[24];
	struct event e;

	begin();
	add(CPI_MAJOR, CPI_MINOR_SUMMARY | 9, 7, 100, 24, words, NULL);
	event_read(&e, bytes, used);
	ck_assert(e.has_elapsed && e.elapsed == (uint64_t)1 << 32);
	ck_assert(e.has_cpi && e.cpi == 42500);
	ck_assert(!e.has_label);
	memcpy(raw, words, sizeof raw);
	raw[0] = 1;
	begin();
	add(CPI_MAJOR, CPI_MINOR_SUMMARY | 9, 7, 100, 10, raw, NULL);
	event_read(&e, bytes, used);
	ck_assert(e.has_cpi && e.cpi == 15000);
	raw[8] = raw[9] = 0; /* not measured */
	begin();
	add(CPI_MAJOR, CPI_MINOR_SUMMARY | 9, 7, 100, 10, raw, NULL);
	event_read(&e, bytes, used);
	ck_assert(!e.has_cpi);
}
END_TEST

/* A companion that came after this reader is the group's only if more of the group follows. */
START_TEST(unknown_companions_stay_within_a_group)
{
	const uint32_t time[] = {INTERVAL_TIME_NONE, 0, 0, 50}, elapsed[] = {0, 0, 0, 50};
	struct event e;

	begin();
	add_label(CPI_MINOR_LABEL_START, 50, "one");
	add_system(50, 2);
	add(INTERVAL_MAJOR, 0x70000005, 7, 100, 4, elapsed, NULL);
	add(INTERVAL_MAJOR, INTERVAL_MINOR_TIME | 5, 7, 100, 4, time, NULL);
	const uint32_t group = used;
	add(INTERVAL_MAJOR, 0x70000005, 7, 100, 4, elapsed, NULL);
	add(0x22, 1, 7, 100, 0, NULL, NULL);
	event_read(&e, bytes, used);
	ck_assert_uint_eq(e.hooks, 4);
	ck_assert_uint_eq(e.bytes, group);
	event_read(&e, bytes + group, used - group);
	ck_assert_uint_eq(e.hooks, 1);
	ck_assert_uint_eq(e.major, INTERVAL_MAJOR);
}
END_TEST

START_TEST(cpu_utilisation_is_one_event)
{
	/* types 1, method, one processor, elapsed; 40 % busy, 60 % idle; the same of the system */
	const uint32_t words[] = {1, 2, 1, 0, 50, 40, 0, 60, 0, 40, 0, 60, 0};
	const uint32_t label[] = {0, 50};
	struct event e;

	begin();
	add(CPUUTIL_MAJOR, CPUUTIL_MINOR_LABEL_START | 5, 7, 100, 2, label, "busy");
	add(CPUUTIL_MAJOR, CPUUTIL_MINOR_SUMMARY | 5, 7, 100, 13, words, NULL);
	add(CPUUTIL_MAJOR, CPUUTIL_MINOR_LABEL_END | 5, 7, 100, 2, label, "busy");
	event_read(&e, bytes, used);
	ck_assert_uint_eq(e.hooks, 3);
	ck_assert(e.has_label && e.has_elapsed && e.elapsed == 50);
}
END_TEST

/* Each of these begins a new group. */
START_TEST(a_hook_of_another_group_ends_the_event)
{
	static const struct {
		uint32_t minor, tid, stamp, elapsed;
		bool together;
	} second[] = {{CPI_MINOR_LABEL_END | 5, 7, 100, 50, true},
		{CPI_MINOR_LABEL_END | 5, 8, 100, 50, false},
		{CPI_MINOR_LABEL_END | 5, 7, 101, 50, false},
		{CPI_MINOR_LABEL_END | 5, 7, 100, 51, false},
		{CPI_MINOR_LABEL_END | 6, 7, 100, 50, false},
		{CPI_MINOR_LABEL_START | 5, 7, 100, 50, false}, {0x30000005, 7, 100, 50, false}};

	for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
		struct event e;

		begin();
		add_label(CPI_MINOR_LABEL_START, 50, "x");
		add(CPI_MAJOR, second[i].minor, second[i].tid, second[i].stamp, 2,
			(const uint32_t[]){0, second[i].elapsed}, "x");
		event_read(&e, bytes, used);
		ck_assert_msg(e.hooks == (second[i].together ? 2 : 1), "case %zu", i);
	}
}
END_TEST

/* As in the decoder: a hook too short for its elapsed time joins its neighbours. */
START_TEST(a_short_hook_joins)
{
	struct event e;

	begin();
	add_label(CPI_MINOR_LABEL_START, 50, "x");
	add(CPI_MAJOR, CPI_MINOR_SYSTEM | 5, 7, 100, 1, (const uint32_t[]){1}, NULL);
	add_thread(50, 3);
	uint32_t group = used;
	add_label(CPI_MINOR_LABEL_END, 51, "x");
	event_read(&e, bytes, used);
	ck_assert_uint_eq(e.hooks, 3);
	ck_assert_uint_eq(e.bytes, group);
	ck_assert(e.has_elapsed && e.elapsed == 50 && e.has_cpi && e.cpi == 32500);
	begin();
	add(0x22, 5, 7, 100, 2, (const uint32_t[]){0, 50}, NULL);
	add_label(CPI_MINOR_LABEL_START, 50, "x");
	event_read(&e, bytes, used);
	ck_assert_uint_eq(e.hooks, 1);
}
END_TEST

/* No record makes the reader go beyond it: every byte of it is varied. */
START_TEST(no_record_is_read_beyond_its_end)
{
	struct event e;
	uint8_t *r;

	begin();
	r = add_label(CPI_MINOR_LABEL_END, 50, "label");
	put_le32(r + REC_DATA + 8, 1000); /* longer than the record */
	event_read(&e, bytes, used);
	ck_assert(!e.has_label && e.has_elapsed && e.hooks == 1);
	put_le32(r + REC_DATA + 8, UINT32_MAX);
	event_read(&e, bytes, used);
	ck_assert(!e.has_label);
	put_le16(r + REC_NWORDS, UINT16_MAX);
	event_read(&e, bytes, used);
	ck_assert(!e.has_label && !e.has_elapsed && e.bytes == used);
	begin();
	add(CPI_MAJOR, CPI_MINOR_SUMMARY, 1, 1, 10,
		(const uint32_t[]){7, UINT32_MAX, 0, 1, 2, 3, 4, 5, 6, 7}, NULL);
	event_read(&e, bytes, used);
	ck_assert(!e.has_cpi);
	for (uint32_t at = 4; at < 64; at++)
		for (uint32_t value = 0; value < 256; value++) {
			begin();
			add_label(CPI_MINOR_LABEL_START, 50, "x");
			add_system(50, 1);
			add_label(CPI_MINOR_LABEL_END, 50, "x");
			bytes[at % 32 + (at >= 32 ? 40 : 0)] = (uint8_t)value;
			if ((at & 31) < 4 && at >= 32)
				continue; /* sizes were checked before */
			event_read(&e, bytes, used);
			ck_assert_uint_ge(e.hooks, 1);
			ck_assert_uint_le(e.bytes, used);
			if (e.has_label)
				ck_assert(e.label >= bytes &&
					  e.label + e.label_length <= bytes + e.bytes);
		}
}
END_TEST

/* Each byte in turn has some values, behind the sizes, which were checked before. The copy has the
 * event's size, for sanitizers. */
START_TEST(scribbled_figures_are_read_within_the_event)
{
	static const uint32_t summary[] = {
		7, 1, 0, 50, 1, 0, 1, 0, 1, 0, 9, 0, 1, 0, 9, 0, 4, 2500};
	static const uint32_t events[] = {1, 1, 0, 50, 0, INTERVAL_EVENT_KNOWN, 0, 5, 0, 9, 0, 9};
	struct condition *c = malloc(sizeof *c);

	ck_assert_int_eq(
		condition_parse(c, "event.branches=5 and raw_cpi=1 and flags=summary", NULL), 0);
	begin();
	add(CPI_MAJOR, CPI_MINOR_SUMMARY | 5, 7, 100, 18, summary, NULL);
	add(INTERVAL_MAJOR, INTERVAL_MINOR_EVENTS | 5, 7, 100, 12, events, "branches");
	for (uint32_t at = 0; at < used; at++)
		for (unsigned value = 0; value < 256; value += at % 4 ? 17 : 1) {
			uint8_t *copy = malloc(used), before = bytes[at];
			const bool is_size =
				at < 4 || (at >= rec_size(18, 0) && at < rec_size(18, 0) + 4);
			struct event e;

			memcpy(copy, bytes, used);
			copy[at] = is_size ? before : (uint8_t)value;
			event_read(&e, copy, used);
			const bool holds = condition_holds(c, &e, 1000000000);
			ck_assert(holds || copy[at] != before);
			free(copy);
		}
	condition_free(c);
	free(c);
}
END_TEST

START_TEST(pads_are_no_hooks)
{
	struct event e;

	begin();
	put_le32(bytes, 64 | REC_KIND_PAD | REC_COMMITTED);
	event_read(&e, bytes, 64);
	ck_assert_uint_eq(e.hooks, 0);
	ck_assert_uint_eq(e.bytes, 64);
	put_le32(bytes, 8 | REC_KIND_PAD | REC_COMMITTED);
	event_read(&e, bytes, 8);
	ck_assert_uint_eq(e.bytes, 8);
}
END_TEST

SANDBOX_MAIN(100, "event", .timeout = 60,
	TESTS(a_group_is_one_event, unknown_companions_stay_within_a_group,
		cpu_utilisation_is_one_event, without_a_label_and_with_a_summary,
		a_hook_of_another_group_ends_the_event, a_short_hook_joins,
		no_record_is_read_beyond_its_end, scribbled_figures_are_read_within_the_event,
		pads_are_no_hooks))
