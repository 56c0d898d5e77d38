/* Histograms, exact sums, tallies: the same whatever the order and however they are cut. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/model/stats/tally/shared.h"
#include "../../formats/base/buckets.h"
#include "../lib/suites.h"
#include "../lib/random.h"

/* A value of any size: as many short ones as long ones. */
static uint64_t random_value(uint64_t *state)
{
	uint64_t v = random64(state);

	return v >> random64(state) % 64;
}

static void check_equal(const struct histogram *a, const struct histogram *b)
{
	struct histogram_at at = {0}, bt = {0};
	struct histogram_bin x, y;

	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->min, b->min);
	ck_assert_uint_eq(a->max, b->max);
	ck_assert_int_eq(histogram_exact(a), histogram_exact(b));
	while (histogram_next(a, &at, &x)) {
		ck_assert(histogram_next(b, &bt, &y));
		ck_assert(x.low == y.low && x.high == y.high && x.count == y.count);
	}
	ck_assert(!histogram_next(b, &bt, &y));
}

START_TEST(few_values_are_exact)
{
	struct histogram h = {0};

	for (uint64_t i = HISTOGRAM_VALUES; i > 0; i--)
		ck_assert_int_eq(histogram_add(&h, 1000003 * i), 0);
	ck_assert_int_eq(histogram_settle(&h), 0);
	ck_assert(histogram_exact(&h));
	for (uint64_t rank = 1; rank <= HISTOGRAM_VALUES; rank++)
		ck_assert_uint_eq(histogram_at_rank(&h, rank), 1000003 * rank);
	ck_assert_uint_eq(histogram_percentile(&h, 0), 1000003);
	ck_assert_uint_eq(histogram_percentile(&h, 50), UINT64_C(1000003) * 128);
	ck_assert_uint_eq(histogram_percentile(&h, 99), UINT64_C(1000003) * 254);
	ck_assert_uint_eq(histogram_percentile(&h, 100), UINT64_C(1000003) * 256);
	/* One more, and they no longer are; but for the ends. */
	ck_assert_int_eq(histogram_add(&h, 7), 0);
	ck_assert_int_eq(histogram_settle(&h), 0);
	ck_assert(!histogram_exact(&h));
	ck_assert_uint_eq(histogram_percentile(&h, 0), 7);
	ck_assert_uint_eq(histogram_percentile(&h, 100), UINT64_C(1000003) * 256);
	ck_assert_uint_ne(histogram_percentile(&h, 50), UINT64_C(1000003) * 128);
	histogram_free(&h);
}
END_TEST

START_TEST(ranks_are_nearest_ranks)
{
	ck_assert_uint_eq(histogram_rank(1, 0), 1);
	ck_assert_uint_eq(histogram_rank(1, 50), 1);
	ck_assert_uint_eq(histogram_rank(2, 50), 1);
	ck_assert_uint_eq(histogram_rank(3, 50), 2);
	ck_assert_uint_eq(histogram_rank(100, 99), 99);
	ck_assert_uint_eq(histogram_rank(101, 99), 100);
	ck_assert_uint_eq(histogram_rank(UINT64_MAX, 100), UINT64_MAX);
}
END_TEST

/* Buckets follow each other without a gap, and none is wider than 1/128 of its values. */
START_TEST(every_value_is_in_its_bucket)
{
	uint64_t state = 4711, edges[3 * 64], n = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		for (int off = -1; off <= 1; off++)
			edges[n++] = (UINT64_C(1) << bit) + (uint64_t)off;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t v = i < n ? edges[i] : random_value(&state);
		struct histogram h = {0};
		struct histogram_at at = {0};
		struct histogram_bin bin;

		/* With others around it, the bucket is not cut off at the least and greatest. */
		ck_assert_int_eq(histogram_add_many(&h, v, 1000), 0);
		ck_assert_int_eq(histogram_add_many(&h, 0, 1), 0);
		ck_assert_int_eq(histogram_add_many(&h, UINT64_MAX, 1), 0);
		ck_assert_int_eq(histogram_settle(&h), 0);
		uint64_t middle = histogram_percentile(&h, 50);
		uint64_t off = middle > v ? middle - v : v - middle;
		ck_assert_uint_le(off, v / 256);
		bool found = false;
		while (histogram_next(&h, &at, &bin)) {
			ck_assert_uint_le(bin.high - bin.low, bin.low / 128);
			found |= bin.low <= v && v <= bin.high;
		}
		ck_assert(found);
		histogram_free(&h);
	}
}
END_TEST

