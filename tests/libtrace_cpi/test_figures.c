#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/measure/cpi/figures.h"
#include "suites.h"

static const struct {
	uint64_t cycles, instructions;
	uint32_t integral, fraction;
} cpis[] = {
	{3, 2, 1, 5000},
	{0, 5, 0, 0},
	{1, 3, 0, 3333},
	{2, 3, 0, 6667},
	{1, 1, 1, 0},
	{7, 1, 7, 0},
	/* half up: 0.00005 */
	{1, 20000, 0, 1},
	{1, 20001, 0, 0},
	{49999, 1000000000, 0, 0},
	{50000, 1000000000, 0, 1},
	{3, 20000, 0, 2},
	/* carry: 1.99995, and just below */
	{199995, 100000, 2, 0},
	{199994999, 100000000, 1, 9999},
	{99999, 100000, 1, 0},
	{99994, 100000, 0, 9999},
	/* where doubles round wrong: 2^53 + 1 and the like */
	{9007199254740993u, 9007199254740992u, 1, 0},
	{18446744073709551614u, 18446744073709551614u, 1, 0},
	{18446744073709551614u, 4294967296u, 4294967295u, 9999},
	{1000000000000000005u, 2000000000000000000u, 0, 5000},
	/* the largest, and saturation */
	{4294967295u, 1, 4294967295u, 0},
	{42949672959999u, 10000, 4294967295u, 9999},
	{4294967296u, 1, 4294967295u, 9999},
	{18446744073709551614u, 1, 4294967295u, 9999},
	/* 0xFFFFFFFF.99995 would carry out */
	{429496729599995u, 100000, 4294967295u, 9999},
	/* not measured, divided by zero */
	{5, 0, 0, 0},
	{0, 0, 0, 0},
	{NOT_MEASURED, 5, 0, 0},
	{5, NOT_MEASURED, 0, 0},
	{NOT_MEASURED, NOT_MEASURED, 0, 0},
};

START_TEST(cpi_words)
{
	uint32_t word[2];

	figure_cpi_words(cpis[_i].cycles, cpis[_i].instructions, word);
	ck_assert_uint_eq(word[0], cpis[_i].integral);
	ck_assert_uint_eq(word[1], cpis[_i].fraction);
}
END_TEST

START_TEST(cpi_double)
{
	ck_assert(figure_ratio(3, 2) == 1.5);
	ck_assert(figure_ratio(0, 2) == 0.0);
	ck_assert(isnan(figure_ratio(3, 0)));
	ck_assert(isnan(figure_ratio(0, 0)));
	ck_assert(isnan(figure_ratio(NOT_MEASURED, 2)));
	ck_assert(isnan(figure_ratio(3, NOT_MEASURED)));
}
END_TEST

static const struct {
	struct counter_interval_cpu c;
	double percent;
	uint32_t integral, fraction;
} busies[] = {
	{{.cycles = 1000, .busy = 250}, 25.0, 25, 0},
	{{.cycles = 1000, .busy = 0}, 0.0, 0, 0},
	{{.cycles = 1000, .busy = 1000}, 100.0, 100, 0},
	{{.cycles = 1000, .busy = 1001}, 100.0, 100, 0},
	{{.cycles = 3, .busy = 1}, 100.0 / 3, 33, 3333},
	{{.cycles = 2000000, .busy = 1999999}, 99.99995, 100, 0},
	{{.cycles = 18446744073709551614u, .busy = 18446744073709551614u}, 100.0, 100, 0},
	/* the cycles win over the time */
	{{.cycles = 10, .busy = 5, .busy_part = 9, .busy_whole = 9}, 50.0, 50, 0},
	/* unknown rate: the time's share */
	{{.cycles = NOT_MEASURED, .busy = NOT_MEASURED, .busy_part = 1, .busy_whole = 8}, 12.5, 12,
		5000},
	{{.cycles = 0, .busy = 0, .busy_part = 1, .busy_whole = 2}, 50.0, 50, 0},
	{{.cycles = NOT_MEASURED, .busy = NOT_MEASURED, .busy_part = 3, .busy_whole = 2}, 100.0,
		100, 0},
	/* not measured */
	{{.cycles = 10,
		 .busy = NOT_MEASURED,
		 .busy_part = NOT_MEASURED,
		 .busy_whole = NOT_MEASURED},
		NAN, 0, 0},
	{{.cycles = 0, .busy = 0, .busy_part = 0, .busy_whole = 0}, NAN, 0, 0},
};

