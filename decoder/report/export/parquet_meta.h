/* The end of a Parquet file of a trace. */
#ifndef SWT_DECODER_REPORT_EXPORT_PARQUET_META_H
#define SWT_DECODER_REPORT_EXPORT_PARQUET_META_H

#include "../../model/trace/trace.h"
#include "../../sink/parquet/parquet.h"

/* Closes the file, with META of the first file: several may differ. 0 or CPIDECODE_ENOMEM. */
int parquet_close_with_meta(struct parquet_file *p, const struct trace *t);

#endif
