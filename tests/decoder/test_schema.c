/* The schema language and the cursor over a hook's fields. */
#include <stdio.h>
#include <stdlib.h>

#include "../../decoder/model/hooks/schema.h"
#include "../../formats/schema_program.h"
#include "../../include/cpidecode.h"
#include "built.h"

static struct schema *parsed(const char *text)
{
	struct schema *s;
	struct schema_error e;
	int rc = schema_parse(text, strlen(text), &s, &e);

	ck_assert_msg(rc == 0, "line %u: %s", e.line, e.reason);
	return s;
}

static void refused(unsigned line, const char *text)
{
	struct schema *s;
	struct schema_error e;

	ck_assert_msg(
		schema_parse(text, strlen(text), &s, &e) == SCHEMA_REFUSED, "accepted: %s", text);
	ck_assert_ptr_null(s);
	ck_assert_msg(e.line == line, "%s: line %u: %s", text, e.line, e.reason);
	ck_assert_uint_gt(strlen(e.reason), 0);
}

#define HOOK "major 1 m\nhook 0 \"h\"\n"

START_TEST(the_builtin_schema_describes_cpi_hooks)
{
	size_t n = cpidecode_schemas_size;
	const char *text = (const char *)cpidecode_schemas;
	struct schema *s;

	ck_assert_int_eq(schema_parse(text, n, &s, NULL), 0);
	ck_assert_str_eq(s->by_code[CPI_MAJOR]->name, "cpi");
	ck_assert_str_eq(s->by_code[CPI_MAJOR]->title, "CPI measurement facility");
	const struct schema_hook *h = schema_find(s, CPI_MAJOR, CPI_MINOR_PER_CPU | 0x42);
	ck_assert_str_eq(schema_hook_name(h), "per processor");
	unsigned count;
	const struct schema_field *fields = schema_hook_fields(h, &count);
	ck_assert_uint_gt(count, 1);
	ck_assert_str_eq(fields[1].name, "num_cpus");
	ck_assert_ptr_null(schema_find(s, CPI_MAJOR, 0x30000000));
	ck_assert_ptr_null(schema_find(s, 1, 0));
	schema_free(s);
}
END_TEST

START_TEST(the_first_matching_hook_is_found)
{
	struct schema *s = parsed("major 1 a \"first\" # comment\n\n"
				  "hook 0x10/0xF0 \"masked # not a comment\"\nhook 0x11 \"never\"\n"
				  "hook 2 \"two\"\r\n\tu32\tx\thex na0\n"
				  "major 1 again\nhook 3 \"ignored\"\nmajor 255 last");

	ck_assert_str_eq(schema_hook_name(schema_find(s, 1, 0x1f)), "masked # not a comment");
	ck_assert_str_eq(schema_hook_name(schema_find(s, 1, 0x11)), "masked # not a comment");
	ck_assert_str_eq(schema_hook_name(schema_find(s, 1, 2)), "two");
	ck_assert_ptr_null(schema_find(s, 1, 3));
	ck_assert_str_eq(s->by_code[1]->name, "a");
	ck_assert_ptr_nonnull(s->by_code[255]);
	ck_assert_ptr_null(s->by_code[2]);
	schema_free(s);
}
END_TEST

START_TEST(bad_statements)
{
	refused(1, "hook 1 \"before major\"");
	refused(1, "u32 x");
	refused(2, "major 1 m\nu32 x");
	refused(1, "nonsense");
	refused(1, "\"major\" 1 m");
	refused(1, "major");
	refused(1, "major 1");
	refused(1, "major 0 zero");
	refused(1, "major 256 big");
	refused(1, "major 0x m");
	refused(1, "major 1x m");
	refused(1, "major -1 m");
	refused(1, "major 1 9m");
	refused(1, "major 1 m title");
	refused(1, "major 1 m \"title");
	refused(1, "major 1 m \"title\" more");
	refused(1, "major 1 a234567890123456789012345678901234567890123456789012345678901234");
	refused(2, "major 1 m\nhook 1");
	refused(2, "major 1 m\nhook 1 name");
	refused(2, "major 1 m\nhook 0x100000000 \"n\"");
	refused(2, "major 1 m\nhook 1/ \"n\"");
	refused(2, "major 1 m\nhook 1/0x1FFFFFFFF \"n\"");
	refused(2, "major 1 m\nhook /1 \"n\"");
	refused(3, HOOK "u33 x");
	refused(3, HOOK "u32");
	refused(3, HOOK "u32 9x");
	refused(3, HOOK "u32 x bold");
	refused(4, HOOK "u32 x\nu64 x");
	refused(1, "major 1 \x01");
	refused(1, "major 1 m \"\xff\"");
	refused(1, "# \xc0\x80");
	refused(1, "# \xed\xa0\x80");
	refused(1, "major 1 m a b c d e f g h i j k l m n o");
}
END_TEST

