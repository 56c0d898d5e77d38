#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../include/cpidecode.h"
#include "../../../base/copy.h"
#include "../../../model/intervals/elapsed.h"
#include "../../../sink/escapes.h"
#include "../../values/columns.h"

enum { KNOWN_TEXTS = 64 };

struct parquet_known {
	uint64_t by[KNOWN_TEXTS]; /* keys of texts; 0: none */
	uint64_t number[KNOWN_TEXTS];
};

/* Columns of texts that the stream lends. */
static bool rows_is_lent(const struct column *c)
{
	return c->source == COLUMN_GET_OF || (c->is_text && strcmp(c->name, "label") == 0);
}

int parquet_rows_init(struct parquet_rows *rows, struct report *r, struct parquet_file *to,
	const enum parquet_source *sources, const struct column *const *report, size_t count)
{
	*rows = (struct parquet_rows){
		.r = r, .to = to, .sources = sources, .report = report, .count = count};
	out_memory(&rows->text);
	rows->held = calloc(PARQUET_BATCH, sizeof *rows->held);
	rows->known = calloc(count, sizeof *rows->known);
	rows->lent = calloc(count, sizeof *rows->lent);
	rows->kept = calloc(count, sizeof *rows->kept);
	if (!rows->held || !rows->known || !rows->lent || !rows->kept)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (sources[i] == COLUMN_OF_REPORT && rows_is_lent(report[i]))
			rows->lent[rows->nlent++] = i;
		else
			rows->kept[rows->nkept++] = i;
	return 0;
}

void parquet_rows_free(struct parquet_rows *rows)
{
	free(rows->held);
	free(rows->known);
	free(rows->lent);
	free(rows->kept);
	out_discard(&rows->text);
}

/* ------------------------------------------------------------------------ values */

/* False: after an error. */
static bool rows_number_spelled(struct parquet_rows *rows, size_t column, uint64_t *number)
{
	const struct out *text = &rows->text;

	if (text->error && !rows->r->out->error)
		rows->r->out->error = text->error;
	return parquet_number_text(rows->to, column, text->len ? text->buf : "", text->len, number);
}

/* Cells are passed by pointer: copying one that was just written stalls store forwarding. */
static bool rows_number_cell(
	struct parquet_rows *rows, size_t column, const struct cell *cell, uint64_t *number)
{
	struct out *text = &rows->text;

	text->len = 0;
	if (cell->kind == CELL_STRING)
		escape_utf8(text, cell->s, cell->len);
	else if (cell->kind == CELL_WORDS)
		cell->words(text, (uint32_t)cell->u);
	else if (cell->kind == CELL_ID)
		cell_spell_id(text, cell);
	else
		value_spell(text, *cell);
	return rows_number_spelled(rows, column, number);
}

static uint64_t rows_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* The value of a column of numbers. False: there is none. */
static bool rows_read_cell(const struct cell *cell, uint64_t *value)
{
	switch (cell->kind) {
	case CELL_NONE:
		return false;
	case CELL_REAL:
		*value = rows_bits(cell->real);
		return isfinite(cell->real);
	case CELL_DOUBLE:
		*value = rows_bits(cell->real);
		return true;
	default:
		*value = cell->u;
		return true;
	}
}

/* ------------------------------------------------------------------------ at once */

static void rows_put_lent(struct parquet_rows *rows, size_t column, const struct interval *iv)
{
	const struct cell cell = column_cell(rows->report[column], iv);
	uint64_t value;

	if (rows->to->columns[column].type != PARQUET_TEXT) {
		if (rows_read_cell(&cell, &value))
			parquet_put_bits(rows->to, column, value);
		return;
	}
	/* A text equal to an escaped one needs no escapes. */
	if (cell.kind == CELL_STRING && parquet_put_again(rows->to, column, cell.s, cell.len))
		return;
	if (cell.kind != CELL_NONE && rows_number_cell(rows, column, &cell, &value))
		parquet_put_bits(rows->to, column, value);
}

