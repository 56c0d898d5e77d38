/*
 * CPI and Processor Information from the hooks of intervals, with numbers worked out by hand.
 * Traces count nanoseconds: a tick is 1 ns, 100 ticks are a unit of PerfTime100NSec.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpuutil_hooks.h"
#include "replay.h"

static const GUID cpi_guid = {
	0x2e68c9f1, 0xd73b, 0x4a95, {0xb2, 0x46, 0x58, 0x0b, 0xe1, 0x7d, 0x3c, 0x9a}};
static const GUID processor_guid = {
	0xb4fc721a, 0x0378, 0x476f, {0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0x0b, 0x36}};

/* Times of CPU utilisation of a processor; elapsed 0: offline. */
struct use {
	uint32_t elapsed, busy, idle, intr, unhalted, reference;
};

static void put_use(struct bytes *b, uint64_t stamp, uint32_t types, uint32_t elapsed, uint32_t n,
	const struct use *use)
{
	uint32_t words[128] = {types, 1, n, 0, elapsed};
	uint32_t at = 5;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t all[] = {use[i].elapsed, use[i].busy, use[i].idle, use[i].intr,
			use[i].unhalted, use[i].reference};
		const uint32_t bit[] = {~0u, 1, 1, 2, 4, 4};

		for (int k = 0; k < 6; k++)
			if (types & bit[k] || bit[k] == ~0u) {
				words[at++] = 0;
				words[at++] = all[k];
			}
	}
	put_hook(b, stamp, 1, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU | 1, at, words, NULL);
}

static const char *finish(struct bytes *b)
{
	const char *path = scratch("derived.bin");

	write_trace(path, b);
	return path;
}

static double idle(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 8, PERF_100NSEC_TIMER, PERF_NO_COUNTER);
}

static double busy(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 0, PERF_100NSEC_TIMER_INV, PERF_NO_COUNTER);
}

static double intr(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 5, PERF_100NSEC_TIMER, PERF_NO_COUNTER);
}

static double performance(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 24, PERF_AVERAGE_BULK, 25);
}

#define IS(value, wanted) ck_assert_double_eq_tol(value, wanted, 1e-9)

/* Samples 0 to n of a trace; n becomes how many. */
static unsigned all_samples(const char *path, const GUID *set, PERF_DATA_HEADER *s[16])
{
	HANDLE query = replay_all(path, set);
	unsigned n = 0;

	while (n < 16 && (s[n] = next_sample(query)))
		n++;
	PerfCloseQueryHandle(query);
	return n;
}

static void free_all(PERF_DATA_HEADER **s, unsigned n)
{
	while (n--)
		free(s[n]);
}

START_TEST(processors_of_utilisation)
{
	/* 25 % idle, 5 % in interrupts, at half the frequency; 80 % idle, at one and a half. */
	static const struct use first[] = {{100000, 70000, 25000, 5000, 30000, 60000},
		{100000, 20000, 80000, 0, 90000, 60000}};
	/* All busy, all idle; a gap of 50000 before it. */
	static const struct use second[] = {
		{200000, 200000, 0, 0, 200000, 200000}, {200000, 0, 200000, 0, 0, 0}};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];
	ULONGLONG value;

	put_use(&b, 1000000, 7, 100000, 2, first);
	put_use(&b, 1250000, 7, 200000, 2, second);
	ck_assert_uint_eq(all_samples(finish(&b), &processor_guid, s), 3);
	ck_assert_int_eq(s[0]->PerfTimeStamp, 900000);
	ck_assert_int_eq(s[1]->PerfTimeStamp, 1000000);
	ck_assert_int_eq(s[2]->PerfTimeStamp, 1250000);
	ck_assert_int_eq(s[1]->PerfTime100NSec - s[0]->PerfTime100NSec, 1000);
	ck_assert_int_eq(s[0]->PerfFreq, 1000000000);
	ck_assert_uint_eq(rows_of(s[1]), 4);
	ck_assert_int_eq(value_of(s[0], "0,0", 8, &value), 8);
	ck_assert_uint_eq(value, 0);
	IS(idle(s[0], s[1], "0,0"), 25);
	IS(busy(s[0], s[1], "0,0"), 75);
	IS(intr(s[0], s[1], "0,0"), 5);
	IS(performance(s[0], s[1], "0,0"), 50);
	IS(idle(s[0], s[1], "0,1"), 80);
	IS(performance(s[0], s[1], "0,1"), 150);
	IS(idle(s[0], s[1], "_Total"), 52.5);
	IS(busy(s[0], s[1], "0,_Total"), 47.5);
	IS(performance(s[0], s[1], "_Total"), 100);
	IS(busy(s[1], s[2], "0,0"), 100);
	IS(idle(s[1], s[2], "0,1"), 100);
	IS(idle(s[1], s[2], "_Total"), 50);
	IS(performance(s[1], s[2], "0,0"), 100);
	ck_assert(isnan(performance(s[1], s[2], "0,1")));
	/* Nothing tells of them. */
	ck_assert_int_lt(value_of(s[1], "0,0", 1, &value), 0);
	ck_assert_int_lt(value_of(s[1], "0,0", 4, &value), 0);
	free_all(s, 3);
}
END_TEST