START_TEST(bad_blocks)
{
	refused(3, HOOK "end");
	refused(3, HOOK "repeat 3");
	refused(4, HOOK "repeat 3\nrepeat 3\nend\nend");
	refused(3, HOOK "repeat n\nend");
	refused(4, HOOK "fix4 n\nrepeat n\nend");
	refused(4, HOOK "string n\nrepeat n\nend");
	refused(6, HOOK "repeat 2\nu32 n\nend\nrepeat n\nend");
	refused(5, HOOK "repeat 2\nu32 n\nif n & 1\nend\nend");
	refused(3, HOOK "repeat 0x100000000\nend");
	refused(3, HOOK "repeat \"3\"\nend");
	refused(3, HOOK "if x & 1\nend");
	refused(4, HOOK "u32 x\nif x\nend");
	refused(4, HOOK "u32 x\nif x & y\nend");
	refused(4, HOOK "u32 x\nif x | 1\nend");
	refused(4, HOOK "f64 x\nif x & 1\nend");
	refused(5, HOOK "u32 x\nif x & 1\nhook 2 \"n\"");
	refused(5, HOOK "u32 x\nif x & 1\nmajor 2 n");
	refused(5, HOOK "u32 x\nif x & 1\nend more");
	refused(12, HOOK "u32 x\nif x & 1\nif x & 1\nif x & 1\nif x & 1\nif x & 1\n"
			 "if x & 1\nif x & 1\nif x & 1\nif x & 1");
	refused(0, "");
	refused(2, "# no major\n\n");
	refused(2, "major 1 m\nrepeat 2");
	refused(2, "major 1 m\nif x & 2");
}
END_TEST

static void note_line(void *arg, const struct schema_error *error)
{
	char *lines = arg;

	ck_assert_uint_gt(strlen(error->reason), 0);
	sprintf(lines + strlen(lines), "%u ", error->line);
}

/* The majors that a text with bad lines leaves: each name with its first hook's fields. */
static void salvaged(const char *lines, const char *majors, const char *text)
{
	char told[256] = "", left[256] = "";
	struct schema *s;

	ck_assert_int_eq(schema_salvage(text, strlen(text), &s, note_line, told), 0);
	for (unsigned code = 0; code < 256; code++) {
		const char *name = s->by_code[code] ? s->by_code[code]->name : NULL;
		const struct schema_hook *h = schema_find(s, (uint8_t)code, 0);
		unsigned n = 0;
		const struct schema_field *f = h ? schema_hook_fields(h, &n) : NULL;

		if (name)
			sprintf(left + strlen(left), "%s(", name);
		for (unsigned i = 0; i < n; i++)
			sprintf(left + strlen(left), "%s ", f[i].name);
		if (name)
			strcat(left, ")");
	}
	ck_assert_msg(strcmp(told, lines) == 0, "%s: lines %s", text, told);
	ck_assert_msg(strcmp(left, majors) == 0, "%s: majors %s", text, left);
	schema_free(s);
}

#define SECOND "major 2 second\nhook 0 \"h\"\nu32 b\n"

