/*
 * Parses conditions. Nodes hold indexes, not pointers; their depth and number are bounded, and
 * so is evaluation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/glob.h"
#include "../../formats/base/number.h"
#include "../../formats/base/quantity.h"
#include "../../include/perfutil.h"
#include "condition.h"

enum value_kind { VALUE_PATTERN, VALUE_TIME, VALUE_NUMBER, VALUE_DECIMAL, VALUE_ARG };

static const struct field {
	const char *name;
	enum value_kind kind;
	uint64_t max;
} fields[] = {
	[FIELD_LABEL] = {"label", VALUE_PATTERN, 0},
	[FIELD_ELAPSED] = {"elapsed", VALUE_TIME, 0},
	[FIELD_MAJOR] = {"major", VALUE_NUMBER, 0xff},
	[FIELD_MINOR] = {"minor", VALUE_NUMBER, UINT32_MAX},
	[FIELD_MM] = {"mm", VALUE_NUMBER, 0xff},
	[FIELD_TID] = {"tid", VALUE_NUMBER, UINT32_MAX},
	[FIELD_PID] = {"pid", VALUE_NUMBER, UINT32_MAX},
	[FIELD_COMM] = {"comm", VALUE_PATTERN, 0},
	[FIELD_CPU] = {"cpu", VALUE_NUMBER, UINT32_MAX},
	[FIELD_CPI] = {"cpi", VALUE_DECIMAL, 0},
	[FIELD_LOST] = {"lost", VALUE_NUMBER, INT64_MAX},
	[FIELD_ARG] = {"arg", VALUE_ARG, 0},
};
#define FIELD_NAMES "label, elapsed, major, minor, mm, tid, pid, comm, cpu, cpi, lost or arg.NAME"

struct parser {
	struct condition *c;
	const char *text, *at;
	unsigned depth;
	struct session_error *error;
	bool failed;
};

/* Keeps the first error. Node 0 stands for an error. */
static uint16_t condition_fail(struct parser *p, const char *where, const char *expected)
{
	if (!p->failed && p->error)
		snprintf(p->error->text, sizeof p->error->text, "at column %u%s: expected %s",
			(unsigned)(where - p->text) + 1, *where ? "" : " (the end)", expected);
	p->failed = true;
	return 0;
}

static uint16_t new_node(struct parser *p, enum condition_kind kind, uint16_t left, uint16_t right)
{
	if (p->c->nodes == CONDITION_NODES)
		return condition_fail(p, p->at, "the end: a condition has at most 128 parts");
	struct condition_node *n = &p->c->node[p->c->nodes];
	memset(n, 0, sizeof *n);
	n->kind = kind;
	n->left = left;
	n->right = right;
	return p->c->nodes++;
}

/* ----------------------------------------------------------------------- words */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct parser *p)
{
	while (is_space(*p->at))
		p->at++;
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') || at[n] == '_')
		n++;
	return n;
}

