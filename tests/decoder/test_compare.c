/* Whether two sets differ: known answers, brute force, and how often chance is taken for more. */
#include <math.h>
#include <stdlib.h>

#include "../../decoder/model/compare.h"
#include "run.h"

static struct histogram of(const uint64_t *values, size_t n)
{
	struct histogram h = {0};
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(histogram_add(&h, values[i]), 0);
	ck_assert_int_eq(histogram_settle(&h), 0);
	return h;
}

static double ranks_of(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	struct histogram x = of(a, na), y = of(b, nb);
	double p = compare_ranks(&x, &y, 0.05).p, q = compare_ranks(&y, &x, 0.05).p;
	ck_assert_double_eq(p, q); /* to and fro */
	histogram_free(&x);
	histogram_free(&y);
	return p;
}

START_TEST(known_chances_of_few)
{
	static const uint64_t low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
	ck_assert_double_eq_tol(ranks_of(low, 5, high, 5), 2.0 / 252, 1e-15);
	ck_assert_double_eq_tol(ranks_of(low, 2, high, 3), 2.0 / 10, 1e-15);
	/* 3 | 1 2 and all that is as far out: rank sums 3 and 1 of 1, 2, 3. */
	ck_assert_double_eq_tol(ranks_of(&low[2], 1, low, 2), 2.0 / 3, 1e-15);
	/* All the same: every way to deal them out is as far. */
	static const uint64_t same[] = {7, 7, 7, 7};
	ck_assert_double_eq(ranks_of(same, 4, same, 3), 1);
	/* Ties: 1 1 2 | 2 3 3 has ranks 1.5 1.5 3.5 against 3.5 5.5 5.5. A sum of 6.5 or less takes
	 * both 1s and a 2: 2 of 20 ways; as many on the other side. */
	static const uint64_t tied_low[] = {1, 1, 2}, tied_high[] = {2, 3, 3};
	ck_assert_double_eq_tol(ranks_of(tied_low, 3, tied_high, 3), 4.0 / 20, 1e-15);
}
END_TEST

/* All ways to choose na of the values, by bits, and doubled mid-ranks by counting. */
static double brute_force(const uint64_t *all, unsigned na, unsigned n)
{
	int64_t rank[16], mean = (int64_t)na * (n + 1), seen = 0;
	uint64_t ways = 0, far = 0;
	for (unsigned i = 0; i < n; i++) {
		rank[i] = 1;
		for (unsigned j = 0; j < n; j++)
			rank[i] += 2 * (all[j] < all[i]) + (all[j] == all[i]);
	}
	for (unsigned i = 0; i < na; i++)
		seen += rank[i];
	for (uint32_t set = 0; set < 1u << n; set++) {
		int64_t sum = 0;
		if ((unsigned)__builtin_popcount(set) != na)
			continue;
		for (unsigned i = 0; i < n; i++)
			sum += set >> i & 1 ? rank[i] : 0;
		ways++;
		far += llabs(sum - mean) >= llabs(seen - mean);
	}
	return (double)far / (double)ways;
}

static uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

START_TEST(few_agree_with_brute_force)
{
	uint64_t state = 1, all[12];
	for (unsigned turn = 0; turn < 60; turn++) {
		unsigned n = 2 + turn % 11, na = 1 + (unsigned)(random64(&state) % (n - 1));
		unsigned range = turn % 3 ? 1000 : 4;
		for (unsigned i = 0; i < n; i++)
			all[i] = random64(&state) % range;
		ck_assert_double_eq_tol(
			ranks_of(all, na, all + na, n - na), brute_force(all, na, n), 1e-12);
	}
}
END_TEST

/* The largest sets that are counted out are near to what the normal distribution says. */
START_TEST(few_agree_with_many)
{
	uint64_t state = 5, a[20], b[20];
	for (unsigned turn = 0; turn < 20; turn++) {
		unsigned wins = 0;
		for (unsigned i = 0; i < 20; i++) {
			a[i] = random64(&state) % 1000000;
			b[i] = random64(&state) % 1000000 + 20000 * turn;
		}
		for (unsigned i = 0; i < 400; i++)
			wins += b[i % 20] > a[i / 20];
		double off = fabs(wins - 200.0) - 0.5, spread = sqrt(20 * 20 * 41 / 12.0);
		double normal = off > 0 ? erfc(off / spread / sqrt(2)) : 1;
		ck_assert_double_eq_tol(ranks_of(a, 20, b, 20), normal, 0.005);
	}
}
END_TEST