/* ------------------------------------------------------------------------ by batch */

/* Where values of a batch go, and which rows have one. Passed by value: in registers. */
struct batch {
	uint64_t *to, rows;
};

static inline struct batch batch_add(struct batch b, size_t row, uint64_t value, bool is_there)
{
	/* The next one overwrites it if there is none. */
	*b.to = value;
	b.to += is_there;
	b.rows |= (uint64_t)is_there << row;
	return b;
}

/* n values were written, one for each row. */
static inline struct batch batch_add_all(struct batch b, size_t n)
{
	b.to += n;
	b.rows = UINT64_MAX >> (PARQUET_BATCH - n);
	return b;
}

static inline const void *rows_member(const struct parquet_rows *rows, size_t row, size_t offset)
{
	return (const char *)&rows->held[row] + offset;
}

/* Whether no row of the batch has a count there: most columns of counts are empty. */
static bool rows_have_no_count(const struct parquet_rows *rows, size_t offset)
{
	uint64_t all = NOT_MEASURED;

	for (size_t i = 0; i < rows->nheld && all == NOT_MEASURED; i++)
		all = *(const uint64_t *)rows_member(rows, i, offset);
	return all == NOT_MEASURED;
}

static struct batch rows_batch_cells(
	struct parquet_rows *rows, const struct column *c, struct batch b)
{
	for (size_t i = 0; i < rows->nheld; i++) {
		const struct cell cell = column_cell(c, &rows->held[i]);
		uint64_t value = 0;
		const bool is_there = rows_read_cell(&cell, &value);

		b = batch_add(b, i, value, is_there);
	}
	return b;
}

/* Numbers of the report. */
static struct batch rows_batch_column(
	struct parquet_rows *rows, const struct column *c, struct batch b)
{
	const size_t n = rows->nheld, at = c->offset;

	switch (c->source) {
	case COLUMN_COUNT:
		if (rows_have_no_count(rows, at))
			break;
		for (size_t i = 0; i < n; i++) {
			const uint64_t v = *(const uint64_t *)rows_member(rows, i, at);

			b = batch_add(b, i, v, v != NOT_MEASURED);
		}
		break;
	case COLUMN_U64:
	case COLUMN_I64:
		for (size_t i = 0; i < n; i++)
			b.to[i] = *(const uint64_t *)rows_member(rows, i, at);
		return batch_add_all(b, n);
	case COLUMN_REAL:
		for (size_t i = 0; i < n; i++) {
			const double v = *(const double *)rows_member(rows, i, at);

			b = batch_add(b, i, rows_bits(v), isfinite(v));
		}
		break;
	case COLUMN_U32:
		for (size_t i = 0; i < n; i++)
			b.to[i] = *(const uint32_t *)rows_member(rows, i, at);
		return batch_add_all(b, n);
	case COLUMN_U8:
		for (size_t i = 0; i < n; i++)
			b.to[i] = *(const uint8_t *)rows_member(rows, i, at);
		return batch_add_all(b, n);
	default:
		return rows_batch_cells(rows, c, b);
	}
	return b;
}

/* Identifies a cell that repeats: a string by its address, words by their bits; 0: by nothing. */
static uint64_t rows_key_cell(const struct cell *cell)
{
	if (cell->kind == CELL_STRING)
		return (uintptr_t)cell->s;
	return cell->kind == CELL_WORDS ? cell->u + 1 : 0;
}

static bool rows_number_known(
	struct parquet_rows *rows, size_t column, const struct cell *cell, uint64_t *number)
{
	const uint64_t key = rows_key_cell(cell);
	const size_t at = (key ^ key >> 6 ^ key >> 12) % KNOWN_TEXTS;
	struct parquet_known *known = &rows->known[column];

	if (cell->kind == CELL_NONE)
		return false;
	if (key && known->by[at] == key) {
		*number = known->number[at];
		return true;
	}
	if (!rows_number_cell(rows, column, cell, number))
		return false;
	known->by[at] = key;
	known->number[at] = *number;
	return true;
}

