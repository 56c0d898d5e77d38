#include <errno.h>
#include <stdlib.h>

#include "../../formats/base/array.h"
#include "../../formats/base/utf8.h"
#include "table.h"

void table_begin(struct table *t, struct out *o)
{
	*t = (struct table){.o = o, .gap = 2};
	out_memory(&t->row);
}

void table_begin_fixed(
	struct table *t, struct out *o, const unsigned *widths, unsigned nwidths, unsigned gap)
{
	*t = (struct table){.o = o, .widths = widths, .nwidths = nwidths, .gap = gap, .pass = 2};
	out_memory(&t->row);
}

bool table_pass(struct table *t)
{
	return ++t->pass <= 2;
}

static struct out *table_begin_cell(struct table *t, bool right)
{
	if (t->current)
		t->columns[t->current - 1].end = t->row.len;
	if (!array_reserve(&t->columns, &t->allocated, t->current + 1, sizeof *t->columns)) {
		t->o->error = t->o->error ? t->o->error : ENOMEM;
		return &t->row;
	}
	if (t->current == t->ncolumns)
		t->columns[t->ncolumns++] = (struct table_column){
			.width = t->current < t->nwidths ? t->widths[t->current] : 0};
	t->columns[t->current++].right = right;
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

void table_heading(struct table *t, const char *s)
{
	out_str(table_begin_cell(t, true), s);
}

static void print_row(struct table *t)
{
	size_t start = 0;

	for (unsigned i = 0; i < t->current; i++) {
		struct table_column *c = &t->columns[i];
		const char *s = t->row.buf + start;
		size_t n = c->end - start, width = utf8_width(s, n);
		size_t fill = c->width > width ? c->width - width : 0;

		if (i)
			out_repeat(t->o, ' ', t->gap);
		if (c->right)
			out_repeat(t->o, ' ', fill);
		out_bytes(t->o, s, n);
		if (!c->right && i + 1 < t->current)
			out_repeat(t->o, ' ', fill);
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
				start = c->end;
			}
		} else {
			print_row(t);
		}
	}
	t->row.len = 0;
	t->current = 0;
}

void table_free(struct table *t)
{
	out_discard(&t->row);
	free(t->columns);
	*t = (struct table){0};
}
