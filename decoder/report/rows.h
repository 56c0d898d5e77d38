/*
 * A report as a table of columns, which three walkers print: a text table, CSV or JSON, a line
 * for each row. A row is any struct; a column is the offset of a member, or a function for values
 *that need more.
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

#include <math.h>

#include "../sink/csv.h"
#include "../sink/json.h"
#include "../sink/table.h"
#include "report.h"
#include "text/time_text.h"

enum cell_kind {
	CELL_NONE, /* not measured: empty in CSV, null in JSON */
	CELL_U64,
	CELL_I64,
	CELL_WHOLE,  /* u; text shows `real` */
	CELL_REAL,   /* NAN: none */
	CELL_DOUBLE, /* with all its digits; not finite: none */
	CELL_BOOL,   /* u; 0 or 1 in CSV */
	CELL_STRING, /* len bytes, any bytes */
	CELL_WORDS,  /* as `words` spells u: plain ASCII without commas */
	CELL_ID,     /* of an interval: cell_spell_id */
};

struct cell {
	enum cell_kind kind;
	unsigned decimals; /* of CELL_REAL */
	union {
		uint64_t u;
		int64_t i;
		size_t len;
	};
	union {
		double real;
		const char *s;
		void (*words)(struct out *o, uint32_t u);
		struct {
			uint32_t machine, ring; /* of CELL_ID; u: the position */
		};
	};
};

enum column_source {
	COLUMN_GET,    /* by the function get */
	COLUMN_GET_OF, /* by the function get_of */
	COLUMN_U8,
	COLUMN_U32,
	COLUMN_U64,
	COLUMN_I64,
	COLUMN_BOOL,
	COLUMN_REAL,
	COLUMN_TEXT,  /* a string; NULL: none */
	COLUMN_CELL,  /* a struct cell, with decimals of its own */
	COLUMN_COUNT, /* uint64_t; NOT_MEASURED: none */
	COLUMN_NEST,  /* JSON only: the function nest writes the value */
};

/* How text shows a number. */
enum column_unit {
	UNIT_NONE,
	UNIT_PERCENT,  /* two decimals */
	UNIT_SHARE,    /* the same, and % */
	UNIT_DURATION, /* ns in a unit that suits it */
	UNIT_TIME,     /* CLOCK_REALTIME in ns, as time_text.h spells it */
};

enum column_format {
	IN_TEXT = 1 << 0,
	IN_CSV = 1 << 1,
	IN_JSON = 1 << 2,
	IN_NESTED = 1 << 3, /* an object inside a JSON row */
};

struct column {
	const char *name;    /* of CSV and JSON; NULL: in neither. See name_length */
	const char *heading; /* of text; NULL: not there */
	enum column_source source;
	uint16_t offset;  /* in the row */
	uint8_t decimals; /* of COLUMN_REAL */
	uint8_t in;	  /* enum column_format; 0: as name and heading say */
	uint8_t when;	  /* bits of rows.has; all are required */
	int8_t place;	  /* text sorts by it; equal ones stay in order */
	uint8_t spare;	  /* a narrow text drops columns with the greatest first; 0: never */
	bool is_end;	  /* in CSV and JSON behind the columns of the second list */
	bool left;	  /* aligned in text */
	bool is_text;	  /* of a function: its cells are strings, words or ids */
	bool is_id;	  /* ids: a text of its own in most rows */
	uint8_t unit;	  /* enum column_unit */
	union {
		struct cell (*get)(const void *row);
		struct cell (*get_of)(const void *row, const void *of);
		void (*nest)(struct json *j, const void *row);
	};
	/* In place of the cell, in text only. */
	void (*text)(struct out *o, const void *row);
	void (*text_of)(struct out *o, const void *row, const void *of);
	const char *none;     /* in text; NULL: n/a */
	const void *of;	      /* of get_of and text_of: what of a row the column shows */
	uint32_t name_length; /* of a name of any bytes; 0: it is plain ASCII */
};

/* Source and offset of a struct's member. */
#define COLUMN_AT(type, member)                                                                    \
	.source = _Generic(((type *)0)->member,                                                    \
		uint8_t: COLUMN_U8,                                                                \
		uint32_t: COLUMN_U32,                                                              \
		uint64_t: COLUMN_U64,                                                              \
		int64_t: COLUMN_I64,                                                               \
		bool: COLUMN_BOOL,                                                                 \
		double: COLUMN_REAL,                                                               \
		const char *: COLUMN_TEXT,                                                         \
		struct cell: COLUMN_CELL),                                                         \
	.offset = offsetof(type, member)