START_TEST(processors_that_are_offline_have_no_row)
{
	static const struct use use[] = {
		{100000, 25000, 75000, 0, 0, 0}, {0}, {100000, 75000, 25000, 0, 0, 0}};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];
	ULONGLONG value;

	put_use(&b, 200000, 1, 100000, 3, use);
	put_use(&b, 300000, 0, 100000, 3, use);
	ck_assert_uint_eq(all_samples(finish(&b), &processor_guid, s), 3);
	ck_assert_uint_eq(rows_of(s[1]), 4);
	ck_assert_int_eq(value_of(s[1], "0,1", 8, &value), -1);
	IS(idle(s[0], s[1], "0,2"), 25);
	IS(idle(s[0], s[1], "_Total"), 50);
	ck_assert(isnan(intr(s[0], s[1], "0,2")));
	/* Nothing of it was measured. */
	ck_assert(isnan(idle(s[1], s[2], "0,2")));
	free_all(s, 3);
}
END_TEST

/* A processor's counts of CPI. */
struct count {
	uint32_t instructions, cycles, busy;
};

static void put_system(struct bytes *b, uint64_t stamp, uint32_t mm, const struct count *c)
{
	const uint32_t words[] = {
		3, 0, 1000, 0, c->instructions, 0, c->cycles, 0, 0, 0, c->busy, 0, 0, 0, 0};

	put_hook(b, stamp, 1, CPI_MAJOR, CPI_MINOR_SYSTEM | mm, 15, words, NULL);
}

static void put_cpus(
	struct bytes *b, uint64_t stamp, uint32_t mm, uint32_t n, const struct count *c)
{
	uint32_t words[128] = {3, n, 0, 1000};

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t turn[] = {
			0, c[i].instructions, 0, c[i].cycles, 0, 0, 0, c[i].busy, 0, 0, 0, 0};

		memcpy(words + 4 + 12 * i, turn, sizeof turn);
	}
	put_hook(b, stamp, 1, CPI_MAJOR, CPI_MINOR_PER_CPU | mm, 4 + 12 * n, words, NULL);
}

static double cpi(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 0, PERF_AVERAGE_BULK, 1);
}

static double scaled(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 2, PERF_AVERAGE_BULK, 1);
}

static double share(const void *first, const void *second, const char *name)
{
	return formatted(first, second, name, 3, PERF_PRECISION_OBJECT_TIMER, 4);
}

START_TEST(cpi_of_groups)
{
	static const struct count one[] = {{1000, 2000, 1500}, {500, 2000, 500}},
				  one_all = {1500, 4000, 2000};
	static const struct count two[] = {{100, 800, 800}, {0, 800, 0}},
				  two_all = {100, 1600, 800};
	static const struct count alone = {250, 1000, 500};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];
	ULONGLONG value;

	put_system(&b, 10000, 1, &one_all);
	put_cpus(&b, 10000, 1, 2, one);
	put_cpus(&b, 20000, 1, 2, two);
	put_system(&b, 30000, 1, &alone);
	put_system(&b, 40000, 1, &two_all);
	put_cpus(&b, 40000, 2, 2, two); /* another group's */
	ck_assert_uint_eq(all_samples(finish(&b), &cpi_guid, s), 6);
	ck_assert_int_eq(s[0]->PerfTimeStamp, 9000);
	ck_assert_int_eq(s[1]->PerfTimeStamp, 10000);
	IS(cpi(s[0], s[1], "0"), 2);
	IS(scaled(s[0], s[1], "0"), 1.5);
	IS(share(s[0], s[1], "0"), 75);
	IS(cpi(s[0], s[1], "1"), 4);
	IS(scaled(s[0], s[1], "_Total"), 2000.0 / 1500);
	IS(share(s[0], s[1], "_Total"), 50);
	/* No system-wide hook: the processors' sum. */
	IS(cpi(s[1], s[2], "_Total"), 16);
	IS(share(s[1], s[2], "_Total"), 50);
	IS(cpi(s[1], s[2], "0"), 8);
	ck_assert(isnan(cpi(s[1], s[2], "1"))); /* no instructions: not measured */
	IS(share(s[1], s[2], "1"), 0);
	/* No processors. */
	ck_assert_uint_eq(rows_of(s[3]), 1);
	IS(cpi(s[2], s[3], "_Total"), 4);
	ck_assert_int_eq(s[4]->PerfTimeStamp, 40000);
	IS(cpi(s[3], s[4], "_Total"), 16);
	ck_assert_uint_eq(rows_of(s[5]), 3);
	ck_assert_int_eq(value_of(s[2], "_Total", 5, &value), 8);
	ck_assert_uint_eq(value, 1600);
	ck_assert_int_eq(value_of(s[2], "0", 7, &value), 8);
	ck_assert_uint_eq(value, 2300);
	free_all(s, 6);
}
END_TEST

