/*
 * The built-in derived metrics of intervals, which the page computes for a selected interval: those
 * of
 * --report intervals.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_FORMULAS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_FORMULAS_H

#include "cells.h"

/* Writes a list, after the last interval: names, and the columns that each divides. 0 or
 * CPIDECODE_ENOMEM. */
int formulas_write(struct report *r, const struct cells *c, struct json *j);

#endif
