/* Section headers with a valid checksum and false contents. */
#include <stdlib.h>
#include <xxhash.h>

#include "open.h"
#include "built.h"

enum { RINGS = 3, SECTIONS = 3, HOOKS = 4, RECORD = 32 };

/* Which header lies: the second of ring 1. Its stamps are 1400 to 1700, its position 128. */
#define FIRST 1410
#define LAST 1710
#define POSITION 128

static const struct lie {
	uint8_t offset, size;
	uint64_t value;
} lies[] = {
	{TF_S_HOOKS, 4, HOOKS + 1},
	{TF_S_HOOKS, 4, HOOKS - 1},
	{TF_S_HOOKS, 4, 0},
	{TF_S_HOOKS, 4, UINT32_MAX},
	{TF_S_TORN, 4, 1},
	{TF_S_TORN, 4, UINT32_MAX},
	{TF_S_FIRST, 8, FIRST - 1},
	{TF_S_FIRST, 8, FIRST - 350},
	{TF_S_FIRST, 8, FIRST + 1},
	{TF_S_FIRST, 8, 0},
	{TF_S_FIRST, 8, LAST + 1},
	{TF_S_FIRST, 8, UINT64_MAX},
	{TF_S_LAST, 8, LAST - 1},
	{TF_S_LAST, 8, LAST - 250},
	{TF_S_LAST, 8, LAST + 1},
	{TF_S_LAST, 8, LAST + 350},
	{TF_S_LAST, 8, 0},
	{TF_S_LAST, 8, UINT64_MAX},
	{TF_S_POSITION, 8, 0},
	{TF_S_POSITION, 8, POSITION - RECORD},
	{TF_S_POSITION, 8, POSITION + RECORD},
	{TF_S_POSITION, 8, POSITION + 4},
	{TF_S_POSITION, 8, (uint64_t)1 << 40},
	{TF_S_POSITION, 8, UINT64_MAX - 7},
};

/* Rings of three sections of four hooks; stamps of ring r are 1000 + 10 r and every 100 from there.
 */
static size_t build_contradiction(struct bytes *file)
{
	struct bytes records = {0};
	size_t liar = 0;

	put_header(file, 1);
	for (unsigned s = 0; s < SECTIONS; s++) {
		for (unsigned r = 0; r < RINGS; r++) {
			for (unsigned h = 0; h < HOOKS; h++)
				put_plain(&records, 1000 + 10 * r + 100 * (s * HOOKS + h), 7, h);
			size_t at = put_hooks(file, r, s * HOOKS * RECORD, TF_CODEC_LZ4, &records);
			if (r == 1 && s == 1)
				liar = at;
		}
	}
	put_end(file);
	bytes_free(&records);
	return liar;
}

static void tell_lie(struct bytes *file, size_t at, const struct lie *lie)
{
	uint8_t *h = file->p + at;
	XXH3_state_t *state = XXH3_createState();

	for (unsigned i = 0; i < lie->size; i++)
		h[lie->offset + i] = (uint8_t)(lie->value >> 8 * i);
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, h, TF_S_CHECKSUM);
	XXH3_64bits_update(state, h + TF_SECTION_SIZE, get_le32(h + TF_S_STORED));
	put_le64(h + TF_S_CHECKSUM, XXH3_64bits_digest(state));
	XXH3_freeState(state);
}

/* All hooks, and in order. */
static void expect_all(const struct trace *t)
{
	struct hook_iter *it;
	const struct hook *h;
	uint64_t n = 0, before = 0;

	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while (hook_iter_next(it, &h) > 0) {
		ck_assert_uint_ge(h->ticks, before);
		before = h->ticks;
		n++;
	}
	ck_assert_uint_eq(n, RINGS * SECTIONS * HOOKS);
	hook_iter_close(it);
}

START_TEST(a_false_header_is_reported_and_reorders_no_hook)
{
	size_t at = build_contradiction(&built);

	ck_assert_uint_eq(get_le64(built.p + at + TF_S_FIRST), FIRST);
	ck_assert_uint_eq(get_le64(built.p + at + TF_S_LAST), LAST);
	ck_assert_uint_eq(get_le64(built.p + at + TF_S_POSITION), POSITION);
	tell_lie(&built, at, &lies[_i]);
	struct trace *t = opened(&built);
	expect_all(t);
	ck_assert_uint_ge(trace_file(t, 0)->ncontradictions, 1);
	ck_assert_uint_eq(trace_file(t, 0)->hooks, RINGS * SECTIONS * HOOKS);
	ck_assert_uint_eq(trace_file(t, 0)->rings[1].torn, 0);
	trace_free(t);
}
END_TEST

START_TEST(a_true_header_is_not_reported)
{
	build_contradiction(&built);
	struct trace *t = opened(&built);
	expect_all(t);
	ck_assert_uint_eq(trace_file(t, 0)->ncontradictions, 0);
	trace_free(t);
}
END_TEST

/* If a file is not verified at once, reading it finds its counts and last stamp. */
START_TEST(a_lie_is_found_late_too)
{
	size_t at = build_contradiction(&built), n;
	struct trace *t;
	struct hook_iter *it;
	const struct hook *h;

	tell_lie(&built, at, &lies[_i]);
	ck_assert_int_eq(trace_new(&t), 0);
	trace_set_verify(t, VERIFY_LATER);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "memory"), 0);
	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while (hook_iter_next(it, &h) > 0)
		;
	hook_iter_damage(it, &n);
	ck_assert_uint_ge(n, 1);
	hook_iter_close(it);
	trace_free(t);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("contradictions", .tear_down = built_free,
				  TESTS(a_true_header_is_not_reported),
				  LOOPS({a_false_header_is_reported_and_reorders_no_hook, 0,
						sizeof lies / sizeof *lies},
					  {a_lie_is_found_late_too, 0, 6})),
		NULL);
}