/* One histogram of n values against parts of them, merged in another order. */
START_TEST(histograms_merge_in_any_order)
{
	static const size_t sizes[] = {1, 2, 255, 256, 257, 300, 5000};
	uint64_t state = 12345;

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		for (size_t parts = 1; parts <= 7; parts++) {
			struct histogram whole = {0}, part[7] = {{0}}, merged = {0};

			for (size_t i = 0; i < sizes[s]; i++) {
				uint64_t v = random_value(&state);

				ck_assert_int_eq(histogram_add(&whole, v), 0);
				ck_assert_int_eq(
					histogram_add(&part[random64(&state) % parts], v), 0);
			}
			/* Two by two, from the end. */
			for (size_t i = parts; i-- > 1;)
				ck_assert_int_eq(histogram_merge(&part[i - 1], &part[i]), 0);
			ck_assert_int_eq(histogram_merge(&merged, &part[0]), 0);
			ck_assert_int_eq(histogram_settle(&whole), 0);
			ck_assert_int_eq(histogram_settle(&merged), 0);
			check_equal(&whole, &merged);
			ck_assert_int_eq(histogram_exact(&merged), sizes[s] <= HISTOGRAM_VALUES);
			for (size_t i = 0; i < parts; i++)
				histogram_free(&part[i]);
			histogram_free(&whole);
			histogram_free(&merged);
		}
	}
}
END_TEST

/* The upper halves of counts, which few buckets need. */
START_TEST(buckets_count_beyond_32_bits)
{
	const uint64_t many = UINT64_C(3) << 31;
	struct histogram h = {0}, other = {0};
	struct histogram_at at = {0};
	struct histogram_bin bin;

	ck_assert_int_eq(histogram_add_many(&h, 1000, many), 0);
	ck_assert_int_eq(histogram_add_many(&other, 1000, UINT32_MAX), 0);
	ck_assert_int_eq(histogram_add_many(&other, 5, 300), 0);
	ck_assert_int_eq(histogram_merge(&h, &other), 0);
	ck_assert_int_eq(
		histogram_add_bucket(&h, bucket_of(1000, HISTOGRAM_SUB_BITS), 2 * many), 0);
	ck_assert_int_eq(histogram_settle(&h), 0);
	ck_assert_uint_eq(h.count, 3 * many + UINT32_MAX + 300);
	ck_assert(histogram_next(&h, &at, &bin));
	ck_assert_uint_eq(bin.low, 5);
	ck_assert_uint_eq(bin.count, 300);
	ck_assert(histogram_next(&h, &at, &bin));
	ck_assert_uint_eq(bin.bucket, bucket_of(1000, HISTOGRAM_SUB_BITS));
	ck_assert_uint_eq(bin.count, 3 * many + UINT32_MAX);
	ck_assert(!histogram_next(&h, &at, &bin));
	histogram_free(&h);
	histogram_free(&other);
}
END_TEST

START_TEST(sums_stay_at_their_end)
{
	exact_sum sum = EXACT_MAX - 1;

	exact_add(&sum, 1);
	ck_assert(sum == EXACT_MAX);
	exact_add(&sum, 5);
	ck_assert(sum == EXACT_MAX);
	exact_add(&sum, 0);
	ck_assert(sum == EXACT_MAX);
}
END_TEST

START_TEST(sums_round_to_the_nearest)
{
	ck_assert_uint_eq(exact_round(0.5), 0);
	ck_assert_uint_eq(exact_round(1.5), 2);
	ck_assert_uint_eq(exact_round(2.4999), 2);
	ck_assert_uint_eq(exact_round(-3), 0);
	ck_assert_uint_eq(exact_round(0x1p63), UINT64_C(1) << 63);
	ck_assert_uint_eq(exact_round(0x1p64), UINT64_MAX);
	ck_assert_uint_eq(exact_round(INFINITY), UINT64_MAX);
	ck_assert(exact_time(1.0 / 3) == 341);
	ck_assert(exact_time(0x1p60) == (exact_sum)1 << 70);
	ck_assert(exact_time(INFINITY) == EXACT_MAX);
	ck_assert(exact_divide(5, 2) == 2 && exact_divide(7, 2) == 4 && exact_divide(8, 3) == 3);
	ck_assert(exact_divide(EXACT_MAX, EXACT_MAX) == 1);
}
END_TEST

