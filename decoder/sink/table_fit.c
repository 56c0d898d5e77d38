/* Makes a table fit the width of its lines: see table.h. */
#include "table.h"

enum {
	LABEL_WANTS = 40, /* before columns are left out; longer ones are cut */
	LAST_WANTS = 24,
	LEAST = 8, /* nothing is cut to less */
};

static void table_limit(struct table *t, unsigned column, size_t most)
{
	if (column < t->ncolumns && !t->columns[column].hidden && t->columns[column].width > most)
		table_cut(t, column, most);
}

/* Gives the column the rest of the line. */
static void table_widen(struct table *t, unsigned width, unsigned column)
{
	struct table_column *c = column < t->ncolumns ? &t->columns[column] : NULL;

	if (!c || c->hidden || !c->most)
		return;
	const size_t others = table_width(t) - c->most;
	size_t most = width > others ? width - others : 0;

	if (most < LEAST)
		most = LEAST;
	c->most = most < c->width ? most : 0;
}

/* False: no column may go. */
static bool table_leave_out(struct table *t)
{
	struct table_column *spare = NULL;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		struct table_column *c = &t->columns[i];

		if (!c->hidden && c->spare && (!spare || c->spare >= spare->spare))
			spare = c;
	}
	if (!spare)
		return false;
	spare->hidden = spare->left_out = true;
	return true;
}

void table_fit(struct table *t, unsigned width, unsigned label, unsigned last)
{
	if (!width || table_width(t) <= width)
		return;
	t->fitted = width;
	table_limit(t, label, LABEL_WANTS);
	table_limit(t, last, LAST_WANTS);
	while (table_width(t) > width && table_leave_out(t))
		;
	if (table_width(t) > width)
		table_limit(t, label, LEAST);
	table_widen(t, width, label);
	table_widen(t, width, last);
}

void table_tell_fit(const struct table *t, const char *chooses)
{
	const char *between = " columns: ";
	bool any = false;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		const struct table_column *c = &t->columns[i];

		if (!c->left_out || !c->heading)
			continue;
		if (!any)
			out_printf(t->o, "# left out to fit %u", t->fitted);
		any = true;
		out_str(t->o, between);
		out_str(t->o, c->heading);
		between = ", ";
	}
	if (any)
		out_printf(t->o, " (%s)\n", chooses);
}

bool table_pass_fit(struct table *t, unsigned width, unsigned label)
{
	bool is_first = true;

	if (!table_pass(t)) {
		table_tell_fit(t, "--width chooses");
		return false;
	}
	if (table_is_measuring(t) || !width)
		return true;
	if (label == TABLE_LAST)
		label = t->ncolumns - 1;
	for (unsigned i = 0; i < t->ncolumns; i++) {
		/* An indent is a column, too. */
		if (i == label || !t->columns[i].heading || t->columns[i].heading[0] == ' ')
			continue;
		t->columns[i].spare = !is_first;
		is_first = false;
	}
	table_fit(t, width, label, TABLE_NONE);
	return true;
}
