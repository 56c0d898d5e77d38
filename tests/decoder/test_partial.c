/* Partial results: as bytes and back, merged, and in the hands of a stranger. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../decoder/model/stats/partial/partial.h"
#include "../../decoder/model/stats/partial/arguments.h"
#include "../../decoder/base/varint.h"
#include "../../formats/bytes.h"
#include "../../include/cpidecode.h"
#include "../lib/suites.h"

static void add(struct tally *t, const char *label, double ns, uint64_t instructions)
{
	struct interval_cpu cpus[2] = {
		{.raw_cpi = 2, .scaled_cpi = NAN, .busy_pct = 50, .instructions = 5, .cycles = 10},
		{.raw_cpi = NAN, .scaled_cpi = NAN, .busy_pct = NAN}};
	struct interval iv = {.has_label = label != NULL,
		.label = label,
		.label_len = label ? (uint32_t)strlen(label) : 0,
		.mm = 3,
		.elapsed = (uint64_t)ns,
		.elapsed_ns = ns,
		.raw_cpi = 1.5,
		.scaled_cpi = NAN,
		.thread_cpi = NAN,
		.busy_pct = 12.5,
		.instructions = instructions,
		.cycles = 2 * instructions,
		.busy_cycles = NOT_MEASURED,
		.thread_instructions = NOT_MEASURED,
		.thread_cycles = NOT_MEASURED,
		.end_ns = (int64_t)(ns * 12345) - 1000000,
		.flags = IV_QUALITY | IV_USER_ONLY,
		.cpus = cpus,
		.num_cpus = 2};

	ck_assert_int_eq(tally_add(t, &iv), 0);
}

/* n intervals from number first on, as of a file's slice. */
static void make_partial(
	struct partial *p, uint8_t id, struct tick_range slice, unsigned first, unsigned n)
{
	*p = (struct partial){.tally.wanted = PARTIAL_WANTED, .filter = strdup("tid 5; ")};
	struct partial_source *s = partial_add_source(p, "a trace.bin");
	ck_assert_ptr_nonnull(s);
	memset(s->trace_id, id, sizeof s->trace_id);
	s->fingerprint = UINT64_MAX;
	s->host = strdup("a host");
	s->time_error_ns = UINT64_MAX - 1;
	s->command = strdup("a command");
	ck_assert_int_eq(partial_arguments_add(&p->arguments, "--report=summary", 16), 0);
	s->has_hooks = true;
	s->first = 5;
	s->last = UINT64_MAX;
	s->ticks_per_second = 1000;
	s->counts[PARTIAL_FULL] = 7;
	s->counts[PARTIAL_MALFORMED] = 1;
	s->has_rings = true;
	memset(s->rings, id, sizeof s->rings);
	s->rotation = (struct trace_rotation){.number = 3, .keep = 2};
	ck_assert_int_eq(partial_add_span(s, (struct partial_span){0, 8, 808}), 0);
	ck_assert_int_eq(partial_add_span(s, (struct partial_span){0x80000000, 0, UINT64_MAX}), 0);
	ck_assert_int_eq(partial_add_slice(s, slice), 0);
	ck_assert_int_eq(
		partial_add_damage(s, (struct partial_damage){.offset = 4096, .bytes = 9}), 0);
	ck_assert_int_eq(partial_add_finding(s, &(struct clock_finding){.kind = CLOCK_STEP,
							.from = 1,
							.to = UINT64_MAX,
							.from_ns = INT64_MIN,
							.to_ns = 5,
							.ns = -7}),
		0);
	partial_sort(p);
	for (unsigned i = first; i < first + n; i++) {
		add(&p->tally, i % 3 ? "many" : NULL, 1000.0 / 3 * (i * i % 997), 1000 + i);
		if (i == 7)
			add(&p->tally, "", 0, 0);
	}
	ck_assert_int_eq(tally_settle(&p->tally), 0);
}

static struct buffer bytes_of(const struct partial *p)
{
	struct buffer o = {0};

	partial_write(&o, p);
	ck_assert(!o.failed);
	return o;
}

static void check_bytes(const struct buffer *a, const struct buffer *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert(memcmp(a->p, b->p, a->n) == 0);
}

