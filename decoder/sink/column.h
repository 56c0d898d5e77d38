/*
 * Columns as data: the name, unit, decimals and source of a value, which walkers print as text, CSV
 * or JSON. A row is any struct, a column the offset of a member: a value that may be unmeasured, or
 * that takes more than a number, is a cell of the row. A function of the row is for values that
 * most outputs leave out. A list of columns ends with one that has neither name nor heading.
 *
 * Failures of the output show in the stream's error.
 */
#ifndef SWT_DECODER_COLUMN_H
#define SWT_DECODER_COLUMN_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "csv.h"
#include "json.h"
#include "table.h"
#include "units.h"

enum cell_kind {
	CELL_NONE, /* not measured: empty in CSV, null in JSON */
	CELL_U64,
	CELL_I64,
	CELL_WHOLE,  /* u; text shows `real` */
	CELL_REAL,   /* NAN: none */
	CELL_DOUBLE, /* with all its digits; not finite: none */
	CELL_BOOL,   /* u; 0 or 1 in CSV */
	CELL_STRING, /* len bytes, any bytes */
	CELL_HEX,    /* u as 0x3c: a string in JSON, whose numbers have 53 bits */
	CELL_WORDS,  /* as `words` spells u: plain ASCII without commas */
	CELL_ID,     /* cell_spell_id */
};

struct cell {
	enum cell_kind kind;
	unsigned decimals; /* of CELL_REAL; of CELL_ID its letter */
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
			uint32_t trace, number; /* of CELL_ID */
		};
	};
};

enum column_source {
	COLUMN_GET,    /* by the function get */
	COLUMN_GET_OF, /* by the function get_of */
	COLUMN_U8,
	COLUMN_U16,
	COLUMN_U32,
	COLUMN_U64,
	COLUMN_I64,
	COLUMN_BOOL,
	COLUMN_REAL,
	COLUMN_TEXT,  /* a string; NULL: none */
	COLUMN_CHARS, /* a string in an array of the row */
	COLUMN_CELL,  /* a struct cell, with decimals of its own */
	COLUMN_COUNT, /* uint64_t; UINT64_MAX: none */
	COLUMN_HEX,   /* uint64_t, as a CELL_HEX */
	COLUMN_NEST,  /* JSON only: the function nest writes the value; NULL: see of */
};

/* How text shows a number. */
enum column_unit {
	UNIT_NONE,
	UNIT_PERCENT,  /* two decimals */
	UNIT_SHARE,    /* the same, and % */
	UNIT_DURATION, /* ns in a unit that suits it */
	UNIT_TIME,     /* CLOCK_REALTIME in ns, as units_time spells it */
	UNIT_SIZE,     /* bytes in a unit that suits them */
	UNIT_PART,     /* a share of 1, as units_part spells it */
	UNIT_RATE,     /* a real one: a decimal below 100, none above */
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
	const char *listed;  /* without a name: what --columns calls it, then in all formats */
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
	uint8_t width;	  /* of text, the least: of a document's table */
	uint8_t unit;	  /* enum column_unit */
	union {
		struct cell (*get)(const void *row);
		struct cell (*get_of)(const void *row, const void *of);
		void (*nest)(struct json *j, const void *row);
	};
	/* In place of the cell, in text only. */
	void (*text)(struct out *o, const void *row);
	void (*text_of)(struct out *o, const void *row, const void *of);
	/* The escape code of a table's cell; NULL: none. */
	const char *(*colour)(const void *row);
	const char *none; /* in text; NULL: n/a */
	/* Passed to get_of and text_of: selects the part of the row to show. Of COLUMN_NEST: the
	 * columns of an object, IN_NESTED ones, and `offset` is its row. */
	const void *of;
	uint32_t name_length; /* of a name of any bytes; 0: it is plain ASCII */
};

/* Source and offset of a struct's member. */
#define COLUMN_AT(type, member)                                                                    \
	.source = _Generic(((type *)0)->member,                                                    \
		uint8_t: COLUMN_U8,                                                                \
		uint16_t: COLUMN_U16,                                                              \
		uint32_t: COLUMN_U32,                                                              \
		uint64_t: COLUMN_U64,                                                              \
		int64_t: COLUMN_I64,                                                               \
		bool: COLUMN_BOOL,                                                                 \
		double: COLUMN_REAL,                                                               \
		const char *: COLUMN_TEXT,                                                         \
		char *: COLUMN_TEXT,                                                         \
		struct cell: COLUMN_CELL),                                                         \
	.offset = offsetof(type, member)
/* Text begins with the column, and cuts it rather than dropping it. */
#define PLACE_FIRST (-1)
/* Text ends with the column, and cuts it to the rest of the line. */
#define PLACE_LAST INT8_MAX
#define COLUMN_CHARS_AT(type, member) .source = COLUMN_CHARS, .offset = offsetof(type, member)
#define COLUMN_HEX_AT(type, member) .source = COLUMN_HEX, .offset = offsetof(type, member)
#define COLUMN_COUNT_AT(type, member) .source = COLUMN_COUNT, .offset = offsetof(type, member)

