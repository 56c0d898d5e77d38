#include <stdlib.h>
#include <string.h>

#include "hook_fields.h"

struct hook_field_entry {
	struct field_value value;
	uint32_t next; /* of the same field: entry + 1; 0: the last */
};

static int keep(struct hook_fields *f, const struct field_value *v)
{
	if (f->count == f->allocated) {
		uint32_t more = f->allocated ? 2 * f->allocated : 64;
		struct hook_field_entry *p = realloc(f->entries, more * sizeof *p);
		if (!p)
			return -1;
		f->entries = p;
		f->allocated = more;
	}
	f->entries[f->count] = (struct hook_field_entry){.value = *v};
	uint32_t entry = ++f->count;
	if (f->last[v->index])
		f->entries[f->last[v->index] - 1].next = entry;
	else
		f->first[v->index] = entry;
	f->last[v->index] = entry;
	return 0;
}

static void write_fix4(struct json *j, uint64_t v)
{
	/* Exactly: the integral part has more bits than a double would keep. */
	json_u64(j, v / 10000);
	out_char(j->o, '.');
	for (unsigned unit = 1000; unit; unit /= 10)
		out_char(j->o, (char)('0' + v / unit % 10));
}

static void write_value(struct json *j, const struct field_value *v)
{
	if (v->not_measured) {
		json_null(j);
		return;
	}
	switch (v->field->type) {
	case FIELD_U32:
	case FIELD_U64:
		json_u64(j, v->u);
		break;
	case FIELD_I32:
	case FIELD_I64:
		json_i64(j, v->i);
		break;
	case FIELD_FIX4:
		write_fix4(j, v->u);
		break;
	case FIELD_F64:
		json_double(j, v->f);
		break;
	case FIELD_STRING:
		json_string(j, v->string, v->length);
		break;
	}
}

int hook_fields_write(struct hook_fields *f, struct json *j, const struct hook *h)
{
	struct field_cursor cursor;
	struct field_value v;
	unsigned nfields;
	f->fit = 0;
	if (!h->schema) {
		json_null(j);
		return 0;
	}
	const struct schema_field *fields = schema_hook_fields(h->schema, &nfields);
	f->count = 0;
	memset(f->first, 0, nfields * sizeof *f->first);
	memset(f->last, 0, nfields * sizeof *f->last);
	field_start(&cursor, h);
	while (field_next(&cursor, &v)) {
		int rc = keep(f, &v);
		if (rc < 0)
			return rc;
	}
	f->fit = cursor.fit;
	json_open(j, '{');
	for (unsigned i = 0; i < nfields; i++) {
		if (!f->first[i])
			continue;
		json_key(j, fields[i].name);
		if (fields[i].repeated)
			json_open(j, '[');
		for (uint32_t entry = f->first[i]; entry; entry = f->entries[entry - 1].next)
			write_value(j, &f->entries[entry - 1].value);
		if (fields[i].repeated)
			json_close(j, ']');
	}
	json_close(j, '}');
	return 0;
}

void hook_fields_free(struct hook_fields *f)
{
	free(f->entries);
	*f = (struct hook_fields){0};
}

const char *hook_fields_fit(uint32_t fit)
{
	return fit & FIT_SHORT ? "short" : fit & FIT_LONG ? "long" : NULL;
}
