#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "counterset.h"

enum { FIRST_ROWS = 16, NAME_BYTES = PERF_MAX_INSTANCE_NAME - 1 };

int counterset_column(const struct counterset_definition *set, uint32_t id)
{
	uint32_t from = 0, to = set->ncounters;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (set->counter[middle].id == id)
			return (int)middle;
		if (set->counter[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return -1;
}

static bool rows_grow_array(void **at, size_t count, size_t size)
{
	void *grown = realloc(*at, count && size ? count * size : 1);

	if (!grown)
		return false;
	*at = grown;
	return true;
}

void rows_begin(struct rows *r, uint32_t columns)
{
	if (columns != r->columns)
		r->allocated = 0; /* allocated for another number of columns */
	r->columns = columns;
	r->used = 0;
	r->names_used = 0;
}

static bool rows_reserve_row(struct rows *r)
{
	if (r->used == r->allocated) {
		uint32_t rows = r->allocated ? r->allocated * 2 : FIRST_ROWS;
		size_t cells = (size_t)rows * r->columns;

		if (!rows_grow_array((void **)&r->row, rows, sizeof *r->row) ||
			!rows_grow_array((void **)&r->value, cells, sizeof *r->value) ||
			!rows_grow_array((void **)&r->known, cells, sizeof *r->known))
			return false;
		r->allocated = rows;
	}
	if (r->names_allocated - r->names_used < PERF_MAX_INSTANCE_NAME) {
		size_t bytes = (r->names_allocated + PERF_MAX_INSTANCE_NAME) * 2;

		if (!rows_grow_array((void **)&r->names, bytes, 1))
			return false;
		r->names_allocated = bytes;
	}
	return true;
}

bool rows_add(struct rows *r, const char *name, size_t bytes, uint32_t id)
{
	struct row *row;

	if (r->used >= COUNTERSET_INSTANCES || !rows_reserve_row(r))
		return false;
	row = &r->row[r->used];
	row->id = id;
	row->name = (uint32_t)r->names_used;
	row->name_bytes = (uint32_t)clean_copy(r->names + r->names_used, NAME_BYTES, name, bytes);
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
