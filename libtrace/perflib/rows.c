#include <stdlib.h>
#include <string.h>

#include "../dump/text.h"
#include "counterset.h"

enum { FIRST_ROWS = 16, NAME_BYTES = PERF_MAX_INSTANCE_NAME - 1 };

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

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

static bool grow(void **at, size_t count, size_t size)
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
		r->allocated = 0; /* of another width */
	r->columns = columns;
	r->used = 0;
	r->names_used = 0;
}

static bool make_room(struct rows *r)
{
	if (r->used == r->allocated) {
		uint32_t rows = r->allocated ? r->allocated * 2 : FIRST_ROWS;
		size_t cells = (size_t)rows * r->columns;

		if (!grow((void **)&r->row, rows, sizeof *r->row) ||
			!grow((void **)&r->value, cells, sizeof *r->value) ||
			!grow((void **)&r->known, cells, sizeof *r->known))
			return false;
		r->allocated = rows;
	}
	if (r->names_allocated - r->names_used < PERF_MAX_INSTANCE_NAME) {
		size_t bytes = (r->names_allocated + PERF_MAX_INSTANCE_NAME) * 2;

		if (!grow((void **)&r->names, bytes, 1))
			return false;
		r->names_allocated = bytes;
	}
	return true;
}

/* At most NAME_BYTES of UTF-8 without NULs, and one. Returns how many without it. */
static uint32_t put_name(char *to, const char *name, size_t bytes)
{
	uint32_t used = 0;

	for (size_t at = 0; at < bytes;) {
		size_t length = name[at] ? utf8_length(name + at, bytes - at) : 0;
		const char *from = length ? name + at : replacement;
		size_t size = length ? length : sizeof replacement - 1;

		if (used + size > NAME_BYTES)
			break;
		memcpy(to + used, from, size);
		used += (uint32_t)size;
		at += length ? length : 1;
	}
	to[used] = 0;
	return used;
}

bool rows_add(struct rows *r, const char *name, size_t bytes, uint32_t id)
{
	struct row *row;

	if (r->used >= COUNTERSET_INSTANCES || !make_room(r))
		return false;
	row = &r->row[r->used];
	row->id = id;
	row->name = (uint32_t)r->names_used;
	row->name_bytes = put_name(r->names + r->names_used, name, bytes);
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
