/* Patterns: the dialect of labels, with sets, and that of instance names. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/glob.h"
#include "../lib/suites.h"

START_TEST(patterns_match_whole_texts)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {{"", "", true}, {"", "a", false}, {"*", "", true}, {"a*c", "abbc", true},
		{"a*c", "abbcd", false}, {"*b*", "abc", true}, {"?", "\xC3\xA9", true},
		{"??", "\xC3\xA9", false}, {"?", "\xFF", true}, {"[a-c]x", "bx", true},
		{"[!a-c]x", "bx", false}, {"[!a-c]x", "dx", true}, {"[]]", "]", true},
		{"[a", "[a", true}, {"[a", "a", false}, {"\\*", "*", true}, {"\\*", "x", false},
		{"a\\", "a\\", true}, {"[\\]]", "]", true}, {"level [0-9]*", "level 12", true},
		{"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
		{"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", true}, {"[\xC3\xA9]x", "\xC3\xA9x", true},
		{"**", "abc", true}, {"?", "", false}, {"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false}, {"a", "ab", false}, {"ab", "a", false},
		{"*a", "ba", true}, {"*a", "ab", false}};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(glob_match(cases[i].pattern, cases[i].text, strlen(cases[i].text)) ==
				      cases[i].matches,
			"'%s' and '%s'", cases[i].pattern, cases[i].text);
	ck_assert(glob_match("a?b", "a\0b", 3));
	ck_assert(!glob_match("a?", "a\0", 1)); /* never beyond its size */
	/* Many stars and a long text: quadratic at most. */
	enum { LONG = 1 << 20 };
	char *text = malloc(LONG);
	memset(text, 'a', LONG);
	ck_assert(!glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text, LONG));
	free(text);
}
END_TEST

START_TEST(patterns_with_an_open_set_are_refused)
{
	static const char *const good[] = {
		"", "*", "[a]", "[]a]", "[!]]", "\\[a", "a\\", "[\\]]", "[^a-c]?"};
	static const char *const bad[] = {"[", "[a", "x[]", "[!]", "[a\\]", "[a][", "\\[[b"};

	for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
		ck_assert_msg(!glob_check(good[i]), "%s", good[i]);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(glob_check(bad[i]) != NULL, "%s", bad[i]);
}
END_TEST

START_TEST(listings_match_in_either_case)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {{"", "x", true}, {"L1*MISS*", "l1-dcache-misses", true}, {"l1*", "xl1", false},
		{"dcache", "L1-DCACHE-misses", true}, {"dcaches", "L1-DCACHE-misses", false},
		{"[a-c]*", "Cycles", true}, {"[A-C]*", "cycles", true}, {"[!C]*", "cycles", false},
		{"[^d]*", "cycles", true}, {"cycl?s", "CYCLES", true}, {"\\*", "*", true},
		{"*\xc3\x84", "x\xc3\xa4", false}, {"[@-Z]", "`", false}};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(
			glob_match_listed(cases[i].pattern, cases[i].name) == cases[i].matches,
			"'%s' and '%s'", cases[i].pattern, cases[i].name);
}
END_TEST

static const struct {
	const char *pattern, *name;
	bool matches;
} names[] = {
	{"*", "", true},
	{"*", "anything at all", true},
	{"**", "x", true},
	{"?", "", false},
	{"?", "x", true},
	{"?", "xy", false},
	{"?", "\xe2\x82\xac", true},
	{"??", "\xe2\x82\xac", false},
	{"x", "", false},
	{"", "", true},
	{"", "x", false},
	{"0,*", "0,1", true},
	{"0,*", "0,_Total", true},
	{"0,*", "10,1", false},
	{"*,_total", "0,_TOTAL", true},
	{"_Total", "_Totals", false},
	{"_Totals", "_Total", false},
	{"*a*b", "xaxbxb", true},
	{"*a*b", "xaxbxbx", false},
	{"*a?b", "aab", true},
	{"*a?b*", "aaaab", true},
	{"a*a", "a", false},
	{"a*a", "aa", true},
	{"*?", "", false},
	{"*?", "ab", true},
	{"?*?", "a", false},
	{"K\xc3\xb6nig", "k\xc3\xb6NIG", true},
	{"K\xc3\x96nig", "K\xc3\xb6nig", false}, /* case of ASCII letters alone */
	{"*\xb6nig", "K\xc3\xb6nig", false},
	{"[", "{", false}, /* differ by the bit of case */
	{"@", "`", false},
	{"[a-z]", "b", false},
	{"\\*", "*", false},
};

START_TEST(name_patterns_match)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *p = names[i].pattern, *n = names[i].name;

		ck_assert_msg(glob_match_name(p, strlen(p), n, strlen(n)) == names[i].matches,
			"'%s' and '%s'", p, n);
	}
	/* A size ends the pattern, as it does the name. */
	ck_assert(glob_match_name("a?x", 2, "abx", 2));
	ck_assert(glob_match_name(NULL, 0, NULL, 0));
	ck_assert(!glob_match_name(NULL, 0, "x", 1));
}
END_TEST

START_TEST(many_stars_match_quickly)
{
	char pattern[1024], name[1024];

	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	memset(name, 'a', sizeof name);
	pattern[1022] = 'b';
	ck_assert(!glob_match_name(pattern, 1023, name, 1023));
}
END_TEST

START_TEST(names_are_the_same_in_either_case)
{
	ck_assert(glob_same_name("", 0, "", 0));
	ck_assert(glob_same_name("aB*", 3, "Ab*", 3));
	ck_assert(!glob_same_name("a", 1, "ab", 2));
	ck_assert(!glob_same_name("a", 1, "?", 1));
	ck_assert(!glob_same_name("@", 1, "`", 1));
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("glob", .timeout = 60,
			TESTS(patterns_match_whole_texts, patterns_with_an_open_set_are_refused,
				listings_match_in_either_case, name_patterns_match,
				many_stars_match_quickly, names_are_the_same_in_either_case)),
		NULL);
}
