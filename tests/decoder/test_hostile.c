/* Nothing that comes in makes the decoder fall over. Worth the most under sanitizers. */
#include <check.h>
#include <stdlib.h>

#include "../../decoder/model/intervals/set.h"
#include "../../decoder/model/trace/task_losses.h"
#include "../../decoder/model/trace/tasks.h"
#include "../../include/cpidecode.h"
#include "built.h"

static int open_code(const struct bytes *b)
{
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	int rc = trace_add_memory(t, b->p, b->n, "memory");
	ck_assert_uint_eq(trace_nfiles(t), rc ? 0 : 1);
	trace_free(t);
	return rc;
}

/* Everything that can be read of these bytes, if they are a trace at all. */
static void read_all(const struct bytes *b)
{
	struct trace *t;
	struct interval_set set = {0};
	const struct interval_stream_options options = {.from_ns = INT64_MIN, .wants = WANT_ALL};

	ck_assert_int_eq(trace_new(&t), 0);
	int rc = trace_add_memory(t, b->p, b->n, "m");
	if (!rc) {
		struct hook_iter *it;
		const struct hook *h;

		ck_assert_int_eq(hook_iter_open(t, &it), 0);
		while (hook_iter_next(it, &h) > 0) {
			struct field_cursor c;
			struct field_value v;
			uint32_t n;

			for (unsigned i = 0; i < h->nstrings; i++)
				hook_string(h, i, &n);
			for (field_start(&c, h); field_next(&c, &v);)
				;
		}
		hook_iter_close(it);
		ck_assert_int_eq(interval_set_read(&set, t, &options), 0);
		interval_set_free(&set);
	}
	trace_free(t);
}

START_TEST(every_truncation)
{
	put_small_trace(&built, TF_CODEC_LZ4);
	for (size_t n = built.n; n-- > 0;) {
		/* A copy of its own, so that a byte too far is seen. */
		struct bytes cut = {0};

		bytes_put(&cut, built.p, n);
		cut.p = realloc(cut.p, n ? n : 1);
		read_all(&cut);
		ck_assert_int_eq(open_code(&cut), n == 0	       ? CPIDECODE_EEMPTY
						  : n < TF_HEADER_SIZE ? CPIDECODE_ETRUNCATED
								       : 0);
		bytes_free(&cut);
	}
}
END_TEST

START_TEST(every_byte_changed)
{
	static const uint8_t with[] = {0x01, 0x80, 0xff};

	put_small_trace(&built, TF_CODEC_ZLIB);
	for (size_t i = 0; i < built.n; i++) {
		for (size_t j = 0; j < sizeof with; j++) {
			built.p[i] ^= with[j];
			read_all(&built);
			built.p[i] ^= with[j];
		}
	}
}
END_TEST

/* As above, but behind checksums that hold: the records themselves are hostile. */
START_TEST(every_byte_of_the_records_changed)
{
	struct bytes small = {0};

	put_small_trace(&small, TF_CODEC_NONE);
	static const uint8_t with[] = {0x01, 0x08, 0x80, 0xff};
	struct bytes records = {0};
	/* The last HOOKS section is a group of all six CPI hooks. */
	for (size_t at = TF_HEADER_SIZE; at < small.n;) {
		uint32_t stored = get_le32(small.p + at + TF_S_STORED);

		if (get_le16(small.p + at + TF_S_TYPE) == TF_TYPE_HOOKS) {
			records.n = 0;
			bytes_put(&records, small.p + at + TF_SECTION_SIZE, stored);
		}
		at += TF_SECTION_SIZE + ((stored + 7) & ~7u);
	}
	for (size_t i = 0; i < records.n; i++) {
		for (size_t j = 0; j < sizeof with; j++) {
			struct bytes b = {0};

			records.p[i] ^= with[j];
			put_header(&b, 1);
			put_section(&b, &(struct section){.type = TF_TYPE_HOOKS}, &records);
			records.p[i] ^= with[j];
			b.p = realloc(b.p, b.n);
			read_all(&b);
			bytes_free(&b);
		}
	}
	bytes_free(&records);
	bytes_free(&small);
}
END_TEST

/* Keys whose exclusive or is one number: with a hash of that, each is compared with all before it,
 * which takes more than the test's time. */
START_TEST(losses_of_tasks_with_chosen_keys)
{
	struct task_losses t = {0};

	for (unsigned again = 0; again < 2; again++)
		for (uint32_t tid = 1; tid <= TASKS_MAX; tid++) {
			const struct task_loss loss = {.tid = tid,
				.first = UINT64_C(0x123456789ABCDEF0) ^ (uint64_t)tid << 32,
				.lost = tid + 7,
				.before = again ? 1 : tid};

			ck_assert_int_eq(task_losses_add(&t, &loss), 0);
		}
	ck_assert_uint_eq(t.count, TASKS_MAX);
	for (uint32_t i = 0; i < t.count; i++) {
		ck_assert_uint_eq(t.at[i].tid, i + 1);
		ck_assert_uint_eq(t.at[i].before, i + 1);
	}
	task_losses_free(&t);
}
END_TEST

BUILT_MAIN("hostile", every_truncation, every_byte_changed, every_byte_of_the_records_changed,
	losses_of_tasks_with_chosen_keys)
