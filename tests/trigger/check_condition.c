/* The condition language: what it accepts, what it rejects and where, and its results. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/record.h"
#include "../../libtrace/trigger/condition.h"
#include "../lib/suites.h"
#include "sandbox.h"

enum { RATE = 1000000000 }; /* a tick is a nanosecond */

static const struct task_identity task = {.tid = 7, .pid = 70, .name = "worker"};

/* An interval of 12 ms with a label, by "worker", on CPU 3, CPI 1.5. */
static struct event interval(void)
{
	static const uint8_t record[1];
	struct event e = {.record = record,
		.major = 0xC0,
		.minor = {0x42, 0x10000042, 0xF0000042},
		.minors = 3,
		.tid = 7,
		.has_elapsed = true,
		.has_label = true,
		.has_cpi = true,
		.has_cpu = true,
		.elapsed = 12000000,
		.label = (const uint8_t *)"slow request",
		.label_length = 12,
		.cpi = 15000,
		.cpu = 3,
		.lost = 5,
		.task = &task};

	return e;
}

/* A hook of a guest ring, by an unknown thread. */
static struct event hook(void)
{
	static const uint8_t record[1];
	struct event e = {.record = record, .major = 0x22, .minor = {0x30}, .minors = 1, .tid = 9};

	return e;
}

static bool evaluate(const char *text, const struct event *e)
{
	struct condition *c = malloc(sizeof *c);
	struct expression_error error;
	int rc = condition_parse(c, text, &error);

	ck_assert_msg(rc == 0, "%s: %s", text, error.text);
	bool yes = condition_holds(c, e, RATE);
	condition_free(c);
	free(c);
	return yes;
}

