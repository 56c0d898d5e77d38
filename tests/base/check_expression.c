/* The language of conditions by itself: words, functions, values, and where an error is shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/expression.h"
#include "../lib/suites.h"

enum word { COUNT, TIME, REAL, SIGNED, NAME, ANY, NOTHING };

static bool find_word(void *ctx, const char *text, size_t length, struct expression_word *word,
	char expected[EXPRESSION_EXPECTED])
{
	static const struct {
		const char *name;
		struct expression_word word;
	} words[] = {{"count", {.id = COUNT, .type = EXPRESSION_WHOLE}},
		{"time_ns", {.id = TIME, .type = EXPRESSION_DURATION}},
		{"r.2", {.id = REAL, .type = EXPRESSION_DECIMAL}},
		{"signed", {.id = SIGNED, .type = EXPRESSION_WHOLE, .is_signed = true}},
		{"name", {.id = NAME, .type = EXPRESSION_TEXT}},
		{"arg.a-b", {.id = ANY, .type = EXPRESSION_ANY}},
		{"page faults", {.id = COUNT, .type = EXPRESSION_WHOLE}},
		{"absent", {.id = NOTHING, .type = EXPRESSION_WHOLE}},
		{"under", {.id = COUNT, .type = EXPRESSION_WHOLE}}};

	(void)ctx;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].name) == length && !memcmp(words[i].name, text, length)) {
			*word = words[i].word;
			return true;
		}
	if (length == 4 && !memcmp(text, "cuon", 4))
		strcpy(expected, "count");
	return false;
}

static bool find_function(void *ctx, const char *text, size_t length, uint32_t *id)
{
	(void)ctx;
	*id = 5;
	return length == 5 && !memcmp(text, "under", 5);
}

static const char *const open_prefixes[] = {"arg.", NULL};
static const struct expression_names names = {.find_word = find_word,
	.find_function = find_function,
	.word = "a word",
	.open_prefixes = open_prefixes};

static const struct expression_value values[] = {
	[COUNT] = {.kind = EXPRESSION_VALUE_WHOLE, .size = 40},
	[TIME] = {.kind = EXPRESSION_VALUE_WHOLE, .size = 1500},
	[REAL] = {.kind = EXPRESSION_VALUE_REAL, .real = 0.25},
	[SIGNED] = {.kind = EXPRESSION_VALUE_WHOLE, .is_negative = true, .size = 3},
	[NAME] = {.kind = EXPRESSION_VALUE_TEXT, .text = "na me", .length = 5},
	[ANY] = {.kind = EXPRESSION_VALUE_REAL, .real = NAN},
	[NOTHING] = {.kind = EXPRESSION_VALUE_NONE},
};

/* A function holds where its condition does not. */
static bool leaf_holds(void *ctx, const struct expression *e, const struct expression_node *n)
{
	if (n->kind != EXPRESSION_CALL)
		return expression_test(e, n, &values[n->id]);
	ck_assert_uint_eq(n->id, 5);
	return !expression_holds_at(e, n->left, leaf_holds, ctx);
}

static bool evaluate(const char *text)
{
	struct expression *e = malloc(sizeof *e);
	struct expression_error error;

	ck_assert_msg(expression_parse(e, text, &names, &error), "%s: %s", text, error.text);
	bool yes = expression_holds(e, leaf_holds, NULL);
	free(e);
	return yes;
}

