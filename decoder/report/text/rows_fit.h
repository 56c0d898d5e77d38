/* Fits a table of rows to its width: names the columns that may be left out or cut. */
#ifndef SWT_DECODER_REPORT_TEXT_ROWS_FIT_H
#define SWT_DECODER_REPORT_TEXT_ROWS_FIT_H

#include "../rows.h"

/* Between the table's passes, when the widths and rows->known are complete. */
void rows_fit(struct rows *rows);

#endif
