/* Parses expressions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "glob.h"
#include "number.h"
#include "quantity.h"
#include "text.h"

#define EXPRESSION_SPACE " \t\n\r"

struct expression_parser {
	struct expression *e;
	const struct expression_names *names;
	struct expression_error *error;
	const char *text, *at;
	const char *apostrophe; /* the last pattern that began with one; NULL */
	unsigned depth;
	bool failed;
};

/* Keeps the first error. Node 0 means an error. */
static uint16_t expression_fail(
	struct expression_parser *p, const char *where, const char *expected)
{
	char text[EXPRESSION_EXPECTED + 16];

	if (!p->failed) {
		snprintf(text, sizeof text, "expected %s", expected);
		expression_refuse(p->error, p->text, (size_t)(where - p->text), text);
	}
	p->failed = true;
	return 0;
}

static uint16_t expression_add_node(
	struct expression_parser *p, enum expression_kind kind, uint16_t left, uint16_t right)
{
	if (p->failed)
		return 0;
	if (p->e->nodes == EXPRESSION_NODES)
		return expression_fail(p, p->at, "the end: a condition has at most 128 parts");
	p->e->node[p->e->nodes] =
		(struct expression_node){.kind = (uint8_t)kind, .left = left, .right = right};
	return p->e->nodes++;
}

/* ----------------------------------------------------------------------------- words */

static bool expression_is_space(char c)
{
	return c && strchr(EXPRESSION_SPACE, c);
}

static void expression_skip_space(struct expression_parser *p)
{
	p->at += strspn(p->at, EXPRESSION_SPACE);
}

static size_t expression_letters(const char *at)
{
	size_t n = 0;

	while (text_is_word_letter(at[n]))
		n++;
	return n;
}

/* Whether the word's first n bytes end with one of the open prefixes, from its start or a '.'. */
static bool expression_is_open(const struct expression_parser *p, const char *word, size_t n)
{
	const char *const *prefix = p->names->open_prefixes;

	for (; prefix && *prefix; prefix++) {
		size_t length = strlen(*prefix);

		if (n >= length && memcmp(word + n - length, *prefix, length) == 0 &&
			(n == length || word[n - length - 1] == '.'))
			return true;
	}
	return false;
}

/* The bytes of the word at `at`; 0: none. */
static size_t expression_word_length(const struct expression_parser *p, const char *at)
{
	size_t n = 0;

	if (!text_is_word_letter(*at))
		return 0;
	while (text_is_word_letter(at[n]) || number_digit(at[n], 10) >= 0 || at[n] == '.') {
		n++;
		if (at[n - 1] == '.' && expression_is_open(p, at, n))
			return n + strcspn(at + n, EXPRESSION_SPACE "()=!<>");
	}
	return n;
}

