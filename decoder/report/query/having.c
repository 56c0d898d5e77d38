#include "having.h"

#include <stdlib.h>
#include <string.h>

#include "where.h"

static bool having_ends(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length > n && memcmp(text + length - n, end, n) == 0;
}

/* The value that a column is compared with. */
static struct expression_word having_column_word(const struct column *c)
{
	struct expression_word word = {.type = EXPRESSION_ANY, .is_signed = true};
	size_t length = c->name_length ? c->name_length : strlen(c->name);

	if (c->unit == UNIT_DURATION || having_ends(c->name, length, "_ns"))
		word.type = EXPRESSION_DURATION;
	else if (c->source == COLUMN_REAL)
		word.type = EXPRESSION_DECIMAL;
	return word;
}

static bool having_find_word(void *ctx, const char *text, size_t length,
	struct expression_word *word, char expected[EXPRESSION_EXPECTED])
{
	struct having *h = ctx;
	const struct column *c;

	(void)expected;
	if (!h->columns) {
		*word = (struct expression_word){.type = EXPRESSION_ANY};
		return true;
	}
	c = rows_find_column(h->columns, text, length, FORMAT_CSV);
	if (!c)
		c = rows_find_column(h->more, text, length, FORMAT_CSV);
	if (!c)
		return false;
	*word = having_column_word(c);
	word->id = h->nwords;
	h->words[h->nwords++] = c;
	return true;
}

bool having_parse(struct having *h, const char *text, const struct column *columns,
	const struct column *more, const char *what, struct expression_error *error)
{
	const struct expression_names names = {
		.find_word = having_find_word, .ctx = h, .word = what};

	h->nwords = 0;
	h->columns = columns;
	h->more = more;
	return expression_parse(&h->expression, text, &names, error);
}

bool having_check(const char *text, struct expression_error *error)
{
	struct having *h = malloc(sizeof *h);
	bool good = !h || having_parse(h, text, NULL, NULL, "a column", error);

	free(h);
	return good;
}

void having_note(
	const struct report *r, const struct having *h, const struct expression_error *error)
{
	char shown[EXPRESSION_SHOWN], known[ROWS_LIST];
	char *line = shown, *end;

	rows_list_columns(h->columns, h->more, FORMAT_CSV, known, sizeof known);
	report_note(r, "--having: %s", error->text);
	expression_show(r->having, error, shown);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		report_note(r, "%s", line);
	}
	report_note(r, "columns: %s", known);
}

struct having_row {
	const struct having *having;
	const void *row;
};

static bool having_test_leaf(
	void *ctx, const struct expression *e, const struct expression_node *leaf)
{
	const struct having_row *at = ctx;

	return where_test_cell(e, leaf, column_cell(at->having->words[leaf->id], at->row));
}

bool having_holds(const struct having *h, const void *row)
{
	struct having_row at = {h, row};

	return expression_holds(&h->expression, having_test_leaf, &at);
}
