/* Records and merging: the output is complete and in order. */
#include "open.h"
#include "built.h"

START_TEST(small_trace)
{
	for (uint8_t codec = 0; codec <= TF_CODEC_ZLIB; codec++) {
		struct bytes b = {0};
		struct hook_counts c;

		put_small_trace(&b, codec);
		struct trace *t = opened(&b);
		const struct trace_file *f = trace_file(t, 0);
		ck_assert_uint_eq(f->sections, 10);
		ck_assert_uint_eq(f->ndamage, 0);
		ck_assert(f->has_end && f->has_hooks);
		ck_assert_uint_eq(f->hooks, 42);
		ck_assert_uint_eq(f->first, 1995);
		ck_assert_uint_eq(f->last, 4000);
		ck_assert_uint_eq(f->nrings, 2);
		ck_assert_uint_eq(f->rings[0].sections, 2);
		ck_assert(!f->rings[0].has_loss && f->rings[1].has_loss);
		ck_assert_uint_eq(f->rings[1].loss_full, 1);
		ck_assert_uint_eq(f->rings[1].skipped, 7);
		ck_assert_str_eq(trace_meta_value(f, "kernel"), "6.1");
		ck_assert_ptr_null(trace_meta_value(f, "absent"));
		ck_assert_uint_eq(f->nmeta, 2);
		ck_assert_uint_eq(f->nsyncs, 3);
		ck_assert_uint_eq(read_hooks(t, &c), 42);
		ck_assert_uint_eq(c.pads, 1);
		ck_assert_uint_eq(c.promised, 42);
		ck_assert_uint_eq(c.torn + c.malformed + c.bad_sections, 0);
		trace_free(t);
		bytes_free(&b);
	}
}
END_TEST

START_TEST(hooks_have_all_their_parts)
{
	struct hook_iter *it;
	const struct hook *h;

	put_small_trace(&built, TF_CODEC_LZ4);
	struct trace *t = opened(&built);
	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	ck_assert_int_eq(hook_iter_next(it, &h), 1);
	ck_assert_uint_eq(h->ticks, 1995);
	ck_assert_int_eq(h->time_ns, 5000000995);
	ck_assert_uint_eq(h->ring, 1);
	ck_assert_uint_eq(h->position, 4096 + 16);
	ck_assert_uint_eq(h->minor, 2);
	ck_assert_uint_eq(hook_word(h, 0), 2);
	ck_assert_str_eq(h->task->name, "twelve");
	ck_assert_ptr_null(h->schema); /* major 0x10 is the trace's, which knows no minor 2 */
	while (h->major != CPI_MAJOR)
		ck_assert_int_eq(hook_iter_next(it, &h), 1);
	uint32_t n;
	ck_assert_uint_eq(h->nstrings, 1);
	ck_assert_mem_eq(hook_string(h, 0, &n), "label", 5);
	ck_assert_uint_eq(n, 5);
	ck_assert_str_eq(schema_hook_name(h->schema), "label, start");
	hook_iter_close(it);
	trace_free(t);
}
END_TEST

START_TEST(merge_order)
{
	/* Equal stamps go by ring, within a ring by position; sections come in any order. */
	struct bytes r = {0};
	static const uint32_t rings[] = {TF_GUEST_RING, 3, 0, 7};
	uint64_t seed = 1;

	put_header(&built, 1);
	for (unsigned section = 5; section-- > 0;) {
		for (unsigned i = 0; i < 4; i++) {
			for (unsigned k = 0; k < 20; k++) {
				seed = seed * 6364136223846793005u + 1;
				put_plain(&r, 1000 * section + 40 * k + (seed >> 60), 1, 0);
			}
			put_hooks(&built, rings[i], 65536 * section, section % 3, &r);
		}
	}
	put_end(&built);
	struct trace *t = opened(&built);
	struct hook_iter *it;
	const struct hook *h;
	struct hook last = {0};
	unsigned n = 0;
	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while (hook_iter_next(it, &h) > 0) {
		bool after = h->ticks > last.ticks ||
			     (h->ticks == last.ticks &&
				     (h->ring > last.ring || (h->ring == last.ring &&
								     h->position > last.position)));

		ck_assert(n++ == 0 || after);
		last = *h;
	}
	ck_assert_uint_eq(n, 400);
	hook_iter_close(it);
	trace_free(t);
	bytes_free(&r);
}
END_TEST