static const struct tick_range whole = {0, UINT64_MAX};

/* Tries each length, also where few bytes follow. A longer form of a number is refused. */
START_TEST(numbers_read_back_as_they_were)
{
	for (unsigned bit = 0; bit <= 128; bit++)
		for (int more = -1; more <= 1; more++)
			for (size_t after = 0; after <= 9; after++) {
				const exact_sum v =
					(bit < 128 ? (exact_sum)1 << bit : 0) + (exact_sum)more;
				struct buffer o = {0};

				varint_put(&o, v);
				const size_t n = o.n;
				buffer_add(&o, (const uint8_t[9]){0x81, 0, 0x80, 0x7F}, after);
				ck_assert(!o.failed);
				struct varint_in in = {.p = o.p, .end = o.p + o.n};
				ck_assert(varint_get(&in) == v);
				ck_assert_ptr_null(in.why);
				ck_assert_ptr_eq(in.p, o.p + n);
				/* Cut. */
				in = (struct varint_in){.p = o.p, .end = o.p + n - 1};
				varint_get(&in);
				ck_assert_ptr_nonnull(in.why);
				/* As if there was another byte, of 0. */
				o.p[n - 1] |= 0x80;
				o.n = n;
				buffer_add(&o, (const uint8_t[10]){0}, 1 + after);
				in = (struct varint_in){.p = o.p, .end = o.p + o.n};
				varint_get(&in);
				ck_assert_ptr_nonnull(in.why);
				free(o.p);
			}
}
END_TEST

/* Skipping any number of numbers ends where reading them ends. */
START_TEST(numbers_are_skipped_as_they_are_read)
{
	enum { NUMBERS = 40 };
	struct buffer o = {0};
	size_t ends[NUMBERS + 1] = {0};

	for (unsigned i = 0; i < NUMBERS; i++) {
		varint_put(&o, (exact_sum)1 << i * 29 % 127);
		ends[i + 1] = o.n;
	}
	ck_assert(!o.failed);
	for (unsigned from = 0; from <= NUMBERS; from++)
		for (unsigned to = from; to <= NUMBERS; to++) {
			struct varint_in in = {.p = o.p + ends[from], .end = o.p + o.n};

			varint_skip(&in, to - from);
			ck_assert_ptr_null(in.why);
			ck_assert_ptr_eq(in.p, o.p + ends[to]);
			/* Cut, or one too many. */
			in = (struct varint_in){.p = o.p + ends[from], .end = o.p + ends[to]};
			varint_skip(&in, to - from + 1);
			ck_assert_ptr_nonnull(in.why);
		}
	free(o.p);
}
END_TEST

START_TEST(a_file_reads_back_as_it_was)
{
	static const unsigned sizes[] = {0, 1, 300, 2000};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct partial p, q = {.tally.wanted = PARTIAL_WANTED};
		const char *why;

		make_partial(&p, 1, whole, 0, sizes[i]);
		struct buffer a = bytes_of(&p);
		ck_assert_int_eq(partial_read(&q, a.p, a.n, &why), 0);
		ck_assert_ptr_null(why);
		struct buffer b = bytes_of(&q);
		check_bytes(&a, &b);
		ck_assert(partial_whole(&q.sources[0]));
		ck_assert_str_eq(q.filter, "tid 5; ");
		free(a.p);
		free(b.p);
		partial_free(&p);
		partial_free(&q);
	}
}
END_TEST

static struct tick_range third(unsigned i)
{
	static const struct tick_range slices[] = {{0, 99}, {100, 199}, {200, UINT64_MAX}};

	return slices[i];
}