static bool same_ratio(const struct ratio *a, const struct ratio *b)
{
	return a->above == b->above && a->below == b->below && a->weighted == b->weighted &&
	       a->weight == b->weight && a->instant == b->instant && a->instants == b->instants &&
	       a->counted == b->counted && a->measured == b->measured;
}

/* Small numbers beside large ones: sums of doubles would depend on which come first. */
START_TEST(ratios_do_not_depend_on_order)
{
	struct ratio up = {0}, down = {0}, half[2] = {{0}};
	enum { N = 1000 };

	for (unsigned i = 0; i < N; i++) {
		unsigned j = N - 1 - i;
		uint64_t elapsed[2] = {UINT64_C(1) << i % 60, UINT64_C(1) << j % 60};

		ratio_add(&up, NOT_MEASURED, NOT_MEASURED, 1 + i * 0.0001, elapsed[0]);
		ratio_add(&down, NOT_MEASURED, NOT_MEASURED, 1 + j * 0.0001, elapsed[1]);
		ratio_add(&half[i % 2], NOT_MEASURED, NOT_MEASURED, 1 + i * 0.0001, elapsed[0]);
	}
	ratio_merge(&half[1], &half[0]);
	ck_assert(same_ratio(&up, &down));
	ck_assert(same_ratio(&up, &half[1]));
}
END_TEST

START_TEST(ratios_of_no_length_count_if_all_are)
{
	struct ratio r = {0};

	ratio_add(&r, NOT_MEASURED, NOT_MEASURED, 1.5, 0);
	ratio_add(&r, NOT_MEASURED, NOT_MEASURED, 2.5, 0);
	ck_assert_double_eq(ratio_value(&r), 2.0);
	ratio_add(&r, NOT_MEASURED, NOT_MEASURED, 7.0, 3);
	ck_assert_double_eq(ratio_value(&r), 7.0);
}
END_TEST

static struct interval made_up(
	uint64_t *state, const char *const *labels, unsigned nlabels, struct interval_cpu *cpus)
{
	unsigned label = (unsigned)(random64(state) % (nlabels + 1));
	uint64_t elapsed = random_value(state) >> 12;
	struct interval iv = {.elapsed = elapsed,
		.elapsed_ns = (double)elapsed / 3,
		.mm = (uint8_t)(random64(state) % 2),
		.raw_cpi = random64(state) % 3 ? (double)(random64(state) % 100000) / 10000 : NAN,
		.scaled_cpi = NAN,
		.busy_pct = 25,
		.thread_cpi = NAN,
		.instructions = random64(state) % 4 ? random64(state) >> 20 : NOT_MEASURED,
		.cycles = random64(state) >> 20,
		.busy_cycles = NOT_MEASURED,
		.thread_instructions = random64(state) % 1000,
		.thread_cycles = random64(state) % 5000,
		.flags = (uint32_t)(random64(state) % 4096),
		.cpus = cpus,
		.num_cpus = (uint32_t)(random64(state) % 4)};

	for (unsigned i = 0; i < iv.num_cpus; i++)
		cpus[i] = (struct interval_cpu){.raw_cpi = 1.25,
			.scaled_cpi = NAN,
			.busy_pct = (double)i,
			.instructions = random64(state) % 100,
			.cycles = 100,
			.busy_cycles = 7};
	if (label < nlabels) {
		iv.has_label = true;
		iv.label = labels[label];
		iv.label_len = (uint32_t)strlen(labels[label]);
	}
	return iv;
}

