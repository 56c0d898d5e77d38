#include "form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "../../sink/escapes.h"
#include "../../sink/fmt.h"

enum {
	FORM_LINE = 64,	   /* the longest time, and what stands at the ends */
	FORM_LONGEST = 24, /* number */
	FORM_DECIMAL = 11, /* word, with a comma */
};

/* A column of CSV and JSON. */
struct form_column {
	const char *name;
	enum form_kind kind;
	uint16_t at;
};

#define AT(member) offsetof(struct hook, member)

static const struct form_column form_columns[] = {
	{"host", FORM_HOST, 0},
	{"time_ns", FORM_TIME, 0},
	{"ticks", FORM_U64, AT(ticks)},
	{"cpu", FORM_CPU, 0},
	{"tid", FORM_U32, AT(tid)},
	{"pid", FORM_TASK, 0},
	{"task", FORM_SPELLED, 0},
	{"container", FORM_SPELLED, 0},
	{"major", FORM_MAJOR, 0},
	{"minor", FORM_U32, AT(minor)},
	{"name", FORM_NAME, 0},
	{"words", FORM_WORDS, 0},
	{"strings", FORM_STRINGS, 0},
	{"fields", FORM_FIELDS, 0},
};

#undef AT

enum { FORM_COLUMNS = sizeof form_columns / sizeof *form_columns };

void hook_form_free(struct hook_form *form)
{
	out_discard(&form->text);
	free(form->checks);
	free(form->values);
	free(form);
}

static bool form_has_column(const struct form_how *how, const struct form_column *c)
{
	return c->kind == FORM_HOST ? how->names_hosts
				    : how->has_containers || strcmp(c->name, "container") != 0;
}

void hook_form_header(struct csv *c, const struct form_how *how)
{
	for (size_t i = 0; i < FORM_COLUMNS; i++)
		if (form_has_column(how, &form_columns[i]))
			csv_text(c, form_columns[i].name);
	csv_end(c);
}

const char *hook_form_fit(uint32_t fit)
{
	return fit & FIT_SHORT ? "short" : fit & FIT_LONG ? "long" : NULL;
}

/* A form in the making. */
struct form_maker {
	struct hook_form *form;
	const struct form_how *how;
	const struct hook *h;
	struct csv csv;
	struct json json; /* the line's; in CSV a cell's, in how->scratch */
};

/* ------------------------------------------------------------------------------ values */

static void form_fail(struct form_maker *m)
{
	m->form->text.error = ENOMEM;
}

/* Moves JSON into its cell. */
static void form_end_json(struct form_maker *m)
{
	struct out *json = m->how->scratch;

	if (json->len)
		csv_add_quoted(&m->csv, json->buf, json->len);
	json->len = 0;
}

/* The text since the value before is that of the next one. */
static void form_end_text(struct form_maker *m, struct form_value *v)
{
	struct hook_form *form = m->form;

	form_end_json(m);
	v->text = (uint32_t)form->end;
	v->length = (uint32_t)(form->text.len - form->end);
	form->end = form->text.len;
}

/* A cell of CSV; other lines have none. */
static void form_begin_cell(struct form_maker *m, bool is_quoted)
{
	if (m->how->as != HOOK_AS_CSV)
		return;
	m->json.comma = false;
	if (is_quoted)
		csv_begin_quoted(&m->csv);
	else
		csv_empty(&m->csv);
}

static void form_end_cell(struct form_maker *m, bool is_quoted)
{
	form_end_json(m);
	if (m->how->as == HOOK_AS_CSV && is_quoted)
		csv_end_quoted(&m->csv);
}

static void form_add_value(struct form_maker *m, enum form_kind kind, uint32_t at)
{
	struct hook_form *form = m->form;

	if (array_grow(&form->values, form->nvalues, &form->values_room, sizeof *form->values)) {
		form_fail(m);
		return;
	}
	form->values[form->nvalues] = (struct form_value){.kind = (uint8_t)kind, .at = at};
	form_end_text(m, &form->values[form->nvalues++]);
}

static void form_add_checks(struct form_maker *m, const struct schema_field *field, uint32_t at)
{
	struct hook_form *form = m->form;
	uint32_t bits[2];

	schema_slot_bits(form->schema, field, bits);
	for (unsigned i = 0; i < schema_type_words(field->type); i++, at += 4) {
		if (!bits[i])
			continue;
		if (array_grow(&form->checks, form->nchecks, &form->checks_room,
			    sizeof *form->checks)) {
			form_fail(m);
			return;
		}
		form->checks[form->nchecks++] =
			(struct form_check){at, bits[i], get_le32(m->h->words + at) & bits[i]};
	}
}