/* At the end of a trace too. */
START_TEST(a_system_alone)
{
	static const struct count alone = {250, 1000, 500};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];

	put_system(&b, 30000, 1, &alone);
	ck_assert_uint_eq(all_samples(finish(&b), &cpi_guid, s), 2);
	IS(scaled(s[0], s[1], "_Total"), 2);
	free_all(s, 2);
}
END_TEST

START_TEST(both_are_countersets_of_a_trace)
{
	static const struct count count = {250, 1000, 500};
	static const struct use use = {100000, 25000, 75000, 0, 0, 0};
	struct bytes b = {0};
	GUID ids[4];
	DWORD n;
	HANDLE query;
	PERF_DATA_HEADER *data;
	struct result r;
	const char *path;

	put_use(&b, 10000, 1, 1000, 1, &use);
	put_system(&b, 20000, 1, &count);
	put_cpus(&b, 20000, 1, 1, &count);
	put_use(&b, 30000, 1, 1000, 1, &use);
	path = finish(&b);
	ck_assert_uint_eq(PerfEnumerateCounterSet(path, ids, 4, &n), ERROR_SUCCESS);
	ck_assert_uint_eq(n, 2);
	query = replay_all(path, &processor_guid);
	add_all(query, &cpi_guid);
	for (int i = 0; i < 5; i++) {
		bool of_cpi = i == 2 || i == 3;

		data = next_sample(query);
		ck_assert(walk_result(data, of_cpi, &r));
		ck_assert_uint_eq(r.header.dwStatus, ERROR_SUCCESS);
		ck_assert(walk_result(data, !of_cpi, &r));
		ck_assert_uint_eq(r.header.dwStatus, ERROR_NOT_READY);
		free(data);
	}
	ck_assert_ptr_null(next_sample(query));
	PerfCloseQueryHandle(query);
}
END_TEST

/* Hooks that say nothing of processors, or too little, or the impossible. */
/* Stamps of the whole range of 64 bits, and proportions that no processor has. */
START_TEST(stamps_and_times_may_be_as_large_as_words_are)
{
	const uint32_t words[] = {1, 1, 1, 0x7fffffff, 0xffffffff, 0, 1, 0, 0, 1 << 21, 0};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];
	ULONGLONG value;

	put_hook(&b, UINT64_C(1) << 63, 1, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU, 11, words, NULL);
	ck_assert_uint_eq(all_samples(finish(&b), &processor_guid, s), 2);
	ck_assert_int_eq(s[0]->PerfTimeStamp, 1);
	ck_assert_int_eq(s[1]->PerfTimeStamp, INT64_MIN);
	ck_assert_int_eq(value_of(s[1], "0,0", 8, &value), 8);
	ck_assert_uint_eq(value, 0);
	free_all(s, 2);
}
END_TEST

START_TEST(broken_groups_do_no_harm)
{
	static const struct use use = {100000, 25000, 75000, 0, 0, 0};
	uint32_t words[] = {1, 1, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
		0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
	struct bytes b = {0};
	PERF_DATA_HEADER *s[16];
	unsigned n;

	put_use(&b, 200000, 1, 100000, 0, NULL);
	put_use(&b, 200000, 1, 100000, 1, &use);
	put_use(&b, 200000, 1, 100000, 1, &use); /* the same moment */
	for (unsigned i = 0; i <= 11; i++)
		put_hook(&b, 300000 + i, 1, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU, i, words, NULL);
	n = all_samples(finish(&b), &processor_guid, s);
	ck_assert_uint_eq(n, 3);
	IS(idle(s[0], s[1], "_Total"), 75);
	ck_assert(isnan(idle(s[1], s[2], "_Total")));
	free_all(s, n);
}
END_TEST

Suite *intervals_suite(void)
{
	return SUITE("intervals",
		TESTS(processors_of_utilisation, processors_that_are_offline_have_no_row,
			cpi_of_groups, a_system_alone, both_are_countersets_of_a_trace,
			broken_groups_do_no_harm, stamps_and_times_may_be_as_large_as_words_are));
}
