#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/interval_hooks.h"
#include "../../base/grow.h"
#include "../../model/trace/labels.h"
#include "../../sink/escapes.h"

static const char argument_prefix[] = VALUE_ARGUMENT_PREFIX, event_prefix[] = VALUE_EVENT_PREFIX;

int value_columns_init(struct value_columns *v, const struct trace *t)
{
	*v = (struct value_columns){.trace = t, .limit = trace_texts_limit(t)};
	v->seen = calloc(VALUE_KINDS * v->limit, sizeof *v->seen);
	return v->seen ? 0 : CPIDECODE_ENOMEM;
}

void value_columns_free(struct value_columns *v)
{
	free(v->seen);
	free(v->names);
	free(v->columns);
	intern_free(&v->memory);
}

void value_columns_see(struct value_columns *v, const struct interval *iv)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *value = &iv->values[i];
		atomic_uchar *seen = &v->seen[value->kind * v->limit + value->name];

		/* Nearly always set: a store for each would bounce the cache line. */
		if (!atomic_load_explicit(seen, memory_order_relaxed))
			atomic_store_explicit(seen, 1, memory_order_relaxed);
	}
}

struct cell value_cell(const struct interval *iv, const struct interval_value *v)
{
	switch (v->type) {
	case INTERVAL_ARG_U64:
		return cell_u64(v->u, true);
	case INTERVAL_ARG_I64:
		return cell_i64(v->i);
	case INTERVAL_ARG_F64:
		return (struct cell){.kind = CELL_DOUBLE, .real = v->f};
	case INTERVAL_ARG_TEXT:
		return cell_string(iv->value_texts + v->at, v->length, true);
	default:
		return (struct cell){.kind = CELL_NONE};
	}
}

static struct cell value_get(const void *row, const void *of)
{
	const struct interval *iv = row;
	const struct value_name *name = of;

	for (uint32_t i = 0; i < iv->num_values; i++)
		if (iv->values[i].name == name->name && iv->values[i].kind == name->kind)
			return value_cell(iv, &iv->values[i]);
	return (struct cell){.kind = CELL_NONE};
}

void value_spell_text(struct out *o, const char *s, size_t n)
{
	bool plain = n;

	for (size_t i = 0; i < n && plain; i++)
		plain = (unsigned char)s[i] > ' ' && s[i] != '"' && s[i] != '=' && s[i] != '\\';
	if (plain)
		escape_text(o, s, n);
	else
		escape_quoted(o, s, n);
}

void value_spell(struct out *o, struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
		out_u64(o, cell.u);
		break;
	case CELL_I64:
		out_i64(o, cell.i);
		break;
	case CELL_DOUBLE:
		if (isfinite(cell.real))
			out_double(o, cell.real);
		else
			out_str(o, isnan(cell.real) ? "NaN" : cell.real > 0 ? "inf" : "-inf");
		break;
	case CELL_STRING:
		value_spell_text(o, cell.s, cell.len);
		break;
	default:
		out_str(o, "n/a");
	}
}

static void value_spell_next(
	struct out *o, const struct interval *iv, uint32_t i, struct trace_text name)
{
	out_str(o, i ? " " : "");
	value_spell_text(o, name.at, name.length);
	out_char(o, '=');
	value_spell(o, value_cell(iv, &iv->values[i]));
}

/* All values of an interval, by the names of a trace (of). */
static void value_spell_all(struct out *o, const void *row, const void *of)
{
	const struct interval *iv = row;

	for (uint32_t i = 0; i < iv->num_values; i++)
		value_spell_next(o, iv, i, trace_text_at(of, iv->values[i].name));
}

void value_spell_named(struct out *o, const struct interval *iv, const struct trace_text *names)
{
	for (uint32_t i = 0; i < iv->num_values; i++)
		value_spell_next(o, iv, i, names[i]);
}

/* Orders by bytes, a shorter name before those that begin with it. */
static int value_compare_names(const void *a, const void *b)
{
	const struct value_name *x = a, *y = b;
	uint32_t n = x->length < y->length ? x->length : y->length;
	int c = memcmp(x->text, y->text, n);

	if (!c)
		c = compare_u64(x->length, y->length);
	return c ? c : x->kind - y->kind;
}

static bool value_begins(struct trace_text text, const char *prefix)
{
	return text.length >= strlen(prefix) && memcmp(text.at, prefix, strlen(prefix)) == 0;
}

/* An event's column has its name alone, unless that is another column's, or empty. */
static const char *value_prefix(uint8_t kind, struct trace_text text, const struct column *own)
{
	if (kind == VALUE_ARGUMENT)
		return argument_prefix;
	for (; own->name || own->heading; own++)
		if (own->name && strlen(own->name) == text.length &&
			memcmp(own->name, text.at, text.length) == 0)
			return event_prefix;
	return !text.length || value_begins(text, argument_prefix) ||
			       value_begins(text, event_prefix)
		       ? event_prefix
		       : "";
}