START_TEST(bad_majors_harm_themselves_only)
{
	salvaged("", "m(a )second(b )", HOOK "u32 a\n" SECOND);
	salvaged("1 ", "m(a )", "garbage\n" HOOK "u32 a\n");
	salvaged("4 ", "m(a )second(b )", HOOK "u32 a\ngarbage\nu32 stray\n" SECOND);
	salvaged("3 ", "m()second(b )", HOOK "u33 a\n" SECOND);
	salvaged("2 ", "second(b )", "major 1 m\ngarbage\n" SECOND);
	/* A hook with an open block goes; the major line that finds it open is fine itself. */
	salvaged("5 ", "second(b )", HOOK "u32 a\nif a & 1\n" SECOND);
	salvaged("5 ", "m(a )second(b )",
		"major 1 x\nhook 0 \"h\"\nu32 a\nif a & 1\n" HOOK "u32 a\n" SECOND);
	salvaged("6 6 7 ", "m(a )second(b )",
		HOOK "u32 a\nhook 1 \"open\"\nrepeat 2\n major 0 none\nmajor 300 none\n" SECOND);
	salvaged("5 ", "m(a )", HOOK "u32 a\nhook 1 \"open\"\nrepeat 2\n");
	/* Skipped lines need not be text. */
	salvaged("4 ", "m(a )second(b )", HOOK "u32 a\nno\n\xff \" \a\nmajority\n" SECOND);
	/* A description that was refused whole is not the first. */
	salvaged("2 ", "m(a )", "major 1 bad\nno\n" HOOK "u32 a\n");
	salvaged("", "", "");
}
END_TEST

START_TEST(fields_are_limited)
{
	char line[64];

	bytes_put(&built, HOOK, strlen(HOOK));
	for (int i = 0; i <= SCHEMA_MAX_FIELDS; i++) {
		if (i == SCHEMA_MAX_FIELDS) {
			struct schema *s;

			ck_assert_int_eq(schema_parse((char *)built.p, built.n, &s, NULL), 0);
			schema_free(s);
		}
		snprintf(line, sizeof line, "u32 f%d\n", i);
		bytes_put(&built, line, strlen(line));
	}
	bytes_put(&built, "", 1);
	refused(3 + SCHEMA_MAX_FIELDS, (char *)built.p);
	built.n = 0;
	bytes_put(&built, "major 1 m\n", 10);
	for (int i = 0; i <= SCHEMA_MAX_HOOKS; i++)
		bytes_put(&built, "hook 1 \"n\"\n", 11);
	bytes_put(&built, "", 1);
	refused(2 + SCHEMA_MAX_HOOKS, (char *)built.p);
	built.n = 0;
	while (built.n <= SCHEMA_MAX_LINE)
		bytes_put(&built, " ", 1);
	bytes_put(&built, "", 1);
	refused(1, (char *)built.p);
	built.n = 0;
	while (built.n <= SCHEMA_MAX_TEXT)
		bytes_put(&built, "#\n", 2);
	bytes_put(&built, "", 1);
	refused(0, (char *)built.p);
}
END_TEST

/* One hook of major 1, minor 0 and a cursor over it. */
struct walk {
	struct schema *s;
	struct bytes words, strings;
	struct hook h;
	struct field_cursor c;
	struct field_value v;
};

static void walk(struct walk *w, const char *fields, unsigned nwords, const uint32_t *words,
	unsigned nstrings, const char *const *strings)
{
	char text[2048];

	snprintf(text, sizeof text, HOOK "%s", fields);
	*w = (struct walk){.s = parsed(text)};
	for (unsigned i = 0; i < nwords; i++)
		put_u32(&w->words, words[i]);
	for (unsigned i = 0; i < nstrings; i++) {
		put_u32(&w->strings, (uint32_t)strlen(strings[i]));
		bytes_put(&w->strings, strings[i], strlen(strings[i]));
		while (w->strings.n % 4)
			bytes_put(&w->strings, "", 1);
	}
	w->h = (struct hook){.major = 1,
		.nwords = (uint16_t)nwords,
		.nstrings = (uint8_t)nstrings,
		.words = w->words.p,
		.strings = w->strings.p,
		.schema = schema_find(w->s, 1, 0)};
	field_start(&w->c, &w->h);
}

static void is_next(struct walk *w, const char *name, uint32_t turn, uint64_t value)
{
	ck_assert(field_next(&w->c, &w->v));
	ck_assert_str_eq(w->v.field->name, name);
	ck_assert_uint_eq(w->v.turn, turn);
	if (w->v.field->type == FIELD_STRING)
		ck_assert_uint_eq(w->v.length, value);
	else
		ck_assert_uint_eq(w->v.u, value);
}

