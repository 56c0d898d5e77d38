/*
 * The intervals in other tools' formats: each exporter walks over the one interval stream (walk.h)
 * and turns it into the calls of its sink.
 *
 * decoder/report/export owns the exports of intervals and hooks. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_EXPORT_H
#define SWT_DECODER_REPORT_EXPORT_EXPORT_H

#include "walk.h"

/* Each writes all intervals of the stream, from its first one. 0 or a CPIDECODE_E code. */
int export_perfetto(struct report *r, struct interval_stream *s);
int export_chrome(struct report *r, struct interval_stream *s);
int export_speedscope(struct report *r, struct interval_stream *s);
int export_callgrind(struct report *r, struct interval_stream *s);
int export_pprof(struct report *r, struct interval_stream *s);
/* has_values: some interval may have arguments or events. */
int export_parquet(struct report *r, struct interval_stream *s, bool has_values);
/* Whether a file has a column of that name whatever its intervals have. */
bool export_parquet_has_column(const char *name, size_t length);
/* The same of a file of hooks. */
bool export_parquet_hooks_have_column(const char *name, size_t length);
/* The enum interval_want bits that r->columns needs. */
unsigned export_parquet_wants(const struct report *r);
/* Whether its columns show how intervals nest. */
bool export_parquet_is_nested(const struct report *r);
int export_sqlite(struct report *r, struct interval_stream *s);
int export_html(struct report *r, struct interval_stream *s);

#endif
