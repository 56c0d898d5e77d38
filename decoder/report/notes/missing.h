/* The last line of a text report: what would supply the figures that are n/a in all of it. */
#ifndef SWT_DECODER_REPORT_MISSING_H
#define SWT_DECODER_REPORT_MISSING_H

#include "../tallies.h"

/* What any group of the report why has. */
struct missing_why {
	bool counts, split; /* instructions and CPI; their terms */
	bool frequency, off, difference;
};

/* Each prints nothing if no figure is n/a throughout, or without intervals. */
void missing_summary_line(const struct report *r, const struct tally *t);
void missing_why_line(
	const struct report *r, const struct tally *t, const struct missing_why *found);

#endif
