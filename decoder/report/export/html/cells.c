#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/number.h"
#include "../../../base/grow.h"
#include "../../../model/trace/labels.h"
#include "../../values/columns.h"
#include "../../values/interval_columns.h"
#include "../walk.h"

/* How a value is stored: the numbers of page/decode.js. */
enum {
	TAG_NONE,
	TAG_UNSIGNED,
	TAG_SIGNED,
	TAG_DOUBLE,
	TAG_TEXT,
	TAG_IDS,	/* of all rows: ids.h */
	TAG_FIXED = 16, /* and its decimals */
	TAG_MIXED = 255,
};

enum {
	CELL_MOST_COLUMNS = VALUE_COLUMNS_MAX,
	/* The first ones have means by tile: all are in memory until the end. */
	CELL_MEAN_COLUMNS = 64,
};

/* The mark of a value in by_value that is left out. */
static const uint32_t cells_left_out = UINT32_MAX;

struct cell_column {
	const struct column *column; /* NULL: of a named value */
	uint32_t name;		     /* of that */
	uint8_t kind;
	bool has_numbers, has_measures;
	bool is_code; /* numbers without a meaningful mean */
	/* While all rows share one tag, as in most columns, only their count. */
	uint8_t tag;
	size_t alike;
	struct buffer tags, values; /* rows after the last tag have none */
};

/* Columns that the lanes, the names and the blocks of `core` have, ids, and containers where there
 * is only one. */
static bool cells_is_apart(const struct report *r, const struct column *c)
{
	static const char *const names[] = {"start_ns", "end_ns", "pid", "tid", "task", "minor",
		"label", "major", "id", "parent_id"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], c->name) == 0)
			return true;
	return strcmp(c->name, "container") == 0 && !trace_has_several_containers(r->trace);
}

/* Codes, and numbers of processors. */
static bool cells_is_code(const struct column *c)
{
	static const char *const names[] = {"cpu", "start_cpu", "types"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], c->name) == 0)
			return true;
	return false;
}

static int cells_add_column(struct cells *c, struct cell_column column)
{
	if (array_grow(&c->columns, c->ncolumns, &c->room, sizeof *c->columns))
		return CPIDECODE_ENOMEM;
	c->columns[c->ncolumns++] = column;
	return 0;
}

int cells_init(struct cells *c, struct report *r)
{
	int rc = 0;

	*c = (struct cells){.r = r};
	out_memory(&c->text);
	c->by_value = calloc(VALUE_KINDS * trace_texts_limit(r->trace) + 1, sizeof *c->by_value);
	c->measured = malloc(CELL_MEAN_COLUMNS * sizeof *c->measured);
	if (!c->by_value || !c->measured)
		return CPIDECODE_ENOMEM;
	for (const struct column *i = interval_columns; (i->name || i->heading) && !rc; i++)
		if (i->name && i->source != COLUMN_NEST && !cells_is_apart(r, i))
			rc = cells_add_column(
				c, (struct cell_column){.column = i, .is_code = cells_is_code(i)});
	c->nown = c->id = c->ncolumns;
	for (const struct column *i = interval_columns; (i->name || i->heading) && !rc; i++)
		if (i->is_id)
			rc = cells_add_column(c, (struct cell_column){.column = i});
	return rc;
}

void cells_free(struct cells *c)
{
	for (size_t i = 0; i < c->ncolumns; i++) {
		free(c->columns[i].tags.p);
		free(c->columns[i].values.p);
	}
	free(c->columns);
	ids_free(&c->ids);
	free(c->by_value);
	free(c->measured);
	out_discard(&c->text);
}

static void cells_put_double(struct buffer *to, double v)
{
	uint64_t bits;
	uint8_t bytes[sizeof bits];

	memcpy(&bits, &v, sizeof bits);
	put_le64(bytes, bits);
	buffer_add(to, bytes, sizeof bytes);
}

/* With exactly the digits of CSV. */
static uint8_t cells_put_fixed(struct cells *c, struct buffer *to, double v, unsigned decimals)
{
	struct out *text = &c->text;

	if (!isfinite(v))
		return TAG_NONE;
	text->len = 0;
	out_fixed(text, v, decimals);
	out_char(text, '\0');
	if (text->error)
		return TAG_NONE;
	if (decimals) {
		char *fraction = text->buf + text->len - 1 - decimals;

		memmove(fraction - 1, fraction, decimals + 1);
	}
	const bool is_negative = text->buf[0] == '-';
	const char *at = text->buf + is_negative;
	uint64_t digits;
	if (!number_scan(&at, text->buf + text->len, 10, INT64_MAX, &digits)) {
		cells_put_double(to, v);
		return TAG_DOUBLE;
	}
	varint_put_signed(to, is_negative ? -(int64_t)digits : (int64_t)digits);
	return (uint8_t)(TAG_FIXED + decimals);
}

