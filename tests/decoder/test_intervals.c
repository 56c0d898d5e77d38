/* CPI groups, their words, and how intervals nest. */
#include <math.h>
#include <stdlib.h>

#include "../../decoder/model/intervals/intervals.h"
#include "../../decoder/model/intervals/nesting.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "fixture.h"

START_TEST(whole_group)
{
	put_small_trace(&made.file, TF_CODEC_LZ4);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert_uint_eq(iv->start_ticks, 2000);
	ck_assert_uint_eq(iv->end_ticks, 3000);
	ck_assert_int_eq(iv->start_ns, 5000001000);
	ck_assert_int_eq(iv->end_ns, 5000002000);
	ck_assert_uint_eq(iv->elapsed, 1000);
	ck_assert(iv->elapsed_ns == 1000.0);
	ck_assert_uint_eq(iv->mm, 7);
	ck_assert_uint_eq(iv->types, 7);
	ck_assert_uint_eq(iv->flags, IV_SUMMARY | IV_DETAILED);
	ck_assert_uint_eq(iv->label_len, 5);
	ck_assert_mem_eq(iv->label, "label", 5);
	ck_assert_ptr_eq(iv[0].label, iv[1].label); /* interned */
	ck_assert_str_eq(iv->task->name, "eleven");
	ck_assert(iv->raw_cpi == 1.75 && iv->scaled_cpi == 1.1 && iv->busy_pct == 37.5);
	ck_assert(iv->thread_cpi == 3.0001);
	ck_assert_uint_eq(iv->instructions, 800);
	ck_assert_uint_eq(iv->cycles, 1400);
	ck_assert_uint_eq(iv->busy_cycles, 525);
	ck_assert_uint_eq(iv->thread_instructions, 10000);
	ck_assert_uint_eq(iv->thread_cycles, 30001);
	ck_assert_uint_eq(iv->num_cpus, 2);
	ck_assert_uint_eq(iv->cpus[1].instructions, 300);
	ck_assert_uint_eq(iv->cpus[1].busy_cycles, 150);
	ck_assert(iv->cpus[1].raw_cpi == 2.0 && iv->cpus[1].scaled_cpi == 1.0);
	ck_assert(iv->cpus[0].busy_pct == 50.0);
}
END_TEST

static void put_summary(struct bytes *b, uint64_t stamp, uint32_t nwords, const uint32_t *words)
{
	put_hook(b, stamp, 1, CPI_MAJOR, CPI_MINOR_SUMMARY, nwords, words, NULL);
}

