#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../../sink/csv.h"
#include "../../sink/escapes.h"
#include "../../sink/fmt.h"

/* A value, and the text before it. */
struct form_value {
	const struct schema_field *field;
	uint32_t text, length; /* in the form's text, from there */
	uint32_t at;	       /* of its words, in bytes; of a string: its number */
	bool is_plain;	       /* a u32 that is measured whatever it is */
};

/* The bits of a word that the form depends on. */
struct form_check {
	uint32_t at, bits, value;
};

struct hook_form {
	const struct schema_hook *schema;
	uint32_t nwords, nstrings;
	uint32_t fit;
	size_t nchecks, checks_room;
	struct form_check *checks;
	size_t nvalues, values_room;
	struct form_value *values; /* as they are written: by fields */
	struct out text;	   /* before the values; after the last one from `end` on */
	size_t end, length;
	size_t room;	/* for the texts and numbers of a hook */
	bool is_named;	/* the table of labels may have texts of it */
	bool is_quoted; /* as a field of CSV */
};

enum {
	HOOK_FORM_LONG = 512, /* words and strings: forms of more share a place */
	FORM_NUMBER = 24,     /* the longest one */
};

void hook_fields_init(struct hook_fields *f, const struct trace *t, enum hook_fields_as as)
{
	*f = (struct hook_fields){.as = as, .trace = t};
	out_memory(&f->scratch);
}

static void hook_form_free(struct hook_form *form)
{
	out_discard(&form->text);
	free(form->checks);
	free(form->values);
	free(form);
}

void hook_fields_free(struct hook_fields *f)
{
	for (unsigned i = 0; i <= HOOK_FORMS; i++)
		if (f->forms[i])
			hook_form_free(f->forms[i]);
	out_discard(&f->scratch);
	hook_names_free(&f->names);
}

const char *hook_fields_fit(uint32_t fit)
{
	return fit & FIT_SHORT ? "short" : fit & FIT_LONG ? "long" : NULL;
}

/* ------------------------------------------------------------------------------- forms */

static int form_add_checks(
	struct hook_form *form, const struct hook *h, const struct schema_field *field, uint32_t at)
{
	uint32_t bits[2];

	schema_slot_bits(h->schema, field, bits);
	for (unsigned i = 0; i < schema_type_words(field->type); i++, at += 4) {
		if (!bits[i])
			continue;
		if (array_grow(
			    &form->checks, form->nchecks, &form->checks_room, sizeof *form->checks))
			return CPIDECODE_ENOMEM;
		form->checks[form->nchecks++] =
			(struct form_check){at, bits[i], get_le32(h->words + at) & bits[i]};
	}
	return 0;
}

