/*
 * The intervals as a Parquet file: a row each, with the columns of the intervals' report, and one
 * for each name of an argument or event.
 */
#include "../../../sink/parquet/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../formats/interval_hooks.h"
#include "../../../sink/escapes.h"
#include "../../query/where.h"
#include "../../values/columns.h"
#include "../../values/interval_columns.h"
#include "../export.h"
#include "meta.h"
#include "rows.h"

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
	/* The file's columns: */
	enum parquet_source *sources;
	const struct column **report; /* of COLUMN_OF_REPORT */
	size_t count;
	struct value_columns values;
	uint8_t *types; /* of values by kind and name: bits of enum interval_arg_type */
	struct parquet_rows rows;
	struct out names;
};

/* Adds a column for each named value that occurs, of the type that occurs. */
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

static unsigned parquet_types_of(const struct parquet_export *e, const struct value_name *name)
{
	return e->types[name->kind * e->values.limit + name->name];
}

/* Values of several types are texts. Events are counts, measured or not: files of machines with and
 * without a PMU have one schema. */
static enum parquet_type parquet_type_of(
	const struct parquet_export *e, const struct value_name *name)
{
	switch (parquet_types_of(e, name)) {
	case 0:
		return name->kind == VALUE_EVENT ? PARQUET_U64 : PARQUET_TEXT;
	case 1u << INTERVAL_ARG_U64:
		return PARQUET_U64;
	case 1u << INTERVAL_ARG_I64:
		return PARQUET_I64;
	case 1u << INTERVAL_ARG_F64:
		return PARQUET_DOUBLE;
	default:
		return PARQUET_TEXT;
	}
}

/* Columns whose value a function finds are the ids of threads and processors. */
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

/* The path of a partition's file has the host. */
static bool parquet_has_first(const struct parquet_export *e, enum parquet_source source)
{
	return source != COLUMN_HOST || !e->r->is_host_in_path;
}

static bool parquet_has(const struct column *c)
{
	return c->name && (!c->in || c->in & IN_CSV);
}

static struct parquet_column *parquet_add_column(
	struct parquet_export *e, enum parquet_source source, const struct column *report)
{
	e->sources[e->count] = source;
	e->report[e->count] = report;
	return &e->columns[e->count++];
}

/* Adds the columns that occur, in the order of a file with all columns. */
static int parquet_make_columns(struct parquet_export *e)
{
	size_t nvalues = 0, room = COLUMNS_FIRST;

	for (const struct column *c = interval_columns; c->name || c->heading; c++)
		room += parquet_has(c);
	while (e->values.columns && e->values.columns[nvalues].name)
		nvalues++;
	e->columns = calloc(room + nvalues, sizeof *e->columns);
	e->sources = calloc(room + nvalues, sizeof *e->sources);
	e->report = calloc(room + nvalues, sizeof *e->report);
	if (!e->columns || !e->sources || !e->report)
		return CPIDECODE_ENOMEM;
	for (enum parquet_source i = 0; i < COLUMNS_FIRST; i++)
		if (parquet_has_first(e, i))
			*parquet_add_column(e, i, NULL) =
				(struct parquet_column){.name = first_columns[i].name,
					.length = strlen(first_columns[i].name),
					.type = first_columns[i].type};
	for (const struct column *c = interval_columns; c->name || c->heading; c++)
		if (parquet_has(c))
			*parquet_add_column(e, COLUMN_OF_REPORT, c) =
				(struct parquet_column){.name = c->name,
					.length = strlen(c->name),
					.type = parquet_type_of_column(c),
					.is_plain = c->is_id};
	for (size_t i = 0; i < nvalues; i++) {
		size_t at = e->names.len;

		escape_utf8(&e->names, e->values.names[i].text, e->values.names[i].length);
		*parquet_add_column(e, COLUMN_OF_REPORT, &e->values.columns[i]) =
			(struct parquet_column){.length = e->names.len - at,
				.type = parquet_type_of(e, &e->values.names[i])};
	}
	if (e->names.error)
		return CPIDECODE_ENOMEM;
	size_t at = 0;
	for (size_t i = e->count - nvalues; i < e->count; at += e->columns[i++].length)
		e->columns[i].name = e->names.buf + at;
	return 0;
}

static bool parquet_is_column(const struct parquet_column *c, const char *name, size_t length)
{
	return c->length == length && memcmp(c->name, name, length) == 0;
}

