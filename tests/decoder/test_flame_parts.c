/* What flame graphs are made of: names, hashes of numbers, records of a log. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/report/flame/names.h"
#include "../../decoder/report/flame/record.h"
#include "compare.h"
#include "../lib/suites.h"

static void expect_name(
	const struct flame_names *names, uint32_t number, const char *text, size_t n)
{
	struct flame_name name = flame_names_get(names, number);

	ck_assert_uint_eq(name.len, n);
	ck_assert(n == 0 || memcmp(name.at, text, n) == 0);
}

START_TEST(a_name_has_one_number)
{
	static char longest[70000];
	static const size_t lengths[] = {0, 1, 7, 8, 9, 253, 254, 255, 256, 4096, sizeof longest};
	struct flame_names names = {0};
	uint32_t number[sizeof lengths / sizeof *lengths], walked = 1;

	memset(longest, 'x', sizeof longest);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		number[i] = flame_names_add(&names, longest, lengths[i]);
		ck_assert_uint_ne(number[i], 0);
		expect_name(&names, number[i], longest, lengths[i]);
	}
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		ck_assert_uint_eq(flame_names_add(&names, longest, lengths[i]), number[i]);
		expect_name(&names, number[i], longest, lengths[i]);
		ck_assert_uint_eq(walked, number[i]);
		walked = flame_names_next(&names, walked);
		for (size_t k = 0; k <= i; k++)
			ck_assert_int_eq(flame_names_same(&names, number[i], number[k]), k == i);
	}
	ck_assert_uint_eq(walked, names.used);
	flame_names_free(&names);
}
END_TEST

static size_t some_name(char text[32], uint32_t i)
{
	return (size_t)snprintf(text, 32, "%u name %u", i * 2654435761u, i % 977);
}

/* One after the other and several at once, some of them twice among those. */
START_TEST(many_names)
{
	enum { NAMES = 200000 };
	struct flame_names names = {0};
	uint32_t *number = calloc(NAMES, sizeof *number);
	char text[FLAME_WANTED][32];

	for (uint32_t i = 0; i < NAMES; i += FLAME_WANTED / 2) {
		struct flame_wanted wanted[FLAME_WANTED];

		for (uint32_t k = 0; k < FLAME_WANTED; k++) {
			size_t n = some_name(text[k], i + k / 2);

			wanted[k] = (struct flame_wanted){.bytes = text[k], .len = (uint32_t)n};
		}
		ck_assert_int_eq(flame_names_add_all(&names, wanted, FLAME_WANTED), 0);
		for (uint32_t k = 0; k < FLAME_WANTED; k++) {
			ck_assert_uint_eq(wanted[k].number, wanted[k / 2 * 2].number);
			number[i + k / 2] = wanted[k].number;
		}
	}
	ck_assert_uint_eq(names.count, NAMES);
	for (uint32_t i = 0; i < NAMES; i++) {
		size_t n = some_name(text[0], i);

		ck_assert_uint_eq(flame_names_add(&names, text[0], n), number[i]);
		expect_name(&names, number[i], text[0], n);
	}
	free(number);
	flame_names_free(&names);
}
END_TEST

START_TEST(appended_names_are_the_same_by_their_bytes)
{
	struct flame_names names = {0};
	uint32_t a = flame_names_add(&names, "again", 5),
		 b = flame_names_append(&names, "again", 5),
		 c = flame_names_append(&names, "other", 5);

	ck_assert_uint_ne(a, b);
	ck_assert(flame_names_same(&names, a, b) && !flame_names_same(&names, b, c));
	ck_assert_uint_eq(flame_names_hash(&names, a), flame_names_hash(&names, b));
	ck_assert_uint_ne(flame_names_hash(&names, a), flame_names_hash(&names, c));
	/* Without a table all are looked up anew, once somebody asks. */
	flame_names_close(&names);
	uint32_t again = flame_names_add(&names, "again", 5);
	ck_assert(again == a || again == b);
	ck_assert_uint_eq(flame_names_add(&names, "other", 5), c);
	flame_names_free(&names);
}
END_TEST

START_TEST(names_that_are_taken_keep_their_order)
{
	struct flame_names names = {0}, second = {0}, third = {0};
	uint32_t base[4];
	uint32_t one = flame_names_add(&second, "one", 3), two = flame_names_add(&second, "two", 3);
	uint32_t three = flame_names_add(&third, "three", 5),
		 alike = flame_names_add(&third, "one", 3);
	struct flame_names none = {0}, *from[] = {&none, &second, &third, &none};

	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(flame_names_take(&names, from[i], &base[i]), 0);
		ck_assert_ptr_null(from[i]->text.at);
	}
	expect_name(&names, one + base[1], "one", 3);
	expect_name(&names, two + base[1], "two", 3);
	expect_name(&names, three + base[2], "three", 5);
	expect_name(&names, alike + base[2], "one", 3);
	ck_assert_uint_eq(names.count, 4);
	flame_names_free(&names);
}
END_TEST

