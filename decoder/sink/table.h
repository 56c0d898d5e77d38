/*
 * A text table. Its rows are produced twice, first to measure the columns, then to
 * print them, so that nothing is kept:
 *
 *	for (table_begin(&t, out); table_pass(&t);)
 *		for (each row) {
 *			out_u64(table_right(&t), ...);
 *			table_end_row(&t);
 *		}
 *	table_free(&t);
 *
 * A cell is written into the stream that table_left or table_right returns, already
 * safe for a terminal.
 */
#ifndef SWT_DECODER_TABLE_H
#define SWT_DECODER_TABLE_H

#include <limits.h>

#include "out.h"

struct table_column {
	size_t width;
	size_t end;  /* offsets of this row's cells in row.buf */
	size_t most; /* longer cells are cut; 0: no limit */
	bool right, hidden;
	bool left_out;	    /* hidden by table_fit */
	const char *colour; /* escape code around this row's cell; "": none */
	unsigned spare;	    /* table_fit leaves out the greatest first; 0: never */
	char *heading;	    /* the column's cell in the first row */
};

#define TABLE_NONE UINT_MAX
#define TABLE_LAST (UINT_MAX - 1)

struct table {
	struct out *o;
	unsigned gap;	/* spaces between two columns */
	struct out row; /* the current row, its cells concatenated */
	struct table_column *columns;
	unsigned ncolumns, current;
	size_t allocated;
	unsigned pass;
	size_t rows;	 /* ended, in both passes */
	unsigned fitted; /* the width of table_fit */
};

void table_begin(struct table *t, struct out *o);
/*
 * A table of columns that are so wide at least, `gap` spaces apart; a width of 0 ends the list, and
 * a column after them is as wide as its cell. Its rows are printed as they come, without
 * table_pass. table_hide may follow at once. widths NULL: as table_begin.
 */
void table_begin_fixed(struct table *t, struct out *o, const unsigned *widths, unsigned gap);
/* True twice: the caller produces the rows in both passes. */
bool table_pass(struct table *t);
/* True in the first pass. */
static inline bool table_is_measuring(const struct table *t)
{
	return t->pass == 1;
}
/* Between the passes: cells of t->columns. A column that is not printed, or whose cells are cut to
 * that many cells, an ellipsis included. */
void table_hide(struct table *t, unsigned column);
void table_cut(struct table *t, unsigned column, size_t most);
/* The current width of a line. */
size_t table_width(const struct table *t);
/*
 * Between the passes: fits lines to `width` cells as far as possible. Cuts the label to 40 cells
 * and `last` to 24, then leaves out columns (of equal spares the last one first), then cuts the
 * label further. Label and `last` share the cells that remain. TABLE_NONE: no such column.
 */
void table_fit(struct table *t, unsigned width, unsigned label, unsigned last);
/* After the table: a line with the headings of the columns left out, if any. chooses: advice to the
 * user. */
void table_tell_fit(const struct table *t, const char *chooses);
/*
 * table_pass for a table that fits `width` (0: unlimited). May leave out all columns but the label
 * and the first other one, the last ones first, and names them after the table. label: TABLE_LAST
 * is the last column.
 */
bool table_pass_fit(struct table *t, unsigned width, unsigned label);
struct out *table_left(struct table *t);
struct out *table_right(struct table *t);
/* A cell of text that is safe for a terminal. */
void table_text(struct table *t, const char *s);
/* Prints the current cell in the colour of that escape code. */
void table_colour(struct table *t, const char *code);
void table_end_row(struct table *t);
/* Cells as by printf, separated by tabs; one to the right begins with >, a final newline ends the
 * row. */
__attribute__((format(printf, 2, 3))) void table_printf(struct table *t, const char *format, ...);
void table_free(struct table *t);

#endif