static void check_same_sums(const struct sums *x, const struct sums *y)
{
	ck_assert(
		x->scripted == y->scripted && x->quality == y->quality && x->flagged == y->flagged);
	ck_assert(memcmp(x->by_flag, y->by_flag, sizeof x->by_flag) == 0);
	ck_assert(same_ratio(&x->ratios.raw, &y->ratios.raw));
	ck_assert(same_ratio(&x->ratios.scaled, &y->ratios.scaled));
	ck_assert(same_ratio(&x->ratios.thread, &y->ratios.thread));
	ck_assert(same_ratio(&x->ratios.busy, &y->ratios.busy));
	ck_assert(x->instructions.sum == y->instructions.sum);
	ck_assert_uint_eq(x->instructions.measured, y->instructions.measured);
	ck_assert(x->thread_instructions.sum == y->thread_instructions.sum);
	ck_assert_uint_eq(x->thread_instructions.measured, y->thread_instructions.measured);
}

static void check_same_columns(const struct ratio *x, const struct ratio *y, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ck_assert(same_ratio(&x[i], &y[i]));
}

static void check_same_groups(const struct tally_group *a, const struct tally_group *b)
{
	ck_assert_int_eq(tally_compare_names(a, b), 0);
	check_equal(&a->time, &b->time);
	ck_assert(a->total == b->total);
	struct sums scratch[2];
	check_same_sums(tally_sums(a, &scratch[0]), tally_sums(b, &scratch[1]));
	struct columns_reader read[2];
	ck_assert_uint_eq(tally_processors(a), tally_processors(b));
	check_same_columns(tally_util(a, &read[0]), tally_util(b, &read[1]), COLUMN_UTIL_RATIOS);
	tally_first_processor(a, &read[0]);
	tally_first_processor(b, &read[1]);
	for (uint32_t i = tally_processors(a); i; i--)
		check_same_columns(columns_next(&read[0]), columns_next(&read[1]),
			tally_extra(a)->columns.width);
	for (unsigned v = 0; v < TALLY_VALUES; v++) {
		const struct tally_spread *x = tally_spread(a, v), *y = tally_spread(b, v);

		ck_assert(!x == !y);
		if (!x)
			continue;
		ck_assert(x->sum == y->sum);
		check_equal(&x->values, &y->values);
	}
}

static const struct tally_group *find_like(const struct tally *t, const struct tally_group *g)
{
	return tally_find(t, g->has_label, g->label, g->label_len, g->major, g->mm);
}

/* Every way to cut a trace's intervals gives the same tally in every bit. */
START_TEST(tallies_merge_in_any_order)
{
	static const char *const labels[] = {
		"", "a", "ab", "a much longer label, of 40 bytes or so"};

	for (unsigned parts = 1; parts <= 5; parts++) {
		const unsigned wanted = TALLY_WANT_CPUS | TALLY_WANT_VALUES;
		struct tally whole = {.wanted = wanted}, merged = {.wanted = wanted}, part[5];
		struct interval_cpu cpus[4];
		uint64_t state = 99 + parts;

		for (unsigned i = 0; i < parts; i++)
			part[i] = (struct tally){.wanted = wanted};
		for (unsigned i = 0; i < 3000; i++) {
			struct interval iv = made_up(&state, labels, 4, cpus);

			ck_assert_int_eq(tally_add(&whole, &iv), 0);
			ck_assert_int_eq(tally_add(&part[random64(&state) % parts], &iv), 0);
		}
		for (unsigned i = parts; i-- > 0;) {
			ck_assert_int_eq(tally_merge(&merged, &part[i]), 0);
			tally_free(&part[i]);
		}
		ck_assert_int_eq(tally_settle(&whole), 0);
		ck_assert_int_eq(tally_settle(&merged), 0);
		ck_assert_uint_eq(whole.count, 10);
		ck_assert_uint_eq(merged.count, whole.count);
		for (size_t i = 0; i < whole.count; i++) {
			check_same_groups(whole.groups[i], merged.groups[i]);
			ck_assert_ptr_eq(find_like(&whole, merged.groups[i]), whole.groups[i]);
		}
		tally_free(&whole);
		tally_free(&merged);
	}
}
END_TEST

static void add_plain(
	struct ratio *r, bool util, double idle, double intr, double perf, uint64_t elapsed)
{
	const double pct[] = {idle, intr, perf};

