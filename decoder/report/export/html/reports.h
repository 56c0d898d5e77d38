/*
 * The reports why and info, which the page of --format html shows as text: its block `reports`.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_REPORTS_H

#include "../../../sink/json.h"
#include "../../report.h"

/* Writes a JSON list. has_why: with the report why. 0 or a CPIDECODE_E code. */
int reports_write(const struct report *r, bool has_why, struct json *j);

#endif
