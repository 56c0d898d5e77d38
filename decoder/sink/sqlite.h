/*
 * A writer of an SQLite database, by libsqlite3, which is loaded when the first one is opened. All
 * rows are one transaction, without a journal: the file is good once it is closed without an error.
 *
 * Writers do not return errors: they stop after the first one, and sqlite_close returns it.
 *
 *	sqlite_open(&f, path);
 *	sqlite_run(&f, "CREATE TABLE t(a INTEGER, b TEXT)");
 *	sqlite_prepare(&f, &row, "t", 2);
 *	sqlite_put_i64(&row, 7);
 *	sqlite_put_text(&row, "x", 1);
 *	sqlite_end_row(&row);
 *	sqlite_finish(&row);
 *	error = sqlite_close(&f);
 */
#ifndef SWT_DECODER_SINK_SQLITE_H
#define SWT_DECODER_SINK_SQLITE_H

#include "out.h"

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
	struct sqlite3 *db;
	int error;	 /* errno of the first failure */
	struct out text; /* scratch */
	uint64_t reals;	 /* integers above 2^63 - 1, which are stored as reals */
};

/* Rows of one table. The values are written in the order of its columns. */
struct sqlite_row {
	struct sqlite_file *file;
	struct sqlite3_stmt *statement;
	int put; /* values so far */
};

/* The missing library; NULL: none. */
const char *sqlite_find_lacking(void);

/* An empty file of that name is there, and stays unlocked. */
void sqlite_open(struct sqlite_file *f, const char *path);
void sqlite_run(struct sqlite_file *f, const char *sql);
void sqlite_prepare(
	struct sqlite_file *f, struct sqlite_row *row, const char *table, unsigned columns);
void sqlite_put_null(struct sqlite_row *row);
void sqlite_put_i64(struct sqlite_row *row, int64_t v);
void sqlite_put_u64(struct sqlite_row *row, uint64_t v);
void sqlite_put_double(struct sqlite_row *row, double v); /* NAN: null */
/* Any bytes, as CSV has them: made valid UTF-8, without control characters. */
void sqlite_put_text(struct sqlite_row *row, const char *s, size_t n);
void sqlite_end_row(struct sqlite_row *row);
void sqlite_finish(struct sqlite_row *row);
/* Commits, and frees everything. 0 or an errno. */
int sqlite_close(struct sqlite_file *f);

#endif
