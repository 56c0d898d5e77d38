/*
 * Rows and their names, patterns, GUIDs as text.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "../../libtrace/perflib/guid.h"

/* --------------------------------------------------------------------------- rows */

static struct rows rows;

static void free_rows(void)
{
	rows_free(&rows);
}

static const char *name_of(uint32_t row)
{
	return rows.names + rows.row[row].name;
}

static const struct {
	const char *given;
	size_t bytes;
	const char *is;
} names[] = {
	{"", 0, ""}, {"0,_Total", 8, "0,_Total"}, {"cut short", 3, "cut"},
	{"K\xc3\xb6nig \xe2\x82\xac \xf0\x9f\x8c\x8d", 15,
		"K\xc3\xb6nig \xe2\x82\xac \xf0\x9f\x8c\x8d"},
	{"a\xffz", 3, "a\xef\xbf\xbdz"}, {"a\xc3", 2, "a\xef\xbf\xbd"},
	{"\xc3z", 2, "\xef\xbf\xbdz"}, {"\x80", 1, "\xef\xbf\xbd"},
	{"\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd"},		     /* too long a form of NUL */
	{"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
	{"\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"a\0b", 3,
		"a\xef\xbf\xbd"
		"b"},
	{"\033[1m\n\x7f", 6, "\xef\xbf\xbd[1m\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xc2\x9b\xc2\xa0", 4, "\xef\xbf\xbd\xc2\xa0"}, /* a terminal may take one as ESC [ */
};

START_TEST(names_become_utf8)
{
	rows_begin(&rows, 1);
	ck_assert(rows_add(&rows, names[_i].given, names[_i].bytes, 5));
	ck_assert_str_eq(name_of(0), names[_i].is);
	ck_assert_uint_eq(rows.row[0].name_bytes, strlen(names[_i].is));
	ck_assert_uint_eq(rows.row[0].id, 5);
}
END_TEST

START_TEST(long_names_are_cut_between_characters)
{
	char name[2000];

	rows_begin(&rows, 0);
	memset(name, 'x', sizeof name);
	ck_assert(rows_add(&rows, name, 1023, 0));
	ck_assert(rows_add(&rows, name, 1024, 0));
	memcpy(name + 1021, "\xe2\x82\xac", 3);
	ck_assert(rows_add(&rows, name, sizeof name, 0));
	memcpy(name + 1020, "\xe2\x82\xac", 3);
	ck_assert(rows_add(&rows, name, sizeof name, 0));
	memset(name, 0xff, sizeof name);
	ck_assert(rows_add(&rows, name, sizeof name, 0));
	ck_assert_uint_eq(rows.row[0].name_bytes, 1023);
	ck_assert_uint_eq(rows.row[1].name_bytes, 1023);
	ck_assert_uint_eq(rows.row[2].name_bytes, 1021);
	ck_assert_uint_eq(rows.row[3].name_bytes, 1023);
	ck_assert_uint_eq(rows.row[4].name_bytes, 1023);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(strlen(name_of(i)), rows.row[i].name_bytes);
}
END_TEST

START_TEST(values_are_unknown_until_set)
{
	for (int turn = 0; turn < 3; turn++) {
		rows_begin(&rows, 3);
		for (uint32_t i = 0; i < 100; i++) {
			ck_assert(rows_add(&rows, "n", 1, i));
			rows_set(&rows, i % 3, i);
		}
		for (uint32_t i = 0; i < 300; i++)
			ck_assert_uint_eq(rows.known[i], i % 3 == i / 3 % 3);
		ck_assert_uint_eq(rows.value[99 * 3], 99);
	}
}
END_TEST

START_TEST(another_width)
{
	static const uint32_t widths[] = {4, 256, 0, 1, 200, 3};

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		rows_begin(&rows, widths[i]);
		for (uint32_t n = 0; n < 40; n++) {
			ck_assert(rows_add(&rows, "name", 4, n));
			for (uint32_t c = 0; c < widths[i]; c++)
				rows_set(&rows, c, c);
		}
		ck_assert_uint_eq(rows.used, 40);
	}
}
END_TEST