/* Every order, and every way to put pairs together first. */
START_TEST(slices_merge_to_the_full_result)
{
	static const unsigned orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct partial all;
	struct partial_clash clash;

	make_partial(&all, 1, whole, 0, 900);
	all.sources[0].counts[PARTIAL_MALFORMED] = 3;
	struct buffer expected = bytes_of(&all);
	for (unsigned i = 0; i < 12; i++) {
		struct partial part[3], one = {.tally.wanted = PARTIAL_WANTED},
					two = {.tally.wanted = PARTIAL_WANTED};
		const unsigned *order = orders[i / 2];

		for (unsigned k = 0; k < 3; k++)
			make_partial(&part[k], 1, third(order[k]), order[k] * 300, 300);
		ck_assert_int_eq(partial_merge(&one, &part[0], &clash), 0);
		if (i % 2) { /* first + (second + third) */
			ck_assert_int_eq(partial_merge(&two, &part[1], &clash), 0);
			ck_assert_int_eq(partial_merge(&two, &part[2], &clash), 0);
			ck_assert_int_eq(partial_merge(&one, &two, &clash), 0);
		} else {
			ck_assert_int_eq(partial_merge(&one, &part[1], &clash), 0);
			ck_assert(!partial_whole(&one.sources[0]));
			ck_assert_int_eq(partial_merge(&one, &part[2], &clash), 0);
		}
		ck_assert(partial_whole(&one.sources[0]));
		ck_assert_int_eq(partial_settle(&one), 0);
		struct buffer got = bytes_of(&one);
		check_bytes(&expected, &got);
		free(got.p);
		partial_free(&one);
		partial_free(&two);
		for (unsigned k = 0; k < 3; k++)
			partial_free(&part[k]);
	}
	free(expected.p);
	partial_free(&all);
}
END_TEST

START_TEST(files_merge_side_by_side)
{
	struct partial a, b;
	struct partial_clash clash;

	make_partial(&a, 2, whole, 0, 10);
	make_partial(&b, 1, whole, 10, 10);
	ck_assert_int_eq(partial_merge(&a, &b, &clash), 0);
	ck_assert_int_eq(partial_settle(&a), 0);
	ck_assert_uint_eq(a.nsources, 2);
	ck_assert_uint_eq(a.sources[0].trace_id[0], 1);
	ck_assert_uint_eq(a.sources[1].trace_id[0], 2);
	partial_free(&a);
	partial_free(&b);
}
END_TEST

/* Two files share hooks, although each has a fingerprint of its own. */
START_TEST(hooks_that_two_files_share_are_refused)
{
	static const struct {
		struct partial_span span;
		struct tick_range slice;
		bool no_rings, other_rings;
		int rc;
	} cases[] = {{{0, 8, 808}, {0, UINT64_MAX}, .rc = PARTIAL_SHARED},
		{{0, 800, 4000}, {0, UINT64_MAX}, .rc = PARTIAL_SHARED},
		{{0, 0, 16}, {100, 100}, .rc = PARTIAL_SHARED},
		{{0, 808, 4000}, {0, UINT64_MAX}, .rc = 0}, {{0, 0, 8}, {0, UINT64_MAX}, .rc = 0},
		{{1, 8, 808}, {0, UINT64_MAX}, .rc = 0},
		{{0x80000000, 0, 8}, {0, UINT64_MAX}, .rc = PARTIAL_SHARED},
		/* Read together, then in slices: a range of ticks has each hook once. */
		{{0, 8, 808}, {200, UINT64_MAX}, .rc = 0},
		{{0, 8, 808}, {0, UINT64_MAX}, .other_rings = true, .rc = 0},
		{{0, 8, 808}, {0, UINT64_MAX}, .no_rings = true, .rc = PARTIAL_SHARED}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct partial a, b;
		struct partial_clash clash = {9, 9};

		make_partial(&a, 1, third(1), 0, 10);
		make_partial(&b, 1, cases[i].slice, 10, 10);
		struct partial_source *s = &b.sources[0];
		s->fingerprint--;
		s->nspans = 0;
		s->rings[0] ^= cases[i].other_rings;
		s->has_rings = !cases[i].no_rings;
		ck_assert_int_eq(partial_add_span(s, cases[i].span), 0);
		ck_assert_msg(partial_merge(&a, &b, &clash) == cases[i].rc, "case %zu", i);
		ck_assert_uint_eq(a.nsources, cases[i].rc ? 1 : 2);
		if (cases[i].rc)
			ck_assert(clash.before == 0 && clash.came == 0);
		partial_free(&a);
		partial_free(&b);
	}
}
END_TEST

