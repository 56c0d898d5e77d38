/* Blocks: each is somebody's alone, and what is given back comes first. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/model/intervals/blocks.h"
#include "../lib/suites.h"

enum { MANY = 300 };

static void fill(void *block, unsigned char with)
{
	memset(block, with, BLOCK_BYTES);
}

static bool holds(const unsigned char *block, unsigned char what)
{
	return *block == what && memcmp(block, block + 1, BLOCK_BYTES - 1) == 0;
}

/* Small areas, and large ones. */
START_TEST(each_has_its_own)
{
	struct blocks b = {0};
	void *block[MANY];

	for (unsigned i = 0; i < MANY; i++) {
		block[i] = blocks_get(&b);
		ck_assert_ptr_nonnull(block[i]);
		ck_assert_uint_eq((uintptr_t)block[i] % _Alignof(max_align_t), 0);
		fill(block[i], (unsigned char)i);
	}
	for (unsigned i = 0; i < MANY; i++)
		ck_assert(holds(block[i], (unsigned char)i));
	blocks_free(&b);
	ck_assert_ptr_null(b.areas);
}
END_TEST

START_TEST(what_is_given_back_comes_first)
{
	struct blocks b = {0};
	void *block[MANY];

	for (unsigned i = 0; i < MANY; i++)
		block[i] = blocks_get(&b);
	size_t areas = b.nareas;
	for (unsigned i = 0; i < MANY; i++)
		blocks_put(&b, block[i]);
	for (unsigned i = MANY; i-- > 0;)
		ck_assert_ptr_eq(blocks_get(&b), block[i]);
	ck_assert_uint_eq(b.nareas, areas);
	blocks_free(&b);
}
END_TEST

START_TEST(joined_ones_are_the_others)
{
	struct blocks b = {0}, from = {0}, none = {0};
	void *kept = blocks_get(&from), *own = blocks_get(&b), *unused = blocks_get(&from);

	blocks_put(&from, unused);
	fill(kept, 1);
	fill(own, 2);
	ck_assert_int_eq(blocks_join(&b, &from), 0);
	ck_assert_int_eq(blocks_join(&b, &none), 0);
	ck_assert(!from.areas && !from.unused && !from.nareas);
	bool found = false;
	for (unsigned i = 0; i < MANY; i++) {
		void *block = blocks_get(&b);

		ck_assert(block != kept && block != own);
		found |= block == unused;
		fill(block, 3);
	}
	ck_assert(found);
	ck_assert(holds(kept, 1) && holds(own, 2));
	blocks_free(&from);
	blocks_free(&b);
}
END_TEST

START_TEST(arrays_stay_where_they_are)
{
	struct element {
		uint64_t words[3];
	};
	struct blocks b = {0};
	struct block_array a = {0};
	const size_t n = 5 * BLOCK_BYTES / sizeof(struct element) + 1;
	const struct element *first = NULL;

	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(block_array_room(&a, &b, i, sizeof(struct element)), 0);
		struct element *e = block_array_at(&a, i, sizeof *e);
		*e = (struct element){{i, ~i, i * i}};
		first = i ? first : e;
	}
	ck_assert_uint_eq(a.count, 6);
	ck_assert_ptr_eq(block_array_at(&a, 0, sizeof *first), first);
	for (size_t i = 0; i < n; i++) {
		const struct element *e = block_array_at(&a, i, sizeof *e);

		ck_assert(e->words[0] == i && e->words[1] == ~i && e->words[2] == i * i);
	}
	block_array_free(&a);
	blocks_free(&b);
}
END_TEST

SUITE_MAIN("blocks", each_has_its_own, what_is_given_back_comes_first, joined_ones_are_the_others,
	arrays_stay_where_they_are)