START_TEST(conditions_hold)
{
	static const char *const yes[] = {"count=40", "count==40", "count=0x28", "count!=41",
		"time_ns=1500", "time_ns=1.5us", "time_ns<1min", "time_ns<0.1h", "r.2=0.25",
		"r.2>0.2", "r.2<1", "signed<0", "signed=-3", "signed>-4", "signed<-2", "signed!=3",
		"name=\"na me\"", "name in (x, na?me)", "name in (\"na me\" )", "count in (1,2,40)",
		"count in ( 1 , 40 )", "{count}=40", "{page faults}=40", "arg.a-b!=1",
		"absent(absent)", "not absent(count)", "under(count=1)", "under (count=1)",
		"not under(count=40)", "under=40", "under(under(count=40))",
		"count=1 or count=40 and name=na*", "time_ns in (1us, 1.5us)"};
	static const char *const no[] = {"count<40", "count>40", "time_ns>1.5us", "r.2=0.2501",
		"signed>0", "signed=3", "signed<-3", "name=na", "name in (na, me)",
		"count in (1,2)", "arg.a-b=1", "arg.a-b<1", "arg.a-b=x", "absent=0", "absent!=0",
		"absent in (0, 1)", "absent(count)", "under(count=40)"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ck_assert_msg(evaluate(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ck_assert_msg(!evaluate(no[i]), "%s", no[i]);
}
END_TEST

START_TEST(errors_are_shown_at_their_column)
{
	static const struct {
		const char *text, *message, *shown;
	} bad[] = {{"count=",
			   "at column 7 (the end): expected a whole number up to "
			   "18446744073709551615, decimal or after 0x",
			   "  count=\n        ^\n"},
		{"cuon=1", "at column 1: expected count", "  cuon=1\n  ^\n"},
		{"x=1", "at column 1: expected not, ( or a word", "  x=1\n  ^\n"},
		{"name=\xC3\xA9 \x01 y", "at column 8: expected and, or, or the end",
			"  name=\xC3\xA9 ? y\n         ^\n"},
		{"name='a b' or count=1",
			"at column 6: expected text with spaces in \"double quotes\"",
			"  name='a b' or count=1\n       ^\n"},
		{"(name='a b')", "at column 7: expected text with spaces in \"double quotes\"",
			"  (name='a b')\n        ^\n"},
		/* Two cells each. */
		{"name=\xE3\x81\x82\xF0\x9F\x91\x8D y", "at column 9: expected and, or, or the end",
			"  name=\xE3\x81\x82\xF0\x9F\x91\x8D y\n            ^\n"},
		{"count=1 and count=2 and count=3 and count=4 and count=5 and count=x or count=6 or "
		 "count=7",
			"at column 67: expected a whole number up to 18446744073709551615, decimal or "
			"after 0x",
			"  ...2 and count=3 and count=4 and count=5 and count=x or count=6 or count=7\n"
			"                                                     ^\n"}};
	struct expression *e = malloc(sizeof *e);
	struct expression_error error;
	char shown[EXPRESSION_SHOWN];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert(!expression_parse(e, bad[i].text, &names, &error));
		ck_assert_str_eq(error.text, bad[i].message);
		expression_show(bad[i].text, &error, shown);
		ck_assert_str_eq(shown, bad[i].shown);
	}
	free(e);
}
END_TEST

/* Each list of at most so many values, each text of at most so many patterns. */
START_TEST(values_and_patterns_are_bounded)
{
	struct expression *e = malloc(sizeof *e);
	struct expression_error error;
	char *text = malloc(1 << 20), *end;

	for (unsigned n = 255; n <= 257; n++) {
		end = stpcpy(text, "count in (0");
		for (unsigned i = 1; i < n; i++)
			end = stpcpy(end, ",1");
		strcpy(end, ")");
		ck_assert_int_eq(
			expression_parse(e, text, &names, &error), n <= EXPRESSION_LITERALS);
	}
	end = stpcpy(text, "name in (");
	for (unsigned i = 0; i < 200; i++) {
		memset(end, 'x', 254);
		end[254] = ',';
		end += 255;
	}
	strcpy(end, "x)");
	ck_assert(!expression_parse(e, text, &names, &error));
	ck_assert_msg(strstr(error.text, "too many bytes"), "%s", error.text);
	for (unsigned zeros = 308; zeros <= 309; zeros++) {
		end = stpcpy(text, "r.2<1");
		memset(end, '0', zeros);
		end[zeros] = '\0';
		ck_assert_int_eq(expression_parse(e, text, &names, &error), zeros == 308);
	}
	free(text);
	free(e);
}
END_TEST

SUITE_MAIN("expression", conditions_hold, errors_are_shown_at_their_column,
	values_and_patterns_are_bounded)