/* The values of each field, one after the other, in the schema's order. */
static int form_find_values(struct hook_form *form, const struct hook *h)
{
	uint32_t next[SCHEMA_MAX_FIELDS + 1];
	struct field_cursor c;
	struct field_value v;
	unsigned nfields;

	schema_hook_fields(h->schema, &nfields);
	memset(next, 0, (nfields + 1) * sizeof *next);
	for (field_start(&c, h); field_next(&c, &v); form->nvalues++)
		next[v.index + 1]++;
	form->fit = c.fit;
	if (!array_reserve(&form->values, &form->values_room, form->nvalues, sizeof *form->values))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < nfields; i++)
		next[i + 1] += next[i];
	for (field_start(&c, h); field_next(&c, &v);) {
		const unsigned words = schema_type_words(v.field->type);
		const uint32_t at = words ? 4 * (c.words_used - words) : c.strings_used - 1;

		form->values[next[v.index]++] = (struct form_value){.field = v.field,
			.at = at,
			.is_plain =
				v.field->type == FIELD_U32 && !(v.field->attributes & FIELD_NA0)};
		if (form_add_checks(form, h, v.field, at))
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static void form_spell_key(
	struct out *o, const struct schema_field *field, enum hook_fields_as as, bool is_first)
{
	const char *quote = as == HOOK_FIELDS_CSV ? "\"\"" : "\"";

	if (as == HOOK_FIELDS_TEXT) {
		out_char(o, ' ');
		out_str(o, field->name);
		out_char(o, '=');
		return;
	}
	if (!is_first)
		out_char(o, ',');
	out_str(o, quote);
	out_str(o, field->name);
	out_str(o, quote);
	out_char(o, ':');
	if (field->repeated)
		out_char(o, '[');
}

/* The text before each value, and after the last one. */
static void form_spell(struct hook_form *form, enum hook_fields_as as)
{
	const bool is_text = as == HOOK_FIELDS_TEXT;
	const struct schema_field *field = NULL;
	struct out *o = &form->text;

	o->len = 0;
	if (!is_text)
		out_str(o, form->is_quoted ? "\"{" : "{");
	for (struct form_value *v = form->values; v < form->values + form->nvalues; v++) {
		v->text = v == form->values ? 0 : (uint32_t)o->len;
		if (v->field == field) {
			out_char(o, ',');
		} else {
			if (field && field->repeated && !is_text)
				out_char(o, ']');
			form_spell_key(o, v->field, as, !field);
		}
		v->length = (uint32_t)o->len - v->text;
		field = v->field;
	}
	form->end = form->nvalues ? o->len : 0;
	if (field && field->repeated && !is_text)
		out_char(o, ']');
	form->length = o->len;
	form->room = o->len + FORM_NUMBER * (form->nvalues + 1) + FMT_SLACK;
	out_pad(o);
}

static int form_make(struct hook_form *form, struct hook_fields *f, const struct hook *h)
{
	int rc;

	form->schema = NULL;
	form->nwords = h->nwords;
	form->nstrings = h->nstrings;
	form->nvalues = form->nchecks = 0;
	rc = form_find_values(form, h);
	if (rc)
		return rc;
	form->is_named = hook_names_read(&f->names, f->trace, h);
	/* The texts of the table of labels say more than their numbers. */
	if (form->is_named && f->as == HOOK_FIELDS_TEXT)
		form->nvalues = 0;
	/* That an interval is over has no label of its own. */
	else if (!form->fit && !h->nstrings && schema_hook_straight(h->schema))
		form->is_named = false;
	form->is_quoted = f->as == HOOK_FIELDS_CSV && (form->nvalues || form->is_named);
	form_spell(form, f->as);
	if (form->text.error)
		return CPIDECODE_ENOMEM;
	form->schema = h->schema;
	return 0;
}

static bool form_fits(const struct hook_form *form, const struct hook *h)
{
	if (form->schema != h->schema || form->nwords != h->nwords || form->nstrings != h->nstrings)
		return false;
	for (size_t i = 0; i < form->nchecks; i++) {
		const struct form_check *c = &form->checks[i];

		if ((get_le32(h->words + c->at) & c->bits) != c->value)
			return false;
	}
	return true;
}

/* Long hooks share a place: the forms take little memory. */
static unsigned hook_fields_hash(const struct hook *h)
{
	const uintptr_t place = (uintptr_t)h->schema;

	if (h->nwords + h->nstrings > HOOK_FORM_LONG)
		return HOOK_FORMS;
	return (unsigned)(place >> 4 ^ place >> 10 ^ h->nwords ^ h->nstrings << 4) % HOOK_FORMS;
}

/* NULL: no memory. */
static const struct hook_form *hook_fields_find_form(struct hook_fields *f, const struct hook *h)
{
	struct hook_form **form = &f->forms[hook_fields_hash(h)];

	if (*form && form_fits(*form, h))
		return *form;
	if (!*form) {
		*form = calloc(1, sizeof **form);
		if (!*form)
			return NULL;
		out_memory(&(*form)->text);
	}
	return form_make(*form, f, h) ? NULL : *form;
}

/* ------------------------------------------------------------------------------ values */

/* A number of two words, or one that may be negative or not measured. */
static char *hook_fields_fmt_number(
	char *p, const struct schema_field *field, const uint8_t *words, bool is_text)
{
	bool narrow = schema_type_words(field->type) == 1;
	uint64_t v = narrow ? get_le32(words) : get_hl64(words);

	/* Exactly: the integral part has more bits than a double would keep. */
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
		return fmt_4(fmt_char(fmt_u64(p, v / 10000), '.'), (uint32_t)(v % 10000));
	default:
		return fmt_u64(p, v);
	}
}

