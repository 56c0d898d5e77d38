/* Clock findings in words, shared by the info report and the notes. */
#ifndef SWT_DECODER_CLOCK_TEXT_H
#define SWT_DECODER_CLOCK_TEXT_H

#include "../model/trace/clock/clock.h"
#include "../model/trace/trace.h"
#include "../sink/out.h"

/* A sentence without its full stop. */
void clock_text_finding(struct out *o, const struct clock_finding *finding);
/* How well the clocks of several traces agree; for two or more traces. */
void clock_text_alignment(struct out *o, const struct trace_alignment *a);
/* "step", "step-or-suspend", ... */
const char *clock_finding_name(enum clock_finding_kind kind);

#endif