static uint8_t cells_put_text(struct cells *c, struct buffer *to)
{
	if (!c->text.len)
		return TAG_NONE;
	varint_put_string(to, c->text.buf, c->text.len);
	return TAG_TEXT;
}

/* By pointer: copying a cell that was just written stalls store forwarding. */
static uint8_t cells_put_cell(struct cells *c, struct buffer *to, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		varint_put(to, cell->u);
		return TAG_UNSIGNED;
	case CELL_I64:
		varint_put_signed(to, cell->i);
		return TAG_SIGNED;
	case CELL_REAL:
		return cells_put_fixed(c, to, cell->real, cell->decimals);
	case CELL_DOUBLE:
		cells_put_double(to, cell->real);
		return TAG_DOUBLE;
	case CELL_STRING:
		varint_put_string(to, cell->s, cell->len);
		return TAG_TEXT;
	case CELL_WORDS:
		c->text.len = 0;
		cell->words(&c->text, (uint32_t)cell->u);
		return cells_put_text(c, to);
	default:
		return TAG_NONE;
	}
}

/* If tags differ: one per row. */
static void cells_put_other_tag(struct cell_column *column, size_t row, uint8_t tag)
{
	for (; column->alike; column->alike--)
		buffer_add(&column->tags, &column->tag, 1);
	for (const uint8_t none = TAG_NONE; column->tags.n < row && !column->tags.failed;)
		buffer_add(&column->tags, &none, 1);
	buffer_add(&column->tags, &tag, 1);
}

/* Earlier rows that the column did not get have no value. */
static inline void cells_put_tag(struct cell_column *column, size_t row, uint8_t tag)
{
	if (column->alike == row && !column->tags.n && (!row || column->tag == tag)) {
		column->tag = tag;
		column->alike++;
	} else {
		cells_put_other_tag(column, row, tag);
	}
	column->has_numbers |= tag != TAG_NONE && tag != TAG_TEXT;
}

static inline void cells_measure(struct cells *c, struct cell_column *column, double value)
{
	if (column->is_code || column - c->columns >= CELL_MEAN_COLUMNS ||
		c->nmeasured == CELL_MEAN_COLUMNS)
		return;
	column->has_measures = true;
	c->measured[c->nmeasured++] =
		(struct tiles_measured){.column = (uint32_t)(column - c->columns), .value = value};
}

static void cells_measure_cell(struct cells *c, struct cell_column *column, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		cells_measure(c, column, (double)cell->u);
		break;
	case CELL_I64:
		cells_measure(c, column, (double)cell->i);
		break;
	case CELL_REAL:
	case CELL_DOUBLE:
		if (isfinite(cell->real))
			cells_measure(c, column, cell->real);
		break;
	default:
		break;
	}
}

static int cells_add_value(
	struct cells *c, const struct interval *iv, const struct interval_value *value)
{
	uint32_t *number = &c->by_value[value->kind * trace_texts_limit(c->r->trace) + value->name];

	if (!*number && c->ncolumns >= CELL_MOST_COLUMNS) {
		*number = cells_left_out;
		c->values_left_out++;
	}
	if (*number == cells_left_out)
		return 0;
	if (!*number) {
		if (cells_add_column(
			    c, (struct cell_column){.name = value->name, .kind = value->kind}))
			return CPIDECODE_ENOMEM;
		*number = (uint32_t)c->ncolumns;
	}
	struct cell_column *to = &c->columns[*number - 1];
	size_t before = to->values.n;
	const struct cell cell = value_cell(iv, value);
	uint8_t tag = cells_put_cell(c, &to->values, &cell);

	cells_put_tag(to, c->rows, tag);
	cells_measure_cell(c, to, &cell);
	c->bytes += to->values.n - before + 1;
	return 0;
}

/* Fast path: reads a column that is a plain member, without a struct cell. Most have no value.
 * False: another kind of column. */
static inline bool cells_add_member(
	struct cells *c, struct cell_column *to, const struct interval *iv)
{
	const char *at = (const char *)iv + to->column->offset;
	uint64_t value;

	switch (to->column->source) {
	case COLUMN_COUNT:
		value = *(const uint64_t *)at;
		if (value == NOT_MEASURED)
			return true;
		break;
	case COLUMN_REAL:
		return !isfinite(*(const double *)at);
	case COLUMN_U8:
		value = *(const uint8_t *)at;
		break;
	case COLUMN_U32:
		value = *(const uint32_t *)at;
		break;
	case COLUMN_U64:
		value = *(const uint64_t *)at;
		break;
	default:
		return false;
	}
	varint_put(&to->values, value);
	cells_put_tag(to, c->rows, TAG_UNSIGNED);
	cells_measure(c, to, (double)value);
	return true;
}

static void cells_add_cell(struct cells *c, struct cell_column *to, const struct interval *iv)
{
	const struct cell cell = column_cell(to->column, iv);
	const uint8_t tag = cells_put_cell(c, &to->values, &cell);

	if (tag == TAG_NONE)
		return;
	cells_put_tag(to, c->rows, tag);
	cells_measure_cell(c, to, &cell);
}