START_TEST(stamps_that_go_back_are_all_read)
{
	struct bytes r = {0};
	struct hook_counts c;

	put_header(&built, 1);
	for (uint64_t i = 0; i < 100; i++)
		put_plain(&r, i % 2 ? UINT64_MAX - i : i, 1, 0);
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &r);
	put_plain(&r, 5, 1, 0);
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &r); /* the same position again */
	struct trace *t = opened(&built);
	ck_assert_uint_eq(read_hooks(t, &c), 101);
	trace_free(t);
	bytes_free(&r);
}
END_TEST

/* Reads a HOOKS section of these bytes between two good ones. */
static struct hook_counts odd_section(const struct bytes *odd)
{
	struct bytes b = {0}, r = {0};
	struct hook_counts c;

	put_header(&b, 1);
	put_plain(&r, 1, 1, 0);
	put_hooks(&b, 0, 0, TF_CODEC_NONE, &r);
	put_section(&b, &(struct section){.type = TF_TYPE_HOOKS, .position = 100}, odd);
	put_plain(&r, 3, 1, 0);
	put_hooks(&b, 0, 200, TF_CODEC_NONE, &r);
	struct trace *t = opened(&b);
	ck_assert_uint_ge(read_hooks(t, &c), 2);
	trace_free(t);
	bytes_free(&r);
	bytes_free(&b);
	return c;
}

START_TEST(odd_records)
{
	static const struct {
		uint32_t control, second;
		unsigned hooks, pads, torn, reserved, malformed, bad;
	} cases[] = {
		{32 | REC_COMMITTED, 0, 3, 0, 0, 0, 0, 0},
		{32 | REC_COMMITTED | 0x7f000004, 0, 3, 0, 0, 0, 0, 0}, /* bits that mean nothing */
		{32, 0, 2, 0, 1, 0, 0, 0},
		{32 | 1, 0, 2, 0, 1, 0, 0, 0},
		{32 | 2, 0, 2, 0, 1, 0, 0, 0},
		{32 | REC_COMMITTED | 1, 0, 2, 1, 0, 0, 0, 0},
		{32 | REC_COMMITTED | 2, 0, 2, 0, 0, 1, 0, 0},
		{32 | REC_COMMITTED | 3, 0, 2, 0, 0, 1, 0, 0},
		{32 | REC_COMMITTED, 3u << 16, 2, 0, 0, 0, 1, 0}, /* too many words */
		{32 | REC_COMMITTED, 0xffffu << 16, 2, 0, 0, 0, 1, 0},
		{32 | REC_COMMITTED, 3u << 8, 2, 0, 0, 0, 1, 0}, /* too many strings */
		{32 | REC_COMMITTED, 2u << 8, 3, 0, 0, 0, 0, 0}, /* two empty ones fit */
		{32 | REC_COMMITTED, 2u << 16 | 1 << 8, 2, 0, 0, 0, 1, 0},
		{0, 0, 2, 0, 0, 0, 0, 1},
		{REC_COMMITTED, 0, 2, 0, 0, 0, 0, 1},
		{40 | REC_COMMITTED, 0, 2, 0, 0, 0, 0, 1}, /* beyond the section */
		{REC_MAX_SIZE, 0, 2, 0, 0, 0, 0, 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes odd = {0};

		put_u32(&odd, cases[i].control);
		put_u32(&odd, cases[i].second);
		for (unsigned k = 0; k < 3; k++)
			put_u64(&odd, 0);
		put_le64(odd.p + REC_STAMP, 2);
		struct hook_counts c = odd_section(&odd);
		ck_assert_msg(
			c.hooks == cases[i].hooks, "case %zu: %u hooks", i, (unsigned)c.hooks);
		ck_assert_uint_eq(c.pads, cases[i].pads);
		ck_assert_uint_eq(c.torn, cases[i].torn);
		ck_assert_uint_eq(c.reserved, cases[i].reserved);
		ck_assert_uint_eq(c.malformed, cases[i].malformed);
		ck_assert_uint_eq(c.bad_sections, cases[i].bad);
		ck_assert_uint_eq(c.bad_bytes, cases[i].bad * 32);
		bytes_free(&odd);
	}
}
END_TEST

START_TEST(records_too_small_for_a_hook)
{
	for (uint32_t size = 8; size < REC_HEADER_SIZE; size += 8) {
		struct bytes odd = {0};

		put_u32(&odd, size | REC_COMMITTED);
		while (odd.n < size)
			put_u32(&odd, 0);
		struct hook_counts c = odd_section(&odd);
		ck_assert_uint_eq(c.hooks, 2);
		ck_assert_uint_eq(c.malformed, 1);
		bytes_free(&odd);
	}
}
END_TEST

START_TEST(string_lengths)
{
	/* One string in 8 bytes: up to 4 fit. */
	static const uint32_t lengths[] = {0, 1, 3, 4, 5, 8, 0x7fffffff, 0xfffffffc, 0xffffffff};

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct bytes odd = {0};

		put_u32(&odd, 32 | REC_COMMITTED);
		put_u32(&odd, 1u << 8);
		put_u64(&odd, 0);
		put_u64(&odd, 2);
		put_u32(&odd, lengths[i]);
		put_u32(&odd, 0x61626364);
		struct hook_counts c = odd_section(&odd);
		ck_assert_uint_eq(c.malformed, lengths[i] > 4);
		bytes_free(&odd);
	}
}
END_TEST