START_TEST(results_that_do_not_go_together_change_nothing)
{
	static const struct tick_range others[] = {{0, UINT64_MAX}, {0, 100}, {199, UINT64_MAX}};
	struct partial a, b;
	struct partial_clash clash;

	make_partial(&a, 1, third(1), 0, 300);
	struct buffer before = bytes_of(&a);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		make_partial(&b, 1, others[i], 300, 300);
		ck_assert_int_eq(partial_merge(&a, &b, &clash), PARTIAL_TWICE);
		partial_free(&b);
	}
	make_partial(&b, 1, third(1), 0, 300);
	ck_assert_int_eq(partial_merge(&a, &b, &clash), PARTIAL_AGAIN);
	partial_free(&b);
	make_partial(&b, 1, (struct tick_range){150, 150}, 300, 300);
	ck_assert_int_eq(partial_merge(&a, &b, &clash), PARTIAL_AGAIN);
	partial_free(&b);
	make_partial(&b, 1, third(0), 300, 300);
	b.filter[0]++;
	ck_assert_int_eq(partial_merge(&a, &b, &clash), PARTIAL_OTHER_FILTER);
	partial_free(&b);
	make_partial(&b, 1, third(0), 300, 300);
	b.arguments.at[0][2]++;
	ck_assert_int_eq(partial_merge(&a, &b, &clash), PARTIAL_OTHER_REPORT);
	partial_free(&b);
	struct buffer after = bytes_of(&a);
	check_bytes(&before, &after);
	free(before.p);
	free(after.p);
	partial_free(&a);
}
END_TEST

static void seal_partial(uint8_t *p, size_t n)
{
	put_le64(p + PARTIAL_H_PAYLOAD, n - PARTIAL_HEADER_SIZE);
	put_le64(p + PARTIAL_H_CHECKSUM,
		XXH3_64bits_withSeed(p + PARTIAL_HEADER_SIZE, n - PARTIAL_HEADER_SIZE,
			XXH3_64bits(p, PARTIAL_H_CHECKSUM)));
}

/* Versions 1 and 2 had other fields, and no positions. */
START_TEST(other_versions_are_refused)
{
	struct partial p = {.tally.wanted = PARTIAL_WANTED};
	const char *why;

	add(&p.tally, "one", 10, 1);
	ck_assert_int_eq(tally_settle(&p.tally), 0);
	struct buffer o = bytes_of(&p);
	for (uint32_t version = 0; version <= PARTIAL_VERSION; version++) {
		struct partial q = {.tally.wanted = PARTIAL_WANTED};

		put_le32(o.p + PARTIAL_H_VERSION, version);
		seal_partial(o.p, o.n);
		ck_assert_int_eq(partial_read(&q, o.p, o.n, &why), version != PARTIAL_VERSION);
		if (version != PARTIAL_VERSION)
			ck_assert_ptr_nonnull(strstr(why, "of another version: make it again"));
		partial_free(&q);
	}
	free(o.p);
	partial_free(&p);
}
END_TEST

START_TEST(an_order_may_be_unknown)
{
	struct partial p = {.tally.wanted = PARTIAL_WANTED}, q = {.tally.wanted = PARTIAL_WANTED},
		       again = {.tally.wanted = PARTIAL_WANTED};
	const char *why;

	for (unsigned i = 0; i < 400; i++)
		add(&p.tally, "one", 10 * i, i);
	ck_assert_int_eq(tally_settle(&p.tally), 0);
	timeline_free(p.tally.groups[0]->order);
	struct buffer old = bytes_of(&p);
	ck_assert_uint_eq(old.p[old.n - 1], 0);
	ck_assert_int_eq(partial_read(&q, old.p, old.n, &why), 0);
	ck_assert_uint_eq(q.tally.groups[0]->time.count, 400);
	ck_assert_uint_eq(q.tally.groups[0]->order->total, 0);
	struct buffer now = bytes_of(&q);
	ck_assert_int_eq(partial_read(&again, now.p, now.n, &why), 0);
	free(old.p);
	free(now.p);
	partial_free(&p);
	partial_free(&q);
	partial_free(&again);
}
END_TEST