/* Any trace may lack intervals with that argument or event. */
static bool parquet_may_be_absent(const char *name, size_t length)
{
	static const char *const prefixes[] = {"arg.", VALUE_EVENT_PREFIX};

	for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (length > strlen(prefixes[i]) &&
			memcmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Keeps the columns of --columns, in its order, each once. */
static int parquet_keep_listed(struct parquet_export *e)
{
	const char *list = e->r->columns, *name;
	size_t length, kept = 0;

	while ((name = rows_next_name(&list, &length))) {
		size_t i = 0;

		while (i < e->count && !parquet_is_column(&e->columns[i], name, length))
			i++;
		if (i == e->count && parquet_may_be_absent(name, length))
			report_note(e->r, "no interval has %.*s: the file has no such column",
				(int)length, name);
		else if (i == e->count)
			return parquet_refuse_column(e->r, e->columns, e->count, name, length);
		if (i == e->count || i < kept)
			continue;
		struct parquet_column column = e->columns[i];
		const struct column *report = e->report[i];
		enum parquet_source source = e->sources[i];

		for (; i > kept; i--) {
			e->columns[i] = e->columns[i - 1];
			e->report[i] = e->report[i - 1];
			e->sources[i] = e->sources[i - 1];
		}
		e->columns[kept] = column;
		e->report[kept] = report;
		e->sources[kept++] = source;
	}
	e->count = kept;
	if (kept)
		return 0;
	/* Readers refuse a file without columns. */
	report_note(e->r,
		"--columns %s: the file would have no column: name one that all have, too, as number",
		e->r->columns);
	return CPIDECODE_EINVAL;
}

static int parquet_choose_columns(struct parquet_export *e)
{
	int rc = parquet_make_columns(e);

	return !rc && e->r->columns ? parquet_keep_listed(e) : rc;
}

static bool parquet_is_first(const char *name, size_t length)
{
	for (unsigned i = 0; i < COLUMNS_FIRST; i++)
		if (strlen(first_columns[i].name) == length &&
			memcmp(first_columns[i].name, name, length) == 0)
			return true;
	return false;
}

bool export_parquet_has_column(const char *name, size_t length)
{
	return parquet_is_first(name, length) ||
	       rows_find_column(interval_columns, name, length, FORMAT_CSV);
}

bool export_parquet_is_nested(const struct report *r)
{
	const char *list = r->columns, *name;
	size_t length;

	while (list && (name = rows_next_name(&list, &length)))
		if (interval_column_is_nested(name, length))
			return true;
	return !r->columns;
}

unsigned export_parquet_wants(const struct report *r)
{
	const char *list = r->columns, *name;
	unsigned wants = WANT_START;
	size_t length;

	while ((name = rows_next_name(&list, &length))) {
		const struct column *c =
			rows_find_column(interval_columns, name, length, FORMAT_CSV);

		if (c)
			wants |= where_column_wants(c->name);
		else if (!parquet_is_first(name, length))
			wants |= WANT_VALUES;
		if (c && c->when & INTERVAL_HAS_OWN_COST)
			wants |= WANT_OWN_COST;
	}
	return wants;
}

/* True if a column holds text because its values have several types. */
static bool parquet_is_spelled(const struct parquet_export *e, size_t i)
{
	for (size_t k = 0; e->values.columns && e->values.columns[k].name; k++) {
		const unsigned types = parquet_types_of(e, &e->values.names[k]);

		if (e->report[i] == &e->values.columns[k])
			return types & (types - 1);
	}
	return false;
}

static void parquet_note(const struct parquet_export *e)
{
	uint64_t spelled = 0;

	for (size_t i = 0; i < e->count; i++)
		spelled += parquet_is_spelled(e, i);
	if (spelled)
		report_note(e->r,
			"%" PRIu64
			" column%s of texts: the values of that name are of several types",
			spelled, spelled == 1 ? " is" : "s are");
	if (e->values.count > VALUE_COLUMNS_MAX && !e->r->columns)
		report_note(e->r, "%zu names of values have no column: only the first %d do",
			e->values.count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	if (!e->r->is_further)
		report_note(e->r,
			"parquet holds intervals: losses and what single processors counted are left out");
}

int export_parquet(struct report *r, struct interval_stream *s)
{
	struct parquet_export e = {.r = r};
	const struct interval *iv;

	out_memory(&e.names);
	/* The listed columns may need no named values. */
	int rc = parquet_find_values(
		&e, s, r->has_values && (!r->columns || export_parquet_wants(r) & WANT_VALUES));
	if (!rc)
		rc = parquet_choose_columns(&e);
	if (!rc)
		rc = parquet_rows_init(&e.rows, r, &e.to, e.sources, e.report, e.count);
	if (!rc)
		rc = interval_stream_rewind(s);
	if (!rc) {
		parquet_open(&e.to, r->out, e.columns, e.count);
		e.to.is_zstd = r->is_zstd;
		while (!r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
			parquet_rows_add(&e.rows, iv);
		parquet_rows_flush(&e.rows);
		int closed = parquet_close_with_meta(&e.to, r->trace);
		rc = rc < 0 ? rc : closed;
	}
	if (!rc)
		parquet_note(&e);
	value_columns_free(&e.values);
	free(e.types);
	free(e.columns);
	free(e.sources);
	free(e.report);
	parquet_rows_free(&e.rows);
	out_discard(&e.names);
	return rc;
}
