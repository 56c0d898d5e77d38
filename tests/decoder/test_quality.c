/* The quality hook in intervals. */
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "fixture.h"

static void put_quality(struct bytes *b, uint64_t stamp, uint32_t nwords, const uint32_t *words)
{
	put_hook(b, stamp, 1, CPI_MAJOR, CPI_MINOR_QUALITY | 2, nwords, words, NULL);
}

/* flags, known, elapsed, one quantity, then the figures. */
enum { QUALITY_HEAD = 10 };
#define QUALITY(flags, known, ...) flags, known, 0, 100, 1, 1, 0, 9, 0, 9, __VA_ARGS__

START_TEST(quality_is_part_of_its_group)
{
	const uint32_t words[] = {QUALITY(1, 15, 0, 40, 0, 3, 0, 2, 1, 5)};

	begin();
	put_label(&made.records, 1000, 1, 2, false, 100, "l");
	put_thread(&made.records, 1000, 1, 2, 100, 5, 5);
	put_quality(&made.records, 1000, QUALITY_HEAD + 8, words);
	put_label(&made.records, 1000, 1, 2, true, 100, "l");
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 1);
	ck_assert_uint_eq(iv->flags, IV_DETAILED | IV_QUALITY | IV_MULTIPLEXED);
	ck_assert_uint_eq(iv->on_cpu_ns, 40);
	ck_assert_uint_eq(iv->off_cpu_ns, 60);
	ck_assert_uint_eq(iv->ctx_switches, 3);
	ck_assert_uint_eq(iv->migrations, 2);
	ck_assert_uint_eq(iv->faults, 0x100000005);
	ck_assert_uint_eq(iv->thread_cycles, 5);
}
END_TEST

START_TEST(quality_without_figures)
{
	const uint32_t words[] = {QUALITY(0, 0, 0)};

	begin();
	put_quality(&made.records, 1000, QUALITY_HEAD, words);
	put_thread(&made.records, 2000, 1, 2, 100, 5, 5);
	const struct interval *iv = read_set();
	ck_assert_uint_eq(made.set.count, 2);
	ck_assert_uint_eq(iv[0].flags, IV_QUALITY);
	ck_assert_uint_eq(iv[1].flags, IV_DETAILED);
	for (; iv < made.set.at + 2; iv++)
		ck_assert(iv->on_cpu_ns == NOT_MEASURED && iv->off_cpu_ns == NOT_MEASURED &&
			  iv->ctx_switches == NOT_MEASURED && iv->migrations == NOT_MEASURED &&
			  iv->faults == NOT_MEASURED);
}
END_TEST

/* Each figure alone, where the others have no words; and 0 is a figure. */
START_TEST(quality_that_knows_in_part)
{
	for (uint32_t known = 0; known < 16; known++) {
		const uint32_t words[] = {QUALITY(0, known, 0, 0, 0, 0, 0, 0, 0, 0)};
		unsigned figures = (unsigned)__builtin_popcount(known);

		begin();
		put_quality(&made.records, 1000, QUALITY_HEAD + 2 * figures, words);
		const struct interval *iv = read_set();
		ck_assert_uint_eq(iv->flags, IV_QUALITY);
		/* Without a switch it was on the processor all the time. */
		ck_assert_uint_eq(iv->off_cpu_ns, known & 2 ? 0 : known & 1 ? 100 : NOT_MEASURED);
		ck_assert_uint_eq(iv->ctx_switches, known & 2 ? 0 : NOT_MEASURED);
		ck_assert_uint_eq(iv->migrations, known & 4 ? 0 : NOT_MEASURED);
		ck_assert_uint_eq(iv->faults, known & 8 ? 0 : NOT_MEASURED);
	}
}
END_TEST

