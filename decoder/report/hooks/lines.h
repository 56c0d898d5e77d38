/*
 * A hook as a line: the document's notation, CSV or JSON. There are millions of them, so what
 * many have in common (the keys of their fields, their names, their tasks) is spelled once.
 *
 * decoder/report/hooks owns the report of hooks, and which hooks a report is about. It includes
 * report, base, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_HOOKS_LINES_H
#define SWT_DECODER_REPORT_HOOKS_LINES_H

#include "fields.h"
#include "../report.h"

struct hook_lines;

/* One thread's. 0 or CPIDECODE_ENOMEM. */
int hook_lines_new(const struct report *r, struct hook_lines **lines);
/* The beginning, before the first one. */
void hook_lines_header(struct hook_lines *l, struct out *o);
/* 0 or CPIDECODE_ENOMEM. */
int hook_lines_write(struct hook_lines *l, struct out *o, const struct hook *h);
void hook_lines_free(struct hook_lines *l); /* NULL is fine */

#endif
