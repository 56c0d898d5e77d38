#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../../sink/csv.h"
#include "../../sink/escapes.h"
#include "../../sink/fmt.h"

struct hook_field_entry {
	struct field_value value;
	uint32_t next; /* of the same field: entry + 1; 0: the last */
};

enum { FIX4_DECIMALS = 5 }; /* the point, too */

/* The last four decimals of v ten-thousandths. */
static char *hook_fields_fmt_decimals4(char *p, uint64_t v)
{
	*p++ = '.';
	for (unsigned unit = 1000; unit; unit /= 10)
		*p++ = (char)('0' + v / unit % 10);
	return p;
}

void hook_fields_init(struct hook_fields *f, const struct trace *t, enum hook_fields_as as)
{
	*f = (struct hook_fields){.as = as, .trace = t};
	out_memory(&f->scratch);
}

static int hook_fields_append_value(struct hook_fields *f, const struct field_value *v)
{
	if (array_grow(&f->entries, f->count, &f->room, sizeof *f->entries))
		return CPIDECODE_ENOMEM;
	f->entries[f->count] = (struct hook_field_entry){.value = *v};
	uint32_t entry = (uint32_t)++f->count;
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
	char *p = out_reserve(j->o, FIX4_DECIMALS + FMT_SLACK);
	if (p)
		out_reach(j->o, hook_fields_fmt_decimals4(p, v));
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

/* Fields in any number of turns: their values are gathered first. */
static int hook_fields_gather(struct hook_fields *f, const struct hook *h, unsigned nfields)
{
	struct field_cursor cursor;
	struct field_value v;

	f->count = 0;
	memset(f->first, 0, nfields * sizeof *f->first);
	memset(f->last, 0, nfields * sizeof *f->last);
	field_start(&cursor, h);
	while (field_next(&cursor, &v))
		if (hook_fields_append_value(f, &v))
			return CPIDECODE_ENOMEM;
	f->fit = cursor.fit;
	return 0;
}

static void hook_fields_spell_value(struct out *o, const struct field_value *v)
{
	struct json j = {.o = o};

	if (v->not_measured)
		out_str(o, "n/a");
	else if (v->field->type == FIELD_STRING)
		escape_quoted(o, v->string, v->length);
	else if (v->field->type == FIELD_F64 && !isfinite(v->f))
		out_str(o, isnan(v->f) ? "NaN" : v->f > 0 ? "inf" : "-inf");
	else
		write_value(&j, v);
}

static int hook_fields_spell(struct hook_fields *f, struct out *o, const struct hook *h)
{
	unsigned nfields;
	const struct schema_field *fields = schema_hook_fields(h->schema, &nfields);

	if (hook_fields_gather(f, h, nfields))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < nfields; i++) {
		if (!f->first[i])
			continue;
		out_char(o, ' ');
		out_str(o, fields[i].name);
		for (uint32_t entry = f->first[i]; entry; entry = f->entries[entry - 1].next) {
			out_char(o, entry == f->first[i] ? '=' : ',');
			hook_fields_spell_value(o, &f->entries[entry - 1].value);
		}
	}
	return 0;
}

static int write_walking(struct hook_fields *f, struct json *j, const struct hook *h)
{
	unsigned nfields;
	const struct schema_field *fields = schema_hook_fields(h->schema, &nfields);

	if (hook_fields_gather(f, h, nfields))
		return CPIDECODE_ENOMEM;
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
	if (hook_names_read(&f->names, f->trace, h))
		hook_names_write(&f->names, j);
	json_close(j, '}');
	return 0;
}

/* With the comma or space before them. */
static int spell_keys(struct hook_keys *k, const struct schema_hook *schema, enum hook_fields_as as)
{
	const bool is_text = as == HOOK_FIELDS_TEXT;
	unsigned n;
	const char *quote = is_text ? "" : as == HOOK_FIELDS_CSV ? "\"\"" : "\"";
	const struct schema_field *fields = schema_hook_fields(schema, &n);

	k->text.len = 0;
	k->count = n;
	for (unsigned i = 0; i < n; i++) {
		uint32_t start = (uint32_t)k->text.len;

		out_char(&k->text, is_text ? ' ' : ',');
		out_str(&k->text, quote);
		out_str(&k->text, fields[i].name);
		out_str(&k->text, quote);
		out_char(&k->text, is_text ? '=' : ':');
		k->of[i] = (struct hook_key){.field = &fields[i],
			.at = start,
			.length = (uint32_t)k->text.len - start,
			.bytes = 4 * schema_type_words(fields[i].type),
			.plain =
				fields[i].type == FIELD_U32 && !(fields[i].attributes & FIELD_NA0)};
	}
	out_pad(&k->text);
	k->schema = k->text.error ? NULL : schema;
	k->straight = n && schema_hook_straight(schema);
	for (unsigned i = 0; i < n; i++)
		k->straight = k->straight && fields[i].type != FIELD_STRING &&
			      fields[i].type != FIELD_F64;
	return k->schema ? 0 : CPIDECODE_ENOMEM;
}