static void cells_add_parent(struct cells *c, const struct interval *iv)
{
	struct cell_column *to = &c->columns[c->id + 1];
	const struct cell cell = column_cell(to->column, iv);

	c->text.len = 0;
	cell_spell_id(&c->text, &cell);
	cells_put_tag(to, c->rows, cells_put_text(c, &to->values));
}

int cells_add(struct cells *c, const struct interval *iv, uint64_t end, bool is_parent_known)
{
	struct cell_column *const last = c->columns + c->nown;
	size_t bytes = 0;
	int rc = 0;

	c->nmeasured = 0;
	for (struct cell_column *to = c->columns; to < last; to++) {
		const size_t before = to->values.n;

		if (!cells_add_member(c, to, iv))
			cells_add_cell(c, to, iv);
		bytes += to->values.n - before;
	}
	c->bytes += bytes;
	if (!is_parent_known)
		cells_add_parent(c, iv);
	rc = ids_add(&c->ids, iv, end);
	for (uint32_t i = 0; i < iv->num_values && !rc; i++)
		rc = cells_add_value(c, iv, &iv->values[i]);
	c->rows++;
	return rc || c->text.error ? CPIDECODE_ENOMEM : 0;
}

static bool cells_is_uniform(const struct buffer *tags)
{
	for (size_t i = 1; i < tags->n; i++)
		if (tags->p[i] != tags->p[0])
			return false;
	return true;
}

int cells_write(struct cells *c, struct buffer *to)
{
	ids_write(&c->ids, &c->columns[c->id].values);
	c->columns[c->id].tag = TAG_IDS;
	c->columns[c->id].alike = c->rows;
	varint_put(to, c->ncolumns);
	for (size_t i = 0; i < c->ncolumns; i++) {
		struct cell_column *from = &c->columns[i];

		if (!from->alike && !from->tags.n) {
			from->tag = TAG_NONE; /* no row has a value */
			from->alike = c->rows;
		} else if (from->alike + from->tags.n < c->rows) {
			cells_put_tag(from, c->rows - 1, TAG_NONE);
		}
		if (from->tags.failed || from->values.failed)
			return CPIDECODE_ENOMEM;
		if (from->alike) {
			buffer_add(to, &from->tag, 1);
		} else if (from->tags.n && cells_is_uniform(&from->tags)) {
			buffer_add(to, from->tags.p, 1);
		} else {
			static const uint8_t mixed = TAG_MIXED;

			buffer_add(to, &mixed, 1);
			buffer_add(to, from->tags.p, from->tags.n);
		}
		varint_put_string(to, from->values.p, from->values.n);
		from->tags.n = from->values.n = from->alike = 0;
	}
	c->rows = c->bytes = 0;
	return to->failed ? CPIDECODE_ENOMEM : 0;
}

void cells_write_numeric(const struct cells *c, struct json *j, bool measured)
{
	json_open(j, '[');
	for (size_t i = 0; i < c->ncolumns; i++)
		if (measured ? c->columns[i].has_measures : c->columns[i].has_numbers)
			json_u64(j, i);
	json_close(j, ']');
}

void cells_write_names(struct cells *c, struct json *j)
{
	json_open(j, '[');
	for (size_t i = 0; i < c->ncolumns; i++) {
		const struct cell_column *column = &c->columns[i];
		struct trace_text name;

		if (column->column) {
			json_text(j, column->column->name);
			continue;
		}
		c->text.len = 0;
		if (column->kind == VALUE_EVENT) {
			name = export_name_value(c->r, VALUE_EVENT, column->name, NULL, &c->text);
			json_string(j, name.at, name.length);
			continue;
		}
		name = trace_text_at(c->r->trace, column->name);
		out_str(&c->text, VALUE_ARGUMENT_PREFIX);
		out_bytes(&c->text, name.at, name.length);
		json_string(j, c->text.buf, c->text.len);
	}
	json_close(j, ']');
}

int64_t cells_find_event(const struct cells *c, uint32_t name)
{
	for (size_t i = c->nown; i < c->ncolumns; i++)
		if (!c->columns[i].column && c->columns[i].kind == VALUE_EVENT &&
			c->columns[i].name == name)
			return (int64_t)i;
	return -1;
}

int64_t cells_find_own(const struct cells *c, const char *name)
{
	for (size_t i = 0; i < c->nown; i++)
		if (strcmp(c->columns[i].column->name, name) == 0)
			return (int64_t)i;
	return -1;
}

int cells_list_events(const struct cells *c, struct event_names *names)
{
	int rc = 0;

	for (size_t i = c->nown; i < c->ncolumns && !rc; i++)
		if (!c->columns[i].column && c->columns[i].kind == VALUE_EVENT) {
			struct trace_text text = trace_text_at(c->r->trace, c->columns[i].name);

			rc = event_names_add(names, text.at, text.length);
		}
	event_names_sort(names);
	return rc;
}
