/*
 * The intervals as a Parquet file: a row each, with the columns of the intervals' report, and one
 * for each name of an argument or event.
 */
#include "../../sink/parquet/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../../../formats/interval_hooks.h"
#include "../../sink/escape.h"
#include "../values/columns.h"
#include "../values/interval_columns.h"
#include "export.h"
#include "parquet_meta.h"

/* Before the columns of the report. */
enum {
	COLUMN_NUMBER,
	COLUMN_PARENT,
	COLUMN_FILE,
	COLUMN_HOST,
	COLUMN_ELAPSED,
	COLUMNS_FIRST,
};

static const struct {
	const char *name;
	enum parquet_type type;
} first_columns[COLUMNS_FIRST] = {[COLUMN_NUMBER] = {"number", PARQUET_I64},
	[COLUMN_PARENT] = {"parent", PARQUET_I64},
	[COLUMN_FILE] = {"file", PARQUET_U32},
	[COLUMN_HOST] = {"host", PARQUET_TEXT},
	[COLUMN_ELAPSED] = {"elapsed_ns", PARQUET_U64}};

struct parquet_export {
	struct report *r;
	struct parquet_file to;
	struct parquet_column *columns;
	const struct column **report; /* of columns, from COLUMNS_FIRST on */
	size_t count;
	struct value_columns values;
	uint8_t *types; /* of values by kind and name: bits of enum interval_arg_type */
	struct out text, names;
	uint64_t spelled; /* names whose values are of several types: texts */
};

/* Of the columns of values there are those that occur, of the type that occurs. */
static int parquet_find_values(struct parquet_export *e, struct interval_stream *s, bool has_values)
{
	const struct interval *iv;
	int rc = value_columns_init(&e->values, e->r->trace);

	if (rc)
		return rc;
	e->types = calloc(VALUE_KINDS * e->values.limit + 1, sizeof *e->types);
	if (!e->types)
		return CPIDECODE_ENOMEM;
	if (!has_values)
		return 0;
	rc = interval_stream_rewind(s);
	while (rc >= 0 && (rc = interval_stream_next(s, &iv)) > 0) {
		if (iv->num_values)
			value_columns_see(&e->values, iv);
		for (uint32_t i = 0; i < iv->num_values; i++) {
			const struct interval_value *v = &iv->values[i];

			if (v->type && v->type <= INTERVAL_ARG_TEXT)
				e->types[v->kind * e->values.limit + v->name] |=
					(uint8_t)(1u << v->type);
		}
	}
	return rc < 0 ? rc : value_columns_make(&e->values, FORMAT_CSV, interval_columns);
}

static enum parquet_type parquet_type_of(struct parquet_export *e, const struct value_name *name)
{
	switch (e->types[name->kind * e->values.limit + name->name]) {
	case 1u << INTERVAL_ARG_U64:
		return PARQUET_U64;
	case 1u << INTERVAL_ARG_I64:
		return PARQUET_I64;
	case 1u << INTERVAL_ARG_F64:
		return PARQUET_DOUBLE;
	case 0:
	case 1u << INTERVAL_ARG_TEXT:
		return PARQUET_TEXT;
	default:
		e->spelled++;
		return PARQUET_TEXT;
	}
}

/* Those that a function finds are the ids of threads and processors. */
static enum parquet_type parquet_type_of_column(const struct column *c)
{
	if (c->is_text)
		return PARQUET_TEXT;
	switch (c->source) {
	case COLUMN_U64:
	case COLUMN_COUNT:
		return PARQUET_U64;
	case COLUMN_I64:
		return PARQUET_I64;
	case COLUMN_REAL:
		return PARQUET_DOUBLE;
	default:
		return PARQUET_U32;
	}
}

static bool parquet_has(const struct column *c)
{
	return c->name && (!c->in || c->in & IN_CSV);
}

static int parquet_choose_columns(struct parquet_export *e)
{
	size_t nvalues = 0, room = COLUMNS_FIRST;

	for (const struct column *c = interval_columns; c->name || c->heading; c++)
		room += parquet_has(c);
	while (e->values.columns && e->values.columns[nvalues].name)
		nvalues++;
	e->columns = calloc(room + nvalues, sizeof *e->columns);
	e->report = calloc(room + nvalues, sizeof *e->report);
	if (!e->columns || !e->report)
		return CPIDECODE_ENOMEM;
	for (; e->count < COLUMNS_FIRST; e->count++)
		e->columns[e->count] = (struct parquet_column){.name = first_columns[e->count].name,
			.length = strlen(first_columns[e->count].name),
			.type = first_columns[e->count].type};
	for (const struct column *c = interval_columns; c->name || c->heading; c++) {
		if (!parquet_has(c))
			continue;
		e->report[e->count] = c;
		e->columns[e->count++] = (struct parquet_column){.name = c->name,
			.length = strlen(c->name),
			.type = parquet_type_of_column(c),
			.is_plain = c->is_id};
	}
	for (size_t i = 0; i < nvalues; i++) {
		size_t at = e->names.len;

		e->report[e->count] = &e->values.columns[i];
		escape_utf8(&e->names, e->values.names[i].text, e->values.names[i].length);
		e->columns[e->count++] = (struct parquet_column){.length = e->names.len - at,
			.type = parquet_type_of(e, &e->values.names[i])};
	}
	if (e->names.error)
		return CPIDECODE_ENOMEM;
	size_t at = 0;
	for (size_t i = e->count - nvalues; i < e->count; at += e->columns[i++].length)
		e->columns[i].name = e->names.buf + at;
	return 0;
}