	for (unsigned i = 0; util && i < 3; i++)
		ratio_add(&r[COLUMN_IDLE + i], NOT_MEASURED, NOT_MEASURED, pct[i] / 100, elapsed);
}

static void add_plain_cpu(struct ratio *r, const struct interval_cpu *cpu, uint64_t elapsed)
{
	ratio_add(&r[COLUMN_RAW], cpu->cycles, cpu->instructions, cpu->raw_cpi, elapsed);
	ratio_add(&r[COLUMN_SCALED], cpu->busy_cycles, cpu->instructions, cpu->scaled_cpi, elapsed);
	ratio_add(&r[COLUMN_BUSY], cpu->busy_cycles, cpu->cycles, cpu->busy_pct / 100, elapsed);
}

/* Whatever was measured, and however many intervals: packed sums are the same numbers. */
START_TEST(packed_sums_equal_plain_ones)
{
	static const char *const labels[] = {"one"};
	static const unsigned counts[] = {
		1, 2, 3, 8, HISTOGRAM_VALUES, HISTOGRAM_VALUES + 1, 2 * HISTOGRAM_VALUES};

	for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
		struct tally kept = {0}, merged = {0};
		struct interval_cpu cpus[4];
		struct sums plain, scratch;
		uint64_t state = 5 + c;

		memset(&plain, 0, sizeof plain);
		for (unsigned i = 0; i < counts[c]; i++) {
			struct tally single = {0};
			struct interval iv = made_up(&state, labels, 0, cpus);

			iv.mm = iv.major = 0;
			sums_add(&plain, &iv);
			ck_assert_int_eq(tally_add(&kept, &iv), 0);
			ck_assert_int_eq(tally_add(&single, &iv), 0);
			ck_assert_int_eq(tally_merge(&merged, &single), 0);
			tally_free(&single);
		}
		ck_assert_int_eq(tally_settle(&kept), 0);
		ck_assert_int_eq(tally_settle(&merged), 0);
		ck_assert_int_eq(kept.groups[0]->has_sums, counts[c] > HISTOGRAM_VALUES);
		check_same_sums(tally_sums(kept.groups[0], &scratch), &plain);
		check_same_groups(merged.groups[0], kept.groups[0]);
		tally_free(&kept);
		tally_free(&merged);
	}
}
END_TEST

/* Sums of any size, in any words. */
START_TEST(any_sums_can_be_packed)
{
	uint64_t state = 11, words[SUMS_WORDS], packed[SUMS_PACKED];
	struct sums s, again;

	for (unsigned i = 0; i < 1000; i++) {
		for (unsigned w = 0; w < SUMS_WORDS; w++)
			words[w] = random64(&state) % 10 < i % 11 ? random_value(&state) : 0;
		memcpy(&s, words, sizeof s);
		unsigned n = sums_pack(&s, packed);
		ck_assert_uint_le(n, SUMS_PACKED);
		sums_unpack(&again, n ? packed : NULL);
		check_same_sums(&s, &again);
	}
}
END_TEST

