/*
 * Shared by Parquet files of intervals and of hooks.
 *
 * decoder/report/export/parquet owns the exports to Parquet. It includes report, base, export,
 * hooks, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_PARQUET_META_H
#define SWT_DECODER_REPORT_EXPORT_PARQUET_META_H

#include "../../../sink/parquet/parquet.h"
#include "../../report.h"

/* Closes the file, with META of the first file: several may differ. 0 or CPIDECODE_ENOMEM. */
int parquet_close_with_meta(struct parquet_file *p, const struct trace *t);
/* Notes that a name in r->columns is none of the n columns. Sets r->is_misused; CPIDECODE_EINVAL.
 */
int parquet_refuse_column(struct report *r, const struct parquet_column *columns, size_t n,
	const char *name, size_t length);

#endif
