#include "document.h"

struct out *document_begin_line(struct document *d, const char *label)
{
	const size_t length = strlen(label);

	out_str(d->o, d->before_label ? d->before_label : "");
	out_str(d->o, label);
	out_repeat(d->o, ' ', length < d->label_width ? d->label_width - length : 1);
	return d->o;
}

void document_add(struct document *d, const struct column *columns, unsigned has, const void *row)
{
	const struct column *chosen[DOCUMENT_COLUMNS];

	if (d->j) {
		column_write_members(d->j, columns, IN_JSON, has, row);
		return;
	}
	const unsigned n = column_choose(chosen, 0, columns, IN_TEXT, has, false);
	for (unsigned i = 0; i < n; i++) {
		column_write_text(
			document_begin_line(d, column_heading(chosen[i])), d->time, chosen[i], row);
		out_char(d->o, '\n');
	}
}

void document_begin_lines(struct document *d, const char *label, const char *key,
	const struct column *columns, unsigned has)
{
	d->key = key;
	d->label = label;
	d->columns = columns;
	d->has = has;
	d->pass = 0;
	if (!d->j)
		d->n = column_choose(d->chosen, 0, columns, IN_TEXT, has, false);
}

void document_begin_list(
	struct document *d, const char *key, const struct column *columns, unsigned has)
{
	bool is_fixed = false;

	document_begin_lines(d, NULL, key, columns, has);
	for (unsigned i = 0; !d->j && i < d->n; i++) {
		d->widths[i] = d->chosen[i]->width;
		is_fixed |= d->widths[i] != 0;
	}
	d->widths[d->j ? 0 : d->n] = 0;
	if (is_fixed)
		table_begin_fixed(&d->table, d->o, d->widths, d->gap);
	else if (!d->j)
		table_begin(&d->table, d->o);
}

static void document_begin_row(struct document *d)
{
	if (d->indent)
		table_text(&d->table, d->indent);
}

/* Whether a pass over the rows of a table is due: without rows there is no second one. */
static bool document_pass_table(struct document *d)
{
	const bool is_fixed = d->table.pass == 2 && d->pass == 0;
	const unsigned label =
		d->n && d->chosen[0]->place == PLACE_FIRST ? d->indent != NULL : TABLE_LAST;

	if (!is_fixed && ((d->pass && d->table.rows < 2 && !d->keeps_heading) ||
				 !table_pass_fit(&d->table, d->width, label))) {
		table_free(&d->table);
		d->title = NULL;
		return false;
	}
	if (!table_is_measuring(&d->table) && d->title)
		out_str(d->o, d->title);
	if (d->has_no_headings)
		return true;
	document_begin_row(d);
	for (unsigned i = 0; i < d->n; i++)
		column_write_heading(&d->table, d->chosen[i]);
	table_end_row(&d->table);
	return true;
}

bool document_pass(struct document *d)
{
	const bool is_due = d->j || d->label ? d->pass == 0 : document_pass_table(d);

	d->pass++;
	if (d->j && is_due) {
		json_member_open(d->j, d->key, '[');
	} else if (d->j) {
		d->j->broken = d->breaks;
		json_close(d->j, ']');
	}
	return is_due;
}

void document_add_row(struct document *d, const void *row)
{
	if (d->j) {
		d->j->broken = d->breaks;
		column_write_object(d->j, d->columns, IN_JSON, d->has, row);
		return;
	}
	if (d->label) {
		document_begin_line(d, d->label);
		for (unsigned i = 0; i < d->n; i++)
			column_write_text(d->o, d->time, d->chosen[i], row);
		out_char(d->o, '\n');
		return;
	}
	document_begin_row(d);
	for (unsigned i = 0; i < d->n; i++) {
		column_write_cell(&d->table, d->time, d->chosen[i], row);
		if (d->chosen[i]->colour)
			table_colour(&d->table, d->chosen[i]->colour(row));
	}
	table_end_row(&d->table);
}