START_TEST(busy_is_a_percentage_in_two_words)
{
	double percent = figure_busy(&busies[_i].c);
	uint32_t word[2];

	if (isnan(busies[_i].percent))
		ck_assert(isnan(percent));
	else
		ck_assert_double_eq_tol(percent, busies[_i].percent, 1e-12);
	figure_busy_words(&busies[_i].c, word);
	ck_assert_uint_eq(word[0], busies[_i].integral);
	ck_assert_uint_eq(word[1], busies[_i].fraction);
}
END_TEST

static struct counter_interval *three;

static void set_up(void)
{
	static const struct counter_interval_cpu cpu[3] = {
		{100, 200, 50, 50, 200, true, {0}},
		{300, 202, 100, 100, 202, true, {0}},
		{10, 198, 0, 0, 198, true, {0}},
	};

	three = calloc(1, counters_interval_size(3));
	three->cpus = 3;
	memcpy(three->cpu, cpu, sizeof cpu);
}

static void tear_down(void)
{
	free(three);
}

static bool busy_known(void)
{
	struct counter_interval_cpu sum;

	figure_sums(three, &sum);
	return figure_busy_known(&sum);
}

START_TEST(sums_cover_all_processors)
{
	struct counter_interval_cpu sum;

	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.instructions, 410);
	ck_assert_uint_eq(sum.cycles, 600);
	ck_assert_uint_eq(sum.busy, 150);
	ck_assert_uint_eq(sum.busy_part, 150);
	ck_assert_uint_eq(sum.busy_whole, 600);
	ck_assert(busy_known());
	ck_assert(figure_busy(&sum) == 25.0);
}
END_TEST

START_TEST(sums_one_not_measured)
{
	struct counter_interval_cpu sum;

	three->cpu[1].instructions = NOT_MEASURED;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.instructions, NOT_MEASURED);
	ck_assert_uint_eq(sum.cycles, 600);
	three->cpu[2].busy_part = three->cpu[2].busy_whole = three->cpu[2].busy = NOT_MEASURED;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.busy, NOT_MEASURED);
	ck_assert(!busy_known());
	ck_assert(isnan(figure_busy(&sum)));
}
END_TEST

START_TEST(sums_offline)
{
	struct counter_interval_cpu sum;

	three->cpu[1] = (struct counter_interval_cpu){
		NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, false, {0}};
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.instructions, 110);
	ck_assert_uint_eq(sum.cycles, 398);
	ck_assert(busy_known());
	three->cpus = 0;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.cycles, NOT_MEASURED);
	ck_assert(!busy_known());
}
END_TEST

START_TEST(sums_changed)
{
	struct counter_interval_cpu sum;

	three->flags = CPI_QUALITY_CPUS_CHANGED;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.instructions, NOT_MEASURED);
	ck_assert_uint_eq(sum.cycles, NOT_MEASURED);
	ck_assert(isnan(figure_busy(&sum)));
	ck_assert(!busy_known());
	three->flags = CPI_QUALITY_CORE_TYPES | CPI_QUALITY_MULTIPLEXED;
	ck_assert(busy_known());
}
END_TEST

/* Unhalted cycles at an unknown frequency: no share of anything, and yet a scaled CPI. */
START_TEST(busy_without_a_share)
{
	struct counter_interval_cpu sum;

	for (int cpu = 0; cpu < 3; cpu++)
		three->cpu[cpu].cycles = three->cpu[cpu].busy_part = three->cpu[cpu].busy_whole =
			NOT_MEASURED;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.busy, 150);
	ck_assert(isnan(figure_busy(&sum)));
	ck_assert(busy_known());
	three->cpu[1].busy = NOT_MEASURED;
	ck_assert(!busy_known());
}
END_TEST

START_TEST(sums_saturate)
{
	struct counter_interval_cpu sum;

	three->cpu[0].instructions = NOT_MEASURED - 1;
	figure_sums(three, &sum);
	ck_assert_uint_eq(sum.instructions, NOT_MEASURED - 1);
}
END_TEST

Suite *figures_suite(void)
{
	return SUITE("figures", .set_up = set_up, .tear_down = tear_down,
		TESTS(cpi_double, sums_cover_all_processors, sums_one_not_measured, sums_offline,
			sums_changed, busy_without_a_share, sums_saturate),
		LOOPS({cpi_words, 0, sizeof cpis / sizeof *cpis},
			{busy_is_a_percentage_in_two_words, 0, sizeof busies / sizeof *busies}));
}
