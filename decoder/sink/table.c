#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/utf8.h"
#include "table.h"

void table_begin(struct table *t, struct out *o)
{
	table_begin_fixed(t, o, NULL, 2);
}

/* Columns up to that one. */
static bool table_add_columns(struct table *t, unsigned column)
{
	if (!array_reserve(&t->columns, &t->allocated, column + 1, sizeof *t->columns)) {
		t->o->error = t->o->error ? t->o->error : ENOMEM;
		return false;
	}
	while (t->ncolumns <= column)
		t->columns[t->ncolumns++] = (struct table_column){0};
	return true;
}

void table_begin_fixed(struct table *t, struct out *o, const unsigned *widths, unsigned gap)
{
	*t = (struct table){.o = o, .gap = gap, .pass = widths ? 2 : 0};
	out_memory(&t->row);
	for (unsigned i = 0; widths && widths[i] && table_add_columns(t, i); i++)
		t->columns[i].width = widths[i];
}

bool table_pass(struct table *t)
{
	return ++t->pass <= 2;
}

void table_hide(struct table *t, unsigned column)
{
	if (column < t->ncolumns)
		t->columns[column].hidden = true;
}

void table_cut(struct table *t, unsigned column, size_t most)
{
	t->columns[column].most = most;
}

size_t table_width(const struct table *t)
{
	size_t width = 0;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		const struct table_column *c = &t->columns[i];

		if (!c->hidden)
			width += (width ? t->gap : 0) +
				 (c->most && c->most < c->width ? c->most : c->width);
	}
	return width;
}

static struct out *table_begin_cell(struct table *t, bool right)
{
	if (t->current)
		t->columns[t->current - 1].end = t->row.len;
	if (!table_add_columns(t, t->current))
		return &t->row;
	t->columns[t->current].right = right;
	t->columns[t->current++].colour = "";
	return &t->row;
}

struct out *table_left(struct table *t)
{
	return table_begin_cell(t, false);
}

struct out *table_right(struct table *t)
{
	return table_begin_cell(t, true);
}

void table_text(struct table *t, const char *s)
{
	out_str(table_begin_cell(t, false), s);
}

void table_colour(struct table *t, const char *code)
{
	if (t->current)
		t->columns[t->current - 1].colour = code;
}

/* fill: the spaces that are due before the cell; then those after it. */
static size_t table_print_cell(
	struct table *t, const struct table_column *c, const char *s, size_t n, size_t fill)
{
	const size_t most = c->most && c->most < c->width ? c->most : c->width;
	size_t width = utf8_width(s, n);
	const bool is_cut = c->most && width > most;

	if (is_cut) {
		n = utf8_fit(s, n, most - 1);
		width = utf8_width(s, n) + 1;
	}
	const size_t pad = most > width ? most - width : 0;
	/* Lines have no spaces at their ends. */
	if (n || is_cut)
		out_repeat(t->o, ' ', fill + (c->right ? pad : 0));
	if (*c->colour)
		out_str(t->o, c->colour);
	out_bytes(t->o, s, n);
	if (is_cut)
		out_str(t->o, "\xe2\x80\xa6");
	if (*c->colour)
		out_str(t->o, "\033[0m");
	if (!n && !is_cut)
		return fill + most;
	return c->right ? 0 : pad;
}

static void print_row(struct table *t)
{
	size_t start = 0, fill = 0;
	bool is_first = true;

	for (unsigned i = 0; i < t->current; i++) {
		const struct table_column *c = &t->columns[i];

		if (!c->hidden) {
			fill = table_print_cell(t, c, t->row.buf + start, c->end - start,
				fill + (is_first ? 0 : t->gap));
			is_first = false;
		}
		start = c->end;
	}
	out_char(t->o, '\n');
}

void table_end_row(struct table *t)
{
	if (t->row.error && !t->o->error)
		t->o->error = t->row.error;
	if (t->current && !t->o->error) {
		t->columns[t->current - 1].end = t->row.len;
		if (t->pass == 1) {
			size_t start = 0;

			for (unsigned i = 0; i < t->current; i++) {
				struct table_column *c = &t->columns[i];
				size_t width = utf8_width(t->row.buf + start, c->end - start);

				if (c->width < width)
					c->width = width;
				/* Keep the first row's cell as heading. */
				if (!t->rows &&
					!(c->heading = strndup(t->row.buf + start, c->end - start)))
					t->o->error = ENOMEM;
				start = c->end;
			}
		} else {
			print_row(t);
		}
	}
	t->rows++;
	t->row.len = 0;
	t->current = 0;
}

void table_printf(struct table *t, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
		t->o->error = t->o->error ? t->o->error : ENOMEM;
	}
	va_end(args);
	char *end = text ? strrchr(text, '\n') : NULL;
	const bool ends_row = end && !end[1];
	if (ends_row)
		*end = 0;
	for (char *rest = text, *cell; (cell = strsep(&rest, "\t"));)
		out_str(table_begin_cell(t, *cell == '>'), *cell == '>' ? cell + 1 : cell);
	if (ends_row)
		table_end_row(t);
	free(text);
}

void table_free(struct table *t)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		free(t->columns[i].heading);
	out_discard(&t->row);
	free(t->columns);
	*t = (struct table){0};
}
