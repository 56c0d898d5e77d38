#include "rows_fit.h"

#include <string.h>

/* The last column of that place; TABLE_NONE: none. */
static unsigned rows_find_last(const struct rows *rows, int place)
{
	for (unsigned i = rows->n; i--;)
		if (rows->columns[i]->place == place)
			return i;
	return TABLE_NONE;
}

void rows_fit(struct rows *rows)
{
	struct table *t = &rows->table;

	for (unsigned i = 0; i < rows->n && i < t->ncolumns; i++) {
		t->columns[i].spare = rows->columns[i]->spare;
		if (rows->known && !rows->known[i])
			table_hide(t, i);
	}
	table_fit(t, rows->width, rows_find_last(rows, PLACE_FIRST),
		rows_find_last(rows, PLACE_LAST));
}

bool rows_is_known(const struct rows *rows, const char *name)
{
	for (unsigned i = 0; rows->known && i < rows->n; i++)
		if (rows->columns[i]->name && strcmp(rows->columns[i]->name, name) == 0)
			return rows->known[i];
	return true;
}
