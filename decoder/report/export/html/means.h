/*
 * The columns whose means tiles hold: CPI, busy and off-CPU time. A page shows these over time
 * without reading intervals.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_MEANS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_MEANS_H

#include "../../../model/intervals/intervals.h"
#include "../../../sink/json.h"
#include "../../../sink/tiles/tiles.h"

/* Values of an interval in the order of the columns; NAN: not measured. */
void means_read(const struct interval *iv, double values[TILES_MEANS]);
/* A list of the columns' names. */
void means_write_names(struct json *j);

#endif