START_TEST(conditions_of_intervals_hold)
{
	static const char *const yes[] = {"label=slow*", "label=\"slow request\"", "label=s??w*",
		"label=\"[a-z]low\\ request\"", "label!=fast", "elapsed>10ms", "elapsed>=12ms",
		"elapsed<=12ms", "elapsed=12ms", "elapsed=12000us", "elapsed=12000000ns",
		"elapsed<0.0121s", "elapsed!=13ms", "major=192", "major=0xC0", "major=0xc0",
		"minor=0xF0000042", "minor=66", "minor>0xE0000000", "minor!=7", "mm=0x42", "tid=7",
		"pid=70", "comm=work*", "comm!=slow", "cpu=3", "cpu>=3", "cpi>1.4", "cpi=1.5",
		"cpi=1.50009", "lost>4", "label=slow* and elapsed>10ms", "label=x or tid=7",
		"not label=x", "not (label=x or tid=8)", "label=x and tid=8 or tid=7",
		"tid=7 or tid=8 and label=x", "  ( ( tid = 7 ) )  ", "not not tid=7",
		"not tid=8 and tid=7",
		/* Synonyms, and functions beside comparisons. */
		"label==slow*", "elapsed_ns>11999999", "elapsed_ns=12ms", "elapsed<1min",
		"elapsed<1h", "task=work*", "tid in (6, 7)", "label in (x,slow*)", "elapsed>10 ms",
		"elapsed = 12 ms and major=192", "elapsed in (1 ms, 12 ms)",
		"(elapsed_ns>11999999)", "label in (\"slow request\")", "elapsed in (1ms,12ms)",
		"not absent(label)", "absent(arg.size)", "minor in (1,66)"};
	static const char *const no[] = {"label=slow", "label=Slow*", "label=*x*", "label=\"\"",
		"label!=slow*", "elapsed>12ms", "elapsed<12ms", "elapsed>1s", "elapsed!=12ms",
		"elapsed<11999999ns", "elapsed>12000000.5ns", "major=191", "minor=1", "minor!=0x42",
		"minor>0xF0000042", "minor<0x42", "mm=0x41", "tid=70", "tid!=7", "pid=7",
		"comm=work", "comm=Worker", "cpu=2", "cpu!=3", "cpu>3", "cpi>1.5", "cpi<1.5",
		"cpi=2", "lost>5", "lost<5", "label=slow* and elapsed>1s", "label=x or tid=8",
		"not label=slow*", "not tid=7 or tid=8", "(tid=7 or tid=8) and label=x",
		"not (not label=x)", "label=x and (tid=7 or tid=8)", "label=[!s]*", "label=\\[",
		"label=slow*?request?", "elapsed_ns<12000000", "tid in (6,8)", "label in (slow)",
		"absent(label)", "minor=0", "minor<0x42", "minor!=0xF0000042", "minor in (1, 2)"};
	struct event e = interval();

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ck_assert_msg(evaluate(yes[i], &e), "should hold: %s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ck_assert_msg(!evaluate(no[i], &e), "should not hold: %s", no[i]);
}
END_TEST

/* An absent value is neither equal nor unequal to anything. */
START_TEST(absent_fields_compare_false)
{
	static const char *const no[] = {"label=*", "label!=x", "elapsed>=0ns", "elapsed<1s",
		"cpi>=0", "cpi!=1", "cpu>=0", "cpu!=1", "pid>=0", "pid!=1", "comm=*", "comm!=x",
		"lost>0", "lost!=0"};
	static const char *const yes[] = {"not label=*", "major=0x22", "mm=0x30", "minor=0x30",
		"lost=0", "absent(label)", "absent(elapsed) and absent(cpi)"};
	struct event e = hook();

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ck_assert_msg(!evaluate(no[i], &e), "should not hold: %s", no[i]);
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ck_assert_msg(evaluate(yes[i], &e), "should hold: %s", yes[i]);
	e = (struct event){.lost = 3};
	ck_assert(evaluate("lost=3", &e));
	ck_assert(!evaluate("major=0", &e));
	ck_assert(!evaluate("tid=0 or minor=0 or mm=0", &e));
	ck_assert(evaluate("absent(tid) and absent(minor)", &e));
}
END_TEST

/* size = 2^64 - 1, neg = -5, half = 0.5, key = "k 1", and size again = 1000. */
static void put_argument(uint8_t *p, uint32_t type, uint64_t value)
{
	put_le32(p + 4 * INTERVAL_ARG_NAME, 0);
	put_le32(p + 4 * INTERVAL_ARG_TYPE, type);
	put_hl64(p + 4 * INTERVAL_ARG_VALUE, value);
}

static uint8_t *put_string(uint8_t *p, const char *text)
{
	put_le32(p, (uint32_t)strlen(text));
	memcpy(p + 4, text, strlen(text));
	return p + rec_string_bytes((uint32_t)strlen(text));
}

START_TEST(arguments_compare_by_their_type)
{
	static const char *const yes[] = {"arg.big=18446744073709551615",
		"arg.big>18446744073709551614", "arg.neg=-5", "arg.neg<0", "arg.neg<-4",
		"arg.neg>-6", "arg.neg<18446744073709551615", "arg.half=0.5", "arg.half<1",
		"arg.half>-1", "arg.size=1000", "arg.size>999.5", "arg.key=\"k 1\"", "arg.key=k*",
		"arg.key!=x", "label=slow* and arg.size>=1000", "not arg.none=1", "arg.size=1us",
		"arg.size<1.5us", "arg.size=1 us and arg.neg<-1 ns", "arg.size in (2 us, 1 us)",
		"arg.size in (1, 1000)", "arg.key in (x, k*)"};
	static const char *const no[] = {"arg.big<18446744073709551615", "arg.big=-1", "arg.neg>0",
		"arg.neg=5", "arg.half=1", "arg.size=1", "arg.size=k", "arg.size!=k", "arg.key=1",
		"arg.key>1", "arg.none=1", "arg.none!=1", "arg.siz=1000", "arg.sizes=1000"};
	static uint8_t words[5 * 4 * INTERVAL_ARG_WORDS + 200];
	struct event e = interval();
	uint8_t *p = words + 5 * 4 * INTERVAL_ARG_WORDS;
	double half = 0.5;
	uint64_t bits;

	memcpy(&bits, &half, sizeof bits);
	put_argument(words, INTERVAL_ARG_U64, UINT64_MAX);
	put_argument(words + 16, INTERVAL_ARG_I64, (uint64_t)-5);
	put_argument(words + 32, INTERVAL_ARG_F64, bits);
	put_argument(words + 48, INTERVAL_ARG_TEXT, 0);
	put_argument(words + 64, INTERVAL_ARG_U64, 1000);
	e.args = words;
	e.nargs = 5;
	e.strings = p;
	p = put_string(p, "big");
	p = put_string(p, "neg");
	p = put_string(p, "half");
	p = put_string(p, "key");
	p = put_string(p, "k 1");
	p = put_string(p, "size");
	e.strings_end = p;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ck_assert_msg(evaluate(yes[i], &e), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ck_assert_msg(!evaluate(no[i], &e), "%s", no[i]);
	put_argument(words + 32, INTERVAL_ARG_F64, UINT64_C(0x7ff8) << 48); /* NaN */
	ck_assert(evaluate("arg.half!=1", &e) && !evaluate("arg.half=1", &e));
	ck_assert(!evaluate("arg.half<=1", &e) && !evaluate("arg.half>=1", &e));
	/* Truncated strings: nothing behind them is read. */
	e.strings_end = e.strings + 6;
	ck_assert(!evaluate("arg.size=1000", &e));
	ck_assert(!evaluate("arg.big>0", &e));
}
END_TEST

/* A set and '?' take a character, not a byte, as they do in cpidecode --label. */
START_TEST(patterns_are_of_characters)
{
	struct event e = interval();

	e.label = (const uint8_t *)"\xC3\xA9x";
	e.label_length = 3;
	ck_assert(evaluate("label=[\xC3\xA9]x", &e));
	ck_assert(evaluate("label=?x", &e));
	ck_assert(!evaluate("label=??x", &e));
	ck_assert(!evaluate("label!=[\xC3\xA0-\xC3\xBF]x", &e));
}
END_TEST

START_TEST(refused_with_the_column)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *expected;
	} bad[] = {{"arg=1", 1, "a name of at most 127 bytes"},
		{"arg.=1", 1, "a name of at most 127 bytes"},
		{"event.=1", 1, "as in event.branches"},
		{"elapsed>1us and depth>1", 17,
			"depth is known only of a whole trace (cpidecode --where)"},
		{"parent.label=x", 1, "parent.label is known only of a whole trace"},
		{"flags='*children-lost*'", 1,
			"the flag children-lost is known only of a whole trace (cpidecode --where)"},
		{"tid=1 or not flags in (summary, summary+open)", 14, "the flag open is known"},
		{"arg.x>y", 7, "a number"}, {"", 1, "a field"}, {"   ", 4, "a field"},
		{"label", 6, "= or !="}, {"label=", 7, "a pattern"},
		{"label=[a", 7, "a ] that closes"}, {"label>x", 6, "= or !="},
		{"label===x", 8, "after the operator"}, {"Label=x", 1, "a field"},
		{"labels=x", 1, "a field"}, {"=x", 1, "a field"}, {"comm<=x", 5, "= or !="},
		{"cpu-x>0", 4, "{ } around"}, {"label-x=1", 6, "{ } around"},
		{"cpi -1", 5, "=, !="}, {"elapsed", 8, "=, !="}, {"elapsed>", 9, "a duration"},
		{"elapsed>10", 9, "a duration"}, {"elapsed>10 msx", 9, "a duration"},
		{"elapsed>10 m", 9, "a duration"}, {"elapsed>10 and", 9, "a duration"},
		{"elapsed>ms", 9, "a duration"}, {"elapsed>-1ms", 9, "a duration"},
		{"elapsed>1.ms", 9, "a duration"}, {"elapsed>.5ms", 9, "a duration"},
		{"elapsed>1.2.3ms", 9, "a duration"}, {"elapsed>10MS", 9, "a duration"},
		{"elapsed>10m", 9, "a duration"}, {"elapsed>0x10ms", 9, "a duration"},
		{"elapsed>99999999999999999999s", 9, "a duration"},
		{"elapsed>9223372037s", 9, "a duration"}, {"elapsed>1msx", 9, "a duration"},
		{"major=256", 7, "up to 255"}, {"major=-1", 7, "up to 255"},
		{"major=x", 7, "up to 255"}, {"major=0x", 7, "up to 255"},
		{"mm=256", 4, "up to 255"}, {"minor=4294967296", 7, "up to 4294967295"},
		{"minor=1.5", 7, "whole"}, {"minor=0x1g", 7, "whole"},
		{"tid=0x100000000", 5, "up to 4294967295"}, {"pid=", 5, "whole"},
		{"cpu=all", 5, "whole"}, {"lost>99999999999999999999999", 6, "whole"},
		{"cpi>", 5, "a number"}, {"cpi>1,5", 5, "a number"}, {"cpi>0x1", 5, "a number"},
		{"cpi>1e3", 5, "a number"}, {"tid=1 tid=2", 7, "and, or"},
		{"tid=1 and", 10, "a field"}, {"tid=1 or or", 10, "a field"},
		{"and tid=1", 1, "a field"}, {"not", 4, "a field"}, {"not and", 5, "a field"},
		{"(tid=1", 7, "or )"}, {"tid=1)", 6, "or the end"}, {"()", 2, "a field"},
		{"(tid=1))", 8, "or the end"}, {"tid=1 AND tid=2", 7, "and, or"},
		{"tid=1 && tid=2", 7, "and, or"}, {"!tid=1", 1, "a field"},
		{"tid=1 xor tid=2", 7, "and, or"}, {"tid~1", 4, "=, !="}, {"tid!1", 4, "=, !="},
		{"tid=>1", 5, "after the operator"}, {"tid<>1", 5, "after the operator"},
		{"label=\"x", 9, "\" at"}, {"label=x\"y\"", 8, "in quotes"},
		{"label=\"x\"y=1", 10, "and, or"}, {"tid=1, pid=2", 5, "whole"},
		{"tid in 1", 8, "( and the values"}, {"tid in (1", 10, ", or )"},
		{"tid in ()", 9, "whole"}, {"label in (a b)", 13, ", or )"},
		{"absent(tid", 11, ") behind"}, {"absent()", 8, "a field"},
		{"absent tid", 1, "a field"}, {"{tid=1", 7, "} behind"},
		{"under(tid=1)", 1, "under is known only of a whole trace"}};

	struct condition *c = malloc(sizeof *c);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct expression_error error;
		char column[40];

		int rc = condition_parse(c, bad[i].text, &error);
		snprintf(column, sizeof column, "at column %u%s: ", bad[i].column,
			bad[i].column > strlen(bad[i].text) ? " (the end)" : "");
		ck_assert_msg(
			rc == PU_ERROR_INVALID_PARAMETER, "should be refused: %s", bad[i].text);
		ck_assert_msg(strncmp(error.text, column, strlen(column)) == 0 &&
				      strstr(error.text, bad[i].expected),
			"%s: \"%s\" instead of \"%s... %s\"", bad[i].text, error.text, column,
			bad[i].expected);
	}
	free(c);
}
END_TEST

