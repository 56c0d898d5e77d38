/* Makes a table of text fit its width: drops columns, and cuts the first and the last. */
#ifndef SWT_DECODER_REPORT_TEXT_ROWS_FIT_H
#define SWT_DECODER_REPORT_TEXT_ROWS_FIT_H

#include "../rows.h"

/* Between the table's passes, when the widths and rows->known are complete. */
void rows_fit(struct rows *rows);
/* Prints a line that names the columns for which there was no room; nothing if none. */
void rows_tell_fit(struct rows *rows);
/* Of another table, between its passes: cuts its first column, if that makes lines fit. */
void rows_fit_label(struct table *t, unsigned width);

static inline const char *rows_heading(const struct column *c)
{
	return c->heading ? c->heading : c->name;
}

#endif