/* From memory of exactly that size, so that a sanitizer sees a step beyond it. */
static int read_copy(const uint8_t *p, size_t n, bool repair)
{
	struct partial q = {.tally.wanted = PARTIAL_WANTED};
	const char *why = NULL;
	uint8_t *copy = malloc(n ? n : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, p, n);
	if (repair && n >= PARTIAL_HEADER_SIZE)
		seal_partial(copy, n);
	int rc = partial_read(&q, copy, n, &why);
	ck_assert(rc == 0 || rc == 1);
	ck_assert_int_eq(rc == 1, why != NULL);
	if (!rc) { /* an accepted result is usable */
		struct buffer o = bytes_of(&q);
		for (size_t i = 0; i < q.tally.count; i++)
			histogram_percentile(&q.tally.groups[i]->time, 99);
		free(o.p);
	}
	partial_free(&q);
	free(copy);
	return rc;
}

START_TEST(every_truncation_is_refused)
{
	struct partial p;

	make_partial(&p, 1, whole, 0, 450);
	struct buffer o = bytes_of(&p);
	for (size_t n = 0; n < o.n; n++) {
		ck_assert_int_eq(read_copy(o.p, n, false), 1);
		ck_assert_int_eq(read_copy(o.p, n, true), 1);
	}
	varint_put(&o, 0);
	ck_assert_int_eq(read_copy(o.p, o.n, true), 1);
	free(o.p);
	partial_free(&p);
}
END_TEST

/* Refused by the checksum; and with a checksum that holds, refused or harmless. */
START_TEST(every_changed_byte_is_survived)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xFF, 0x7F};
	struct partial p;

	make_partial(&p, 1, whole, 0, 450);
	struct buffer o = bytes_of(&p);
	ck_assert_int_eq(read_copy(o.p, o.n, true), 0);
	for (size_t i = 0; i < o.n; i++) {
		for (unsigned c = 0; c < sizeof changes; c++) {
			o.p[i] ^= changes[c];
			ck_assert_int_eq(read_copy(o.p, o.n, false), 1);
			read_copy(o.p, o.n, true);
			o.p[i] ^= changes[c];
		}
	}
	free(o.p);
	partial_free(&p);
}
END_TEST

START_TEST(numbers_have_one_spelling)
{
	static const struct {
		uint8_t bytes[20];
		size_t n;
		bool good;
	} cases[] = {{{0}, 1, true}, {{0x7F}, 1, true}, {{0x80, 1}, 2, true}, {{0x80, 0}, 2, false},
		{{0x80}, 1, false}, {{0}, 0, false}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct varint_in in = {.p = cases[i].bytes, .end = cases[i].bytes + cases[i].n};

		varint_get(&in);
		ck_assert_int_eq(!in.why, cases[i].good);
	}
	static const exact_sum values[] = {0, 127, 128, UINT64_MAX, EXACT_MAX - 1, EXACT_MAX};
	struct buffer o = {0};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		varint_put(&o, values[i]);
	varint_put_signed(&o, INT64_MIN);
	varint_put_signed(&o, -1);
	varint_put_signed(&o, INT64_MAX);
	struct varint_in in = {.p = o.p, .end = o.p + o.n};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		ck_assert(varint_get(&in) == values[i]);
	ck_assert_int_eq(varint_get_signed(&in), INT64_MIN);
	ck_assert_int_eq(varint_get_signed(&in), -1);
	ck_assert_int_eq(varint_get_signed(&in), INT64_MAX);
	ck_assert(!in.why && in.p == in.end);
	free(o.p);
	/* 129 bits. */
	uint8_t large[19];
	memset(large, 0x80, sizeof large);
	large[18] = 4;
	in = (struct varint_in){.p = large, .end = large + sizeof large};
	varint_get(&in);
	ck_assert_ptr_nonnull(in.why);
}
END_TEST

SUITE_MAIN("partial", numbers_read_back_as_they_were, numbers_are_skipped_as_they_are_read,
	a_file_reads_back_as_it_was, slices_merge_to_the_full_result, files_merge_side_by_side,
	results_that_do_not_go_together_change_nothing, hooks_that_two_files_share_are_refused,
	other_versions_are_refused, an_order_may_be_unknown, every_truncation_is_refused,
	every_changed_byte_is_survived, numbers_have_one_spelling)
