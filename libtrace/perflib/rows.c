#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/search.h"
#include "../../formats/base/utf8.h"
#include "counterset.h"

enum { NAME_BYTES = PERF_MAX_INSTANCE_NAME - 1 };

int counterset_column(const struct counterset_definition *set, uint32_t id)
{
	struct search s = {0, set->ncounters};

	while (s.low < s.high)
		search_narrow(&s, set->counter[search_middle(&s)].id < id);
	return s.low < set->ncounters && set->counter[s.low].id == id ? (int)s.low : -1;
}

void rows_begin(struct rows *r, uint32_t columns)
{
	r->columns = columns;
	r->used = 0;
	r->names_used = 0;
}

static bool rows_reserve_row(struct rows *r)
{
	/* One cell more: the arrays exist even without columns. */
	size_t rows = (size_t)r->used + 1, cells = rows * r->columns + 1;

	return array_reserve(&r->row, &r->row_room, rows, sizeof *r->row) &&
	       array_reserve(&r->value, &r->value_room, cells, sizeof *r->value) &&
	       array_reserve(&r->known, &r->known_room, cells, sizeof *r->known) &&
	       array_reserve(&r->names, &r->names_room, r->names_used + PERF_MAX_INSTANCE_NAME, 1);
}

bool rows_add(struct rows *r, const char *name, size_t bytes, uint32_t id)
{
	struct row *row;

	if (r->used >= COUNTERSET_INSTANCES || !rows_reserve_row(r))
		return false;
	row = &r->row[r->used];
	row->id = id;
	row->name = (uint32_t)r->names_used;
	row->name_bytes =
		(uint32_t)utf8_copy_clean(r->names + r->names_used, NAME_BYTES, name, bytes);
	r->names_used += row->name_bytes + 1;
	memset(r->known + (size_t)r->used * r->columns, 0, r->columns);
	r->used++;
	return true;
}

void rows_free(struct rows *r)
{
	free(r->row);
	free(r->value);
	free(r->known);
	free(r->names);
	*r = (struct rows){0};
}
