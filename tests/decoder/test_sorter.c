/* Sorting in runs: any number of them gives the same order, and few are written twice. */
#include <check.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/base/sorter/pack.h"
#include "../../decoder/base/sorter/text_ranks.h"
#include "../lib/suites.h"
#include "compare.h"

enum { FAN = 512 }; /* runs merged at once */

struct item {
	struct sorter_record sort;
	uint64_t number; /* orders items of one group and key */
};

static int item_compare(const struct sorter_record *a, const struct sorter_record *b)
{
	const uint64_t x = ((const struct item *)(const void *)a)->number;
	const uint64_t y = ((const struct item *)(const void *)b)->number;

	return (x > y) - (x < y);
}

static struct sorter *make_sorter(size_t budget, unsigned threads)
{
	const struct sorter_options options = {.threads = threads,
		.budget = budget,
		.largest = sizeof(struct item),
		.compare = item_compare};
	struct sorter *s;

	ck_assert_int_eq(sorter_new(&options, &s), 0);
	return s;
}

static void add_item(
	struct sorter *s, unsigned thread, uint32_t group, uint64_t key, uint64_t number)
{
	struct sorter_record *r;

	ck_assert_int_eq(sorter_reserve(s, thread, &r), 0);
	*(struct item *)(void *)r =
		(struct item){.sort = {.key = key, .group = group, .size = sizeof(struct item)},
			.number = number};
	sorter_add(s, thread);
}

/* Bytes of the file. */
static uint64_t file_bytes(struct sorter *s)
{
	uint64_t offset;

	ck_assert_int_eq(sorter_store(s, "", 0, &offset), 0);
	return offset;
}

static bool item_precedes(const struct item *a, const struct item *b)
{
	if (a->sort.group != b->sort.group)
		return a->sort.group < b->sort.group;
	if (a->sort.key != b->sort.key)
		return a->sort.key < b->sort.key;
	return a->number < b->number;
}

/* Numbers are 0 to n - 1, each of them once. */
static void expect_sorted(struct sorter *s, uint64_t n)
{
	const struct sorter_record *r;
	struct item last = {.number = 0};
	uint64_t count = 0, sum = 0;
	int rc;

	while ((rc = sorter_next(s, &r)) > 0) {
		const struct item *now = (const void *)r;

		ck_assert(!count || item_precedes(&last, now));
		last = *now;
		sum += now->number;
		count++;
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(count, n);
	ck_assert_uint_eq(sum, n * (n - 1) / 2);
}

/* So many runs of one item each, and one more item that stays in memory. */
static const uint64_t run_counts[] = {
	0, 1, 2, FAN - 1, FAN, FAN + 1, FAN + 2, 2 * FAN - 1, 2 * FAN, 2 * FAN + 1, 3 * FAN};

/* Items of the runs that are merged before the others: as few as leave FAN runs. */
static uint64_t items_merged_first(uint64_t runs)
{
	uint64_t merged = 0;

	while (runs > FAN) {
		uint64_t count = runs - FAN + 1 < FAN ? runs - FAN + 1 : FAN;

		merged += count;
		runs -= count - 1;
	}
	return merged;
}

START_TEST(any_number_of_runs_is_sorted)
{
	const uint64_t runs = run_counts[_i], n = runs + 1;
	struct sorter *s = make_sorter(1, 1);
	uint64_t seed = 1;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t group = (uint32_t)(random31(&seed) % 3);

		add_item(s, 0, group, random31(&seed) % 100, i);
	}
	ck_assert_uint_eq(file_bytes(s), runs * pack_most(sizeof(struct item)));
	for (unsigned walk = 0; walk < 2; walk++) {
		ck_assert_int_eq(sorter_rewind(s), 0);
		expect_sorted(s, n);
	}
	ck_assert_uint_eq(
		file_bytes(s), (runs + items_merged_first(runs)) * pack_most(sizeof(struct item)));
	sorter_free(s);
}
END_TEST

START_TEST(equal_keys_come_in_the_order_of_compare)
{
	enum { ITEMS = 2 * FAN };
	struct sorter *s = make_sorter(1, 1);

	for (uint64_t i = ITEMS; i-- > 0;)
		add_item(s, 0, 0, 7, i);
	ck_assert_int_eq(sorter_rewind(s), 0);
	expect_sorted(s, ITEMS);
	sorter_free(s);
}
END_TEST

START_TEST(long_runs_of_two_threads_are_merged)
{
	enum { ITEMS = 100000, BUDGET = 16 << 10 };
	struct sorter *s = make_sorter(BUDGET, 2);
	uint64_t seed = 2;

	for (uint64_t i = 0; i < ITEMS; i++)
		add_item(s, i % 2, 0, random31(&seed) % ITEMS, i);
	ck_assert_uint_gt(file_bytes(s), 0);
	ck_assert_int_eq(sorter_rewind(s), 0);
	expect_sorted(s, ITEMS);
	sorter_free(s);
}
END_TEST

/* Texts by number: of few and many bytes, equal up to some place, some of them several times. */
static size_t make_text(uint64_t n, char text[TEXT_RANKS_BYTES + 8])
{
	const size_t lengths[] = {0, 1, 7, 8, 9, 40, TEXT_RANKS_BYTES - 1, TEXT_RANKS_BYTES};
	const size_t length = lengths[n % 8];

	memset(text, "a\xff\0"[n / 8 % 3], length);
	if (length)
		text[length - 1 - n / 24 % length] = (char)(n / 100 % 4);
	return length;
}

