/*
 * The findings of `swtrace doctor` on the machine of a trace: META's lines `doctor`
 * (trace-file.md). Most writers leave them out.
 */
#ifndef SWT_DECODER_REPORT_INFO_DOCTOR_H
#define SWT_DECODER_REPORT_INFO_DOCTOR_H

#include "../../sink/document.h"
#include "../report.h"

/* Whether the line is one of those. */
bool info_doctor_owns(const struct trace_meta *m);
/* Lines, "n/a" if the file has no findings; or a member, null then. */
void info_write_doctor(struct document *d, const struct trace_file *f);

#endif
