/*
 * The derived metrics of intervals, which the page computes: those of --report intervals, the
 * user's and built-in ones.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_FORMULAS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_FORMULAS_H

#include "cells.h"

/* Writes a list, after the last interval: names, columns and formulas (sink/page/README.md). 0 or a
 * CPIDECODE_E code: derived_make's. */
int formulas_write(struct report *r, const struct cells *c, struct json *j);

#endif