static int compare_texts(uint64_t x, uint64_t y)
{
	static char a[TEXT_RANKS_BYTES + 8], b[TEXT_RANKS_BYTES + 8];
	const size_t m = make_text(x, a), n = make_text(y, b);
	const int c = memcmp(a, b, m < n ? m : n);

	return c ? c : (m > n) - (m < n);
}

START_TEST(texts_are_ranked_by_their_bytes)
{
	enum { TEXTS = 20000, ASKED = 30000 };
	static char text[TEXT_RANKS_BYTES + 8];
	struct text_ranks t = {0};

	for (uint64_t i = 0; i < TEXTS; i += 1 + i % 2)
		ck_assert_int_eq(text_ranks_add(&t, i, text, make_text(i, text)), 0);
	ck_assert_int_eq(text_ranks_settle(&t, TEXTS), 0);
	for (uint64_t k = 0; k < ASKED; k++) {
		const uint64_t x = k * 7919 % (TEXTS / 2) * 2 + 1,
			       y = k * 104729 % (TEXTS / 2) * 2 + 1;
		const uint64_t a = text_ranks_get(&t, x), b = text_ranks_get(&t, y);
		const int c = compare_texts(x, y);

		ck_assert_int_eq((a > b) - (a < b), (c > 0) - (c < 0));
	}
	text_ranks_free(&t);
	/* Longer ones differ only up to there. */
	t = (struct text_ranks){0};
	memset(text, 'x', sizeof text);
	ck_assert_int_eq(text_ranks_add(&t, 0, text, sizeof text), 0);
	ck_assert_int_eq(text_ranks_add(&t, 1, text, sizeof text - 1), 0);
	ck_assert_int_eq(text_ranks_settle(&t, 2), 0);
	ck_assert_uint_eq(text_ranks_get(&t, 0), text_ranks_get(&t, 1));
	text_ranks_free(&t);
}
END_TEST

START_TEST(no_item_is_sorted)
{
	const struct sorter_record *r;
	struct sorter *s = make_sorter(1, 1);

	ck_assert_int_eq(sorter_rewind(s), 0);
	ck_assert_int_eq(sorter_next(s, &r), 0);
	sorter_free(s);
}
END_TEST

enum { PACKED_WORDS = 2 * PACK_WORDS };

/* A record whose words are mostly those of the one before, or differ in some of their bytes. */
static void change_record(uint64_t words[PACKED_WORDS], uint64_t *seed)
{
	struct sorter_record *r = (void *)words;
	const uint64_t size = 8 * (2 + random31(seed) % (PACKED_WORDS - 1));

	for (size_t i = 0; i < PACKED_WORDS; i++) {
		const uint64_t change = random31(seed) * UINT64_C(0x9E3779B97F4A7C15);

		if (random31(seed) % 2)
			words[i] ^= change >> random31(seed) % 64;
	}
	r->size = (uint16_t)(random31(seed) % 4 ? 8 * PACK_WORDS - 8 : size);
}

START_TEST(packed_records_are_unpacked)
{
	enum { RECORDS = 10000 };
	const size_t room = RECORDS * pack_most(8 * PACKED_WORDS) + PACK_SLACK;
	uint8_t *packed = malloc(room), *end = packed;
	uint64_t words[PACKED_WORDS] = {0}, seed = 5;
	const struct sorter_record *r = (const void *)words;
	struct packer packer = {.count = 0};
	struct unpacker unpacker = {.words = NULL};

	for (unsigned i = 0; i < RECORDS; i++) {
		uint8_t *const begin = end;

		change_record(words, &seed);
		end = pack_record(&packer, begin, r);
		ck_assert_uint_le((size_t)(end - begin), pack_most(r->size));
	}
	memset(words, 0, sizeof words);
	seed = 5;
	for (const uint8_t *p = packed; p < end;) {
		change_record(words, &seed);
		ck_assert_uint_eq(pack_size(p), r->size);
		ck_assert_mem_eq(unpack_record(&unpacker, &p), words, r->size);
	}
	free(unpacker.words);
	free(packed);
}
END_TEST

/* Nearly equal ones need few bytes. */
START_TEST(packed_records_are_small)
{
	struct packer packer = {.count = 0};
	uint8_t packed[sizeof(struct item) + PACK_HEAD + PACK_SLACK];
	struct item item = {.sort = {.key = UINT64_C(1) << 50, .group = 3, .size = sizeof item},
		.number = UINT64_MAX};

	ck_assert_uint_gt(
		(size_t)(pack_record(&packer, packed, &item.sort) - packed), sizeof item.number);
	item.sort.key += 200;
	ck_assert_uint_eq((size_t)(pack_record(&packer, packed, &item.sort) - packed),
		pack_head(sizeof item / 8) + 1);
}
END_TEST

int main(void)
{
	enum { COUNTS = sizeof run_counts / sizeof *run_counts };

	return suites_run(SUITE("sorter", .timeout = 300,
				  TESTS(equal_keys_come_in_the_order_of_compare,
					  long_runs_of_two_threads_are_merged, no_item_is_sorted,
					  texts_are_ranked_by_their_bytes,
					  packed_records_are_unpacked, packed_records_are_small),
				  LOOPS({any_number_of_runs_is_sorted, 0, COUNTS})),
		NULL);
}