static enum form_kind form_kind_of(const struct schema_field *field)
{
	if (field->type == FIELD_STRING)
		return FORM_STRING;
	if (field->type == FIELD_F64)
		return FORM_DOUBLE;
	return field->type == FIELD_U32 && !(field->attributes & FIELD_NA0) ? FORM_WORD
									    : FORM_NUMBER;
}

/* The values of each field, one after the other, in the schema's order. They have no texts yet. */
static size_t form_find_values(struct form_maker *m)
{
	struct hook_form *form = m->form;
	uint32_t next[SCHEMA_MAX_FIELDS + 1];
	struct field_cursor c;
	struct field_value v;
	unsigned nfields;
	size_t count = 0;

	schema_hook_fields(form->schema, &nfields);
	memset(next, 0, (nfields + 1) * sizeof *next);
	for (field_start(&c, m->h); field_next(&c, &v); count++)
		next[v.index + 1]++;
	form->fit = c.fit;
	if (!array_reserve(&form->values, &form->values_room, form->nvalues + count,
		    sizeof *form->values)) {
		form_fail(m);
		return 0;
	}
	for (unsigned i = 0; i < nfields; i++)
		next[i + 1] += next[i];
	for (field_start(&c, m->h); field_next(&c, &v);) {
		const unsigned words = schema_type_words(v.field->type);
		const uint32_t at = words ? 4 * (c.words_used - words) : c.strings_used - 1;

		form->values[form->nvalues + next[v.index]++] = (struct form_value){
			.field = v.field, .kind = (uint8_t)form_kind_of(v.field), .at = at};
		form_add_checks(m, v.field, at);
	}
	return count;
}

/* ---------------------------------------------------------------------------- of columns */

static void form_add_values(struct form_maker *m, size_t count)
{
	if (!count)
		return;
	struct form_value *v = &m->form->values[m->form->nvalues];
	struct form_value *const end = v + count;

	m->form->nvalues += count;
	while (v < end) {
		const struct schema_field *field = v->field;

		json_key(&m->json, field->name);
		if (field->repeated)
			json_open(&m->json, '[');
		for (; v < end && v->field == field; v++) {
			json_begin_value(&m->json);
			form_end_text(m, v);
		}
		if (field->repeated)
			json_close(&m->json, ']');
	}
}

/* Texts of the table of labels are members more; but that an interval is over has no label of its
 * own. */
static void form_add_object(struct form_maker *m)
{
	const size_t count = form_find_values(m);
	const bool is_plain =
		!m->form->fit && !m->h->nstrings && schema_hook_straight(m->form->schema);
	const bool is_named = !is_plain && hook_names_read(m->how->names, m->how->trace, m->h);

	/* An empty object needs no quotes. */
	form_begin_cell(m, count || is_named);
	json_open(&m->json, '{');
	form_add_values(m, count);
	if (is_named)
		form_add_value(m, FORM_NAMES, count != 0);
	json_close(&m->json, '}');
	form_end_cell(m, count || is_named);
}

static void form_add_fields(struct form_maker *m)
{
	if (m->form->schema)
		form_add_object(m);
	else
		json_null(&m->json);
}

static void form_add_list(struct form_maker *m, enum form_kind kind, uint32_t count)
{
	json_open(&m->json, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin_value(&m->json);
		form_add_value(m, kind, i);
	}
	json_close(&m->json, ']');
}

static void form_add_cell(struct form_maker *m, struct cell cell)
{
	if (m->how->as == HOOK_AS_CSV)
		cell_write_csv(&m->csv, cell);
	else
		cell_write_json(&m->json, cell);
}

static void form_add_strings(struct form_maker *m)
{
	form_begin_cell(m, true);
	form_add_list(m, FORM_STRING, m->form->nstrings);
	form_end_cell(m, true);
}

/* A cell of CSV is empty without words, strings or schema. */
static bool form_is_empty(const struct hook_form *form, enum form_kind kind)
{
	return kind == FORM_WORDS     ? !form->nwords
	       : kind == FORM_STRINGS ? !form->nstrings
				      : kind == FORM_FIELDS && !form->schema;
}

static void form_add_column(struct form_maker *m, const struct form_column *c)
{
	const bool is_csv = m->how->as == HOOK_AS_CSV;
	const char *name = m->form->schema ? schema_hook_name(m->form->schema) : NULL;

	if (is_csv && form_is_empty(m->form, c->kind)) {
		csv_empty(&m->csv);
	} else if (c->kind == FORM_MAJOR) {
		form_add_cell(m, cell_u64(m->form->major, true));
	} else if (c->kind == FORM_NAME) {
		form_add_cell(m, cell_string(name, name ? strlen(name) : 0, name));
	} else if (c->kind == FORM_STRINGS) {
		form_add_strings(m);
	} else if (c->kind == FORM_FIELDS) {
		form_add_fields(m);
	} else if (c->kind == FORM_WORDS && !is_csv) {
		form_add_list(m, FORM_DECIMALS, m->form->nwords != 0);
	} else {
		form_begin_cell(m, false);
		if (!is_csv)
			json_begin_value(&m->json);
		form_add_value(m, c->kind, c->at);
	}
}