static void parquet_put_escaped(struct parquet_export *e, size_t column, const char *s, size_t n)
{
	e->text.len = 0;
	escape_utf8(&e->text, s, n);
	if (e->text.error && !e->r->out->error)
		e->r->out->error = e->text.error;
	parquet_put_text(&e->to, column, e->text.len ? e->text.buf : "", e->text.len);
}

static void parquet_put_spelled(struct parquet_export *e, size_t column, struct cell cell)
{
	e->text.len = 0;
	if (cell.kind == CELL_WORDS)
		cell.words(&e->text, (uint32_t)cell.u);
	else if (cell.kind == CELL_ID)
		cell_spell_id(&e->text, cell);
	else
		value_spell(&e->text, cell);
	if (e->text.error && !e->r->out->error)
		e->r->out->error = e->text.error;
	parquet_put_text(&e->to, column, e->text.len ? e->text.buf : "", e->text.len);
}

static void parquet_put_cell(struct parquet_export *e, size_t column, struct cell cell)
{
	const bool is_text = e->columns[column].type == PARQUET_TEXT;

	switch (cell.kind) {
	case CELL_NONE:
		break;
	case CELL_STRING:
		parquet_put_escaped(e, column, cell.s, cell.len);
		break;
	case CELL_REAL:
		if (isfinite(cell.real))
			parquet_put_double(&e->to, column, cell.real);
		break;
	case CELL_WORDS:
		parquet_put_spelled(e, column, cell);
		break;
	default:
		if (is_text)
			parquet_put_spelled(e, column, cell);
		else if (cell.kind == CELL_DOUBLE)
			parquet_put_double(&e->to, column, cell.real);
		else
			parquet_put_bits(&e->to, column, cell.u);
	}
}

/* Most columns are members of the interval: they need no cell. */
static inline void parquet_put_column(struct parquet_export *e, size_t i, const struct interval *iv)
{
	const struct column *c = e->report[i];
	const void *at = (const char *)iv + c->offset;

	switch (c->source) {
	case COLUMN_COUNT:
		if (*(const uint64_t *)at != NOT_MEASURED)
			parquet_put_bits(&e->to, i, *(const uint64_t *)at);
		break;
	case COLUMN_U64:
	case COLUMN_I64:
		parquet_put_bits(&e->to, i, *(const uint64_t *)at);
		break;
	case COLUMN_REAL:
		if (isfinite(*(const double *)at))
			parquet_put_double(&e->to, i, *(const double *)at);
		break;
	case COLUMN_U32:
		parquet_put_bits(&e->to, i, *(const uint32_t *)at);
		break;
	case COLUMN_U8:
		parquet_put_bits(&e->to, i, *(const uint8_t *)at);
		break;
	default:
		parquet_put_cell(e, i, column_cell(c, iv));
		break;
	}
}

static void parquet_add_interval(struct parquet_export *e, const struct interval *iv)
{
	const char *host = trace_meta_value(trace_file(e->r->trace, iv->file), "host");

	parquet_put_bits(&e->to, COLUMN_NUMBER, (uint64_t)iv->place);
	if (iv->parent >= 0)
		parquet_put_bits(&e->to, COLUMN_PARENT, (uint64_t)iv->parent);
	parquet_put_bits(&e->to, COLUMN_FILE, iv->file);
	if (host)
		parquet_put_escaped(e, COLUMN_HOST, host, strlen(host));
	parquet_put_bits(&e->to, COLUMN_ELAPSED,
		iv->long_ns ? iv->long_ns : (uint64_t)llround(iv->elapsed_ns));
	for (size_t i = COLUMNS_FIRST; i < e->count; i++)
		parquet_put_column(e, i, iv);
	parquet_end_row(&e->to);
}

static void parquet_note(const struct parquet_export *e)
{
	if (e->spelled)
		report_note(e->r,
			"%" PRIu64
			" column%s of texts: the values of that name are of several types",
			e->spelled, e->spelled == 1 ? " is" : "s are");
	if (e->values.count > VALUE_COLUMNS_MAX)
		report_note(e->r, "%zu names of values have no column: only the first %d do",
			e->values.count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	report_note(e->r,
		"parquet holds intervals: losses and what single processors counted are left out");
}

int export_parquet(struct report *r, struct interval_stream *s, bool has_values)
{
	struct parquet_export e = {.r = r};
	const struct interval *iv;

	out_memory(&e.text);
	out_memory(&e.names);
	int rc = parquet_find_values(&e, s, has_values);
	if (!rc)
		rc = parquet_choose_columns(&e);
	if (!rc)
		rc = interval_stream_rewind(s);
	if (!rc) {
		parquet_open(&e.to, r->out, e.columns, e.count);
		while (!r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
			parquet_add_interval(&e, iv);
		int closed = parquet_close_with_meta(&e.to, r->trace);
		rc = rc < 0 ? rc : closed;
	}
	if (!rc)
		parquet_note(&e);
	value_columns_free(&e.values);
	free(e.types);
	free(e.columns);
	free(e.report);
	out_discard(&e.text);
	out_discard(&e.names);
	return rc;
}
