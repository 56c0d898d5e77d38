/*
 * A report of single values and of lists, which the same calls print as human-readable text or as
 * JSON:
 *
 *	document_add(&d, columns, has, &row);        lines of a label and a value, or members
 *	for (document_begin_list(&d, "rings", columns, has); document_pass(&d);)
 *		for (each row)
 *			document_add_row(&d, &row);  a table, or an array of objects
 *
 * Columns are those of column.h: a heading is a label. The caller opens and closes the JSON object
 * around all. Failures of the output show in the stream's error.
 */
#ifndef SWT_DECODER_DOCUMENT_H
#define SWT_DECODER_DOCUMENT_H

#include "column.h"

enum { DOCUMENT_COLUMNS = 32 /* at most, of a table in text */ };

struct document {
	struct out *o;
	struct json *j;		      /* NULL: text */
	const struct time_text *time; /* of UNIT_TIME */
	const char *before_label;     /* of a line; NULL: nothing */
	unsigned label_width;	      /* cells of a line's label, at least one space included */
	const char *title;	      /* of the next list: before the table; NULL: nothing */
	const char *indent;	      /* of tables: their first column; NULL: none */
	unsigned width;		      /* of tables; 0: unlimited */
	unsigned gap;		      /* of tables of columns with widths */
	bool keeps_heading;	      /* of tables without rows */
	bool has_no_headings;	      /* of tables of columns with widths */
	bool breaks;		      /* each row of JSON on a line of its own */
	/* The list that is being written: */
	unsigned has; /* settable for each row of JSON */
	unsigned pass, n;
	unsigned widths[DOCUMENT_COLUMNS + 1]; /* 0 ends them */
	const char *key, *label;	       /* label: of lines; NULL: a table */
	const struct column *columns, *chosen[DOCUMENT_COLUMNS];
	struct table table;
};

static inline bool document_is_text(const struct document *d)
{
	return !d->j;
}

/* Opens and closes an object or a list of JSON. key NULL: a value without one. Text has none. */
static inline void document_open(struct document *d, const char *key, char bracket)
{
	if (d->j && key)
		json_key(d->j, key);
	if (d->j)
		json_open(d->j, bracket);
}

static inline void document_close(struct document *d, char bracket)
{
	if (d->j)
		json_close(d->j, bracket);
}

/* Begins a line: the caller writes its value and a newline. Only of text. */
struct out *document_begin_line(struct document *d, const char *label);
/* has: bits that columns ask for. */
void document_add(struct document *d, const struct column *columns, unsigned has, const void *row);
/* A list of which text shows each row as a line of that label, with the row's cells one after the
 * other. key: of JSON. */
void document_begin_lines(struct document *d, const char *label, const char *key,
	const struct column *columns, unsigned has);
/*
 * key: of JSON, where an empty list is []; text has no table then, unless keeps_heading. A table of
 * columns with widths is printed as its rows come, its heading even without rows. Otherwise the
 * rows are added twice, and d->width fits the table: cuts the column of PLACE_FIRST, otherwise the
 * last one.
 */
void document_begin_list(
	struct document *d, const char *key, const struct column *columns, unsigned has);
bool document_pass(struct document *d);
void document_add_row(struct document *d, const void *row);

#endif
