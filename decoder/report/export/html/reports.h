/*
 * The reports why, summary and info of the same intervals, which the page of --format html shows:
 * its block `reports`.
 *
 * decoder/report/export/html owns the page's data and its tiles. It includes report, base, export,
 * flame, info, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H

#include "../../../sink/json.h"
#include "../../report.h"

/* With more intervals a page has no why and no summary: why reads the trace several times. */
#define REPORTS_MOST_WHY UINT64_C(30000000)
/* With more, info does not read the trace again: r->found has its findings, and costs are left out.
 */
#define REPORTS_MOST_INFO UINT64_C(10000000)

/* Writes a JSON list, of a page with so many intervals. 0 or a CPIDECODE_E code. */
int reports_write(const struct report *r, uint64_t intervals, struct json *j);

#endif