START_TEST(not_measured_is_not_zero)
{
	const uint32_t words[] = {3, 1, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

	begin();
	put_summary(&made.records, 100, 16, words);
	put_thread(&made.records, 200, 1, 0, 50, 0, 0);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert(isnan(iv->raw_cpi) && isnan(iv->scaled_cpi) && isnan(iv->thread_cpi));
	ck_assert(iv->busy_pct == 0); /* idle, and that was measured */
	ck_assert(isnan(iv->cpus[0].raw_cpi) && iv->cpus[0].busy_pct == 0);
	ck_assert_uint_eq(iv->instructions, NOT_MEASURED);
	ck_assert_uint_eq(iv->cycles, NOT_MEASURED);
	ck_assert_uint_eq(iv->cpus[0].cycles, NOT_MEASURED);
	ck_assert_uint_eq(iv->flags, IV_SUMMARY);
	iv++;
	ck_assert_uint_eq(iv->thread_instructions, NOT_MEASURED);
	ck_assert_uint_eq(iv->thread_cycles, NOT_MEASURED);
	ck_assert(isnan(iv->thread_cpi) && isnan(iv->busy_pct));
	ck_assert_uint_eq(iv->types, CPI_HOOK_THREAD);
	ck_assert_uint_eq(iv->num_cpus, 0);
	ck_assert_ptr_null(iv->cpus);
	ck_assert_ptr_null(iv->label);
}
END_TEST

START_TEST(busy_that_was_not_measured)
{
	const uint32_t words[] = {1, 1, 0, 50, 1, 5000, 1, 5000};

	begin();
	put_summary(&made.records, 100, 8, words);
	const struct interval *iv = read_set();
	ck_assert(iv->raw_cpi == 1.5 && isnan(iv->busy_pct) && isnan(iv->cpus->busy_pct));
}
END_TEST

/* Two hooks next to each other: are they one group? */
static size_t groups_of(uint64_t stamp, uint32_t tid, uint8_t mm, uint64_t elapsed, bool before)
{
	begin();
	if (before)
		put_thread(&made.records, stamp, tid, mm, elapsed, 5, 5);
	put_label(&made.records, 1000, 1, 2, false, 100, "l");
	if (!before)
		put_thread(&made.records, stamp, tid, mm, elapsed, 5, 5);
	read_set();
	size_t n = made.set.count;
	return n;
}

START_TEST(changes_that_end_a_group)
{
	ck_assert_uint_eq(groups_of(1000, 1, 2, 100, false), 1);
	ck_assert_uint_eq(groups_of(1001, 1, 2, 100, false), 2);
	ck_assert_uint_eq(groups_of(1000, 2, 2, 100, false), 2);
	ck_assert_uint_eq(groups_of(1000, 1, 3, 100, false), 2);
	ck_assert_uint_eq(groups_of(1000, 1, 2, 101, false), 2);
	ck_assert_uint_eq(groups_of(1000, 1, 2, 100, true), 2); /* the order steps back */
}
END_TEST

START_TEST(equal_hooks_are_two_groups)
{
	begin();
	put_thread(&made.records, 1000, 1, 0, 100, 5, 5);
	put_thread(&made.records, 1000, 1, 0, 100, 5, 5);
	read_set();
	ck_assert_uint_eq(made.set.count, 2);
	/* Equal intervals: the first is the outer. */
	ck_assert_uint_eq(made.set.at[0].depth, 0);
	ck_assert_uint_eq(made.set.at[1].depth, 1);
	ck_assert_uint_lt(made.set.at[0].position, made.set.at[1].position);
}
END_TEST

START_TEST(other_hooks_between_end_a_group)
{
	begin();
	put_label(&made.records, 1000, 1, 2, false, 100, "l");
	put_plain(&made.records, 1000, 1, 2);
	put_label(&made.records, 1000, 1, 2, true, 100, "l");
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert_uint_eq(iv[0].flags, IV_NO_END);
	ck_assert_uint_eq(iv[1].flags, IV_NO_START);
}
END_TEST

START_TEST(groups_of_rings_do_not_mix)
{
	begin();
	for (uint32_t ring = 0; ring < 3; ring++) {
		put_label(&made.records, 1000, 1 + ring, 2, false, 100, "l");
		put_thread(&made.records, 1000, 1 + ring, 2, 100, 5, 5);
		put_label(&made.records, 1000, 1 + ring, 2, true, 100, "l");
		flush_ring(ring == 2 ? TF_GUEST_RING : 5 * ring);
	}
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(iv[i].flags, IV_DETAILED);
	ck_assert_uint_eq(iv[2].ring, TF_GUEST_RING);
}
END_TEST

START_TEST(contradictions_are_reported)
{
	const uint32_t summary[] = {1, 1, 0, 50, 1, 5000, 1, 5000};
	const uint32_t system[] = {1, 0, 50, 0, 100, 0, 200, 2, 0};

	begin();
	put_label(&made.records, 100, 1, 0, false, 50, "a");
	put_label(&made.records, 100, 1, 0, true, 50, "b");
	put_summary(&made.records, 200, 8, summary);
	put_hook(&made.records, 200, 1, CPI_MAJOR, CPI_MINOR_SYSTEM, 9, system, NULL);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert_uint_eq(iv[0].flags, IV_INCONSISTENT);
	ck_assert_mem_eq(iv[0].label, "a", 1);
	ck_assert_uint_eq(iv[1].flags, IV_SUMMARY | IV_DETAILED | IV_INCONSISTENT);
	ck_assert(iv[1].raw_cpi == 2.0); /* the detailed hook is the nearer one */
}
END_TEST

/* Started by thread 77, read by thread 1: legal. */
START_TEST(thread_hook_of_another_thread)
{
	begin();
	put_thread(&made.records, 100, 1, 0, 50, 5, 5);
	put_le32(made.records.p + REC_DATA, 77);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(iv->tid, 1);
	ck_assert_uint_eq(iv->flags, IV_DETAILED);
}
END_TEST

START_TEST(more_processors_than_words)
{
	static const uint32_t claims[] = {2, 3, 65535, 0x7fffffff, 0xffffffff};

	for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
		const uint32_t words[] = {
			1, claims[i], 0, 50, 0, 1, 0, 2, 2, 0, 0, 3, 0, 4, 1, 3333};

		begin();
		put_hook(&made.records, 100, 1, CPI_MAJOR, CPI_MINOR_PER_CPU, 16, words, NULL);
		const struct interval *iv = read_set();
		ck_assert_uint_eq(made.set.count, 1);
		ck_assert_uint_eq(iv->num_cpus, 2);
		ck_assert_uint_eq(iv->cpus[1].cycles, 4);
		ck_assert_uint_eq(iv->flags, IV_DETAILED | (claims[i] > 2 ? IV_MALFORMED : 0));
	}
}
END_TEST