/* Numbers of any size, whose hashes agree in all bits that choose the first slot. */
START_TEST(numbers_that_collide_are_all_found)
{
	static const uint64_t most[] = {1000, 100000, FLAME_SLOTS_MOST};
	enum { COUNT = 500 };
	struct flame_slots s = {0};

	ck_assert(!flame_slots_fit(&s, 1, 1));
	ck_assert_int_ne(flame_slots_renew(&s, 1, FLAME_SLOTS_MOST + UINT64_C(1), false), 0);
	for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
		uint64_t highest = most[m];

		ck_assert_int_eq(flame_slots_renew(&s, COUNT, highest, m == 1), 0);
		ck_assert(flame_slots_fit(&s, COUNT, highest));
		ck_assert_uint_ge(s.numbers, highest);
		for (uint32_t i = 0; i < COUNT; i++)
			flame_slots_put(&s, (uint32_t)highest - i, (uint64_t)i << 53 | 3);
		for (uint32_t i = 0; i < COUNT; i++) {
			uint64_t hash = (uint64_t)i << 53 | 3, at = hash;

			while (flame_slots_number(&s, at) != (uint32_t)highest - i) {
				ck_assert_uint_ne(flame_slots_number(&s, at), 0);
				at = flame_slots_likely(&s, at + 1, hash);
			}
		}
		ck_assert_uint_eq(
			flame_slots_number(&s, flame_slots_likely(&s, COUNT + 4, UINT64_MAX)), 0);
	}
	flame_slots_free(&s);
}
END_TEST

/* Of as many bytes as its turn says: near the borders of what a number may take. */
static uint64_t some_number(uint64_t *seed)
{
	unsigned bits = next(seed) % 65;
	uint64_t border = bits == 64 ? 0 : UINT64_C(1) << bits;

	return border - next(seed) % 3 + next(seed) % 2;
}

static struct flame_record some_record(uint64_t *seed)
{
	struct flame_record r = {.elapsed = some_number(seed),
		.after = some_number(seed),
		.name = (uint32_t)some_number(seed),
		.owner = (uint16_t)some_number(seed),
		.part = {.kind = next(seed) % 4,
			.above = NOT_MEASURED,
			.below = NOT_MEASURED,
			.value = NAN}};

	r.weight = next(seed) % 2 ? r.elapsed : some_number(seed);
	r.part.elapsed = r.elapsed;
	if (r.part.kind != FLAME_CPI_NONE && next(seed) % 2) {
		r.part.above = some_number(seed);
		r.part.below = some_number(seed);
	}
	if (r.part.kind != FLAME_CPI_NONE && next(seed) % 2)
		r.part.value = (double)(next(seed) % 100000) / 10000;
	return r;
}

static bool same_part(const struct flame_part *a, const struct flame_part *b)
{
	return a->kind == b->kind && a->above == b->above && a->below == b->below &&
	       a->elapsed == b->elapsed && same_double(a->value, b->value);
}

START_TEST(records_are_read_back)
{
	enum { RECORDS = 50000 };
	struct flame_record *written = calloc(RECORDS, sizeof *written), r = {0};
	uint8_t *bytes = malloc((size_t)RECORDS * FLAME_MAX_RECORD), *p = bytes;
	uint64_t seed = 42;

	for (unsigned i = 0; i < RECORDS; i++) {
		written[i] = some_record(&seed);
		uint8_t *end = flame_record_put(p, &written[i]);
		/* With the words that are written, or read, at its last numbers. */
		ck_assert_int_le(end + 8 - p, FLAME_MAX_RECORD);
		if (i % 5 == 0) {
			/* Named later. */
			written[i].name = FLAME_NO_NAME;
			end = flame_record_put(p, &written[i]);
			written[i].name = i;
			memcpy(end - FLAME_NAME_FROM_END, &i, sizeof i);
		}
		p = end;
	}
	const uint8_t *back = p;
	for (unsigned i = RECORDS; i-- > 0;) {
		const struct flame_record *w = &written[i];

		back = flame_record_back(back, &r);
		ck_assert(r.elapsed == w->elapsed && r.weight == w->weight && r.after == w->after);
		ck_assert(r.name == w->name && r.owner == w->owner);
		ck_assert(same_part(&r.part, &w->part));
	}
	ck_assert_ptr_eq(back, bytes);
	free(bytes);
	free(written);
}
END_TEST

SUITE_MAIN("flame parts", a_name_has_one_number, many_names,
	appended_names_are_the_same_by_their_bytes, names_that_are_taken_keep_their_order,
	numbers_that_collide_are_all_found, records_are_read_back)
