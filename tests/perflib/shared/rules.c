/*
 * counterset.h's rules for countersets of other programs.
 */
#include "rules.h"

#include <string.h>

static int is_clean(const char *s, size_t room)
{
	size_t n = strnlen(s, room);

	if (n == room)
		return 0;
	for (size_t i = 0; i < n;) {
		const unsigned char *c = (const unsigned char *)s + i;
		size_t length = c[0] < 0x80    ? 1
				: c[0] < 0xc2  ? 0
				: c[0] < 0xe0  ? 2
				: c[0] < 0xf0  ? 3
				: c[0] <= 0xf4 ? 4
					       : 0;

		if (length == 0 || c[0] < 0x20 || c[0] == 0x7f || i + length > n ||
			(c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xe0 && c[1] < 0xa0) ||
			(c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
			(c[0] == 0xf4 && c[1] > 0x8f))
			return 0;
		for (size_t k = 1; k < length; k++)
			if ((c[k] & 0xc0) != 0x80)
				return 0;
		i += length;
	}
	return 1;
}

const char *broken_definition(const struct counterset_definition *d)
{
	if (!d->name || !*d->name || !is_clean(d->name, COUNTERSET_NAME_BYTES))
		return "name";
	if (!d->help || !is_clean(d->help, COUNTERSET_HELP_BYTES))
		return "help";
	if (!d->provider_name || !is_clean(d->provider_name, COUNTERSET_NAME_BYTES))
		return "provider's name";
	if (d->type != PERF_COUNTERSET_SINGLE_INSTANCE &&
		d->type != PERF_COUNTERSET_MULTI_INSTANCES)
		return "type";
	if (d->ncounters == 0 || d->ncounters > COUNTERSET_COUNTERS)
		return "number of counters";
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct counter_definition *c = &d->counter[i];
		uint32_t size = c->type & PERF_SIZE_MASK;

		if ((i && c->id <= c[-1].id) || c->id == PERF_WILDCARD_COUNTER)
			return "order of ids";
		if (size != PERF_SIZE_DWORD && size != PERF_SIZE_LARGE)
			return "size of a counter";
		if (c->base != PERF_NO_COUNTER &&
			(c->base == c->id || counterset_column(d, c->base) < 0))
			return "base";
		if (!c->name || !*c->name || !is_clean(c->name, COUNTERSET_NAME_BYTES) ||
			!c->help || !is_clean(c->help, COUNTERSET_HELP_BYTES))
			return "text of a counter";
		if ((c->attrib & PERF_ATTRIB_BY_REFERENCE) || c->aggregate > PERF_AGGREGATE_MAX ||
			c->scale < -10 || c->scale > 10)
			return "attribute, aggregate or scale";
	}
	return NULL;
}

const char *broken_rows(const struct rows *r, const struct counterset_definition *d)
{
	if (r->columns != d->ncounters)
		return "columns";
	if (r->used > COUNTERSET_INSTANCES ||
		(d->type == PERF_COUNTERSET_SINGLE_INSTANCE && r->used > 1))
		return "number of instances";
	for (uint32_t i = 0; i < r->used; i++) {
		const struct row *row = &r->row[i];

		if (row->name_bytes >= PERF_MAX_INSTANCE_NAME ||
			row->name + row->name_bytes + (size_t)1 > r->names_used ||
			strlen(r->names + row->name) != row->name_bytes ||
			!is_clean(r->names + row->name, PERF_MAX_INSTANCE_NAME))
			return "an instance's name";
		if ((row->name_bytes == 0) != (d->type == PERF_COUNTERSET_SINGLE_INSTANCE))
			return "a name where none is, or none";
		if (row->id == PERF_ANY_INSTANCE_ID)
			return "an instance's id";
		for (uint32_t c = 0; c < r->columns; c++) {
			size_t at = (size_t)i * r->columns + c;

			if (r->known[at] > 1)
				return "presence of a value";
			if (r->known[at] &&
				(d->counter[c].type & PERF_SIZE_MASK) == PERF_SIZE_DWORD &&
				r->value[at] > UINT32_MAX)
				return "a value of 32 bits";
		}
	}
	return NULL;
}