START_TEST(too_few_are_called_so)
{
	static const uint64_t low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
	struct histogram a = of(low, 5), b = of(high, 5), none = {0};
	ck_assert_int_eq(compare_ranks(&a, &b, 0.01).verdict, VERDICT_CHANGED);
	ck_assert_int_eq(compare_ranks(&a, &b, 0.007).verdict, VERDICT_TOO_FEW);
	ck_assert_int_eq(compare_ranks(&a, &a, 0.01).verdict, VERDICT_NOISE);
	ck_assert_int_eq(compare_ranks(&a, &none, 0.01).verdict, VERDICT_NONE);
	ck_assert_int_eq(compare_percentile(&a, &b, 50, 0.01), VERDICT_TOO_FEW);
	ck_assert_int_eq(compare_percentile(&none, &b, 50, 0.01), VERDICT_NONE);
	histogram_free(&a);
	histogram_free(&b);
}
END_TEST

START_TEST(known_intervals_of_percentiles)
{
	static const struct {
		uint64_t n;
		unsigned percent;
		uint64_t low, high;
	} known[] = {{10, 50, 2, 9}, {100, 50, 40, 61}, {100, 90, 84, 96}, {5, 50, 0, 6},
		{100, 99, 97, 101}, {1, 99, 1, 2}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint64_t low, high;
		compare_interval(known[i].n, known[i].percent, 0.05, &low, &high);
		ck_assert_uint_eq(low, known[i].low);
		ck_assert_uint_eq(high, known[i].high);
	}
	/* Of many: 1.96 standard deviations of 500 around the middle. */
	uint64_t low, high;
	compare_interval(1000000, 50, 0.05, &low, &high);
	ck_assert_uint_ge(low, 499018);
	ck_assert_uint_le(low, 499021);
	ck_assert_uint_eq(low + high, 1000001);
}
END_TEST

/* n values whose logarithm is even, times scale / 100. */
static struct histogram drawn(uint64_t *state, size_t n, uint64_t scale)
{
	struct histogram h = {0};
	for (size_t i = 0; i < n; i++) {
		double x = exp2(10 + 4 * (double)(random64(state) >> 11) * 0x1p-53);
		ck_assert_int_eq(histogram_add(&h, (uint64_t)x * scale / 100), 0);
	}
	ck_assert_int_eq(histogram_settle(&h), 0);
	return h;
}

/* Of 300 comparisons of the same thing 15 may look like a change at 5 %; and a real one shows. */
START_TEST(chance_is_called_a_change_as_rarely_as_promised)
{
	static const size_t sizes[] = {15, 120, 400};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		uint64_t state = 77 + s;
		unsigned ranks = 0, means = 0, p50 = 0, p90 = 0, found = 0;
		for (unsigned turn = 0; turn < 300; turn++) {
			struct histogram a = drawn(&state, sizes[s], 100);
			struct histogram b = drawn(&state, sizes[s], 100);
			struct histogram c = drawn(&state, sizes[s], 600);
			ranks += compare_ranks(&a, &b, 0.05).verdict == VERDICT_CHANGED;
			means += compare_means(&a, &b, 0.05).verdict == VERDICT_CHANGED;
			p50 += compare_percentile(&a, &b, 50, 0.05) == VERDICT_CHANGED;
			p90 += compare_percentile(&a, &b, 90, 0.05) == VERDICT_CHANGED;
			found += compare_ranks(&a, &c, 0.05).verdict == VERDICT_CHANGED;
			histogram_free(&a);
			histogram_free(&b);
			histogram_free(&c);
		}
		ck_assert_uint_le(ranks, 25);
		ck_assert_uint_le(means, 25);
		ck_assert_uint_le(p50, 15);
		ck_assert_uint_le(p90, 15);
		ck_assert_uint_ge(found, 250);
	}
}
END_TEST

START_TEST(shifted_percentiles_are_found)
{
	uint64_t state = 3;
	/* One known by values, the other by buckets, too. */
	struct histogram a = drawn(&state, 200, 100), b = drawn(&state, 2000, 400);
	ck_assert(histogram_exact(&a) && !histogram_exact(&b));
	ck_assert_int_eq(compare_percentile(&a, &b, 50, 0.01), VERDICT_CHANGED);
	ck_assert_int_eq(compare_percentile(&b, &a, 50, 0.01), VERDICT_CHANGED);
	ck_assert_int_eq(compare_percentile(&a, &b, 90, 0.01), VERDICT_CHANGED);
	ck_assert_int_eq(compare_percentile(&a, &b, 99, 0.01), VERDICT_TOO_FEW);
	ck_assert_int_eq(compare_ranks(&a, &b, 1e-6).verdict, VERDICT_CHANGED);
	ck_assert_int_eq(compare_means(&a, &b, 1e-6).verdict, VERDICT_CHANGED);
	ck_assert_int_eq(compare_means(&a, &a, 0.01).verdict, VERDICT_NOISE);
	histogram_free(&a);
	histogram_free(&b);
}
END_TEST

RUN_TESTS("compare", known_chances_of_few, few_agree_with_brute_force, few_agree_with_many,
	too_few_are_called_so, known_intervals_of_percentiles,
	chance_is_called_a_change_as_rarely_as_promised, shifted_percentiles_are_found)
