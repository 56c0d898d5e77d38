/* Whether runs differ: known answers, and how often chance is taken for more. */
#include <math.h>
#include <stdlib.h>

#include "../../decoder/model/stats/compare.h"
#include "../../decoder/model/stats/student.h"
#include "../lib/suites.h"
#include "../lib/random.h"

static double random_uniform(uint64_t *state)
{
	return ((double)(random64(state) >> 11) + 0.5) * 0x1p-53;
}

static double random_normal(uint64_t *state)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += random_uniform(state);
	return sum;
}

START_TEST(known_chances_of_student)
{
	static const struct {
		double t, df, above;
	} known[] = {{2.776445105, 4, 0.025}, {63.65674116, 1, 0.005}, {3.169272673, 10, 0.005},
		{1.812461123, 10, 0.05}, {2.878440473, 18, 0.005}, {2.575829304, 1e9, 0.005},
		{9.924843201, 2, 0.005}, {0, 3, 0.5}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		double t = known[i].t, df = known[i].df, above = known[i].above;

		ck_assert_double_eq_tol(student_above(t, df), above, 1e-8);
		ck_assert_double_eq_tol(student_above(-t, df), 1 - above, 1e-8);
		if (above < 0.5)
			ck_assert_double_eq_tol(student_quantile(above, df), t, 1e-6 * t);
	}
	ck_assert_double_eq(student_above(INFINITY, 4), 0);
	ck_assert_double_eq(student_above(-INFINITY, 4), 1);
}
END_TEST

START_TEST(known_distances_of_runs)
{
	static const double low[] = {1, 2, 3, 4, 5}, high[] = {3, 4, 5, 6, 7}, same[] = {4, 4, 4};
	struct compare_runs a = {low, 5}, b = {high, 5}, flat = {same, 3}, two = {low, 2};
	struct compare_distance d = compare_runs(a, b, COMPARE_EQUAL);

	ck_assert_double_eq_tol(d.t, 2, 1e-12);
	ck_assert_double_eq_tol(d.df, 8, 1e-12);
	ck_assert_double_eq_tol(compare_chance(d), 0.080516, 1e-6);
	ck_assert_double_eq_tol(compare_chance_of_side(d, true), 0.040258, 1e-6);
	ck_assert_double_eq_tol(compare_chance_of_side(d, false), 0.959742, 1e-6);
	ck_assert_double_eq_tol(compare_runs(b, a, COMPARE_EQUAL).t, -2, 1e-12);
	/* Exactly the null hypothesis, without variance. */
	ck_assert_double_eq(compare_runs(a, b, (struct compare_null){1, 2}).t, 0);
	ck_assert_double_eq(compare_runs(flat, flat, COMPARE_EQUAL).t, 0);
	ck_assert(isinf(compare_runs(flat, flat, (struct compare_null){1.5, 0}).t));
	/* 2 a - b: variances of 4 * 2.5 / 5 and 2.5 / 5. */
	ck_assert_double_eq_tol(
		compare_runs(a, b, (struct compare_null){2, 0}).t, -1 / sqrt(2.5), 1e-12);
	ck_assert(isnan(compare_runs(two, b, COMPARE_EQUAL).t));
	ck_assert(isnan(compare_chance(compare_runs(a, two, COMPARE_EQUAL))));
}
END_TEST

/* A percentile and the share up to it are each other's inverse; of ties, too. */
START_TEST(order_of_runs_does_not_show)
{
	static const double one[] = {0.1, 0.2, 0.3}, other[] = {0.3, 0.2, 0.1},
			    after[] = {0.9, 0.4, 0.8};
	struct compare_runs a = {one, 3}, b = {other, 3}, c = {after, 3};
	struct compare_distance of_a = compare_runs(a, c, COMPARE_EQUAL),
				of_b = compare_runs(b, c, COMPARE_EQUAL);

	ck_assert_double_ne((0.1 + 0.2) + 0.3, (0.3 + 0.2) + 0.1);
	ck_assert_double_eq(compare_mean(a), compare_mean(b));
	ck_assert_double_eq(of_a.t, of_b.t);
	ck_assert_double_eq(of_a.df, of_b.df);
}
END_TEST

