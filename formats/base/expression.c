/* Evaluates expressions, and shows where one is wrong. */
#include "expression.h"

#include <stdio.h>
#include <string.h>

#include "glob.h"
#include "utf8.h"

bool expression_holds_at(
	const struct expression *e, uint16_t node, expression_leaf_fn leaf, void *ctx)
{
	const struct expression_node *n = &e->node[node];

	switch (n->kind) {
	case EXPRESSION_AND:
		return expression_holds_at(e, n->left, leaf, ctx) &&
		       expression_holds_at(e, n->right, leaf, ctx);
	case EXPRESSION_OR:
		return expression_holds_at(e, n->left, leaf, ctx) ||
		       expression_holds_at(e, n->right, leaf, ctx);
	case EXPRESSION_NOT:
		return !expression_holds_at(e, n->left, leaf, ctx);
	default:
		return leaf(ctx, e, n);
	}
}

static bool expression_test_reals(double a, enum expression_op op, double b)
{
	if (a != a || b != b)
		return op == EXPRESSION_UNEQUAL;
	return expression_order(a<b, op, a> b);
}

static bool expression_test_whole(
	const struct expression_value *v, enum expression_op op, const struct expression_literal *l)
{
	if (v->is_negative != l->is_negative)
		return expression_order(v->is_negative, op, l->is_negative);
	if (v->is_negative)
		return expression_order(v->size > l->number, op, v->size < l->number);
	return expression_order(v->size<l->number, op, v->size> l->number);
}

static double expression_as_real(const struct expression_value *v)
{
	if (v->kind == EXPRESSION_VALUE_REAL)
		return v->real;
	return v->is_negative ? -(double)v->size : (double)v->size;
}

/* A number is compared with a number, a text with a pattern; else it is false. */
static bool expression_test_literal(const struct expression *e, const struct expression_value *v,
	enum expression_op op, const struct expression_literal *l)
{
	switch (v->kind) {
	case EXPRESSION_VALUE_TEXT:
		return (op == EXPRESSION_EQUAL || op == EXPRESSION_UNEQUAL) &&
		       glob_match(e->bytes + l->text, v->text, v->length) ==
			       (op == EXPRESSION_EQUAL);
	case EXPRESSION_VALUE_WHOLE:
		if (l->is_whole)
			return expression_test_whole(v, op, l);
		break;
	case EXPRESSION_VALUE_REAL:
		break;
	case EXPRESSION_VALUE_NONE:
		return false;
	}
	return l->is_number && expression_test_reals(expression_as_real(v), op, l->real);
}

bool expression_test(const struct expression *e, const struct expression_node *leaf,
	const struct expression_value *value)
{
	if (leaf->kind == EXPRESSION_ABSENT)
		return value->kind == EXPRESSION_VALUE_NONE;
	for (unsigned i = 0; i < leaf->literals; i++)
		if (expression_test_literal(e, value, leaf->op, &e->literal[leaf->first + i]))
			return true;
	return false;
}

/* ------------------------------------------------------------------------------ errors */

/* Characters, and bytes that belong to none. */
static size_t expression_count(const char *text, size_t size)
{
	enum utf8_kind kind;
	size_t n = 0;

	for (size_t at = 0; at < size; n++)
		at += utf8_step(text + at, size - at, &kind);
	return n;
}

void expression_refuse(
	struct expression_error *error, const char *text, size_t at, const char *what)
{
	error->at = at;
	snprintf(error->text, sizeof error->text, "at column %zu%s: %s",
		expression_count(text, at) + 1, text[at] ? "" : " (the end)", what);
}

enum { SHOWN_BEFORE = 48, SHOWN_AFTER = 24 }; /* characters around the place */

/* Appends the characters from text to end, safe on a terminal. */
static void expression_show_part(char *shown, const char *text, const char *end)
{
	size_t at = strlen(shown);
	enum utf8_kind kind;

	while (text < end) {
		size_t n = utf8_step(text, (size_t)(end - text), &kind);

		if (kind == UTF8_PLAIN) {
			memcpy(shown + at, text, n);
			at += n;
		} else {
			shown[at++] = '?';
		}
		text += n;
	}
	shown[at] = 0;
}

_Static_assert(EXPRESSION_SHOWN > 4 * (SHOWN_BEFORE + SHOWN_AFTER) + 2 * SHOWN_BEFORE + 32,
	"the lines fit");

void expression_show(
	const char *text, const struct expression_error *error, char shown[EXPRESSION_SHOWN])
{
	const char *place = text + error->at, *begin = text, *end = place;
	size_t skipped = expression_count(text, error->at), after = 0;
	enum utf8_kind kind;

	for (; skipped > SHOWN_BEFORE; skipped--)
		begin += utf8_step(begin, (size_t)(place - begin), &kind);
	for (; *end && after < SHOWN_AFTER; after++)
		end += utf8_step(end, strlen(end), &kind);
	strcpy(shown, begin > text ? "  ..." : "  ");
	expression_show_part(shown, begin, place);
	const int cells = (int)utf8_width(shown, strlen(shown));
	expression_show_part(shown, place, end);
	strcat(shown, *end ? "...\n" : "\n");
	sprintf(shown + strlen(shown), "%*s^\n", cells, "");
}
