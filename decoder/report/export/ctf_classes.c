#include "ctf_classes.h"

#include <stdlib.h>

#include "../../../formats/record.h"
#include "../../../formats/schema_program.h"
#include "../../base/grow.h"
#include "../../sink/ctf.h"
#include "../values/columns.h"

#define FIX4_EXACT (UINT64_C(1) << 53)

void ctf_classes_init(struct ctf_classes *c, const struct trace *t)
{
	*c = (struct ctf_classes){.trace = t, .plain.is_plain = true};
	out_memory(&c->text);
	out_memory(&c->spelled);
}

void ctf_classes_free(struct ctf_classes *c)
{
	flame_names_free(&c->texts);
	hook_names_free(&c->names);
	out_discard(&c->text);
	out_discard(&c->spelled);
	free(c->values);
	free(c->order);
}

/* ------------------------------------------------------------------------ declarations */

/* The fields inside an if. */
static void classes_find_conditional(const struct schema_hook *s, bool conditional[])
{
	for (uint32_t i = 0; i < s->nops; i++)
		for (uint32_t k = i; s->ops[i].kind == OP_IF && k < s->ops[i].jump && k < s->nops;
			k++)
			if (s->ops[k].kind == OP_FIELD)
				conditional[s->ops[k].field] = true;
}

static void classes_find_shapes(struct ctf_class *class)
{
	const struct schema_hook *s = class->schema;
	bool conditional[SCHEMA_MAX_FIELDS] = {false};

	classes_find_conditional(s, conditional);
	for (unsigned i = 0; i < s->nfields; i++) {
		const bool is_na0 = s->fields[i].attributes & FIELD_NA0;

		class->shape[i] = s->fields[i].repeated	     ? is_na0 ? CTF_MEASURED : CTF_SEQUENCE
				  : is_na0 || conditional[i] ? CTF_SEQUENCE
							     : CTF_SINGLE;
	}
	/* Both formats encode a field of one word alike. */
	for (unsigned i = s->nfields; i-- > 0;)
		if (class->shape[i] == CTF_SINGLE && s->fields[i].type != FIELD_STRING &&
			schema_type_words(s->fields[i].type) == 1)
			class->copied[i] =
				(uint16_t)(1 + (i + 1u < s->nfields ? class->copied[i + 1] : 0));
}

static const char *classes_name_type(const struct schema_field *f)
{
	switch (f->type) {
	case FIELD_U32:
		return f->attributes & FIELD_HEX ? "hex32" : "uint32";
	case FIELD_I32:
		return "int32";
	case FIELD_U64:
		return f->attributes & FIELD_HEX ? "hex64" : "uint64";
	case FIELD_I64:
		return "int64";
	case FIELD_STRING:
		return "string";
	default:
		return "real";
	}
}

/* Readers strip the first '_' of a name; it makes a keyword of CTF's language a name. */
static void classes_declare_sequence(struct out *o, const char *type, const char *name)
{
	out_printf(
		o, "\t\tuint32 __%s_length;\n\t\t%s _%s[__%s_length];\n", name, type, name, name);
}

static void classes_declare_field(struct out *o, const struct schema_field *f, enum ctf_shape shape)
{
	const char *type = classes_name_type(f);

	if (shape == CTF_SINGLE)
		out_printf(o, "\t\t%s _%s;\n", type, f->name);
	else
		classes_declare_sequence(o, type, f->name);
	if (shape == CTF_MEASURED)
		out_printf(o, "\t\tuint8 __%s_measured[__%s_length];\n", f->name, f->name);
}

static void classes_declare_names(struct out *o, const struct ctf_class *class, bool has_events)
{
	if (class->has_label)
		classes_declare_sequence(o, "string", "label");
	if (class->has_arguments) {
		classes_declare_sequence(o, "string", has_events ? "count_names" : "arg_names");
		classes_declare_sequence(o, "string", has_events ? "count_values" : "arg_values");
	}
}

static uint32_t classes_add_plain(struct ctf_classes *c)
{
	struct out *o = &c->text;

	o->len = 0;
	out_str(o, "\tname = \"hook\";\n\tfields := struct {\n");
	classes_declare_sequence(o, "hex32", "words");
	classes_declare_sequence(o, "string", "strings");
	out_str(o, "\t};\n");
	return o->error ? 0 : flame_names_add(&c->texts, o->buf, o->len);
}

/* Whether its names could be those of members added here. */
static bool classes_is_named_oddly(const struct ctf_class *class)
{
	const struct schema_hook *s = class->schema;

	for (unsigned i = 0; i < s->nfields; i++) {
		const char *name = s->fields[i].name;

		if (name[0] == '_' ||
			(class->has_arguments && (strncmp(name, "arg_names", 9) == 0 ||
							 strncmp(name, "arg_values", 10) == 0 ||
							 strncmp(name, "count_", 6) == 0)))
			return true;
	}
	return false;
}

