/*
 * CPI, with scripted counters and with this machine's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/perflib/sets/cpi_sums.h"
#include "../../libtrace/perflib/sets/sets.h"
#include "sets_tests.h"

static void use_script(const char *text)
{
	char value[128];

	write_file("script", "%s", text);
	snprintf(value, sizeof value, "scripted:%s/script", made_up_root());
	setenv("SWTRACE_COUNTERS", value, 1);
}

START_TEST(the_cpi_sets_definition_is_valid)
{
	check_definition(cpi_set.definition);
	ck_assert_uint_eq(cpi_definition.counter[CPI_COLUMN_CPI].type, PERF_AVERAGE_BULK);
	ck_assert_uint_eq(cpi_definition.counter[CPI_COLUMN_SCALED].base, CPI_COLUMN_BASE);
	ck_assert_uint_eq(cpi_definition.counter[CPI_COLUMN_BUSY].base, CPI_COLUMN_BUSY_BASE);
}
END_TEST

/* Counts from the query's opening on: the first step is the opening's. */
START_TEST(counts_start_at_the_querys_opening)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	use_script("cycles 1000000\ncpi all 2\nbusy all 40%\n");
	ask_open(&cpi_set);
	for (uint64_t i = 1; i <= 3; i++) {
		read_rows((int64_t)i);
		ck_assert_uint_eq(asked.rows.used, (uint32_t)cpus + 1);
		ck_assert_str_eq(name_of(0), "_Total");
		ck_assert_uint_eq(value("0", CPI_COLUMN_CPI), i * 1000000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_BASE), i * 500000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_SCALED), i * 400000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_BUSY), i * 400000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_BUSY_BASE), i * 1000000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_INSTRUCTIONS), i * 500000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_CYCLES), i * 1000000);
		ck_assert_uint_eq(value("0", CPI_COLUMN_BUSY_CYCLES), i * 400000);
		ck_assert_uint_eq(value("_Total", CPI_COLUMN_CYCLES), i * 1000000 * (uint64_t)cpus);
		ck_assert_uint_eq(value("_Total", CPI_COLUMN_BASE), i * 500000 * (uint64_t)cpus);
	}
}
END_TEST

/* Counts of more than 32 bits stay whole. */
START_TEST(counts_exceed_32_bits)
{
	use_script("cycles 900000000000\ninstructions all 300000000000\n");
	ask_open(&cpi_set);
	read_rows(1);
	read_rows(2);
	ck_assert_uint_eq(value("0", CPI_COLUMN_BASE), UINT64_C(600000000000));
	ck_assert_uint_eq(value("0", CPI_COLUMN_CPI), UINT64_C(1800000000000));
	/* Counters that the script never mentions are not measured. */
	ck_assert(!is_known("0", CPI_COLUMN_SCALED));
	ck_assert(!is_known("0", CPI_COLUMN_BUSY));
	ck_assert(!is_known("_Total", CPI_COLUMN_BUSY_CYCLES));
}
END_TEST

/* An interval without a quantity gives nothing of the others either. */
START_TEST(an_interval_lacking_a_quantity_adds_nothing)
{
	use_script(
		"step\ncycles 100\ninstructions all 10\nstep\ncycles 100\ninstructions all none\n"
		"step\ncycles 100\ninstructions all 10\n");
	ask_open(&cpi_set);
	read_rows(1);
	ck_assert(!is_known("0", CPI_COLUMN_BASE));
	ck_assert(!is_known("0", CPI_COLUMN_CPI));
	read_rows(2);
	ck_assert_uint_eq(value("0", CPI_COLUMN_BASE), 0);
	read_rows(3);
	ck_assert_uint_eq(value("0", CPI_COLUMN_BASE), 10);
}
END_TEST

START_TEST(without_counters_all_is_unknown)
{
	setenv("SWTRACE_COUNTERS", "none", 1);
	ask_open(&cpi_set);
	read_rows(1);
	for (uint32_t i = 0; i < CPI_COLUMNS; i++)
		ck_assert(!is_known("_Total", i));
}
END_TEST

START_TEST(a_missing_script_fails_the_opening)
{
	void *state = NULL;

	setenv("SWTRACE_COUNTERS", "scripted:/nonexistent/file", 1);
	ck_assert_uint_eq(cpi_set.operations->open(&cpi_set, &state), ERROR_NOT_SUPPORTED);
	ck_assert_ptr_null(state);
}
END_TEST

/* The idle accounting: busy is a share of the time, and no processor has instructions. */
START_TEST(the_idle_accounting_gives_busy_only)
{
	uint64_t part = 0, whole = 0;

	setenv("SWTRACE_COUNTERS", "software", 1);
	ask_open(&cpi_set);
	/* Intervals as long as the first reading took are too short. */
	for (int i = 1; i <= 5 || (whole == 0 && i < 1000); i++) {
		usleep(30000);
		read_rows(i);
		ck_assert(!is_known("_Total", CPI_COLUMN_CPI));
		ck_assert(!is_known("_Total", CPI_COLUMN_SCALED));
		ck_assert(!is_known("_Total", CPI_COLUMN_INSTRUCTIONS));
		ck_assert_uint_ge(value("0", CPI_COLUMN_BUSY), part);
		ck_assert_uint_ge(value("0", CPI_COLUMN_BUSY_BASE), whole);
		part = value("0", CPI_COLUMN_BUSY);
		whole = value("0", CPI_COLUMN_BUSY_BASE);
		ck_assert_uint_le(part, whole);
	}
	ck_assert_uint_gt(whole, 0);
}
END_TEST

/* Samples that follow too soon add nothing, and lose nothing. */
START_TEST(too_soon)
{
	struct counter_sample *from = calloc(1, counters_sample_size(2)),
			      *to = calloc(1, counters_sample_size(2));

	from->cpus = to->cpus = 2;
	for (int cpu = 0; cpu < 2; cpu++) {
		from->cpu[cpu] = (struct counter_cpu){.online = true,
			.busy = NOT_MEASURED,
			.instructions = NOT_MEASURED,
			.idle_ns = 5,
			.idle_slack = 100};
		to->cpu[cpu] = from->cpu[cpu];
	}
	from->idle_at = 1000;
	to->idle_at = 1399;
	ck_assert(cpi_is_too_short(from, to));
	to->idle_at = 1400;
	ck_assert(!cpi_is_too_short(from, to));
	to->idle_at = 900;
	ck_assert(cpi_is_too_short(from, to));
	/* Counted, not accounted. */
	from->cpu[0].busy = from->cpu[1].busy = 7;
	ck_assert(!cpi_is_too_short(from, to));
	free(from);
	free(to);
}
END_TEST

Suite *sets_cpi_suite(void)
{
	return SUITE("sets: CPI", .tear_down = ask_close, .timeout = 60,
		TESTS(the_cpi_sets_definition_is_valid, counts_start_at_the_querys_opening,
			counts_exceed_32_bits, an_interval_lacking_a_quantity_adds_nothing,
			without_counters_all_is_unknown, a_missing_script_fails_the_opening,
			the_idle_accounting_gives_busy_only, too_soon));
}
