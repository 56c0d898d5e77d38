/*
 * Formats, numbers, and spelling: the way there and back.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/events/encoding.h"
#include "test_event.h"
#include "tree.h"

static const struct {
	const char *text;
	unsigned word;
	uint64_t mask; /* 0: refused */
} formats[] = {
	{"config:0-7", 0, 0xff},
	{"config:0-7\n", 0, 0xff},
	{"config:0-7,32-35", 0, 0xf000000ff},
	{"config:8-15,40-47", 0, 0xff000000ff00},
	{"config:21", 0, 0x200000},
	{"config1:0", 1, 1},
	{"config2:63", 2, UINT64_C(1) << 63},
	{"config:0-63", 0, UINT64_MAX},
	{"config:1,3,5", 0, 0x2a},
	{"", 0, 0},
	{"\n", 0, 0},
	{"config", 0, 0},
	{"config:", 0, 0},
	{"config:\n", 0, 0},
	{"config0:0-7", 0, 0},
	{"config3:0-7", 0, 0},
	{"Config:0-7", 0, 0},
	{"confi:0-7", 0, 0},
	{" config:0-7", 0, 0},
	{"config: 0-7", 0, 0},
	{"config:0-7 ", 0, 0},
	{"config:0-7,", 0, 0},
	{"config:0-7,,9", 0, 0},
	{"config:,0-7", 0, 0},
	{"config:7-0", 0, 0},
	{"config:7-6", 0, 0},
	{"config:0-", 0, 0},
	{"config:-7", 0, 0},
	{"config:64", 0, 0},
	{"config:0-64", 0, 0},
	{"config:0-4294967303", 0, 0},
	{"config:99999999999999999999", 0, 0},
	{"config:0-7,7-8", 0, 0},
	{"config:32-35,0-7", 0, 0},
	{"config:a-b", 0, 0},
	{"config:0x0-0x7", 0, 0},
	{"config:0-7\n\n", 0, 0},
	{"config:0-7\nconfig:8", 0, 0},
	{"config:0-7-9", 0, 0},
};

START_TEST(formats_are_taken_as_the_kernel_writes_them)
{
	struct event_field field;
	bool taken = event_field_parse(formats[_i].text, &field);

	ck_assert_msg(taken == (formats[_i].mask != 0), "\"%s\"", formats[_i].text);
	if (!taken)
		return;
	ck_assert_uint_eq(field.word, formats[_i].word);
	ck_assert_uint_eq(field.mask, formats[_i].mask);
}
END_TEST

START_TEST(values_come_back_from_their_fields)
{
	uint64_t seed = 88172645463325252u;

	for (int i = 0; i < 100000; i++) {
		struct event_field field = {(unsigned)(i % 3), 0};
		uint64_t word[3], before[3], value;

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		field.mask = seed & (seed >> 9 | seed << 3);
		for (int k = 0; k < 3; k++)
			before[k] = word[k] = seed * (uint64_t)(k + 3);
		unsigned bits = event_field_bits(&field);
		value = seed >> 11;
		bool fits = bits >= 64 || value >> bits == 0;
		ck_assert(event_field_put(&field, value, word) == fits);
		if (fits)
			ck_assert_uint_eq(event_field_get(&field, word), value);
		for (unsigned k = 0; k < 3; k++)
			ck_assert_uint_eq(
				(word[k] ^ before[k]) & ~(fits && k == field.word ? field.mask : 0),
				0);
	}
}
END_TEST

/* ----------------------------------------------------------------------------- numbers */

static const struct {
	const char *text;
	bool good;
	uint64_t value;
} numbers[] = {
	{"0", true, 0},
	{"00", false, 0},
	{"7", true, 7},
	{"18446744073709551615", true, UINT64_MAX},
	{"18446744073709551616", false, 0},
	{"28446744073709551615", false, 0},
	{"0x0", true, 0},
	{"0XfF", true, 255},
	{"0x00000000000000000001", true, 1},
	{"0xffffffffffffffff", true, UINT64_MAX},
	{"0x10000000000000000", false, 0},
	{"", false, 0},
	{"0x", false, 0},
	{"x", false, 0},
	{"f", false, 0},
	{"1f", false, 0},
	{"0xg", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"1\n", false, 0},
	{"010", false, 0},
	{"0b1", false, 0},
	{"1_0", false, 0},
};