static uint32_t classes_add(struct ctf_classes *c, struct ctf_class *class, const struct hook *h)
{
	const struct schema_hook *s = class->schema;
	const char *major =
		schema_set_major_name(trace_file(c->trace, h->file)->schemas, h->major, NULL);
	const bool is_named = hook_names_read(&c->names, c->trace, h);
	struct out *o = &c->text;

	class->has_label = is_named && c->names.has_label && c->names.tells_label;
	class->has_arguments = is_named && c->names.has_arguments && c->names.tells_arguments;
	class->is_plain = classes_is_named_oddly(class);
	if (class->is_plain)
		return classes_add_plain(c);
	classes_find_shapes(class);
	o->len = 0;
	out_str(o, "\tname = \"");
	if (major) {
		ctf_quote(o, major, strlen(major));
		out_char(o, ':');
	}
	ctf_quote(o, s->name, strlen(s->name));
	out_str(o, "\";\n\tfields := struct {\n");
	for (unsigned i = 0; i < s->nfields; i++)
		classes_declare_field(o, &s->fields[i], class->shape[i]);
	classes_declare_names(o, class, c->names.has_events);
	out_str(o, "\t};\n");
	return o->error ? 0 : flame_names_add(&c->texts, o->buf, o->len);
}

/* NULL: out of memory. */
static struct ctf_class *classes_find(struct ctf_classes *c, const struct hook *h)
{
	uintptr_t place = (uintptr_t)h->schema;
	struct ctf_class *class = &c->cached[(place >> 4 ^ place >> 12) % CTF_CLASSES_CACHED];

	if (class->id && class->schema == h->schema)
		return class;
	*class = (struct ctf_class){.schema = h->schema};
	class->id = classes_add(c, class, h);
	return class->id ? class : NULL;
}

/* ------------------------------------------------------------------------ bytes */

static void classes_put_string(struct ctf_classes *c, struct out *o, const char *s, size_t n)
{
	c->strings_cut += !ctf_string(o, s, n);
}

static uint32_t classes_put_plain(struct ctf_classes *c, struct out *o, const struct hook *h)
{
	if (!c->plain.id)
		c->plain.id = classes_add_plain(c);
	ctf_u32(o, h->nwords);
	out_bytes(o, h->words, 4 * (size_t)h->nwords);
	ctf_u32(o, h->nstrings);
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *s = hook_string(h, i, &length);

		classes_put_string(c, o, s, length);
	}
	return c->plain.id;
}

static void classes_put_value(struct ctf_classes *c, struct out *o, const struct field_value *v)
{
	switch (v->field->type) {
	case FIELD_U32:
	case FIELD_I32:
		ctf_u32(o, (uint32_t)v->u);
		break;
	case FIELD_FIX4:
		c->rounded += v->u > FIX4_EXACT;
		ctf_double(o, (double)v->u / 10000);
		break;
	case FIELD_STRING:
		classes_put_string(c, o, v->string, v->length);
		break;
	default: /* f64 by its bits */
		ctf_u64(o, v->u);
		break;
	}
}

/*
 * 0, CPIDECODE_ENOMEM, or 1: the schema does not fit. The values of field i are then those of
 * order[k], k from first[i] up to first[i + 1].
 */
static int classes_read(struct ctf_classes *c, const struct hook *h)
{
	struct field_cursor cursor;
	uint32_t count = 0, nfields = h->schema->nfields;

	memset(c->first, 0, (nfields + 1) * sizeof *c->first);
	field_start(&cursor, h);
	for (;; count++) {
		if (array_grow(&c->values, count, &c->room, sizeof *c->values))
			return CPIDECODE_ENOMEM;
		if (!field_next(&cursor, &c->values[count]))
			break;
		c->first[c->values[count].index + 1]++;
	}
	if (cursor.fit)
		return 1;
	if (!array_reserve(&c->order, &c->order_room, count + 1, sizeof *c->order))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < nfields; i++)
		c->first[i + 1] += c->first[i];
	uint32_t next[SCHEMA_MAX_FIELDS];
	memcpy(next, c->first, nfields * sizeof *next);
	for (uint32_t i = 0; i < count; i++)
		c->order[next[c->values[i].index]++] = i;
	return 0;
}