/* Consumes the keyword if it is next. */
static bool expression_parse_keyword(struct expression_parser *p, const char *keyword)
{
	size_t n = strlen(keyword);

	expression_skip_space(p);
	if (expression_word_length(p, p->at) != n || strncmp(p->at, keyword, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* Consumes a word, in braces or not, and finds it. */
static bool expression_parse_word(struct expression_parser *p, struct expression_word *word)
{
	const char *start = p->at, *text = start;
	char expected[EXPRESSION_EXPECTED];
	size_t length;

	if (*start == '{') {
		text++;
		length = strcspn(text, "}");
		if (!text[length]) {
			expression_fail(p, text + length, "} behind the name");
			return false;
		}
		p->at = text + length + 1;
	} else {
		length = expression_word_length(p, start);
		p->at += length;
	}
	*word = (struct expression_word){.in_braces = *start == '{'};
	snprintf(expected, sizeof expected, "not, ( or %s", p->names->word);
	if (length && p->names->find_word(p->names->ctx, text, length, word, expected))
		return true;
	expression_fail(p, start, expected);
	return false;
}

/* ---------------------------------------------------------------------------- values */

static const char *expression_end(const char *at)
{
	return at + strlen(at);
}

/* Whether a value may end here. */
static bool expression_is_end(char c, bool in_list)
{
	return !c || expression_is_space(c) || c == '(' || c == ')' || (in_list && c == ',');
}

/* A duration in ns; without a unit, where that is allowed, ns too. A word behind a blank need not
 * be its unit: none that may follow a value is one. */
static bool expression_parse_duration(const char **at, bool needs_unit, uint64_t *ns)
{
	const char *digits_end = *at + strspn(*at, "0123456789.");
	const char *unit = digits_end + strspn(digits_end, " \t");
	const size_t letters = expression_letters(unit);

	/* `m` alone would be taken for milli. */
	if (letters && !(letters == 1 && *unit == 'm') &&
		quantity_parse_duration(
			*at, (size_t)(unit + letters - *at), QUANTITY_WHOLE_POINT, INT64_MAX, ns)) {
		*at = unit + letters;
		return true;
	}
	return !needs_unit &&
	       quantity_scan_decimal(at, digits_end, QUANTITY_WHOLE_POINT, 1, INT64_MAX, ns) &&
	       *at == digits_end;
}

/* Where a duration with its unit ends that a value of any type begins with; else `at`. */
static const char *expression_find_duration_end(const char *at, bool in_list)
{
	const char *end = at + (*at == '-');
	uint64_t ns;

	return expression_parse_duration(&end, true, &ns) && expression_is_end(*end, in_list) ? end
											      : at;
}

/*
 * Copies up to a space, a parenthesis or, in a list, a comma, but not before `least`; or in quotes,
 * where \" is a quote.
 */
static void expression_parse_pattern(
	struct expression_parser *p, struct expression_literal *l, const char *least, bool in_list)
{
	struct expression *e = p->e;
	const char *begin = p->at;
	bool quoted = *p->at == '"';
	size_t length = 0;

	l->text = e->used;
	p->apostrophe = *begin == '\'' ? begin : NULL;
	for (p->at += quoted; *p->at; p->at++) {
		if (quoted ? *p->at == '"' : p->at >= least && expression_is_end(*p->at, in_list))
			break;
		if (!quoted && *p->at == '"') {
			expression_fail(p, p->at, "the value in quotes as a whole");
			return;
		}
		p->at += quoted && p->at[0] == '\\' && p->at[1] == '"';
		if (length == EXPRESSION_PATTERN - 1) {
			expression_fail(p, begin, "a pattern of at most 255 bytes");
			return;
		}
		if (e->used + length + 1 >= EXPRESSION_BYTES) {
			expression_fail(p, begin, "the end: the patterns have too many bytes");
			return;
		}
		e->bytes[e->used + length++] = *p->at;
	}
	if (quoted && *p->at != '"')
		expression_fail(p, p->at, "\" at the pattern's end");
	else if (!quoted && length == 0)
		expression_fail(p, begin, "a pattern");
	p->at += quoted && *p->at == '"';
	e->bytes[e->used + length] = 0;
	e->used += (uint32_t)length + 1;
	const char *lacking = glob_check(e->bytes + l->text);
	if (lacking)
		expression_fail(p, begin, lacking);
}

/* Notes what the text of a word of any type says as a number, or as a duration in ns. */
static void expression_note_number(const struct expression *e, struct expression_literal *l)
{
	const char *text = e->bytes + l->text, *at = text + (*text == '-'), *digits = at;
	char *end;

	l->is_negative = at != text;
	l->real = strtod(text, &end);
	l->is_number = end != text && !*end;
	if (l->is_number) {
		l->is_whole =
			number_scan(&digits, expression_end(at), 10, UINT64_MAX, &l->number) &&
			!*digits;
	} else if (expression_parse_duration(&digits, true, &l->number) && !*digits) {
		l->is_number = l->is_whole = true;
		l->real = l->is_negative ? -(double)l->number : (double)l->number;
	}
}

static bool expression_scan_number(struct expression_parser *p, const struct expression_word *word,
	struct expression_literal *l)
{
	const uint64_t most = word->most ? word->most : UINT64_MAX;

	switch (word->type) {
	case EXPRESSION_DURATION:
		l->is_whole = true;
		return expression_parse_duration(&p->at, word->needs_unit, &l->number);
	case EXPRESSION_WHOLE:
		l->is_whole = true;
		return number_scan_prefixed(&p->at, expression_end(p->at), most, &l->number);
	default:
		l->is_whole = word->parts != 0;
		if (l->is_whole)
			return quantity_scan_decimal(&p->at, expression_end(p->at),
				QUANTITY_WHOLE_POINT, word->parts, INT64_MAX, &l->number);
		return quantity_scan_real(&p->at, &l->real);
	}
}

static void expression_fail_number(
	struct expression_parser *p, const struct expression_word *word, const char *begin)
{
	char expected[EXPRESSION_EXPECTED];

	if (word->type == EXPRESSION_DURATION)
		strcpy(expected,
			word->needs_unit
				? "a duration with its unit, as in 10ms, 1.5s, 200us or 50ns"
				: "a duration, as in 10ms, 1.5s or 200us; in ns without a unit");
	else if (word->type == EXPRESSION_DECIMAL)
		strcpy(expected, "a number, as in 2 or 1.25");
	else
		snprintf(expected, sizeof expected,
			"a whole number up to %llu, decimal or after 0x",
			(unsigned long long)(word->most ? word->most : UINT64_MAX));
	expression_fail(p, begin, expected);
}

static void expression_parse_number(struct expression_parser *p, const struct expression_word *word,
	struct expression_literal *l, bool in_list)
{
	const char *begin = p->at;

	l->is_number = true;
	l->is_negative = word->is_signed && *p->at == '-';
	p->at += l->is_negative;
	if (!expression_scan_number(p, word, l) || !expression_is_end(*p->at, in_list)) {
		expression_fail_number(p, word, begin);
		return;
	}
	if (l->is_whole)
		l->real = (double)l->number;
	if (l->is_negative)
		l->real = -l->real;
}

static void expression_parse_value(struct expression_parser *p, const struct expression_word *word,
	struct expression_node *n, bool in_list)
{
	const char *begin;

	expression_skip_space(p);
	begin = p->at;
	if (p->e->literals == EXPRESSION_LITERALS) {
		expression_fail(p, begin, "the end: a condition has at most 256 values");
		return;
	}
	struct expression_literal *l = &p->e->literal[p->e->literals++];
	*l = (struct expression_literal){0};
	n->literals++;
	if (word->type != EXPRESSION_TEXT && word->type != EXPRESSION_ANY) {
		expression_parse_number(p, word, l, in_list);
		return;
	}
	expression_parse_pattern(p, l,
		word->type == EXPRESSION_ANY ? expression_find_duration_end(begin, in_list) : begin,
		in_list);
	if (p->failed || word->type == EXPRESSION_TEXT)
		return;
	expression_note_number(p->e, l);
	if (!l->is_number && n->op != EXPRESSION_EQUAL && n->op != EXPRESSION_UNEQUAL)
		expression_fail(p, begin, "a number");
}

/* The values behind `in`. */
static void expression_parse_list(
	struct expression_parser *p, const struct expression_word *word, struct expression_node *n)
{
	expression_skip_space(p);
	if (*p->at != '(') {
		expression_fail(p, p->at, "( and the values behind in");
		return;
	}
	do {
		p->at++;
		expression_parse_value(p, word, n, true);
		expression_skip_space(p);
	} while (!p->failed && *p->at == ',');
	if (!p->failed && *p->at != ')')
		expression_fail(p, p->at, ", or ) behind a value");
	p->at += !p->failed;
}

/* --------------------------------------------------------------------------- grammar */

static enum expression_op expression_parse_op(struct expression_parser *p, bool pattern)
{
	static const struct {
		const char *text;
		enum expression_op op;
	} ops[] = {{"==", EXPRESSION_EQUAL}, {"!=", EXPRESSION_UNEQUAL}, {"<=", EXPRESSION_AT_MOST},
		{">=", EXPRESSION_AT_LEAST}, {"=", EXPRESSION_EQUAL}, {"<", EXPRESSION_LESS},
		{">", EXPRESSION_MORE}};

	expression_skip_space(p);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(p->at, ops[i].text, n) != 0)
			continue;
		if (pattern && ops[i].op != EXPRESSION_EQUAL && ops[i].op != EXPRESSION_UNEQUAL)
			break;
		/* A pattern that begins with one of these needs quotes. */
		if (p->at[n] == '=' || p->at[n] == '<' || p->at[n] == '>') {
			expression_fail(p, p->at + n, "a value after the operator");
			return EXPRESSION_EQUAL;
		}
		p->at += n;
		return ops[i].op;
	}
	if (*p->at == '-' && !expression_is_space(p->at[-1]))
		expression_fail(p, p->at, "{ } around a name with a -, as in {page-faults}>0");
	expression_fail(p, p->at, pattern ? "= or != (or in)" : "=, !=, <, <=, > or >= (or in)");
	return EXPRESSION_EQUAL;
}

static uint16_t expression_parse_comparison(struct expression_parser *p)
{
	const char *start = p->at;
	struct expression_word word;
	uint16_t node = expression_add_node(p, EXPRESSION_COMPARE, 0, 0);

	if (p->failed || !expression_parse_word(p, &word))
		return 0;
	struct expression_node *n = &p->e->node[node];
	n->id = word.id;
	n->at = (uint32_t)(start - p->text);
	n->first = p->e->literals;
	if (expression_parse_keyword(p, "in")) {
		expression_parse_list(p, &word, n);
		return node;
	}
	n->op = (uint8_t)expression_parse_op(p, word.type == EXPRESSION_TEXT);
	if (!p->failed)
		expression_parse_value(p, &word, n, false);
	return node;
}

/* No keyword follows: often the rest of a text in apostrophes, which do not quote. */
static void expression_fail_keyword(struct expression_parser *p, const char *expected)
{
	if (p->apostrophe)
		expression_fail(p, p->apostrophe, "text with spaces in \"double quotes\"");
	expression_fail(p, p->at, expected);
}

static void expression_close(struct expression_parser *p, const char *expected)
{
	expression_skip_space(p);
	if (!p->failed && *p->at != ')')
		expression_fail_keyword(p, expected);
	p->at += !p->failed;
}

static uint16_t expression_parse_or(struct expression_parser *p);

static uint16_t expression_parse_absent(struct expression_parser *p, const char *start)
{
	uint16_t node = expression_add_node(p, EXPRESSION_ABSENT, 0, 0);
	struct expression_word word;

	expression_skip_space(p);
	if (p->failed || !expression_parse_word(p, &word))
		return 0;
	p->e->node[node].id = word.id;
	p->e->node[node].at = (uint32_t)(start - p->text);
	expression_close(p, ") behind the name");
	return node;
}

/* Consumes a name and its parenthesis if they are next. */
static bool expression_parse_function(struct expression_parser *p, bool *is_absent, uint32_t *id)
{
	size_t n = expression_word_length(p, p->at);
	const char *open = p->at + n;

	while (expression_is_space(*open))
		open++;
	if (n == 0 || *open != '(')
		return false;
	*is_absent = n == 6 && memcmp(p->at, "absent", 6) == 0;
	if (!*is_absent &&
		!(p->names->find_function && p->names->find_function(p->names->ctx, p->at, n, id)))
		return false;
	p->at = open + 1;
	return true;
}

static uint16_t expression_parse_term(struct expression_parser *p)
{
	const char *start = p->at;
	bool is_absent;
	uint32_t id;

	if (!expression_parse_function(p, &is_absent, &id))
		return expression_parse_comparison(p);
	if (is_absent)
		return expression_parse_absent(p, start);
	uint16_t inside = expression_parse_or(p);
	expression_close(p, "and, or, or )");
	uint16_t node = expression_add_node(p, EXPRESSION_CALL, inside, 0);
	if (!p->failed) {
		p->e->node[node].id = id;
		p->e->node[node].at = (uint32_t)(start - p->text);
	}
	return node;
}

static uint16_t expression_parse_not(struct expression_parser *p)
{
	uint16_t node;

	expression_skip_space(p);
	if (++p->depth > EXPRESSION_DEPTH)
		return expression_fail(p, p->at, "at most 32 levels of not and (");
	if (expression_parse_keyword(p, "not")) {
		node = expression_parse_not(p);
		node = expression_add_node(p, EXPRESSION_NOT, node, 0);
	} else if (*p->at == '(') {
		p->at++;
		node = expression_parse_or(p);
		expression_close(p, "and, or, or )");
	} else {
		node = expression_parse_term(p);
	}
	p->depth--;
	return node;
}

static uint16_t expression_parse_and(struct expression_parser *p)
{
	uint16_t node = expression_parse_not(p);

	while (!p->failed && expression_parse_keyword(p, "and")) {
		uint16_t right = expression_parse_not(p);

		node = expression_add_node(p, EXPRESSION_AND, node, right);
	}
	return node;
}

static uint16_t expression_parse_or(struct expression_parser *p)
{
	uint16_t node = expression_parse_and(p);

	while (!p->failed && expression_parse_keyword(p, "or")) {
		uint16_t right = expression_parse_and(p);

		node = expression_add_node(p, EXPRESSION_OR, node, right);
	}
	return node;
}

bool expression_parse(struct expression *e, const char *text, const struct expression_names *names,
	struct expression_error *error)
{
	struct expression_error unwanted;
	struct expression_parser p = {.e = e,
		.names = names,
		.error = error ? error : &unwanted,
		.text = text,
		.at = text};

	/* The pattern of numbers, which have none. */
	e->bytes[0] = 0;
	e->used = 1;
	e->nodes = e->literals = 0;
	e->root = expression_parse_or(&p);
	expression_skip_space(&p);
	if (!p.failed && *p.at)
		expression_fail_keyword(&p, "and, or, or the end");
	return !p.failed;
}
