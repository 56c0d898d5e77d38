/*
 * The reports why and info, which the page of --format html shows as text: its block `reports`.
 *
 * decoder/report/export/html owns the page's data and its tiles. It includes report, base, export,
 * flame, info, model, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H

#include "../../../sink/json.h"
#include "../../report.h"

/*
 * Writes a JSON list. 0 or a CPIDECODE_E code. is_large: without why, which reads the trace several
 * times, and, of all intervals, without reading it for info: r->found has them, and costs are left
 * out.
 */
int reports_write(const struct report *r, bool is_large, struct json *j);

#endif
