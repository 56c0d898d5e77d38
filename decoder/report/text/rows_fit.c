#include "rows_fit.h"

#include <string.h>

enum {
	FIRST_WANTS = 40, /* of the label, before other columns are dropped; longer ones are cut */
	LAST_WANTS = 24,
	LEAST = 8, /* nothing is cut to less */
};

static struct table_column *rows_table_column(struct rows *rows, unsigned i)
{
	return i < rows->table.ncolumns ? &rows->table.columns[i] : NULL;
}

/* The number of the last column of that place; rows->n: none. */
static unsigned rows_find_place(const struct rows *rows, int place)
{
	for (unsigned i = rows->n; i--;)
		if (rows->columns[i]->place == place)
			return i;
	return rows->n;
}

static void rows_limit(struct rows *rows, unsigned i, size_t most)
{
	const struct table_column *c = rows_table_column(rows, i);

	if (c && !c->hidden && c->width > most)
		table_cut(&rows->table, i, most);
}

/* Gives the column what is left of the line. */
static void rows_widen(struct rows *rows, unsigned i)
{
	struct table_column *c = rows_table_column(rows, i);

	if (!c || c->hidden || !c->most)
		return;
	const size_t others = table_width(&rows->table) - c->most;
	size_t most = rows->width > others ? rows->width - others : 0;

	if (most < LEAST)
		most = LEAST;
	c->most = most < c->width ? most : 0;
}

/* False: no column may go. */
static bool rows_drop_one(struct rows *rows)
{
	unsigned drop = rows->n;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct table_column *c = rows_table_column(rows, i);

		if (c && !c->hidden && rows->columns[i]->spare &&
			(drop == rows->n || rows->columns[i]->spare >= rows->columns[drop]->spare))
			drop = i;
	}
	if (drop == rows->n)
		return false;
	table_hide(&rows->table, drop);
	return true;
}

void rows_fit(struct rows *rows)
{
	const unsigned first = rows_find_place(rows, PLACE_FIRST);
	const unsigned last = rows_find_place(rows, PLACE_LAST);

	for (unsigned i = 0; i < rows->n; i++)
		if (rows->known && !rows->known[i] && rows_table_column(rows, i))
			table_hide(&rows->table, i);
	if (!rows->width || table_width(&rows->table) <= rows->width)
		return;
	rows_limit(rows, first, FIRST_WANTS);
	rows_limit(rows, last, LAST_WANTS);
	while (table_width(&rows->table) > rows->width && rows_drop_one(rows))
		;
	/* No column is left that may go: the label is cut last. */
	if (table_width(&rows->table) > rows->width)
		rows_limit(rows, first, LEAST);
	rows_widen(rows, first);
	rows_widen(rows, last);
}

void rows_tell_fit(struct rows *rows)
{
	struct out *o = rows->table.o;
	const char *between = " columns: ";
	bool any = false;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct table_column *c = rows_table_column(rows, i);

		if (!c || !c->hidden || !rows->known || !rows->known[i])
			continue;
		if (!any)
			out_printf(o, "# left out to fit %u", rows->width);
		any = true;
		out_str(o, between);
		out_str(o, rows_heading(rows->columns[i]));
		between = ", ";
	}
	if (any)
		out_str(o, " (--columns or --width chooses)\n");
}

void rows_fit_label(struct table *t, unsigned width)
{
	const size_t all = table_width(t);

	if (!width || all <= width || !t->ncolumns)
		return;
	const size_t others = all - t->columns[0].width;

	table_cut(t, 0, width > others + LEAST ? width - others : LEAST);
}

bool rows_is_known(const struct rows *rows, const char *name)
{
	for (unsigned i = 0; rows->known && i < rows->n; i++)
		if (rows->columns[i]->name && strcmp(rows->columns[i]->name, name) == 0)
			return rows->known[i];
	return true;
}