START_TEST(numbers_are_decimal_or_hexadecimal)
{
	uint64_t value = 0;
	bool good = event_number(numbers[_i].text, &value);

	ck_assert_msg(good == numbers[_i].good, "\"%s\"", numbers[_i].text);
	if (good)
		ck_assert_uint_eq(value, numbers[_i].value);
}
END_TEST

/* ---------------------------------------------------------------------------- spelling */

static const struct {
	enum tree tree;
	const char *name, *spelled;
} spellings[] = {
	{TREE_INTEL, "cpu/inv,umask=2,event=0x3c/", "cpu/event=0x3c,umask=0x2,inv/"},
	{TREE_INTEL, "cpu/event=0/", "cpu/event=0x0,umask=0x0/"},
	{TREE_INTEL, "cpu/cache-misses/u", "cpu/event=0x2e,umask=0x41/u"},
	{TREE_INTEL, "r10000:k", "cpu/config=0x10000/k"},
	{TREE_INTEL, "rf10000003c", "cpu/config=0xf10000003c/"},
	{TREE_INTEL, "cpu/event=1,config2=3/uk", "cpu/event=0x1,umask=0x0,config2=0x3/uk"},
	{TREE_AMD, "cpu/event=0x1ff,cmask=2/", "cpu/event=0x1ff,umask=0x0,cmask=0x2/"},
	{TREE_ARM, "armv8_pmuv3_0/event=17,threshold=2/",
		"armv8_pmuv3_0/event=0x11,threshold=0x2/"},
};

START_TEST(encodings_are_spelled_in_terms)
{
	struct cpc_event e;
	struct event_pmu pmu;
	char why[EVENT_WHY_MAX], text[256];

	tree_use(spellings[_i].tree);
	ck_assert_int_eq(event_find(spellings[_i].name, &e, why), 0);
	ck_assert_int_eq(event_pmu_open(e.pmu, &pmu), 0);
	ck_assert(event_spell(&pmu, &e, NULL, text, sizeof text));
	ck_assert_str_eq(text, spellings[_i].spelled);
	ck_assert(!event_spell(&pmu, &e, NULL, text, strlen(spellings[_i].spelled)));
}
END_TEST

/* Whatever the bits are, the spelling means them again. */
START_TEST(spellings_mean_the_same_event)
{
	static const char *const pmus[] = {[TREE_INTEL] = "cpu",
		[TREE_AMD] = "cpu",
		[TREE_ARM] = "armv8_pmuv3_0",
		[TREE_HYBRID] = "cpu_atom"};
	uint64_t seed = 88172645463325252u;
	struct event_pmu pmu;
	int plain = 0;

	tree_use(_i);
	ck_assert_int_eq(event_pmu_open(pmus[_i], &pmu), 0);
	for (int i = 0; i < 2000; i++) {
		struct cpc_event e = {.type = pmu.type, .user = true, .kernel = true}, again;
		char text[256], why[EVENT_WHY_MAX];

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		e.config = i % 3 ? seed & 0xffff : seed;
		e.config1 = i % 4 ? 0 : seed >> (i % 64);
		e.config2 = i % 5 ? 0 : seed >> (i % 64);
		ck_assert(event_spell(&pmu, &e, NULL, text, sizeof text));
		ck_assert_msg(event_find(text, &again, why) == 0, "%s: %s", text, why);
		ck_assert_msg(again.config == e.config && again.config1 == e.config1 &&
				      again.config2 == e.config2,
			"%s", text);
		plain += strstr(text, "config") == NULL;
	}
	ck_assert_int_gt(plain, 500);
}
END_TEST

void add_format(Suite *suite)
{
	TCase *c = tcase_create("format");

	tcase_add_unchecked_fixture(c, trees_make, trees_remove);
	tcase_add_loop_test(c, formats_are_taken_as_the_kernel_writes_them, 0,
		(int)(sizeof formats / sizeof *formats));
	tcase_add_test(c, values_come_back_from_their_fields);
	tcase_add_loop_test(
		c, numbers_are_decimal_or_hexadecimal, 0, (int)(sizeof numbers / sizeof *numbers));
	tcase_add_loop_test(
		c, encodings_are_spelled_in_terms, 0, (int)(sizeof spellings / sizeof *spellings));
	tcase_add_loop_test(c, spellings_mean_the_same_event, TREE_INTEL, TREE_HYBRID + 1);
	suite_add_tcase(suite, c);
}