/* Columns, with any number of intervals and processors, are the plain sums of their ratios. */
START_TEST(packed_columns_equal_plain_ones)
{
	static const unsigned counts[] = {1, 2, 7, HISTOGRAM_VALUES, HISTOGRAM_VALUES + 1, 600};

	for (unsigned c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
		enum { CPUS = 5 };
		/* One packs from its first interval on, the other has room for it as it is. */
		struct tally kept = {.wanted = TALLY_WANT_CPUS, .buffer.full = COLUMNS_FULL_BYTES};
		struct tally merged = {.wanted = TALLY_WANT_CPUS};
		struct ratio plain[1 + CPUS][COLUMN_UTIL_RATIOS] = {0};
		const bool util = c % 2;
		uint64_t state = 17 + c;
		uint32_t most = 0;

		for (unsigned i = 0; i < counts[c / 2]; i++) {
			struct interval_cpu cpus[CPUS];
			struct interval_util utils[CPUS];
			struct tally single = {.wanted = TALLY_WANT_CPUS};
			struct interval iv = made_up(&state, (const char *const[]){"one"}, 0, cpus);

			iv.mm = 0;
			iv.major = util ? CPUUTIL_MAJOR : 0;
			iv.num_cpus = (uint32_t)(random64(&state) % (CPUS + 1));
			iv.cpus = cpus;
			iv.utils = util ? utils : NULL;
			iv.idle_pct = (double)(i % 90);
			iv.intr_pct = 0.5;
			iv.actual_perf_pct = i % 3 ? 100 : NAN;
			add_plain(plain[0], util, iv.idle_pct, iv.intr_pct, iv.actual_perf_pct,
				iv.elapsed);
			for (uint32_t k = 0; k < iv.num_cpus; k++) {
				cpus[k] = (struct interval_cpu){.raw_cpi = NAN,
					.scaled_cpi = k % 2 ? 2 : NAN,
					.busy_pct = (double)k,
					.instructions = random64(&state) % 9,
					.cycles = random_value(&state) >> 20,
					.busy_cycles = i % 4 ? 7 : NOT_MEASURED};
				utils[k] = (struct interval_util){
					.idle_pct = k, .intr_pct = NAN, .actual_perf_pct = 70};
				add_plain_cpu(plain[1 + k], &cpus[k], iv.elapsed);
				add_plain(plain[1 + k], util, utils[k].idle_pct, utils[k].intr_pct,
					utils[k].actual_perf_pct, iv.elapsed);
			}
			most = iv.num_cpus > most ? iv.num_cpus : most;
			ck_assert_int_eq(tally_add(&kept, &iv), 0);
			ck_assert_int_eq(tally_add(&single, &iv), 0);
			ck_assert_int_eq(tally_merge(&merged, &single), 0);
			tally_free(&single);
		}
		struct columns_reader r;
		const struct tally_group *g = kept.groups[0];
		ck_assert_uint_eq(tally_processors(g), most);
		ck_assert_int_eq(tally_extra(g)->columns.is_full, counts[c / 2] > HISTOGRAM_VALUES);
		ck_assert(tally_extra(merged.groups[0])->columns.is_full);
		check_same_columns(tally_util(g, &r), plain[0], COLUMN_UTIL_RATIOS);
		tally_first_processor(g, &r);
		for (uint32_t k = 0; k < most; k++)
			check_same_columns(
				columns_next(&r), plain[1 + k], tally_extra(g)->columns.width);
		check_same_groups(merged.groups[0], g);
		tally_free(&kept);
		tally_free(&merged);
	}
}
END_TEST

enum { CROWD = 3, CROWD_INTERVALS = 3000 };

struct crowd {
	struct tally_shared *shared;
	unsigned thread;
};

/* The interval of that number is the same in every thread. */
static struct interval numbered(unsigned i, struct interval_cpu *cpus)
{
	static const char *const labels[] = {"", "a", "ab", "abc"};
	uint64_t state = 4711 + 7919 * (uint64_t)i;

	random64(&state);
	return made_up(&state, labels, 4, cpus);
}

static void *add_every_third(void *arg)
{
	const struct crowd *c = arg;
	struct interval_cpu cpus[4];

	for (unsigned i = c->thread; i < CROWD_INTERVALS; i += CROWD) {
		struct interval iv = numbered(i, cpus);

		if (tally_shared_add(c->shared, c->thread, &iv))
			return arg;
	}
	return NULL;
}

