/*
 * The intervals in other tools' formats: each exporter walks over the one interval stream (walk.h)
 * and turns it into the calls of its sink.
 *
 * decoder/report/export owns the exports of intervals and hooks. It includes report, base, flame,
 * hooks, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_EXPORT_H
#define SWT_DECODER_REPORT_EXPORT_EXPORT_H

#include "walk.h"

/* Each writes all intervals of the stream, from its first one. 0 or a CPIDECODE_E code. */
#define EXPORT_FUNCTION(kind, name, function, ...)                                                 \
	int function(struct report *r, struct interval_stream *s);
EXPORTS(EXPORT_FUNCTION)
#undef EXPORT_FUNCTION
/* Whether a file has a column of that name whatever its intervals have. */
bool export_parquet_has_column(const char *name, size_t length);
/* The same of a file of hooks. */
bool export_parquet_hooks_have_column(const char *name, size_t length);
/* The enum interval_want bits that r->columns needs. */
unsigned export_parquet_wants(const struct report *r);
/* Whether its columns show how intervals nest. */
bool export_parquet_is_nested(const struct report *r);

#endif