/* ---------------------------------------------------------------------------------- lines */

/* Whether the form has it; the task has what FORM_SPELLED is. */
static bool form_is_line_column(const struct form_maker *m, const struct form_column *c)
{
	return c->kind != FORM_SPELLED && form_has_column(m->how, c);
}

static void form_make_csv(struct form_maker *m)
{
	for (size_t i = 0; i < FORM_COLUMNS; i++)
		if (form_is_line_column(m, &form_columns[i]))
			form_add_column(m, &form_columns[i]);
	csv_end(&m->csv);
}

static void form_make_json(struct form_maker *m)
{
	json_open(&m->json, '{');
	for (size_t i = 0; i < FORM_COLUMNS; i++) {
		if (!form_is_line_column(m, &form_columns[i]))
			continue;
		json_key(&m->json, form_columns[i].name);
		form_add_column(m, &form_columns[i]);
	}
	if (m->form->fit)
		json_member_text(&m->json, "fit", hook_form_fit(m->form->fit));
	json_close(&m->json, '}');
	json_end_line(&m->json);
}

/* Texts of the table of labels say more than their numbers. */
static void form_make_text_fields(struct form_maker *m)
{
	const size_t count = form_find_values(m);
	const struct schema_field *field = NULL;
	struct out *o = &m->form->text;

	if (hook_names_read(m->how->names, m->how->trace, m->h)) {
		form_add_value(m, FORM_NAMES, 0);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct form_value *v = &m->form->values[m->form->nvalues++];

		if (v->field != field) {
			out_char(o, ' ');
			out_str(o, v->field->name);
		}
		out_char(o, v->field != field ? '=' : ',');
		form_end_text(m, v);
		field = v->field;
	}
}

/* The document's notation. */
static void form_make_text(struct form_maker *m)
{
	const struct hook_form *form = m->form;
	struct out *o = &m->form->text;

	if (m->how->names_hosts)
		form_add_value(m, FORM_HOST, 0);
	form_add_value(m, m->how->times == TIMES_ISO ? FORM_ISO_TIME : FORM_TIME, 0);
	out_str(o, m->how->times == TIMES_RELATIVE ? " s " : " ");
	form_add_value(m, FORM_CPU_RIGHT, 0);
	out_char(o, ' ');
	form_add_value(m, FORM_TID_RIGHT, 0);
	out_char(o, ' ');
	out_hex(o, form->major, 8);
	out_char(o, ' ');
	form_add_value(m, FORM_MINOR_HEX, 0);
	if (form->nwords) {
		out_char(o, ' ');
		form_add_value(m, FORM_WORDS, 0);
	}
	for (uint32_t i = 0; i < form->nstrings; i++) {
		out_char(o, ' ');
		form_add_value(m, FORM_STRING, i);
	}
	if (form->schema) {
		const char *name = schema_hook_name(form->schema);

		out_char(o, ' ');
		escape_text(o, name, strlen(name));
		form_make_text_fields(m);
	}
	if (form->fit)
		out_printf(o, " [%s]", hook_form_fit(form->fit));
	out_char(o, '\n');
}

int hook_form_make(struct hook_form *form, const struct form_how *how, const struct hook *h)
{
	static void (*const make[])(struct form_maker * m) = {[HOOK_AS_FIELDS] = form_add_fields,
		[HOOK_AS_JSON] = form_make_json,
		[HOOK_AS_CSV] = form_make_csv,
		[HOOK_AS_TEXT] = form_make_text};
	struct form_maker m = {.form = form,
		.how = how,
		.h = h,
		.csv = {.o = &form->text},
		.json = {.o = how->as == HOOK_AS_CSV ? how->scratch : &form->text}};

	form->is_made = false;
	form->schema = h->schema;
	form->major = h->major;
	form->nwords = h->nwords;
	form->nstrings = h->nstrings;
	form->fit = 0;
	form->nvalues = form->nchecks = 0;
	form->text.len = form->end = how->scratch->len = 0;
	form->text.error = 0;
	form->text.csv_safe = how->csv_safe;
	make[how->as](&m);
	form->length = form->text.len;
	form->room = form->length + FORM_LINE + FORM_LONGEST * form->nvalues +
		     FORM_DECIMAL * (size_t)form->nwords + FMT_SLACK;
	out_pad(&form->text);
	form->is_made = !form->text.error && !how->scratch->error;
	return form->is_made ? 0 : CPIDECODE_ENOMEM;
}