START_TEST(percentiles_between_values)
{
	struct histogram h = {0}, ties = {0};

	for (uint64_t i = 1; i <= 200; i++)
		ck_assert_int_eq(histogram_add(&h, 1000 * (i * 37 % 201)), 0);
	ck_assert_int_eq(histogram_settle(&h), 0);
	for (unsigned percent = 1; percent < 100; percent++) {
		double q = histogram_middle(&h, percent);

		ck_assert_double_eq(q, (double)histogram_percentile(&h, percent));
		ck_assert_double_eq_tol(histogram_share(&h, q), percent / 100.0, 0.005);
	}
	ck_assert_double_eq(histogram_share(&h, 0), 0);
	ck_assert_double_eq(histogram_share(&h, 1e9), 1);
	/* 6 of 100 and 4 of 110: ranks 3 and 8 are their middles, 4.5 is between. */
	ck_assert_int_eq(histogram_add_many(&ties, 100, 6), 0);
	ck_assert_int_eq(histogram_add_many(&ties, 110, 4), 0);
	ck_assert_int_eq(histogram_settle(&ties), 0);
	ck_assert_double_eq_tol(histogram_middle(&ties, 50), 103, 1e-9);
	ck_assert_double_eq(histogram_middle(&ties, 10), 100);
	ck_assert_double_eq(histogram_middle(&ties, 99), 110);
	histogram_free(&h);
	histogram_free(&ties);
}
END_TEST

/* A run of n values of an AR(1). */
struct drawn {
	struct histogram values;
	struct timeline order;
	double mean;
};

static void draw_series(struct drawn *d, uint64_t *state, size_t n, double rho, double scale)
{
	double x = random_normal(state), sum = 0;

	*d = (struct drawn){0};
	for (size_t i = 0; i < n; i++) {
		x = rho * x + sqrt(1 - rho * rho) * random_normal(state);
		uint64_t value = (uint64_t)(1e6 * scale * (1 + 0.1 * x));
		sum += (double)value;
		ck_assert_int_eq(histogram_add(&d->values, value), 0);
		ck_assert_int_eq(timeline_add(&d->order, (int64_t)i * 1000003, value), 0);
	}
	ck_assert_int_eq(histogram_settle(&d->values), 0);
	ck_assert_int_eq(timeline_settle(&d->order), 0);
	d->mean = sum / (double)n;
}

static void free_series(struct drawn *d)
{
	histogram_free(&d->values);
	timeline_free(&d->order);
}

static double chance_of_difference(const struct drawn *a, const struct drawn *b, unsigned percent)
{
	struct compare_run before = {&a->values, &a->order, a->mean};
	struct compare_run after = {&b->values, &b->order, b->mean};
	struct compare_distance d;
	int rc = percent ? compare_percentiles(&before, &after, 10000 * percent, COMPARE_EQUAL, &d)
			 : compare_means(&before, &after, COMPARE_EQUAL, &d);

	ck_assert_int_eq(rc, 0);
	return compare_chance(d);
}

/* 60 pairs at 1 %: 5 changes have a chance below 0.1 %. */
START_TEST(dependent_intervals_are_no_change)
{
	static const unsigned metrics[] = {0, 50, 90, 99};
	static const double rhos[] = {0, 0.9};

	for (unsigned r = 0; r < 2; r++) {
		uint64_t state = 77 + r;
		unsigned changes[4] = {0}, found[4] = {0}, judged[4] = {0};

		for (unsigned turn = 0; turn < 60; turn++) {
			struct drawn a, b, c;

			draw_series(&a, &state, 4000, rhos[r], 1);
			draw_series(&b, &state, 4000, rhos[r], 1);
			draw_series(&c, &state, 4000, rhos[r], 1.2);
			for (unsigned m = 0; m < 4; m++) {
				double p = chance_of_difference(&a, &b, metrics[m]);

				judged[m] += !isnan(p);
				changes[m] += p <= 0.01;
				found[m] += chance_of_difference(&a, &c, metrics[m]) <= 0.01;
			}
			free_series(&a);
			free_series(&b);
			free_series(&c);
		}
		for (unsigned m = 0; m < 4; m++) {
			ck_assert_uint_le(changes[m], 4);
			ck_assert_uint_ge(judged[m], m == 3 && r ? 10 : 45);
			ck_assert_uint_ge(found[m], judged[m] - 8);
		}
	}
}
END_TEST

