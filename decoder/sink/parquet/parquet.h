/*
 * A Parquet file of one table: optional columns, row groups of one v1 data page a column,
 * compressed as LZ4_RAW or ZSTD, with dictionaries where values repeat, differences of integers,
 * and the statistics of each. Keeps in memory the open row group, and of earlier ones only their
 * data for the file's footer.
 *
 * 	parquet_open(&p, out, columns, n);
 * 	parquet_put_bits(&p, 0, 7);
 * 	parquet_put_text(&p, 1, "x", 1);
 * 	parquet_end_row(&p);		columns without a value are null
 * 	parquet_close(&p, ...);
 *
 * decoder/sink/parquet owns Parquet. It includes sink. Errors as in sink/out.h.
 */
#ifndef SWT_DECODER_SINK_PARQUET_PARQUET_H
#define SWT_DECODER_SINK_PARQUET_PARQUET_H

#include "../../../formats/base/hash_index.h"
#include "../out.h"

enum parquet_type {
	PARQUET_U32,
	PARQUET_I64,
	PARQUET_U64,
	PARQUET_DOUBLE,
	PARQUET_TEXT,
};

enum {
	PARQUET_ROWS = 122880, /* of a row group: what DuckDB's are, too */
	PARQUET_BATCH = 64,
};

struct parquet_column {
	const char *name; /* length bytes of UTF-8 */
	size_t length;
	enum parquet_type type;
	bool is_plain; /* texts that hardly repeat: they get no dictionary */
	/* The rest is the writer's. */
	uint64_t *values; /* those that are not null; of texts their numbers */
	size_t count, room;
	bool is_same;	  /* those of all batches so far are equal: values has only the first */
	uint8_t *present; /* a bit for each row */
	struct out texts; /* of a row group, each with its length as PLAIN has them */
	size_t *offsets;  /* of texts */
	size_t ntexts, texts_room;
	struct hash_index index; /* of texts */
	uint64_t last;		 /* the last row's text */
};

struct parquet_file {
	struct out *o;
	struct parquet_column *columns;
	size_t ncolumns;
	bool is_zstd;		 /* else LZ4; to be set before the first row */
	size_t rows;		 /* of the row group */
	uint64_t all_rows, at;	 /* at: bytes written */
	size_t bytes;		 /* of the row group in memory, about */
	struct out page, packed; /* scratch */
	struct out groups;	 /* the row groups' descriptions */
	size_t ngroups;
};

/* A pair of the file's own metadata. */
struct parquet_pair {
	const char *key, *value;
	size_t key_length, value_length;
};

/* columns: with name and type, else zeroed. */
void parquet_open(
	struct parquet_file *p, struct out *o, struct parquet_column *columns, size_t ncolumns);
/* For one more value. False: after an error. */
bool parquet_make_room(struct parquet_file *p, struct parquet_column *c);

/* A value of the row: an integer, or a double's bits. At most one for a column and row. */
static inline void parquet_put_bits(struct parquet_file *p, size_t column, uint64_t bits)
{
	struct parquet_column *c = &p->columns[column];

	if (c->count == c->room && !parquet_make_room(p, c))
		return;
	c->values[c->count++] = bits;
	c->present[p->rows / 8] |= (uint8_t)(1u << p->rows % 8);
	p->bytes += sizeof bits;
}

/* Valid UTF-8. */
void parquet_put_text(struct parquet_file *p, size_t column, const char *s, size_t n);
/* The same for any bytes, if the row group has the text already; else returns false. */
bool parquet_put_again(struct parquet_file *p, size_t column, const char *s, size_t n);
void parquet_end_row(struct parquet_file *p);

/*
 * Rows by column. Write some columns row by row, as above, but call parquet_next_row instead of
 * parquet_end_row. After at most PARQUET_BATCH rows, or when parquet_is_full, write each other
 * column for all of these rows, then call parquet_end_rows. All batches of a row group but its last
 * one have PARQUET_BATCH rows.
 */
static inline void parquet_next_row(struct parquet_file *p)
{
	p->rows++;
}

/* Whether the row group has to end. */
bool parquet_is_full(const struct parquet_file *p);
/* Where the values of those rows go that have one. NULL: after an error. */
uint64_t *parquet_batch_begin(struct parquet_file *p, size_t column);
/* row: the first one of the batch; rows: a bit for each that has a value. */
void parquet_batch_end(struct parquet_file *p, size_t column, size_t row, uint64_t rows);
/* The value of a text, valid UTF-8: a number, until the rows end. False: after an error. */
bool parquet_number_text(
	struct parquet_file *p, size_t column, const char *s, size_t n, uint64_t *number);
void parquet_end_rows(struct parquet_file *p);

/* Writes the rest, and frees its memory. Failures show in the stream's error. */
void parquet_close(struct parquet_file *p, const char *creator, const struct parquet_pair *pairs,
	size_t npairs);

#endif