/* Whether threads keep all groups, some or none for themselves: the tally is the same. */
START_TEST(threads_share_a_tally)
{
	static const size_t own[] = {0, 1, 9, 10, SIZE_MAX};
	const unsigned wanted = TALLY_WANT_CPUS | TALLY_WANT_VALUES;

	for (unsigned k = 0; k < sizeof own / sizeof *own; k++) {
		struct tally whole = {.wanted = wanted}, together = {0};
		struct interval_cpu *cpus = calloc(TALLY_CPUS + 1, sizeof *cpus);
		struct crowd crowd[CROWD];
		struct tally_shared *shared;
		pthread_t id[CROWD];
		void *failed;

		ck_assert_ptr_nonnull(cpus);
		ck_assert_int_eq(tally_shared_new(CROWD, wanted, NULL, own[k], &shared), 0);
		for (unsigned i = 0; i < CROWD; i++) {
			crowd[i] = (struct crowd){.shared = shared, .thread = i};
			ck_assert_int_eq(
				pthread_create(&id[i], NULL, add_every_third, &crowd[i]), 0);
		}
		for (unsigned i = 0; i < CROWD_INTERVALS; i++) {
			struct interval iv = numbered(i, cpus);

			ck_assert_int_eq(tally_add(&whole, &iv), 0);
		}
		for (unsigned i = 0; i < CROWD; i++) {
			ck_assert_int_eq(pthread_join(id[i], &failed), 0);
			ck_assert_ptr_null(failed);
		}
		struct interval wide = numbered(0, cpus);
		wide.num_cpus = TALLY_CPUS + 1;
		ck_assert_int_eq(tally_add(&whole, &wide), 0);
		ck_assert_int_eq(tally_shared_add(shared, 0, &wide), 0);
		ck_assert_int_eq(tally_shared_collect(shared, &together), 0);
		tally_shared_free(shared);
		ck_assert_int_eq(tally_settle(&whole), 0);
		ck_assert_int_eq(tally_settle(&together), 0);
		ck_assert_uint_eq(whole.count, 10);
		ck_assert_uint_eq(together.count, 10);
		ck_assert_uint_eq(together.cpus_left_out, 1);
		for (size_t i = 0; i < whole.count; i++) {
			check_same_groups(whole.groups[i], together.groups[i]);
			ck_assert_ptr_eq(find_like(&together, whole.groups[i]), together.groups[i]);
		}
		tally_free(&whole);
		tally_free(&together);
		free(cpus);
	}
}
END_TEST

START_TEST(many_groups_are_distinguished)
{
	struct tally t = {0};
	char label[24];
	enum { N = 5000 };

	for (unsigned i = 0; i < 2 * N; i++) {
		int n = snprintf(label, sizeof label, "label %u", i % N);
		struct interval iv = {.has_label = true,
			.label = label,
			.label_len = (uint32_t)n,
			.elapsed_ns = i % N,
			.raw_cpi = NAN,
			.scaled_cpi = NAN,
			.thread_cpi = NAN,
			.busy_pct = NAN};

		ck_assert_int_eq(tally_add(&t, &iv), 0);
	}
	ck_assert_int_eq(tally_settle(&t), 0);
	ck_assert_uint_eq(t.count, N);
	for (unsigned i = 0; i < N; i++) {
		snprintf(label, sizeof label, "label %u", N - 1 - i);
		ck_assert_str_eq(t.groups[i]->label, label);
		ck_assert_uint_eq(t.groups[i]->time.count, 2);
	}
	ck_assert_ptr_null(tally_find(&t, true, "label", 5, 0, 0));
	tally_free(&t);
	ck_assert_ptr_null(tally_find(&t, true, "label", 5, 0, 0));
}
END_TEST

START_TEST(columns_have_a_bound)
{
	struct tally t = {.wanted = TALLY_WANT_CPUS};
	struct interval_cpu *cpus = calloc(TALLY_CPUS + 1, sizeof *cpus);
	struct interval iv = {.cpus = cpus,
		.num_cpus = TALLY_CPUS + 1,
		.raw_cpi = NAN,
		.scaled_cpi = NAN,
		.thread_cpi = NAN,
		.busy_pct = NAN};

	ck_assert_ptr_nonnull(cpus);
	ck_assert_int_eq(tally_add(&t, &iv), 0);
	ck_assert_uint_eq(tally_processors(t.groups[0]), TALLY_CPUS);
	ck_assert_uint_eq(t.cpus_left_out, 1);
	tally_free(&t);
	free(cpus);
}
END_TEST

SUITE_MAIN("tally", few_values_are_exact, ranks_are_nearest_ranks, every_value_is_in_its_bucket,
	histograms_merge_in_any_order, buckets_count_beyond_32_bits, sums_stay_at_their_end,
	sums_round_to_the_nearest, ratios_do_not_depend_on_order,
	ratios_of_no_length_count_if_all_are, tallies_merge_in_any_order,
	packed_sums_equal_plain_ones, any_sums_can_be_packed, packed_columns_equal_plain_ones,
	threads_share_a_tally, many_groups_are_distinguished, columns_have_a_bound)