START_TEST(there_are_not_more_rows_than_handed_on)
{
	rows_begin(&rows, 1);
	for (uint32_t i = 0; i < COUNTERSET_INSTANCES; i++)
		ck_assert(rows_add(&rows, "n", 1, i));
	ck_assert(!rows_add(&rows, "n", 1, 0));
	ck_assert_uint_eq(rows.used, COUNTERSET_INSTANCES);
	ck_assert_uint_eq(rows.row[COUNTERSET_INSTANCES - 1].id, COUNTERSET_INSTANCES - 1);
}
END_TEST

START_TEST(columns_are_found_by_id)
{
	static const uint32_t ids[] = {0, 1, 7, 8, 100, 0x80000000, 0xfffffffe};
	enum { IDS = sizeof ids / sizeof *ids };
	struct counter_definition counter[IDS] = {{0}};
	struct counterset_definition set = {.counter = counter};

	for (int i = 0; i < IDS; i++)
		counter[i].id = ids[i];
	for (uint32_t n = 0; n <= IDS; n++) {
		set.ncounters = n;
		for (uint32_t i = 0; i < IDS; i++)
			ck_assert_int_eq(counterset_column(&set, ids[i]), i < n ? (int)i : -1);
		ck_assert_int_eq(counterset_column(&set, 9), -1);
		ck_assert_int_eq(counterset_column(&set, 6), -1);
		ck_assert_int_eq(counterset_column(&set, UINT32_MAX), -1);
	}
}
END_TEST

/* --------------------------------------------------------------------------- GUIDs */

START_TEST(guids_are_text)
{
	char text[GUID_TEXT];
	GUID id;

	guid_format(&several_guid, text);
	ck_assert_str_eq(text, "b4fc721a-0378-476f-89ba-a5a79f810b36");
	ck_assert(guid_parse(text, &id));
	ck_assert(guid_equal(&id, &several_guid));
	ck_assert(guid_parse("{B4FC721A-0378-476F-89BA-A5A79F810B36}", &id));
	ck_assert(guid_equal(&id, &several_guid));
	ck_assert(!guid_equal(&id, &other_guid));
}
END_TEST

static const char *const no_guids[] = {
	"",
	"{",
	"{}",
	"b4fc721a",
	"b4fc721a-0378-476f-89ba-a5a79f810b3",
	"b4fc721a-0378-476f-89ba-a5a79f810b366",
	"b4fc721a-0378-476f-89ba-a5a79f810b3g",
	"b4fc721a-0378-476f-89ba-a5a79f810b36 ",
	" b4fc721a-0378-476f-89ba-a5a79f810b36",
	"b4fc721a-0378-476f-89ba-a5a79f810b36}",
	"{b4fc721a-0378-476f-89ba-a5a79f810b36",
	"{{b4fc721a-0378-476f-89ba-a5a79f810b36}}",
	"b4fc721a0378476f89baa5a79f810b36",
	"b4fc721a-0378-476f-89baa5-a79f810b36",
	"b4fc-721a0378-476f-89ba-a5a79f810b36",
	"0xfc721a-0378-476f-89ba-a5a79f810b36",
	"+4fc721a-0378-476f-89ba-a5a79f810b36",
};

START_TEST(malformed_guids_are_refused)
{
	GUID id = other_guid;

	ck_assert(!guid_parse(no_guids[_i], &id));
	ck_assert(guid_equal(&id, &other_guid));
}
END_TEST

Suite *names_suite(void)
{
	Suite *s = suite_create("names");
	TCase *t = tcase_create("rows");

	tcase_add_checked_fixture(t, NULL, free_rows);
	tcase_add_loop_test(t, names_become_utf8, 0, sizeof names / sizeof *names);
	tcase_add_test(t, long_names_are_cut_between_characters);
	tcase_add_test(t, values_are_unknown_until_set);
	tcase_add_test(t, another_width);
	tcase_add_test(t, there_are_not_more_rows_than_handed_on);
	tcase_add_test(t, columns_are_found_by_id);
	suite_add_tcase(s, t);
	t = tcase_create("patterns");
	suite_add_tcase(s, t);
	t = tcase_create("GUIDs");
	tcase_add_test(t, guids_are_text);
	tcase_add_loop_test(t, malformed_guids_are_refused, 0, sizeof no_guids / sizeof *no_guids);
	suite_add_tcase(s, t);
	return s;
}
