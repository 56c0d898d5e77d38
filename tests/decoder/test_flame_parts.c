/* Names of flame graphs and their hash table, and stacks of partial results. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/report/flame/names.h"
#include "../../decoder/report/partial/merge.h"
#include "../../include/cpidecode.h"
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
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(number[i], number[k]);
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

START_TEST(merged_names_have_one_number)
{
	struct flame_names names = {0}, from = {0};
	uint32_t one = flame_names_add(&names, "one", 3),
		 three = flame_names_add(&from, "three", 5),
		 alike = flame_names_add(&from, "one", 3);
	uint32_t *map = calloc(from.used + 1, sizeof *map);

	ck_assert_int_eq(flame_names_merge(&names, &from, map), 0);
	ck_assert_uint_eq(map[alike], one);
	ck_assert_uint_ne(map[three], one);
	expect_name(&names, map[three], "three", 5);
	ck_assert_uint_eq(names.count, 2);
	/* Its slots are made again by the next one that is added. */
	flame_names_close(&names);
	ck_assert_uint_eq(flame_names_add(&names, "three", 5), map[three]);
	free(map);
	flame_names_free(&names);
	flame_names_free(&from);
}
END_TEST

/* Numbers of any size, whose hashes agree in all bits that choose the first slot. */
START_TEST(numbers_that_collide_are_all_found)
{
	static const uint64_t most[] = {1000, 100000, FLAME_SLOTS_MOST};
	enum { COUNT = 500 };
	struct flame_slots s = {0};

	ck_assert(!flame_slots_fit(&s, 1, 1));
	ck_assert_int_ne(flame_slots_renew(&s, 1, FLAME_SLOTS_MOST + UINT64_C(1)), 0);
	for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
		uint64_t highest = most[m];

		ck_assert_int_eq(flame_slots_renew(&s, COUNT, highest), 0);
		ck_assert(flame_slots_fit(&s, COUNT, highest));
		ck_assert_uint_ge(s.numbers, highest);
		for (uint32_t i = 0; i < COUNT; i++)
			flame_slots_add(&s, (uint32_t)highest - i, (uint64_t)i << 53 | 3);
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

static unsigned said;

static void count_lines(const char *format, ...)
{
	said += strstr(format, "damaged") != NULL;
}

/* Their checksum holds, so that reading the files finds nothing. */
START_TEST(damaged_stacks_are_reported)
{
	static const uint8_t damaged[] = {0, 0, 0, 0, 9};
	struct partial p = {.filter = strdup("")};

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
			partial_add_answer(&p, PARTIAL_STACKS, damaged, sizeof damaged), 0);
	ck_assert_int_eq(merge_settle(&p, count_lines), CPIDECODE_EINVAL);
	ck_assert_uint_eq(said, 1);
	merge_free(&p);
}
END_TEST

SUITE_MAIN("flame parts", a_name_has_one_number, many_names, merged_names_have_one_number,
	numbers_that_collide_are_all_found, damaged_stacks_are_reported)
