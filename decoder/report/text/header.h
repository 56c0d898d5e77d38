/*
 * The line with which text begins: the trace's duration, its command, threads and losses.
 *
 * decoder/report/text owns parts of text alone: heading, widths. It includes report, model and
 * sink. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_TEXT_HEADER_H
#define SWT_DECODER_REPORT_TEXT_HEADER_H

#include "../report.h"

/* Writes the line about r->trace or r->merged. Nothing without either. */
void header_write(const struct report *r);

#endif
