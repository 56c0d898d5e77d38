/*
 * Shared by the two spellings of the info report.
 *
 * decoder/report/info owns the info report. Errors as in report.h.
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

enum {
	INFO_TYPES = TF_TYPES, /* section types; 0: unknown ones */
	INFO_CODECS = 4,       /* the last: unknown ones */
};

const char *info_clock_name(uint32_t clock);
const char *info_section_name(unsigned type);
const char *info_codec_name(unsigned codec);

/* Of those that are built in only CPI's is listed. */
bool info_tells_schema(const struct trace_file *f, uint8_t major);

/* Without reading hooks: r->found has what the caller found in all of them. Omits the library's own
 * cost, from intervals. 0 or a CPIDECODE_E code. */
int info_write_known(struct report *r);

/* One file as an object on a line. */
void info_json(struct report *r, const struct trace_file *f,
	const struct trace_alignment *alignment, const struct info_costs *costs,
	const struct info_programs *programs, const struct switch_cpus *cpus);

#endif
