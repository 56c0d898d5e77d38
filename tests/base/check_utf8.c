/* UTF-8: well-formed text, control characters of a terminal, the width of a text. */
#include <string.h>

#include "../../formats/base/utf8.h"
#include "../lib/suites.h"

START_TEST(only_shortest_forms_of_unicode_are_valid)
{
	static const char *const good[] = {"", "a", "\xc2\x80", "\xc3\xa4", "\xdf\xbf",
		"\xe0\xa0\x80", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2x",
		"\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82", "\xe2\x82z", "\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x90\x80", "\xff"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ck_assert_msg(utf8_valid(good[i], strlen(good[i])), "good %zu", i);
		ck_assert_uint_eq(utf8_length(good[i], strlen(good[i])), strlen(good[i]));
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(!utf8_valid(bad[i], strlen(bad[i])), "bad %zu", i);
		ck_assert_uint_eq(utf8_length(bad[i], strlen(bad[i])), 0);
	}
}
END_TEST

START_TEST(steps_find_terminal_controls)
{
	static const struct {
		const char *text;
		size_t step;
		enum utf8_kind kind;
	} cases[] = {{"ab", 1, UTF8_PLAIN}, {"\xc3\xa9x", 2, UTF8_PLAIN},
		{"\x1b[", 1, UTF8_CONTROL}, {"\x1f", 1, UTF8_CONTROL}, {" ", 1, UTF8_PLAIN},
		{"~", 1, UTF8_PLAIN}, {"\x7f", 1, UTF8_CONTROL}, {"\xc2\x80", 2, UTF8_CONTROL},
		{"\xc2\x9b", 2, UTF8_CONTROL}, {"\xc2\xa0", 2, UTF8_PLAIN}, {"\x9b", 1, UTF8_BAD},
		{"\xc2", 1, UTF8_BAD}, {"\xe2\x82x", 1, UTF8_BAD}, {"\xe2\x82\xac", 3, UTF8_PLAIN}};
	enum utf8_kind kind;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t step = utf8_step(cases[i].text, strlen(cases[i].text), &kind);

		ck_assert_msg(step == cases[i].step && kind == cases[i].kind, "case %zu", i);
	}
}
END_TEST

START_TEST(plain_text_has_replacements)
{
	static const struct {
		const char *text, *copy;
		size_t most;
		bool is_plain;
	} cases[] = {{"", "", 0, true}, {"a\xc3\xa9", "a\xc3\xa9", 3, true}, {"ab", "a", 1, false},
		{"a\xc3\xa9", "a", 2, false}, {"\x1bx\xff", "\xef\xbf\xbdx\xef\xbf\xbd", 9, false},
		{"\xc2\x9b", "\xef\xbf\xbd", 9, false}, {"x\n", "x", 3, false}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text;
		char copy[16];

		ck_assert_msg(
			utf8_is_plain(text, cases[i].most) == cases[i].is_plain, "case %zu", i);
		ck_assert_uint_eq(utf8_copy_clean(copy, cases[i].most, text, strlen(text)),
			strlen(cases[i].copy));
		ck_assert_str_eq(copy, cases[i].copy);
	}
	const char *text = "a\xc2\x9b\xff", *clean[4];
	size_t left = strlen(text), length[4] = {0};
	for (int i = 0; i < 4; i++)
		clean[i] = utf8_clean_next(&text, &left, " ", "..", &length[i]);
	ck_assert(*clean[0] == 'a' && length[0] == 1 && *clean[1] == ' ' && length[1] == 1);
	ck_assert(*clean[2] == '.' && length[2] == 2 && !clean[3] && left == 0);
}
END_TEST

START_TEST(width_counts_characters)
{
	ck_assert_uint_eq(utf8_width("", 0), 0);
	ck_assert_uint_eq(utf8_width("a\xc3\xa9\xe2\x82\xac", 6), 3);
	ck_assert_uint_eq(utf8_width("\xff\xc3", 2), 2);
	/* Two ideographs, one Hangul syllable. */
	ck_assert_uint_eq(utf8_width("\xe6\x97\xa5\xe6\x9c\xac\xea\xb0\x80", 9), 6);
}
END_TEST

START_TEST(fit_ends_between_characters)
{
	/* Two wide characters, a narrow one, a bad byte. */
	static const char text[] = "\xe6\x97\xa5\xe6\x9c\xac"
				   "a\xff";
	static const size_t fits[] = {0, 0, 3, 3, 6, 7, 8, 8};

	for (size_t cells = 0; cells < sizeof fits / sizeof *fits; cells++)
		ck_assert_uint_eq(utf8_fit(text, sizeof text - 1, cells), fits[cells]);
	ck_assert_uint_eq(utf8_fit("\xf0\x9f\x98\x80", 4, 1), 0);
	ck_assert_uint_eq(utf8_fit("\xe1\x84\x80\xe1\x85\xa0", 6, 3), 6);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("utf8", .timeout = 60,
				  TESTS(only_shortest_forms_of_unicode_are_valid,
					  steps_find_terminal_controls, plain_text_has_replacements,
					  width_counts_characters, fit_ends_between_characters)),
		NULL);
}
