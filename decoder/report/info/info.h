/*
 * Shared by the files of the info report.
 *
 * decoder/report/info owns the info report. It includes report, base, model and sink. Errors
 * as in report.h.
 */
#ifndef SWT_DECODER_REPORT_INFO_H
#define SWT_DECODER_REPORT_INFO_H

#include "../../model/trace/containers.h"
#include "../../model/trace/labels.h"
#include "cost.h"
#include "programs.h"
#include "switches.h"
#include "../losses.h"
#include "../report.h"

/* Without reading hooks: r->found has what the caller found in all of them. Omits the library's own
 * cost, from intervals. 0 or a CPIDECODE_E code. */
int info_write_known(struct report *r);

/* Lists of a file: tables or lines in text, members in JSON. */
void info_write_rings(struct document *d, const struct trace_file *f, const struct findings *found);
void info_write_tasks(struct document *d, const struct trace *trace, const struct trace_file *f);
void info_write_schemas(struct document *d, const struct trace_file *f);
void info_write_damage(
	struct document *d, const struct trace_file *f, const struct findings *found);

#endif