START_TEST(short_hooks)
{
	/* Every length of each CPI hook: an interval all the same, and marked. */
	static const uint32_t kinds[] = {CPI_MINOR_LABEL_START, CPI_MINOR_SUMMARY, CPI_MINOR_THREAD,
		CPI_MINOR_PER_CPU, CPI_MINOR_SYSTEM, CPI_MINOR_QUALITY, CPI_MINOR_LABEL_END};
	static const uint32_t words[32] = {3, 1, 0, 50};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		for (unsigned n = 0; n < (kinds[i] == CPI_MINOR_QUALITY ? 5 : 7); n++) {
			begin();
			put_hook(&made.records, 100, 1, CPI_MAJOR, kinds[i], n, words, NULL);
			const struct interval *iv = read_set();
			ck_assert_uint_eq(made.set.count, 1);
			ck_assert(iv->flags & IV_MALFORMED);
			ck_assert(isnan(iv->raw_cpi));
		}
	}
}
END_TEST

START_TEST(elapsed_before_the_clock_began)
{
	begin();
	put_thread(&made.records, 100, 1, 0, 101, 5, 5);
	put_thread(&made.records, 100, 1, 0, UINT64_MAX, 5, 5);
	put_thread(&made.records, 100, 1, 0, 100, 5, 5);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(iv[i].start_ticks, 0);
		ck_assert_uint_eq(iv[i].flags & IV_MALFORMED, 0);
	}
	/* The longest first; each starts where it says, tick or no tick. */
	ck_assert(iv[0].start_ns < iv[1].start_ns);
	ck_assert(iv[1].start_ns < iv[2].start_ns);
}
END_TEST

START_TEST(foreign_minors_are_no_intervals)
{
	begin();
	put_hook(&made.records, 100, 1, CPI_MAJOR, 0x30000000, 0, NULL, NULL);
	put_hook(&made.records, 100, 1, CPI_MAJOR, 0x00000100, 0, NULL, NULL);
	put_hook(&made.records, 100, 1, 0xC1, 0, 0, NULL, NULL);
	read_set();
	ck_assert_uint_eq(made.set.count, 0);
}
END_TEST

START_TEST(scripted_traces_are_marked)
{
	begin();
	put_le32(made.file.p + TF_H_FLAGS, TF_FLAG_SCRIPTED);
	seal_header(made.file.p);
	put_thread(&made.records, 100, 1, 0, 50, 5, 5);
	const struct interval *iv = read_set();
	ck_assert(trace_scripted(made.t));
	ck_assert_uint_eq(iv->flags, IV_DETAILED | IV_SCRIPTED);
}
END_TEST

START_TEST(another_schema_of_the_cpi_hooks)
{
	/* One that renames everything: intervals keep the format's definition. */

	begin();
	put_text(&made.file, TF_TYPE_SCHEMA,
		"major 0xC0 mine\nhook 0x20000000/0xFFFFFF00 \"t\"\nu32 who\nu64 long\n");
	put_thread(&made.records, 100, 1, 0, 50, 5, 15);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(iv->elapsed, 50);
	ck_assert_uint_eq(iv->thread_cycles, 15);
	ck_assert_uint_eq(iv->flags, IV_DETAILED);
}
END_TEST

/* start, end, depth, parent as they must come out; given in any order. */
struct shape {
	uint64_t start, end;
	uint32_t tid, depth;
	int64_t parent;
};

static void nests(const struct shape *s, size_t n)
{
	begin();
	for (size_t i = n; i-- > 0;)
		put_thread(&made.records, s[i].end, s[i].tid, 0, s[i].end - s[i].start, 5, 5);
	/* Each in a section of its own, so that stamps may be in any order. */
	struct bytes all = made.records;
	made.records = (struct bytes){0};
	size_t each = n ? all.n / n : 0;
	for (size_t i = 0; i < n; i++) {
		bytes_put(&made.records, all.p + i * each, each);
		flush_ring((uint32_t)i);
	}
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(iv[i].start_ticks == s[i].start && iv[i].end_ticks == s[i].end,
			"%zu: [%u, %u]", i, (unsigned)iv[i].start_ticks, (unsigned)iv[i].end_ticks);
		ck_assert_msg(iv[i].depth == s[i].depth && iv[i].parent == s[i].parent,
			"%zu: depth %u, parent %d", i, iv[i].depth, (int)iv[i].parent);
	}
	bytes_free(&all);
}