static void at_end(struct walk *w, uint32_t fit)
{
	ck_assert(!field_next(&w->c, &w->v));
	ck_assert(!field_next(&w->c, &w->v));
	ck_assert_uint_eq(w->c.fit, fit);
	schema_free(w->s);
	bytes_free(&w->words);
	bytes_free(&w->strings);
}

START_TEST(fields_have_the_values_of_their_types)
{
	struct walk w;
	const uint32_t words[] = {
		5, (uint32_t)-5, 1, 2, 0xffffffff, 0xfffffffe, 3, 1234, 0x3ff80000, 0};
	const char *strings[] = {"one", "", "three"};

	walk(&w, "string a\nu32 b\ni32 c\nu64 d\nstring e\ni64 f\nfix4 g\nf64 h\nstring i", 10,
		words, 3, strings);
	is_next(&w, "a", 0, 3);
	ck_assert_mem_eq(w.v.string, "one", 3);
	is_next(&w, "b", 0, 5);
	is_next(&w, "c", 0, (uint64_t)-5);
	is_next(&w, "d", 0, 0x100000002);
	is_next(&w, "e", 0, 0);
	is_next(&w, "f", 0, (uint64_t)-2);
	is_next(&w, "g", 0, 31234);
	ck_assert(field_next(&w.c, &w.v));
	ck_assert(w.v.f == 1.5);
	is_next(&w, "i", 0, 5);
	at_end(&w, 0);
}
END_TEST

START_TEST(not_measured)
{
	struct walk w;
	const uint32_t words[] = {0, 0, 0, 0, 1, 0x80000000, 0};

	walk(&w, "u32 a na0\nu32 b\nfix4 c na0\nu32 d na0\nf64 e na0", 7, words, 0, NULL);
	is_next(&w, "a", 0, 0);
	ck_assert(w.v.not_measured);
	is_next(&w, "b", 0, 0);
	ck_assert(!w.v.not_measured);
	is_next(&w, "c", 0, 0);
	ck_assert(w.v.not_measured);
	is_next(&w, "d", 0, 1);
	ck_assert(!w.v.not_measured);
	ck_assert(field_next(&w.c, &w.v)); /* minus zero */
	ck_assert(w.v.not_measured);
	at_end(&w, 0);
}
END_TEST

START_TEST(repeat_and_if)
{
	struct walk w;
	const uint32_t words[] = {2, 2, 10, 11, 20, 21, 30, 9, 9};
	const char *fields = "u32 n\nu32 bits\nrepeat n\nu32 a\nif bits & 2\nu32 b\nend\n"
			     "if bits & 5\nu32 no\nend\nend\nif bits & 1\nu32 nor\nend\nu32 last\n"
			     "if bits & 2\nrepeat 2\nu32 c\nend\nend";

	walk(&w, fields, 9, words, 0, NULL);
	is_next(&w, "n", 0, 2);
	is_next(&w, "bits", 0, 2);
	is_next(&w, "a", 0, 10);
	is_next(&w, "b", 0, 11);
	is_next(&w, "a", 1, 20);
	is_next(&w, "b", 1, 21);
	is_next(&w, "last", 0, 30);
	is_next(&w, "c", 0, 9);
	is_next(&w, "c", 1, 9);
	at_end(&w, 0);
}
END_TEST

START_TEST(short_records)
{
	struct walk w;
	const uint32_t words[] = {0xffffffff, 7, 8};
	const char *strings[] = {"there"};

	/* A truncated field is dropped, and so are the words behind it. */
	walk(&w, "u64 a\nu64 b\nu32 c\nstring s\nstring t", 3, words, 1, strings);
	is_next(&w, "a", 0, 0xffffffff00000007);
	is_next(&w, "s", 0, 5);
	at_end(&w, FIT_SHORT | FIT_LONG);
	/* A count beyond the words ends with them. */
	walk(&w, "u32 n\nrepeat n\nu32 a\nend\nu32 after", 3, words, 0, NULL);
	is_next(&w, "n", 0, 0xffffffff);
	is_next(&w, "a", 0, 7);
	is_next(&w, "a", 1, 8);
	at_end(&w, FIT_SHORT);
	/* So does one of strings. */
	walk(&w, "u32 n\nrepeat n\nstring a\nend", 1, words, 1, strings);
	is_next(&w, "n", 0, 0xffffffff);
	is_next(&w, "a", 0, 5);
	at_end(&w, FIT_SHORT);
	walk(&w, "u32 a\nstring s", 0, NULL, 0, NULL);
	at_end(&w, FIT_SHORT);
}
END_TEST