static struct batch rows_batch_texts(struct parquet_rows *rows, size_t column, struct batch b)
{
	uint64_t last = 0, number = 0;
	bool is_there = false;

	for (size_t i = 0; i < rows->nheld; i++) {
		const struct cell cell = column_cell(rows->report[column], &rows->held[i]);
		const uint64_t key = rows_key_cell(&cell);

		if (!key || key != last)
			is_there = rows_number_known(rows, column, &cell, &number);
		last = key;
		b = batch_add(b, i, number, is_there);
	}
	return b;
}

static struct cell rows_host_cell(const struct parquet_rows *rows, uint32_t file)
{
	const char *host = trace_meta_value(trace_file(rows->r->trace, file), "host");

	return cell_string(host, host ? strlen(host) : 0, host);
}

static struct batch rows_batch_hosts(struct parquet_rows *rows, size_t column, struct batch b)
{
	uint64_t number = 0;
	bool is_there = false;

	for (size_t i = 0; i < rows->nheld; i++) {
		const uint32_t file = rows->held[i].file;

		if (!i || file != rows->held[i - 1].file) {
			const struct cell cell = rows_host_cell(rows, file);

			is_there = rows_number_known(rows, column, &cell, &number);
		}
		b = batch_add(b, i, number, is_there);
	}
	return b;
}

static struct batch rows_batch_first(
	const struct parquet_rows *rows, enum parquet_source source, struct batch b)
{
	for (size_t i = 0; i < rows->nheld; i++) {
		const struct interval *iv = &rows->held[i];

		switch (source) {
		case COLUMN_NUMBER:
			b = batch_add(b, i, (uint64_t)iv->place, true);
			break;
		case COLUMN_PARENT:
			b = batch_add(b, i, (uint64_t)iv->parent, iv->parent >= 0);
			break;
		case COLUMN_FILE:
			b = batch_add(b, i, iv->file, true);
			break;
		default:
			b = batch_add(b, i, elapsed_whole_ns(iv), true);
		}
	}
	return b;
}

static void rows_put_batch(struct parquet_rows *rows, size_t column)
{
	struct batch b = {.to = parquet_batch_begin(rows->to, column)};

	if (!b.to)
		return;
	if (rows->sources[column] == COLUMN_HOST)
		b = rows_batch_hosts(rows, column, b);
	else if (rows->to->columns[column].type == PARQUET_TEXT)
		b = rows_batch_texts(rows, column, b);
	else if (rows->sources[column] == COLUMN_OF_REPORT)
		b = rows_batch_column(rows, rows->report[column], b);
	else
		b = rows_batch_first(rows, rows->sources[column], b);
	parquet_batch_end(rows->to, column, rows->to->rows - rows->nheld, b.rows);
}

void parquet_rows_flush(struct parquet_rows *rows)
{
	if (!rows->nheld)
		return;
	for (size_t i = 0; i < rows->nkept; i++)
		rows_put_batch(rows, rows->kept[i]);
	rows->nheld = 0;
	parquet_end_rows(rows->to);
	/* Texts get new numbers. */
	if (!rows->to->rows)
		memset(rows->known, 0, rows->count * sizeof *rows->known);
}

void parquet_rows_add(struct parquet_rows *rows, const struct interval *iv)
{
	struct interval *held = &rows->held[rows->nheld++];

	for (size_t i = 0; i < rows->nlent; i++)
		rows_put_lent(rows, rows->lent[i], iv);
	copy_blocks(held, iv, sizeof *held);
	held->has_label = false;
	held->label = NULL;
	held->cpus = NULL;
	held->utils = NULL;
	held->values = NULL;
	held->value_texts = NULL;
	parquet_next_row(rows->to);
	if (rows->nheld == PARQUET_BATCH || parquet_is_full(rows->to))
		parquet_rows_flush(rows);
}