/* Text begins with the column, and cuts it rather than dropping it. */
#define PLACE_FIRST (-1)
/* Text ends with the column, and cuts it to the rest of the line. */
#define PLACE_LAST INT8_MAX
#define COLUMN_COUNT_AT(type, member) .source = COLUMN_COUNT, .offset = offsetof(type, member)

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
	const struct report_host *of_host; /* of CSV: its first column */
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
/* The next name of *list, with commas between, and its length; NULL: none. */
const char *rows_next_name(const char **list, size_t *length);
enum { ROWS_LIST = 768 };
/* The names of both lists with commas between, as far as there is room. */
void rows_list_columns(const struct column *columns, const struct column *more,
	enum report_format format, char *text, size_t size);
/* Whether the report has all columns that r->columns names: 0, or CPIDECODE_EINVAL, noted, and
 * r->is_misused. Before rows_begin. */
int rows_check_columns(struct report *r, const struct column *columns, const struct column *more);
/* A row and its sort key. */
struct rows_key {
	void *of; /* the caller's */
	struct cell cell;
	size_t place; /* among all */
	bool falling;
};
/* The column that r->sort names, or `otherwise`, with a - before it if falling. NULL: there is
 * none, which is noted, and r->is_misused. */
const struct column *rows_find_sort(struct report *r, const struct column *columns,
	const struct column *more, const char *otherwise, bool *falling);
/* Sorts keys with `of` and `cell`, equal ones in their order. How many of them --top leaves. */
size_t rows_sort(const struct report *r, struct rows_key *keys, size_t n, bool falling);
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

/* The members of a JSON object: IN_JSON or IN_NESTED ones. */
void rows_write_members(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row);
/* A member `host`, with --by host: the first one of an object. */
void rows_write_host(struct json *j, const struct report *r);
/* The same, with the braces. */
void rows_write_object(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row);

/* rRING.POSITION, of a guest ring gRING.POSITION; of a trace other than the first file's with its
 * number, from 2, in front: tN.rRING.POSITION. */
void cell_spell_id(struct out *o, const struct cell *cell);
struct cell column_cell(const struct column *c, const void *row);
/* As text, in a table of the caller's own. Whether the cell has a value. */
bool rows_write_cell(
	struct table *t, const struct time_text *time, const struct column *c, const void *row);
void cell_write_json(struct json *j, struct cell cell);

/*
 * These name every member: gcc clears a cell that lacks one by wide stores first, and reading a
 * member that such a store covers in part stalls store forwarding.
 */
static inline struct cell cell_real(double v, unsigned decimals)
{
	return (struct cell){.kind = CELL_REAL, .decimals = decimals, .u = 0, .real = v};
}

static inline struct cell cell_u64(uint64_t u, bool known)
{
	return (struct cell){
		.kind = known ? CELL_U64 : CELL_NONE, .decimals = 0, .u = u, .s = NULL};
}

static inline struct cell cell_i64(int64_t i)
{
	return (struct cell){.kind = CELL_I64, .decimals = 0, .i = i, .s = NULL};
}

static inline struct cell cell_string(const char *s, size_t len, bool known)
{
	return (struct cell){
		.kind = known ? CELL_STRING : CELL_NONE, .decimals = 0, .len = len, .s = s};
}

static inline struct cell cell_id(struct interval_hook hook, bool known)
{
	return (struct cell){.kind = known ? CELL_ID : CELL_NONE,
		.decimals = 0,
		.u = hook.position,
		.machine = hook.machine,
		.ring = hook.ring};
}

static inline struct cell cell_words(
	uint32_t u, void (*words)(struct out *o, uint32_t u), bool known)
{
	return (struct cell){
		.kind = known ? CELL_WORDS : CELL_NONE, .decimals = 0, .u = u, .words = words};
}

/* Of enum cpuutil_method's bits; no bit: no word. */
static inline struct cell cell_methods(uint32_t methods)
{
	return cell_words(methods, report_methods, methods);
}

#endif