static int value_add_name(struct value_columns *v, size_t *room, uint8_t kind, uint32_t index,
	const struct column *own)
{
	struct trace_text text = trace_text_at(v->trace, index);
	const char *before = value_prefix(kind, text, own);
	size_t prefix = strlen(before);
	char *name = arena_alloc(&v->memory, prefix + text.length);

	if (!name || array_grow(&v->names, v->count, room, sizeof *v->names))
		return CPIDECODE_ENOMEM;
	memcpy(name, before, prefix);
	memcpy(name + prefix, text.at, text.length);
	v->names[v->count++] = (struct value_name){.name = index,
		.kind = kind,
		.length = (uint32_t)prefix + text.length,
		.text = name};
	return 0;
}

/* Whether another column, of those up to n, is spelled like this one. */
static bool value_is_spelled_again(const struct out *spelled, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && spelled[k].len == spelled[i].len &&
			memcmp(spelled[k].buf, spelled[i].buf, spelled[i].len) == 0)
			return true;
	return false;
}

/* Gives the name an end, " (2)", that makes it another than those before it. */
static int value_rename(
	struct value_name *names, struct out *spelled, size_t i, struct intern *memory)
{
	const struct value_name old = names[i];
	char *text = arena_alloc(memory, (size_t)old.length + 16);
	unsigned number = 2;

	if (!text)
		return CPIDECODE_ENOMEM;
	memcpy(text, old.text, old.length);
	do {
		names[i].length =
			old.length + (uint32_t)snprintf(text + old.length, 16, " (%u)", number++);
		spelled[i].len = 0;
		escape_json(&spelled[i], text, names[i].length);
		if (spelled[i].error)
			return CPIDECODE_ENOMEM;
	} while (value_is_spelled_again(spelled, i, i));
	names[i].text = text;
	return 0;
}

/* Bytes that are not UTF-8 are spelled alike; two members of an object must not be. */
int value_names_tell_apart(struct value_name *names, size_t n, struct intern *memory)
{
	struct out *spelled = calloc(n, sizeof *spelled);
	int rc = spelled ? 0 : CPIDECODE_ENOMEM;

	for (size_t i = 0; spelled && i < n; i++) {
		out_memory(&spelled[i]);
		escape_json(&spelled[i], names[i].text, names[i].length);
		if (spelled[i].error)
			rc = CPIDECODE_ENOMEM;
	}
	for (size_t i = 1; i < n && !rc; i++)
		if (memmem(spelled[i].buf, spelled[i].len, "\xEF\xBF\xBD", 3) &&
			value_is_spelled_again(spelled, i, i))
			rc = value_rename(names, spelled, i, memory);
	for (size_t i = 0; spelled && i < n; i++)
		out_discard(&spelled[i]);
	free(spelled);
	return rc;
}

static const char *value_heading(const struct value_columns *v)
{
	bool has[VALUE_KINDS] = {false};

	for (size_t i = 0; i < v->count; i++)
		has[v->names[i].kind] = true;
	return has[VALUE_ARGUMENT] && has[VALUE_EVENT] ? "arguments and events"
	       : has[VALUE_EVENT]		       ? "events"
						       : "arguments";
}

int value_columns_make(struct value_columns *v, enum report_format format, const struct column *own)
{
	size_t room = 0, n;

	for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
		for (size_t i = 0; i < v->limit; i++)
			if (v->seen[kind * v->limit + i] &&
				value_add_name(v, &room, (uint8_t)kind, (uint32_t)i, own))
				return CPIDECODE_ENOMEM;
	if (!v->count)
		return 0;
	qsort(v->names, v->count, sizeof *v->names, value_compare_names);
	n = format == FORMAT_TEXT ? 1 : v->count < VALUE_COLUMNS_MAX ? v->count : VALUE_COLUMNS_MAX;
	v->columns = calloc(n + 1, sizeof *v->columns);
	if (!v->columns)
		return CPIDECODE_ENOMEM;
	if (format == FORMAT_TEXT) {
		v->columns[0] = (struct column){.heading = value_heading(v),
			.text_of = value_spell_all,
			.of = v->trace,
			.left = true,
			.place = PLACE_LAST,
			.spare = 3};
		return 0;
	}
	if (value_names_tell_apart(v->names, n, &v->memory))
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		v->columns[i] = (struct column){.name = v->names[i].text,
			.name_length = v->names[i].length,
			.source = COLUMN_GET_OF,
			.get_of = value_get,
			.of = &v->names[i]};
	return 0;
}