static void classes_put_field(
	struct ctf_classes *c, struct out *o, unsigned index, enum ctf_shape shape)
{
	const uint32_t *order = c->order + c->first[index];
	const uint32_t count = c->first[index + 1] - c->first[index];
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += shape == CTF_MEASURED || !c->values[order[i]].not_measured;
	if (shape != CTF_SINGLE)
		ctf_u32(o, n);
	for (uint32_t i = 0; i < count; i++)
		if (shape == CTF_MEASURED || !c->values[order[i]].not_measured)
			classes_put_value(c, o, &c->values[order[i]]);
	for (uint32_t i = 0; shape == CTF_MEASURED && i < count; i++)
		ctf_u8(o, !c->values[order[i]].not_measured);
}

static void classes_put_names(struct ctf_classes *c, struct out *o, const struct ctf_class *class)
{
	const struct hook_names *n = &c->names;

	if (class->has_label) {
		ctf_u32(o, n->label.at != NULL);
		if (n->label.at)
			classes_put_string(c, o, n->label.at, n->label.length);
	}
	if (!class->has_arguments)
		return;
	ctf_u32(o, (uint32_t)n->count);
	for (size_t i = 0; i < n->count; i++)
		classes_put_string(c, o, n->arguments[i].name.at ? n->arguments[i].name.at : "",
			n->arguments[i].name.length);
	ctf_u32(o, (uint32_t)n->count);
	for (size_t i = 0; i < n->count; i++) {
		const struct cell *value = &n->arguments[i].value;

		if (value->kind == CELL_STRING) {
			classes_put_string(c, o, value->s, value->len);
			continue;
		}
		c->spelled.len = 0;
		value_spell(&c->spelled, *value);
		if (c->spelled.error && !o->error)
			o->error = c->spelled.error;
		classes_put_string(c, o, c->spelled.buf, c->spelled.len);
	}
}

/* A value of a field other than a string, as field_next reads it. */
static struct field_value classes_read_words(const struct schema_field *f, const uint8_t *words)
{
	struct field_value v = {.field = f};

	if (schema_type_words(f->type) == 1)
		v.u = get_le32(words);
	else if (f->type == FIELD_FIX4)
		v.u = (uint64_t)get_le32(words) * 10000 + get_le32(words + 4);
	else
		v.u = get_hl64(words);
	if (f->attributes & FIELD_NA0)
		v.not_measured = f->type == FIELD_F64 ? v.f == 0 : v.u == 0;
	return v;
}

/* Fast path: writes the fields of a hook that has each of them once, in order. Returns 0,
 * CPIDECODE_ENOMEM, or 1: the schema does not fit. */
static int classes_put_straight(
	struct ctf_classes *c, struct out *o, const struct ctf_class *class, const struct hook *h)
{
	const struct schema_hook *s = class->schema;
	const uint8_t *words = h->words, *string = h->strings;

	if (h->nwords != s->all_words || h->nstrings != s->all_strings)
		return 1;
	for (unsigned i = 0; i < s->nfields; i++) {
		const struct schema_field *f = &s->fields[i];

		if (f->type == FIELD_STRING) {
			const uint32_t length = get_le32(string);

			if (class->shape[i] != CTF_SINGLE)
				ctf_u32(o, 1);
			classes_put_string(c, o, (const char *)string + 4, length);
			string += rec_string_bytes(length);
			continue;
		}
		if (class->copied[i]) {
			out_bytes(o, words, 4 * (size_t) class->copied[i]);
			words += 4 * (size_t) class->copied[i];
			i += class->copied[i] - 1u;
			continue;
		}
		struct field_value v = classes_read_words(f, words);
		if (class->shape[i] != CTF_SINGLE)
			ctf_u32(o, !v.not_measured);
		if (!v.not_measured)
			classes_put_value(c, o, &v);
		words += 4 * (size_t)schema_type_words(f->type);
	}
	return 0;
}

/* By the schema's cursor. Returns as classes_put_straight. */
static int classes_put_fields(
	struct ctf_classes *c, struct out *o, const struct ctf_class *class, const struct hook *h)
{
	int rc = classes_read(c, h);

	for (unsigned i = 0; !rc && i < h->schema->nfields; i++)
		classes_put_field(c, o, i, class->shape[i]);
	return rc;
}

uint32_t ctf_classes_put(struct ctf_classes *c, struct out *o, const struct hook *h)
{
	if (!h->schema)
		return classes_put_plain(c, o, h);
	const struct ctf_class *class = classes_find(c, h);
	int rc = !class || class->is_plain ? 1
		 : h->schema->straight	   ? classes_put_straight(c, o, class, h)
					   : classes_put_fields(c, o, class, h);
	if (!class || rc < 0)
		return 0;
	if (rc) {
		c->misfits++;
		return classes_put_plain(c, o, h);
	}
	if (class->has_label || class->has_arguments) {
		hook_names_read(&c->names, c->trace, h);
		classes_put_names(c, o, class);
	}
	return class->id;
}