/* NULL: no memory. */
static const struct hook_keys *find_keys(struct hook_fields *f, const struct schema_hook *schema)
{
	uintptr_t place = (uintptr_t)schema;
	struct hook_keys **k = &f->keys[(place >> 4 ^ place >> 10) % HOOK_FIELDS_CACHED];

	if (!*k) {
		*k = calloc(1, sizeof **k);
		if (!*k)
			return NULL;
		out_memory(&(*k)->text);
	}
	if ((*k)->schema != schema && spell_keys(*k, schema, f->as))
		return NULL;
	return *k;
}

/* A number of two words, or one that may be negative or not measured. */
static char *put_value(
	char *p, const struct schema_field *field, const uint8_t *words, bool is_text)
{
	bool narrow = schema_type_words(field->type) == 1;
	uint64_t v = narrow ? get_le32(words) : get_hl64(words);

	if (field->type == FIELD_FIX4)
		v = (uint64_t)get_le32(words) * 10000 + get_le32(words + 4);
	if (v == 0 && field->attributes & FIELD_NA0)
		return is_text ? fmt_text(p, "n/a") : fmt_text(p, "null");
	switch (field->type) {
	case FIELD_I32:
		return fmt_i64(p, (int32_t)v);
	case FIELD_I64:
		return fmt_i64(p, (int64_t)v);
	case FIELD_FIX4:
		return hook_fields_fmt_decimals4(fmt_u64(p, v / 10000), v);
	default:
		return fmt_u64(p, v);
	}
}

/* Integers only, once each, all there: straight from the words. */
static void write_straight(
	struct hook_fields *f, struct out *o, const struct hook *h, const struct hook_keys *keys)
{
	enum { VALUE = 48 };
	const char *text = keys->text.buf;
	const uint8_t *words = h->words;
	char *p = out_reserve(o, keys->text.len + (size_t)keys->count * VALUE + VALUE);

	if (!p)
		return;
	if (f->as == HOOK_FIELDS_CSV)
		p = fmt_char(p, '"');
	char *start = p;
	for (unsigned i = 0; i < keys->count; i++) {
		const struct hook_key *k = &keys->of[i];

		p = fmt_padded(p, text + k->at, k->length);
		p = k->plain ? fmt_u32(p, get_le32(words))
			     : put_value(p, k->field, words, f->as == HOOK_FIELDS_TEXT);
		words += k->bytes;
	}
	if (f->as != HOOK_FIELDS_TEXT) {
		*start = '{'; /* instead of the first comma */
		p = fmt_char(p, '}');
	}
	if (f->as == HOOK_FIELDS_CSV)
		p = fmt_char(p, '"');
	out_reach(o, p);
}

int hook_fields_write(struct hook_fields *f, struct out *o, const struct hook *h)
{
	struct json j = {.o = o};
	struct csv c = {.o = o};

	f->fit = 0;
	if (!h->schema) {
		if (f->as != HOOK_FIELDS_TEXT)
			json_null(&j);
		return 0;
	}
	const struct hook_keys *keys = find_keys(f, h->schema);
	if (!keys)
		return CPIDECODE_ENOMEM;
	f->fit = field_fit(h);
	if (!f->fit && keys->straight) {
		write_straight(f, o, h, keys);
		return 0;
	}
	if (f->as == HOOK_FIELDS_TEXT)
		return hook_fields_spell(f, o, h);
	if (f->as == HOOK_FIELDS_JSON)
		return write_walking(f, &j, h);
	f->scratch.len = 0;
	j.o = &f->scratch;
	int rc = write_walking(f, &j, h);
	csv_string(&c, f->scratch.buf, f->scratch.len);
	return rc ? rc : f->scratch.error ? CPIDECODE_ENOMEM : 0;
}

void hook_fields_free(struct hook_fields *f)
{
	for (unsigned i = 0; i < HOOK_FIELDS_CACHED; i++) {
		if (f->keys[i])
			out_discard(&f->keys[i]->text);
		free(f->keys[i]);
	}
	out_discard(&f->scratch);
	hook_names_free(&f->names);
	free(f->entries);
	*f = (struct hook_fields){0};
}

const char *hook_fields_fit(uint32_t fit)
{
	return fit & FIT_SHORT ? "short" : fit & FIT_LONG ? "long" : NULL;
}
