/* Pairs of begin and over hooks, which slices hand in in any order. */
#include <check.h>

#include "../../decoder/model/trace/begins.h"
#include "../../decoder/model/trace/trace.h"
#include "../lib/suites.h"

enum { SLICES = 3, ORDERS = 6 };

static const unsigned orders[ORDERS][SLICES] = {
	{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* A hook; ticks 0: none. */
struct pair_hook {
	uint64_t id, ticks;
	bool over;
};

/* Reads the slices in that order, the last one in a list of its own if `apart`. Returns how many
 * intervals are open, and the stamps of their begins. */
static size_t begins_read_slices(const struct pair_hook slices[SLICES][2],
	const unsigned order[SLICES], bool apart, uint64_t open[2 * SLICES])
{
	struct begins lists[2] = {{0}, {0}};
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	for (unsigned i = 0; i < SLICES; i++) {
		struct begins *to = &lists[apart && i == SLICES - 1];

		for (const struct pair_hook *h = slices[order[i]]; h < slices[order[i]] + 2; h++) {
			struct begun begun = {.id = h->id, .ticks = h->ticks, .over = h->over};

			if (h->ticks)
				ck_assert_int_eq(begins_add(to, &begun), 0);
		}
		begins_end_slice(to);
	}
	ck_assert_int_eq(begins_move(&lists[0], &lists[1]), 0);
	begins_settle(&lists[0], t);
	const size_t n = lists[0].count;
	for (size_t i = 0; i < n; i++)
		open[i] = lists[0].at[i].ticks;
	begins_free(&lists[0]);
	begins_free(&lists[1]);
	trace_free(t);
	return n;
}

static void begins_check_orders(
	const struct pair_hook slices[SLICES][2], const uint64_t *open, size_t n)
{
	for (unsigned i = 0; i < 2 * ORDERS; i++) {
		uint64_t found[2 * SLICES];

		ck_assert_uint_eq(begins_read_slices(slices, orders[i / 2], i % 2 != 0, found), n);
		for (size_t k = 0; k < n; k++)
			ck_assert_uint_eq(found[k], open[k]);
	}
}

START_TEST(pairs_are_found_across_slices)
{
	static const struct pair_hook slices[SLICES][2] = {
		{{1, 10, false}, {2, 20, false}}, {{2, 30, true}, {3, 40, false}}, {{3, 50, true}}};

	begins_check_orders(slices, (const uint64_t[]){10}, 1);
}
END_TEST

START_TEST(a_number_begun_twice_is_paired_alike_in_any_order)
{
	static const struct pair_hook apart[SLICES][2] = {
		{{5, 10, false}}, {{5, 20, true}}, {{5, 30, false}}};
	static const struct pair_hook together[SLICES][2] = {
		{{5, 10, false}, {5, 20, true}}, {{5, 30, false}}, {{6, 40, false}}};

	begins_check_orders(apart, NULL, 0);
	begins_check_orders(together, (const uint64_t[]){30, 40}, 2);
}
END_TEST

SUITE_MAIN(
	"begins", pairs_are_found_across_slices, a_number_begun_twice_is_paired_alike_in_any_order)
