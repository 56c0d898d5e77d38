/*
 * A report as a table of columns (sink/column.h), which three walkers print: a text table, CSV or
 * JSON, a line for each row.
 *
 *	for (rows_begin(&rows, r, columns, has); rows_pass(&rows);)
 *		for (each row)
 *			rows_add(&rows, row);
 *	rows_end(&rows);
 *
 * Failures of the output show in r->out->error.
 */
#ifndef SWT_DECODER_REPORT_ROWS_H
#define SWT_DECODER_REPORT_ROWS_H

#include "../sink/column.h"
#include "report.h"

struct rows {
	enum report_format format;
	unsigned has; /* bits that columns ask for; of JSON, which asks for each row, settable */
	unsigned n, pass;
	const struct column *all, *more; /* more: after them; NULL: none */
	const struct column **columns;	 /* of text and CSV, and those that r->columns names */
	bool is_listed;			 /* r->columns names them */
	bool *known;			 /* of text: a row has more than `none` in that column */
	unsigned width;			 /* of text; 0: no limit */
	struct time_text time;
	const struct report_host *of_host; /* of CSV and JSON: the first column */
	struct csv csv;
	struct json json;
	struct table table;
};

/* columns: the last one has neither name nor heading. Text begins with report_head_lines. */
void rows_begin(
	struct rows *rows, const struct report *r, const struct column *columns, unsigned has);
/* With the columns of a second list after them, as long as rows_end is not called. */
void rows_begin_more(struct rows *rows, const struct report *r, const struct column *columns,
	const struct column *more, unsigned has);
/*
 * The column of that name in a list, NULL: none. A column of text alone has its heading for a name.
 */
const struct column *rows_find_column(
	const struct column *columns, const char *name, size_t length, enum report_format format);
/* The column that `sort` names (--sort), and its direction. NULL, noted, and r->is_misused: none.
 */
const struct column *rows_find_sort(struct report *r, const struct column *columns,
	const struct column *more, const char *sort, bool *falling);
/* The next name of *list, with commas between, and its length; NULL: none. */
const char *rows_next_name(const char **list, size_t *length);
enum { ROWS_LIST = 768 };
/* The names of both lists with commas between, as far as there is room. */
void rows_list_columns(const struct column *columns, const struct column *more,
	enum report_format format, char *text, size_t size);
/* Whether the report has all columns that r->columns names: 0, or CPIDECODE_EINVAL, noted, and
 * r->is_misused. Before rows_begin. */
int rows_check_columns(struct report *r, const struct column *columns, const struct column *more);
/* Whether r->columns names it, or is NULL. */
bool rows_lists(const struct report *r, const char *name, size_t length);
/* The columns of a list that r->columns names, all if it is NULL, in the list's order: for JSON
 * that rows_add does not write. The caller frees it; NULL: no memory. */
struct column *rows_choose_columns(const struct report *r, const struct column *columns);
/*
 * True once, in text twice: the rows have to be added. Writes the names of the columns. Text leaves
 * out columns that no row has a value for, and those that r->width has no room for, which rows_end
 * names; not columns that r->columns names.
 */
bool rows_pass(struct rows *rows);
void rows_add(struct rows *rows, const void *row);
/* In text, from the second pass on: whether the column of that name has a value in any row. True of
 * one that text does not have. */
bool rows_is_known(const struct rows *rows, const char *name);
/* Prints the table's last line. */
void rows_end(struct rows *rows);

/* A member `host`, with --by host: the first one of an object. */
void rows_write_host(struct json *j, const struct report *r);

/* Times as the report asks for; relative ones count from its trace's first hook. */
struct time_text time_text_of(const struct report *r);

static inline struct cell cell_words(
	uint32_t u, void (*words)(struct out *o, uint32_t u), bool known)
{
	return (struct cell){
		.kind = known ? CELL_WORDS : CELL_NONE, .decimals = 0, .u = u, .words = words};
}

/* The words of enum cpuutil_method's bits; no bit: no word. */
static inline struct cell cell_methods(uint32_t methods)
{
	return cell_words(methods, report_methods, methods);
}

#endif