/* n times `each`, `middle`, n times `last`. */
static char *repeated(const char *each, size_t n, const char *middle, const char *last)
{
	char *text = calloc(1, n * (strlen(each) + strlen(last)) + strlen(middle) + 1);

	char *end = text;

	for (size_t i = 0; i < n; i++)
		end = stpcpy(end, each);
	end = stpcpy(end, middle);
	for (size_t i = 0; i < n; i++)
		end = stpcpy(end, last);
	return text;
}

static int parses(char *text)
{
	struct condition *c = malloc(sizeof *c);
	int rc = condition_parse(c, text, NULL);

	if (rc == 0)
		condition_free(c);
	free(c);
	free(text);
	return rc;
}

START_TEST(depth_and_length_are_bounded)
{
	ck_assert_int_eq(parses(repeated("(", 31, "tid=1", ")")), 0);
	ck_assert_int_ne(parses(repeated("(", 32, "tid=1", ")")), 0);
	ck_assert_int_ne(parses(repeated("(", 100000, "tid=1", ")")), 0);
	ck_assert_int_eq(parses(repeated("not ", 31, "tid=1", "")), 0);
	ck_assert_int_ne(parses(repeated("not ", 100000, "tid=1", "")), 0);
	ck_assert_int_eq(parses(repeated("tid=1 or ", 63, "tid=1", "")), 0);
	ck_assert_int_ne(parses(repeated("tid=1 or ", 64, "tid=1", "")), 0);
	ck_assert_int_ne(parses(repeated("tid=1 and ", 100000, "tid=1", "")), 0);
	ck_assert_int_eq(parses(repeated("x", 0, "label=", "")), PU_ERROR_INVALID_PARAMETER);
	char *text = repeated("x", 262, "", "");
	memcpy(text, "label=", 6);
	text[261] = 0;
	ck_assert_int_eq(parses(text), 0);
	text = repeated("x", 262, "", "");
	memcpy(text, "label=", 6);
	ck_assert_int_ne(parses(text), 0);
}
END_TEST