static void hook_fields_write_string(
	struct hook_fields *f, struct out *o, const char *string, uint32_t length)
{
	struct out *to = f->as == HOOK_FIELDS_CSV ? &f->scratch : o;
	struct json j = {.o = to};
	struct csv c = {.o = o};

	if (f->as == HOOK_FIELDS_TEXT) {
		escape_quoted(o, string, length);
		return;
	}
	f->scratch.len = 0;
	json_string(&j, string, length);
	csv_add_quoted(&c, f->scratch.buf, f->scratch.len);
}

static void hook_fields_write_double(
	struct out *o, const struct schema_field *field, const uint8_t *words, bool is_text)
{
	const uint64_t bits = get_hl64(words);
	struct json j = {.o = o};
	double v;

	memcpy(&v, &bits, sizeof v);
	const bool is_known = v != 0 || !(field->attributes & FIELD_NA0);
	if (!is_text)
		json_double(&j, is_known ? v : NAN);
	else if (!is_known)
		out_str(o, "n/a");
	else if (isfinite(v))
		out_double(o, v);
	else
		out_str(o, isnan(v) ? "NaN" : v > 0 ? "inf" : "-inf");
}

/* A value that fmt.h does not spell. */
static void hook_fields_write_value(
	struct hook_fields *f, struct out *o, const struct hook *h, const struct form_value *v)
{
	uint32_t length;

	if (v->field->type == FIELD_F64) {
		hook_fields_write_double(o, v->field, h->words + v->at, f->as == HOOK_FIELDS_TEXT);
	} else {
		const char *string = hook_string(h, v->at, &length);

		hook_fields_write_string(f, o, string, length);
	}
}

static void hook_fields_write_values(
	struct hook_fields *f, struct out *o, const struct hook *h, const struct hook_form *form)
{
	const struct form_value *const end = form->values + form->nvalues;
	const char *text = form->text.buf;
	char *p = out_reserve(o, form->room);

	for (const struct form_value *v = form->values; v < end && p; v++) {
		const uint8_t *words = h->words + v->at;

		p = fmt_padded(p, text + v->text, v->length);
		if (v->is_plain) {
			p = fmt_u32(p, get_le32(words));
		} else if (v->field->type != FIELD_STRING && v->field->type != FIELD_F64) {
			p = hook_fields_fmt_number(p, v->field, words, f->as == HOOK_FIELDS_TEXT);
		} else {
			out_reach(o, p);
			hook_fields_write_value(f, o, h, v);
			p = out_reserve(o, form->room);
		}
	}
	if (p)
		out_reach(o, fmt_copy(p, text + form->end, form->length - form->end));
}

/* Texts of the table of labels: as text alone, else as members after the fields. */
static void hook_fields_write_names(
	struct hook_fields *f, struct out *o, const struct hook *h, const struct hook_form *form)
{
	struct out *to = f->as == HOOK_FIELDS_CSV ? &f->scratch : o;
	struct json j = {.o = to, .comma = form->nvalues};
	struct csv c = {.o = o};

	if (!hook_names_read(&f->names, f->trace, h))
		return;
	if (f->as == HOOK_FIELDS_TEXT) {
		hook_names_spell(&f->names, o);
		return;
	}
	f->scratch.len = 0;
	hook_names_write(&f->names, &j);
	csv_add_quoted(&c, f->scratch.buf, f->scratch.len);
}

int hook_fields_write(struct hook_fields *f, struct out *o, const struct hook *h)
{
	const struct hook_form *form;
	struct json j = {.o = o};

	f->fit = 0;
	if (!h->schema) {
		if (f->as != HOOK_FIELDS_TEXT)
			json_null(&j);
		return 0;
	}
	form = hook_fields_find_form(f, h);
	if (!form)
		return CPIDECODE_ENOMEM;
	f->fit = form->fit;
	hook_fields_write_values(f, o, h, form);
	if (form->is_named)
		hook_fields_write_names(f, o, h, form);
	if (f->as != HOOK_FIELDS_TEXT)
		out_str(o, form->is_quoted ? "}\"" : "}");
	return f->scratch.error ? CPIDECODE_ENOMEM : 0;
}