START_TEST(section_that_is_no_multiple_of_8)
{
	struct bytes odd = {0};

	put_plain(&odd, 2, 1, 0);
	bytes_put(&odd, "tail", 4);
	struct hook_counts c = odd_section(&odd);
	ck_assert_uint_eq(c.hooks, 3);
	ck_assert_uint_eq(c.bad_bytes, 4);
	bytes_free(&odd);
}
END_TEST

START_TEST(payload_that_does_not_unpack)
{
	struct bytes r = {0};
	struct hook_counts c;

	put_header(&built, 1);
	for (unsigned i = 0; i < 3; i++) {
		put_plain(&r, i, 1, 0);
		struct section s = {.type = TF_TYPE_HOOKS,
			.codec = i == 1 ? TF_CODEC_LZ4 : TF_CODEC_NONE,
			.position = i * 100,
			.hooks = 1};
		put_stored(&built, &s, &r);
		r.n = 0;
	}
	struct trace *t = opened(&built);
	struct hook_iter *it;
	const struct hook *h;
	size_t n;
	ck_assert_uint_eq(read_hooks(t, &c), 2);
	ck_assert_uint_eq(c.bad_sections, 1);
	ck_assert_uint_eq(c.promised, 3);
	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while (hook_iter_next(it, &h) > 0)
		;
	const struct hook_damage *d = hook_iter_damage(it, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(d->offset, TF_HEADER_SIZE + 64 + 32);
	hook_iter_close(it);
	trace_free(t);
	bytes_free(&r);
}
END_TEST

START_TEST(time_range)
{
	struct hook_iter *it;
	const struct hook *h;

	put_small_trace(&built, TF_CODEC_NONE);
	struct trace *t = opened(&built);
	static const struct {
		int64_t from, to;
		unsigned hooks;
	} cases[] = {
		{INT64_MIN, INT64_MAX, 42},
		{5000001000, 5000001000, 2}, /* tick 2000 on both rings */
		{5000000994, 5000000995, 1},
		{INT64_MIN, 5000000994, 0},
		{5000003001, INT64_MAX, 0},
		{5000003000, INT64_MAX, 6},
		{INT64_MAX, INT64_MIN, 0},
		{INT64_MIN, INT64_MIN, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned n = 0;

		ck_assert_int_eq(hook_iter_open(t, &it), 0);
		hook_iter_range(it, cases[i].from, cases[i].to);
		while (hook_iter_next(it, &h) > 0)
			n++;
		ck_assert_uint_eq(n, cases[i].hooks);
		hook_iter_close(it);
	}
	trace_free(t);
}
END_TEST

BUILT_MAIN("model", small_trace, hooks_have_all_their_parts, merge_order,
	stamps_that_go_back_are_all_read, odd_records, records_too_small_for_a_hook, string_lengths,
	section_that_is_no_multiple_of_8, payload_that_does_not_unpack, time_range)