START_TEST(repeats_of_no_fields)
{
	struct walk w;
	const uint32_t words[] = {0xffffffff, 5};

	walk(&w, "u32 n\nrepeat n\nend\nu32 x", 2, words, 0, NULL);
	is_next(&w, "n", 0, 0xffffffff);
	is_next(&w, "x", 0, 5);
	at_end(&w, 0);
	walk(&w, "u32 n\nrepeat 0\nu32 y\nend\nu32 x", 2, words, 0, NULL);
	is_next(&w, "n", 0, 0xffffffff);
	is_next(&w, "x", 0, 5);
	at_end(&w, 0);
	walk(&w, "i32 n\nrepeat n\nu32 y\nend\nu32 x", 2, words, 0, NULL);
	is_next(&w, "n", 0, UINT64_MAX);
	is_next(&w, "x", 0, 5);
	at_end(&w, 0);
}
END_TEST

START_TEST(long_records)
{
	struct walk w;
	const uint32_t words[] = {1, 2};
	const char *strings[] = {"a", "b"};

	walk(&w, "u32 a\nstring s", 2, words, 2, strings);
	is_next(&w, "a", 0, 1);
	is_next(&w, "s", 0, 1);
	ck_assert_uint_eq(w.c.words_used, 1);
	ck_assert_uint_eq(w.c.strings_used, 1);
	at_end(&w, FIT_LONG);
}
END_TEST

START_TEST(no_schema_no_fields)
{
	struct hook h = {.nwords = 3};
	struct field_cursor c;
	struct field_value v;

	field_start(&c, &h);
	ck_assert(!field_next(&c, &v));
	ck_assert_uint_eq(c.fit, 0);
}
END_TEST

START_TEST(an_earlier_schema_wins)
{
	struct schema *user = parsed("major 1 user\nhook 1 \"u\"");
	struct schema *trace = parsed("major 1 trace\nhook 2 \"t\"\nmajor 2 two\nhook 2 \"t2\"");
	struct schema_set *set;

	ck_assert_int_eq(schema_set_new(&set), 0);
	schema_set_add(set, user);
	schema_set_add(set, trace);
	ck_assert_str_eq(schema_set_major_name(set, 1, NULL), "user");
	ck_assert_str_eq(schema_set_major_name(set, 2, NULL), "two");
	ck_assert_ptr_null(schema_set_major_name(set, 3, NULL));
	ck_assert_ptr_nonnull(schema_set_find(set, 1, 1));
	ck_assert_ptr_null(schema_set_find(set, 1, 2)); /* a major has one origin */
	ck_assert_ptr_nonnull(schema_set_find(set, 2, 2));
	schema_set_free(set);
	schema_free(user);
	schema_free(trace);
}
END_TEST

START_TEST(any_change_of_the_builtin)
{
	/* Every byte replaced, and every length: accepted or refused, never worse. */
	size_t n = 2000; /* its first hooks */
	const char *text = (const char *)cpidecode_schemas;
	static const char with[] = "\n \"#/0&x\xff";
	char *copy = malloc(n);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < sizeof with; j++) {
			struct schema *s;
			struct schema_error e;

			memcpy(copy, text, n);
			copy[i] = with[j];
			if (!schema_parse(copy, j ? n : i, &s, &e))
				schema_free(s);
		}
	}
	free(copy);
}
END_TEST

BUILT_MAIN("schema", the_builtin_schema_describes_cpi_hooks, the_first_matching_hook_is_found,
	bad_statements, bad_blocks, bad_majors_harm_themselves_only, fields_are_limited,
	fields_have_the_values_of_their_types, not_measured, repeat_and_if, short_records,
	repeats_of_no_fields, long_records, no_schema_no_fields, an_earlier_schema_wins,
	any_change_of_the_builtin)