START_TEST(few_independent_intervals_are_not_judged)
{
	uint64_t state = 3;
	struct drawn few, dependent, many, unordered;

	draw_series(&few, &state, 90, 0, 1);
	draw_series(&dependent, &state, 300, 0.95, 1);
	draw_series(&many, &state, 1000, 0, 1);
	draw_series(&unordered, &state, 1000, 0, 1);
	timeline_free(&unordered.order);
	ck_assert(isnan(chance_of_difference(&few, &many, 0)));
	ck_assert(isnan(chance_of_difference(&many, &dependent, 50)));
	ck_assert(isnan(chance_of_difference(&many, &unordered, 0)));
	ck_assert(!isnan(chance_of_difference(&many, &many, 99)));
	ck_assert_double_eq(chance_of_difference(&many, &many, 0), 1);
	free_series(&few);
	free_series(&dependent);
	free_series(&many);
	free_series(&unordered);
}
END_TEST

static void same_timeline(const struct timeline *a, const struct timeline *b)
{
	uint32_t nx, ny;
	struct timeline_entry *x = timeline_sorted(a, &nx), *y = timeline_sorted(b, &ny);

	ck_assert(x && y);
	ck_assert_uint_eq(nx, ny);
	ck_assert_uint_eq(a->shift, b->shift);
	ck_assert_uint_eq(a->cut, b->cut);
	ck_assert_uint_eq(a->total, b->total);
	ck_assert_mem_eq(x, y, nx * sizeof *x);
	free(x);
	free(y);
}

/* Forwards, backwards, and in parts that merge either way: one timeline. */
START_TEST(order_of_adding_does_not_show)
{
	enum { MOST = 5000, PARTS = 3 };
	static int64_t ends[MOST];
	static uint64_t values[MOST];
	uint64_t state = 9;

	for (unsigned n = 1; n <= MOST; n = 3 * n + 1) {
		struct timeline forth = {0}, back = {0}, merged = {0}, part[PARTS] = {{0}};

		for (unsigned i = 0; i < n; i++) {
			ends[i] = (int64_t)(random64(&state) >> (i % 3 ? 20 : 40)) - 1000000;
			values[i] = random64(&state) >> (random64(&state) % 60);
			ck_assert_int_eq(timeline_add(&forth, ends[i], values[i]), 0);
			ck_assert_int_eq(timeline_add(&part[i % PARTS], ends[i], values[i]), 0);
		}
		for (unsigned i = n; i-- > 0;)
			ck_assert_int_eq(timeline_add(&back, ends[i], values[i]), 0);
		for (unsigned i = PARTS; i-- > 0;) {
			if (i % 2)
				ck_assert_int_eq(timeline_settle(&part[i]), 0);
			ck_assert_int_eq(timeline_merge(&merged, &part[i]), 0);
			timeline_free(&part[i]);
		}
		ck_assert_int_eq(timeline_settle(&forth), 0);
		ck_assert_int_eq(timeline_settle(&back), 0);
		ck_assert_int_eq(timeline_settle(&merged), 0);
		ck_assert_uint_eq(forth.total, n);
		same_timeline(&forth, &back);
		same_timeline(&forth, &merged);
		timeline_free(&forth);
		timeline_free(&back);
		timeline_free(&merged);
	}
}
END_TEST

SUITE_MAIN("compare", known_chances_of_student, known_distances_of_runs,
	order_of_runs_does_not_show, percentiles_between_values, dependent_intervals_are_no_change,
	few_independent_intervals_are_not_judged, order_of_adding_does_not_show)