/* Ticks of any rate against any time, without overflow or rounding. */
START_TEST(elapsed_is_exact)
{
	static const struct {
		uint64_t ticks, rate;
		const char *text;
		bool holds;
	} cases[] = {{UINT64_MAX, 1, "elapsed>9223372035s", true},
		{UINT64_MAX, UINT64_MAX, "elapsed=1s", true},
		{UINT64_MAX, UINT64_MAX, "elapsed>1s", false},
		{UINT64_MAX - 1, UINT64_MAX, "elapsed<1s", true}, {0, 1, "elapsed=0ns", true},
		{3, 3000000000u, "elapsed=1ns", true}, {4, 3000000000u, "elapsed>1ns", true},
		{4, 3000000000u, "elapsed<2ns", true},
		{30000001, 3000000000u, "elapsed>10ms", true},
		{30000000, 3000000000u, "elapsed>10ms", false},
		{1, UINT64_MAX, "elapsed>0ns", true}};
	struct condition *c = malloc(sizeof *c);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct event e = interval();

		e.elapsed = cases[i].ticks;
		ck_assert_int_eq(condition_parse(c, cases[i].text, NULL), 0);
		ck_assert_msg(
			condition_holds(c, &e, cases[i].rate) == cases[i].holds, "case %zu", i);
	}
	free(c);
}
END_TEST

SANDBOX_MAIN(100, "condition", .timeout = 60,
	TESTS(conditions_of_intervals_hold, absent_fields_compare_false,
		arguments_compare_by_their_type, patterns_are_of_characters,
		refused_with_the_column, depth_and_length_are_bounded, elapsed_is_exact))
