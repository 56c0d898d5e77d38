/*
 * The page that cpidecode serve shows while it reads the intervals: hooks over time and by
 * processor, from the headers of sections alone. See sink/page/early.js.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_EARLY_H
#define SWT_DECODER_REPORT_EXPORT_HTML_EARLY_H

#include "../../report.h"

/* The number of the trace's hooks, from its sections' headers. */
uint64_t early_count_hooks(const struct trace *t);
/* Writes the page to r->out. 0 or a CPIDECODE_E code. */
int early_write(const struct report *r);

#endif
