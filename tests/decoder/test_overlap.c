/* Which of several sections is read where they claim the same positions of a ring. */
#include <check.h>

#include "../../decoder/model/trace/overlap.h"
#include "../lib/suites.h"

static int all_hold(void *ctx, const struct claim *c)
{
	(void)ctx;
	(void)c;
	return 1;
}

/* All but that of the member that ctx points to. */
static int others_hold(void *ctx, const struct claim *c)
{
	return c->member != *(uint32_t *)ctx;
}

static struct claim claim(
	uint32_t member, uint64_t position, uint32_t raw, uint64_t first, uint64_t last)
{
	return (struct claim){.position = position,
		.raw = raw,
		.first = first,
		.last = last,
		.has_range = true,
		.member = member};
}

static const struct claim *claim_of(const struct claim *c, size_t n, uint32_t member)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].member == member)
			return &c[i];
	ck_abort();
}

/* Where every section holds, member i skips skip[i] bytes. */
static void expect_skips(struct claim *c, size_t n, const uint32_t *skip)
{
	ck_assert_int_eq(overlap_settle(c, n, all_hold, NULL), 0);
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(claim_of(c, n, i)->skip, skip[i]);
}

#define EXPECT_SKIPS(...) expect_skips(c, sizeof c / sizeof *c, (const uint32_t[]){__VA_ARGS__})

START_TEST(the_same_section_is_read_once)
{
	struct claim c[] = {claim(0, 64, 96, 10, 12), claim(1, 64, 96, 10, 12)};

	EXPECT_SKIPS(0, 96);
}
END_TEST

START_TEST(the_longer_section_has_the_newer_hooks)
{
	struct claim c[] = {claim(0, 0, 96, 10, 12), claim(1, 0, 160, 10, 14)};

	EXPECT_SKIPS(96, 0);
}
END_TEST

START_TEST(of_two_as_long_the_one_with_fewer_torn_is_read)
{
	struct claim c[] = {claim(0, 0, 96, 11, 12), claim(1, 0, 96, 10, 12)};

	c[0].torn = 1;
	EXPECT_SKIPS(96, 0);
}
END_TEST

START_TEST(a_common_part_is_read_once)
{
	struct claim c[] = {claim(0, 0, 96, 10, 12), claim(1, 64, 96, 12, 14)};

	EXPECT_SKIPS(0, 32);
}
END_TEST

START_TEST(pieces_of_a_drain_yield_to_the_complete_file)
{
	struct claim c[] = {claim(0, 0, 32, 10, 10), claim(1, 32, 64, 11, 12),
		claim(2, 0, 128, 10, 13), claim(3, 128, 32, 14, 14)};

	EXPECT_SKIPS(32, 64, 0, 0);
}
END_TEST

START_TEST(other_hooks_at_one_position_refute_a_claim)
{
	struct claim c[] = {claim(0, 0, 96, 10, 12), claim(1, 0, 96, 20, 22),
		claim(2, 32, 32, 30, 31), claim(3, 64, 96, 5, 14)};

	EXPECT_SKIPS(0, 0, 0, 0);
	ck_assert(!claim_of(c, 4, 0)->refuted && claim_of(c, 4, 1)->refuted);
	ck_assert(claim_of(c, 4, 2)->refuted && claim_of(c, 4, 3)->refuted);
}
END_TEST

START_TEST(nothing_is_given_up_for_a_damaged_section)
{
	uint32_t damaged = 1;
	struct claim c[] = {claim(0, 0, 96, 10, 12), claim(1, 0, 160, 10, 14)};

	ck_assert_int_eq(overlap_settle(c, 2, others_hold, &damaged), 0);
	ck_assert_uint_eq(claim_of(c, 2, 0)->skip, 0);
}
END_TEST

SUITE_MAIN("overlap", the_same_section_is_read_once, the_longer_section_has_the_newer_hooks,
	of_two_as_long_the_one_with_fewer_torn_is_read, a_common_part_is_read_once,
	pieces_of_a_drain_yield_to_the_complete_file, other_hooks_at_one_position_refute_a_claim,
	nothing_is_given_up_for_a_damaged_section)