/* Consumes the word if it is next. */
static bool take_word(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_space(p);
	if (word_length(p->at) != n || strncmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* ---------------------------------------------------------------------- values */

static bool take_number(const char **at, uint64_t max, uint64_t *value)
{
	return number_scan_prefixed(at, *at + strlen(*at), max, value);
}

/* In 1/10000. */
static bool take_decimal(const char **at, uint64_t *value)
{
	return quantity_scan_decimal(
		at, *at + strlen(*at), QUANTITY_WHOLE_POINT, 10000, INT64_MAX, value);
}

/* A duration in ns, us, ms or s, which all end in s; without minutes and hours. */
static bool condition_take_duration(const char **at, uint64_t *ns)
{
	size_t digits = strspn(*at, "0123456789."), n = digits + word_length(*at + digits);

	if (n == digits || (*at)[n - 1] != 's' ||
		!quantity_parse_duration(*at, n, QUANTITY_WHOLE_POINT, INT64_MAX, ns))
		return false;
	*at += n;
	return true;
}

/* Up to a space or a parenthesis, or in quotes, where \" is a quote. */
static void take_pattern(struct parser *p, struct condition_node *n)
{
	const char *begin = p->at;
	bool quoted = *p->at == '"';
	size_t length = 0;

	for (p->at += quoted; *p->at; p->at++) {
		if (quoted ? *p->at == '"' : is_space(*p->at) || *p->at == '(' || *p->at == ')')
			break;
		if (!quoted && *p->at == '"') {
			condition_fail(p, p->at, "the value in quotes as a whole");
			return;
		}
		p->at += quoted && p->at[0] == '\\' && p->at[1] == '"';
		if (length == sizeof n->text - 1) {
			condition_fail(p, begin, "a pattern of at most 255 bytes");
			return;
		}
		n->text[length++] = *p->at;
	}
	if (quoted && *p->at != '"')
		condition_fail(p, p->at, "\" at the pattern's end");
	else if (!quoted && length == 0)
		condition_fail(p, begin, "a pattern");
	p->at += quoted && *p->at == '"';
	const char *lacking = glob_check(n->text);
	if (lacking && !p->failed)
		condition_fail(p, begin, lacking);
}

/* Sets what the text says as a number. */
static void condition_note_number(struct condition_node *n)
{
	const char *at = n->text + (*n->text == '-'), *digits = at;
	char *end;

	n->real = strtod(n->text, &end);
	n->is_number = end != n->text && !*end;
	n->is_negative = at != n->text;
	n->is_whole = n->is_number &&
		      number_scan(&digits, at + strlen(at), 10, UINT64_MAX, &n->number) && !*digits;
}

/* ".NAME" behind "arg". */
static void condition_take_name(struct parser *p, struct condition_node *n)
{
	size_t length = *p->at == '.' ? strcspn(p->at + 1, " \t\n\r()=!<>") : 0;

	if (length == 0 || length >= sizeof n->name) {
		condition_fail(p, p->at, "a name of at most 63 bytes behind arg., as in arg.size");
		return;
	}
	memcpy(n->name, p->at + 1, length);
	p->at += 1 + length;
}

static void condition_take_value(struct parser *p, struct condition_node *n)
{
	const struct field *f = &fields[n->field];
	const char *begin = p->at;
	char expected[96];
	bool ok = true;

	switch (f->kind) {
	case VALUE_PATTERN:
		take_pattern(p, n);
		return;
	case VALUE_ARG:
		take_pattern(p, n);
		condition_note_number(n);
		if (!p->failed && !n->is_number && n->op != OP_EQUAL && n->op != OP_UNEQUAL)
			condition_fail(p, begin, "a number");
		return;
	case VALUE_TIME:
		ok = condition_take_duration(&p->at, &n->number);
		strcpy(expected, "a duration with its unit, as in 10ms, 1.5s, 200us or 50ns");
		break;
	case VALUE_NUMBER:
		ok = take_number(&p->at, f->max, &n->number);
		snprintf(expected, sizeof expected,
			"a whole number up to %llu, decimal or after 0x",
			(unsigned long long)f->max);
		break;
	case VALUE_DECIMAL:
		ok = take_decimal(&p->at, &n->number);
		strcpy(expected, "a number, as in 2 or 1.25");
		break;
	}
	if (!ok || (*p->at && !is_space(*p->at) && *p->at != '(' && *p->at != ')'))
		condition_fail(p, begin, expected);
}

/* --------------------------------------------------------------------- grammar */

static enum condition_op take_op(struct parser *p, bool pattern)
{
	static const struct {
		const char *text;
		enum condition_op op;
	} ops[] = {{"!=", OP_UNEQUAL}, {"<=", OP_AT_MOST}, {">=", OP_AT_LEAST}, {"=", OP_EQUAL},
		{"<", OP_LESS}, {">", OP_MORE}};

	skip_space(p);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(p->at, ops[i].text, n) != 0)
			continue;
		if (pattern && ops[i].op != OP_EQUAL && ops[i].op != OP_UNEQUAL)
			break;
		/* Accepts == for =; a pattern that begins with = needs quotes. */
		if (p->at[n] == '=' || p->at[n] == '<' || p->at[n] == '>') {
			condition_fail(
				p, p->at + n, "a value after the operator (equality is one =)");
			return OP_EQUAL;
		}
		p->at += n;
		return ops[i].op;
	}
	condition_fail(p, p->at, pattern ? "= or !=" : "=, !=, <, <=, > or >=");
	return OP_EQUAL;
}

static uint16_t parse_term(struct parser *p)
{
	size_t length = word_length(p->at), i = 0;
	const size_t count = sizeof fields / sizeof *fields;

	while (i < count &&
		(strlen(fields[i].name) != length || strncmp(fields[i].name, p->at, length) != 0))
		i++;
	if (i == count)
		return condition_fail(p, p->at, "not, ( or a field: " FIELD_NAMES);
	uint16_t node = new_node(p, NODE_TERM, 0, 0);
	if (p->failed)
		return 0;
	struct condition_node *n = &p->c->node[node];
	n->field = (enum condition_field)i;
	p->at += length;
	if (n->field == FIELD_ARG)
		condition_take_name(p, n);
	if (p->failed)
		return 0;
	n->op = take_op(p, fields[i].kind == VALUE_PATTERN);
	if (p->failed)
		return 0;
	skip_space(p);
	condition_take_value(p, n);
	p->c->asks_task |= n->field == FIELD_TID || n->field == FIELD_PID || n->field == FIELD_COMM;
	p->c->asks_lost |= n->field == FIELD_LOST;
	return node;
}

static uint16_t parse_or(struct parser *p);

static uint16_t parse_not(struct parser *p)
{
	uint16_t node;

	skip_space(p);
	if (++p->depth > CONDITION_DEPTH)
		return condition_fail(p, p->at, "at most 32 levels of not and (");
	if (take_word(p, "not")) {
		node = parse_not(p);
		node = p->failed ? 0 : new_node(p, NODE_NOT, node, 0);
	} else if (*p->at == '(') {
		p->at++;
		node = parse_or(p);
		skip_space(p);
		if (!p->failed && *p->at != ')')
			return condition_fail(p, p->at, "and, or, or )");
		p->at += *p->at == ')';
	} else {
		node = parse_term(p);
	}
	p->depth--;
	return node;
}

static uint16_t parse_and(struct parser *p)
{
	uint16_t node = parse_not(p);

	while (!p->failed && take_word(p, "and")) {
		uint16_t right = parse_not(p);

		if (!p->failed)
			node = new_node(p, NODE_AND, node, right);
	}
	return node;
}

static uint16_t parse_or(struct parser *p)
{
	uint16_t node = parse_and(p);

	while (!p->failed && take_word(p, "or")) {
		uint16_t right = parse_and(p);

		if (!p->failed)
			node = new_node(p, NODE_OR, node, right);
	}
	return node;
}

int condition_parse(struct condition *c, const char *text, struct session_error *error)
{
	struct parser p = {.c = c, .text = text, .at = text, .error = error};

	memset(c, 0, sizeof *c);
	c->root = parse_or(&p);
	skip_space(&p);
	if (!p.failed && *p.at)
		condition_fail(&p, p.at, "and, or, or the end");
	return p.failed ? PU_ERROR_INVALID_PARAMETER : 0;
}