/* Letter, number, a dot and u; of another trace than 0, with its number + 1 before them: t2.r0.64.
 */
void cell_spell_id(struct out *o, const struct cell *cell);
void cell_write_json(struct json *j, struct cell cell);

struct cell column_cell(const struct column *c, const void *row);
/* A name of CSV. */
void column_write_name(struct csv *csv, const struct column *c);
/* The names of a list's columns, and the fields of a row. The caller ends the record. */
void column_write_names(struct csv *csv, const struct column *columns, unsigned has);
void column_write_fields(
	struct csv *csv, const struct column *columns, unsigned has, const void *row);
/* A cell of text, without padding. Whether it has a value. time: of UNIT_TIME, else unused. */
bool column_write_text(
	struct out *o, const struct time_text *time, const struct column *c, const void *row);
/* The same in a table. */
bool column_write_cell(
	struct table *t, const struct time_text *time, const struct column *c, const void *row);
/* The heading of text. */
void column_write_heading(struct table *t, const struct column *c);
/* A member of a JSON object. */
void column_write_member(struct json *j, const struct column *c, const void *row);

size_t column_count(const struct column *c);
/* Adds the columns of a list to the first n chosen ones, those of text by their places. Returns how
 * many there are then. */
unsigned column_choose(const struct column **chosen, unsigned n, const struct column *list,
	enum column_format in, unsigned has, bool is_end);
/* The members of a JSON object: IN_JSON or IN_NESTED ones; first those without is_end. */
void column_write_members(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row);
/* The members that have is_end, or those that do not. */
void column_write_part(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, bool is_end, const void *row);
/* The members, with the braces. */
void column_write_object(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row);

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

static inline bool column_is_in(const struct column *c, enum column_format in, unsigned has)
{
	unsigned formats = c->in;

	if (!formats)
		formats = (c->heading ? IN_TEXT : 0) | (c->name ? IN_CSV | IN_JSON : 0);
	return formats & in && !(c->when & ~has);
}

static inline bool column_is_last(const struct column *c)
{
	return !c->name && !c->heading;
}

/* The name of one that --columns has listed. */
static inline const char *column_name(const struct column *c)
{
	return c->name ? c->name : c->listed;
}

static inline const char *column_heading(const struct column *c)
{
	return c->heading ? c->heading : c->name;
}

/* Inline, as cell_write_csv. */
static inline struct cell column_read(const struct column *c, const void *row)
{
	const char *at = (const char *)row + c->offset;

	switch (c->source) {
	case COLUMN_U8:
		return cell_u64(*(const uint8_t *)at, true);
	case COLUMN_U16:
		return cell_u64(*(const uint16_t *)at, true);
	case COLUMN_U32:
		return cell_u64(*(const uint32_t *)at, true);
	case COLUMN_U64:
		return cell_u64(*(const uint64_t *)at, true);
	case COLUMN_COUNT:
		return cell_u64(*(const uint64_t *)at, *(const uint64_t *)at != UINT64_MAX);
	case COLUMN_HEX:
		return (struct cell){
			.kind = CELL_HEX, .decimals = 0, .u = *(const uint64_t *)at, .s = NULL};
	case COLUMN_I64:
		return cell_i64(*(const int64_t *)at);
	case COLUMN_BOOL:
		return (struct cell){.kind = CELL_BOOL, .u = *(const bool *)at};
	case COLUMN_REAL:
		return cell_real(*(const double *)at, c->decimals);
	case COLUMN_TEXT: {
		const char *s = *(const char *const *)at;

		return cell_string(s, s ? strlen(s) : 0, s);
	}
	case COLUMN_CHARS:
		return cell_string(at, strlen(at), true);
	case COLUMN_CELL:
		return *(const struct cell *)at;
	case COLUMN_GET_OF:
		return c->get_of(row, c->of);
	default:
		return c->get(row);
	}
}

/* Inline: of each value of a long report. */
static inline void cell_write_csv(struct csv *c, struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		csv_u64(c, cell.u);
		break;
	case CELL_I64:
		csv_i64(c, cell.i);
		break;
	case CELL_REAL:
		csv_fixed(c, cell.real, cell.decimals);
		break;
	case CELL_DOUBLE:
		csv_empty(c);
		if (isfinite(cell.real))
			out_double(c->o, cell.real);
		break;
	case CELL_STRING:
		csv_string(c, cell.s, cell.len);
		break;
	case CELL_HEX:
		csv_empty(c);
		out_printf(c->o, "0x%llx", (unsigned long long)cell.u);
		break;
	case CELL_WORDS:
		csv_empty(c);
		cell.words(c->o, (uint32_t)cell.u);
		break;
	case CELL_ID:
		csv_empty(c);
		cell_spell_id(c->o, &cell);
		break;
	default:
		csv_empty(c);
	}
}

#endif