START_TEST(quality_flags)
{
	static const uint32_t flags[] = {CPI_QUALITY_MULTIPLEXED, CPI_QUALITY_CPUS_CHANGED,
		CPI_QUALITY_CORE_TYPES, CPI_QUALITY_USER_ONLY, 0x10, 0x80000000};
	static const uint32_t means[] = {
		IV_MULTIPLEXED, IV_CPUS_CHANGED, IV_CORE_TYPES, IV_USER_ONLY, 0, 0};

	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
		const uint32_t words[] = {QUALITY(flags[i], 0, 0)};

		begin();
		put_quality(&made.records, 1000, QUALITY_HEAD, words);
		ck_assert_uint_eq(read_set()->flags, IV_QUALITY | means[i]);
	}
}
END_TEST

/* The clocks differ a little; the last values come from no clock. */
START_TEST(off_cpu_is_never_below_nothing)
{
	static const struct {
		uint64_t on_cpu, off_cpu;
	} of[] = {{99, 1}, {100, 0}, {101, 0}, {UINT64_MAX - 1, 0}, {UINT64_MAX, NOT_MEASURED}};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		const uint32_t words[] = {
			QUALITY(0, 1, (uint32_t)(of[i].on_cpu >> 32), (uint32_t)of[i].on_cpu)};

		begin();
		put_quality(&made.records, 1000, QUALITY_HEAD + 2, words);
		ck_assert_uint_eq(read_set()->off_cpu_ns, of[i].off_cpu);
	}
}
END_TEST

START_TEST(off_cpu_of_an_elapsed_that_no_clock_has)
{
	const uint32_t words[] = {0, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0, 5};

	begin();
	put_quality(&made.records, 1000, 7, words);
	ck_assert_uint_eq(read_set()->off_cpu_ns, NOT_MEASURED);
}
END_TEST

/* A quality hook that says too much or too little: bounded, marked, and nothing made up. */
START_TEST(quality_that_lies)
{
	static const uint32_t claims[] = {2, 65536, 0x7FFFFFFF, 0xFFFFFFFF};

	for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
		const uint32_t words[] = {0, 15, 0, 100, claims[i], 1, 0, 9, 0, 9};

		begin();
		put_quality(&made.records, 1000, 10, words);
		const struct interval *iv = read_set();
		ck_assert_uint_eq(made.set.count, 1);
		ck_assert_uint_eq(iv->flags, IV_QUALITY | IV_MALFORMED);
		ck_assert(iv->off_cpu_ns == NOT_MEASURED && iv->faults == NOT_MEASURED);
	}
}
END_TEST

START_TEST(through_the_library)
{
	cpidecode_trace *t;
	cpidecode_intervals *set;
	cpidecode_interval iv;
	const uint32_t words[] = {QUALITY(10, 11, 0, 40, 0, 3, 0, 5)};

	begin();
	put_quality(&made.records, 1000, QUALITY_HEAD + 6, words);
	flush_ring(0);
	ck_assert_int_eq(cpidecode_open_memory(made.file.p, made.file.n, &t), 0);
	ck_assert_int_eq(cpidecode_intervals_read(t, &set), 0);
	ck_assert_int_eq(cpidecode_intervals_get(set, 0, &iv), 0);
	ck_assert_uint_eq(iv.flags,
		CPIDECODE_IV_QUALITY | CPIDECODE_IV_CPUS_CHANGED | CPIDECODE_IV_USER_ONLY);
	ck_assert_uint_eq(iv.on_cpu_ns, 40);
	ck_assert_uint_eq(iv.off_cpu_ns, 60);
	ck_assert_uint_eq(iv.ctx_switches, 3);
	ck_assert_uint_eq(iv.migrations, CPIDECODE_NOT_MEASURED);
	ck_assert_uint_eq(iv.faults, 5);
	cpidecode_intervals_free(set);
	cpidecode_close(t);
	bytes_free(&made.file);
	bytes_free(&made.records);
}
END_TEST

FIXTURE_MAIN("quality", quality_is_part_of_its_group, quality_without_figures,
	quality_that_knows_in_part, quality_flags, off_cpu_is_never_below_nothing,
	off_cpu_of_an_elapsed_that_no_clock_has, quality_that_lies, through_the_library)