START_TEST(contained_intervals_nest_and_overlapping_ones_do_not)
{
	static const struct shape inside[] = {{100, 900, 1, 0, -1}, {200, 400, 1, 1, 0},
		{250, 300, 1, 2, 1}, {500, 600, 1, 1, 0}};

	nests(inside, 4);
	static const struct shape overlap[] = {
		{100, 500, 1, 0, -1}, {300, 700, 1, 0, -1}, {600, 650, 1, 1, 1}};
	nests(overlap, 3);
	static const struct shape same_end[] = {{100, 500, 1, 0, -1}, {200, 500, 1, 1, 0},
		{300, 500, 1, 2, 1}, {300, 400, 1, 3, 2}};
	nests(same_end, 4);
	static const struct shape same_start[] = {
		{100, 500, 1, 0, -1}, {100, 400, 1, 1, 0}, {100, 100, 1, 2, 1}};
	nests(same_start, 3);
	static const struct shape touching[] = {{100, 200, 1, 0, -1}, {200, 300, 1, 0, -1}};
	nests(touching, 2);
	static const struct shape threads[] = {{100, 900, 1, 0, -1}, {200, 400, 2, 0, -1},
		{300, 350, 1, 1, 0}, {310, 320, 2, 1, 1}};
	nests(threads, 4);
	nests(NULL, 0);
}
END_TEST

static bool only_short(void *ctx, const struct interval *iv)
{
	(void)ctx;
	return iv->elapsed < 100;
}

static bool match_nothing(void *ctx, const struct interval *iv)
{
	(void)ctx;
	(void)iv;
	return false;
}

static int64_t place_at(struct nesting *n, uint32_t tid, int64_t start_ns, int64_t end_ns,
	uint64_t end_ticks, int64_t found, int64_t parent, int64_t place)
{
	struct interval iv = {.tid = tid,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.end_ticks = end_ticks,
		.place = found,
		.parent = parent};

	ck_assert_int_eq(nesting_renumber(n, &iv, place), 0);
	return iv.parent;
}

/* It ends, by the time, before it begins: other threads must not drop it. */
START_TEST(a_parent_outlasts_a_clock_set_back)
{
	struct nesting n = {.keeps = true};
	int64_t place = 0;

	ck_assert_int_eq(place_at(&n, 1, 1000, 900, 500, 0, -1, place++), -1);
	for (uint32_t tid = 2; tid < 100; tid++)
		place_at(&n, tid, 1000 + tid, 1000 + tid, 400, tid, -1, place++);
	ck_assert_int_eq(place_at(&n, 1, 1200, 1210, 450, 200, 0, place), 0);
	nesting_free(&n);
}
END_TEST

START_TEST(the_filter_does_not_change_depths)
{
	struct interval_stream_options o = {
		.from_ns = INT64_MIN, .wants = WANT_ALL, .filter = only_short};

	begin();
	put_thread(&made.records, 310, 1, 0, 20, 5, 5);
	put_thread(&made.records, 320, 1, 0, 40, 5, 5);
	put_thread(&made.records, 500, 1, 0, 400, 5, 5);
	read_with(&o);
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert_uint_eq(made.set.at[0].depth, 1);
	ck_assert_int_eq(made.set.at[0].parent, -1); /* it is not in the set */
	ck_assert_uint_eq(made.set.at[1].depth, 2);
	ck_assert_int_eq(made.set.at[1].parent, 0);
	interval_set_free(&made.set);
	o.filter = match_nothing;
	ck_assert_int_eq(interval_set_read(&made.set, made.t, &o), 0);
	ck_assert_uint_eq(made.set.count, 0);
}
END_TEST

START_TEST(many_intervals)
{
	/* Enough to grow everything; each holds the next. */
	enum { N = 50000 };

	begin();
	for (uint64_t i = 1; i <= N; i++)
		put_thread(&made.records, N + i, 1, 0, 2 * i, 5, 5);
	put_le32(made.file.p + TF_H_MAX_RAW, 0);
	seal_header(made.file.p);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, N);
	for (unsigned i = 0; i < N; i++) {
		ck_assert_uint_eq(iv[i].depth, i);
		ck_assert_int_eq(iv[i].parent, (int64_t)i - 1);
	}
}
END_TEST

FIXTURE_MAIN("intervals", whole_group, not_measured_is_not_zero, busy_that_was_not_measured,
	changes_that_end_a_group, equal_hooks_are_two_groups, other_hooks_between_end_a_group,
	groups_of_rings_do_not_mix, contradictions_are_reported, thread_hook_of_another_thread,
	more_processors_than_words, short_hooks, elapsed_before_the_clock_began,
	foreign_minors_are_no_intervals, scripted_traces_are_marked,
	another_schema_of_the_cpi_hooks, contained_intervals_nest_and_overlapping_ones_do_not,
	a_parent_outlasts_a_clock_set_back, the_filter_does_not_change_depths, many_intervals)
