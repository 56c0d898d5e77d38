/* Whatever is summed up, the terms of why add up, and none is made up. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../../decoder/report/why/explain.h"
#include "../lib/suites.h"
#include "../lib/random.h"

/* A sum of any size, now and then none, or more than there can be. */
static exact_sum random_sum(uint64_t *state)
{
	uint64_t kind = random64(state) % 16;

	if (!kind)
		return 0;
	return kind == 1 ? EXACT_MAX : (exact_sum)random64(state) >> random64(state) % 64;
}

/* All, nine in ten, fewer, or half. */
static uint64_t some_or_all(uint64_t *state, uint64_t count)
{
	const uint64_t some[] = {count - count / 10, count - count / 10 - (count != 0), count / 2};
	const uint64_t kind = random64(state) % 8;

	return kind < sizeof some / sizeof *some ? some[kind] : count;
}

/* Nine in ten of a side. */
static bool is_enough(uint64_t known, uint64_t count)
{
	return known >= count - count / 10;
}

static struct why_sums random_sums(uint64_t *state)
{
	struct why_sums s = {.count = random64(state) % 8 ? random64(state) % 1000 : 0};

	s.time = random_sum(state);
	s.tell_off = some_or_all(state, s.count);
	s.tell_counts = some_or_all(state, s.count);
	s.tell_nominal = some_or_all(state, s.tell_counts);
	s.user_only = random64(state) % 4 ? 0 : s.tell_counts;
	s.off_ns = random_sum(state);
	s.instructions = random_sum(state);
	s.cycles = random_sum(state);
	s.nominal = random_sum(state);
	return s;
}

START_TEST(terms_add_up_exactly)
{
	uint64_t state = 2026;
	unsigned measured = 0, nominal = 0, neither = 0, partial = 0;

	for (unsigned turn = 0; turn < 50000; turn++) {
		struct why_sums sums[WHY_SIDES] = {random_sums(&state), random_sums(&state)};
		struct why_answer a;
		int64_t sum = 0;

		why_answer(sums, &a);
		for (unsigned term = 0; term < WHY_TERMS; term++) {
			sum += a.term[term];
			ck_assert(a.is_known[term] || !a.term[term]);
		}
		ck_assert_int_eq(sum, a.difference);
		ck_assert_int_eq(a.difference, a.mean[WHY_TAIL] - a.mean[WHY_MIDDLE]);
		ck_assert_int_eq(a.is_known[WHY_INSTRUCTIONS], a.is_known[WHY_CPI]);
		ck_assert(!a.is_known[WHY_FREQUENCY] || a.is_known[WHY_OFF_CPU]);
		ck_assert(!a.nominal || (a.is_known[WHY_CPI] && !a.is_known[WHY_FREQUENCY]));
		for (unsigned side = 0; side < WHY_SIDES; side++) {
			const struct why_sums *s = &sums[side];

			if (!is_enough(s->tell_off, s->count))
				ck_assert(!a.is_known[WHY_OFF_CPU]);
			if (!is_enough(s->tell_counts, s->count))
				ck_assert(!a.is_known[WHY_CPI] && isnan(a.value[side][WHY_CPI]));
			if (s->user_only || s->tell_off < s->count || s->tell_counts < s->count)
				ck_assert(!a.is_known[WHY_FREQUENCY]);
		}
		measured += a.is_known[WHY_FREQUENCY];
		nominal += a.nominal;
		neither += !a.is_known[WHY_CPI];
		partial +=
			a.is_known[WHY_OFF_CPU] && sums[WHY_TAIL].tell_off < sums[WHY_TAIL].count;
	}
	/* All four were among them. */
	ck_assert(measured > 100 && nominal > 100 && neither > 100 && partial > 100);
}
END_TEST

START_TEST(means_are_rounded_to_tenths)
{
	struct why_sums sums[WHY_SIDES] = {{.count = 3, .time = 1000 * EXACT_PER_NS},
		{.count = 1, .time = 400 * EXACT_PER_NS + EXACT_PER_NS / 2}};
	struct why_answer a;

	why_answer(sums, &a);
	ck_assert_int_eq(a.mean[WHY_MIDDLE], 3333);
	ck_assert_int_eq(a.mean[WHY_TAIL], 4005);
	ck_assert_int_eq(a.term[WHY_UNATTRIBUTED], 672);
}
END_TEST

START_TEST(means_are_of_the_intervals_that_measured)
{
	struct why_sums sums[WHY_SIDES] = {
		{.count = 10, .time = 100 * EXACT_PER_NS, .tell_off = 10, .off_ns = 20},
		{.count = 10, .time = 1000 * EXACT_PER_NS, .tell_off = 9, .off_ns = 720}};
	struct why_answer a;

	why_answer(sums, &a);
	ck_assert(a.is_known[WHY_OFF_CPU]);
	ck_assert_double_eq(a.value[WHY_TAIL][WHY_OFF_CPU], 80);
	ck_assert_int_eq(a.term[WHY_OFF_CPU], 780);
	ck_assert_int_eq(a.term[WHY_UNATTRIBUTED], 120);
	sums[WHY_TAIL].tell_off = 8;
	why_answer(sums, &a);
	ck_assert(!a.is_known[WHY_OFF_CPU]);
	ck_assert_int_eq(a.term[WHY_UNATTRIBUTED], 900);
}
END_TEST

START_TEST(chances_are_hypergeometric)
{
	/* All 5 of 5 among 20: one of the ways to draw 5 of them; all but one: 5 * 15 more. */
	ck_assert_double_eq_tol(why_chance(20, 5, 5, 5), 1.0 / 15504, 1e-12);
	ck_assert_double_eq_tol(why_chance(20, 5, 5, 4), 76.0 / 15504, 1e-12);
	ck_assert_double_eq_tol(why_chance(20, 5, 5, 0), 1, 1e-12);
	/* There is no room for others. */
	ck_assert_double_eq(why_chance(20, 5, 18, 3), 1);
	ck_assert_double_eq_tol(why_chance(20, 5, 18, 4), 1 - 816.0 / 15504, 1e-12);
	/* Large ones end, and fall with k; the mean is 1000. */
	double before = 1, chance = 1;
	for (uint64_t k = 0; k <= 1000; k += 50) {
		chance = why_chance(10000000, 100000, 100000, k);
		ck_assert(chance >= 0 && chance <= before + 1e-6);
		before = chance;
	}
	ck_assert_double_eq_tol(chance, 0.5, 0.02);
	ck_assert(why_chance(10000000, 100000, 100000, 2000) < 1e-100);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("why", TESTS(terms_add_up_exactly, means_are_rounded_to_tenths,
					       means_are_of_the_intervals_that_measured,
					       chances_are_hypergeometric)),
		NULL);
}
