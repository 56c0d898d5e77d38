/*
 * The findings of `swtrace doctor` on the machine of a trace: META's lines `doctor`
 * (trace-file.md). Most writers leave them out.
 */
#ifndef SWT_DECODER_REPORT_INFO_DOCTOR_H
#define SWT_DECODER_REPORT_INFO_DOCTOR_H

#include "../../sink/json.h"
#include "../report.h"

/* Whether the line is one of those. */
bool info_doctor_owns(const struct trace_meta *m);
/* Lines; line() begins one. "n/a" if the file has no findings. */
void info_doctor_text(const struct trace_file *f, struct report *r,
	struct out *(*line)(struct report *r, const char *name));
/* A member, null if the file has no findings. */
void info_doctor_json(const struct trace_file *f, struct json *j);

#endif
