/*
 * The rows of a Parquet file of intervals. Most columns are written in batches of intervals, by a
 * loop for each kind of column. Texts that the stream lends only until its next interval (labels,
 * named values) are written interval by interval.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_PARQUET_ROWS_H
#define SWT_DECODER_REPORT_EXPORT_PARQUET_ROWS_H

#include "../../../sink/parquet/parquet.h"
#include "../../report.h"
#include "../../rows.h"

/* Before the columns of the report, which are all COLUMN_OF_REPORT. */
enum parquet_source {
	COLUMN_NUMBER,
	COLUMN_PARENT,
	COLUMN_FILE,
	COLUMN_HOST,
	COLUMN_ELAPSED,
	COLUMNS_FIRST,
	COLUMN_OF_REPORT = COLUMNS_FIRST,
};

/* Caches numbers of a column's texts, until the row group ends. */
struct parquet_known;

struct parquet_rows {
	struct report *r;
	struct parquet_file *to;
	const enum parquet_source *sources; /* of columns, as the others */
	const struct column *const *report;
	struct parquet_known *known;
	size_t *lent, *kept; /* columns written at once, and by batch */
	size_t nlent, nkept;
	size_t count;
	struct interval *held; /* the batch's intervals, without what the stream lends */
	size_t nheld;
	struct out text;
};

/* sources, report: of count columns; report has those of COLUMN_OF_REPORT. 0 or CPIDECODE_ENOMEM;
 * to be freed in any case. */
int parquet_rows_init(struct parquet_rows *rows, struct report *r, struct parquet_file *to,
	const enum parquet_source *sources, const struct column *const *report, size_t count);
/* Errors stay in the file's stream. */
void parquet_rows_add(struct parquet_rows *rows, const struct interval *iv);
/* After the last one. */
void parquet_rows_flush(struct parquet_rows *rows);
void parquet_rows_free(struct parquet_rows *rows);

#endif
