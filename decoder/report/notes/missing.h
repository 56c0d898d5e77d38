/* The last line of a text report: what would supply the figures that it shows and that are n/a in
 * all of it. */
#ifndef SWT_DECODER_REPORT_MISSING_H
#define SWT_DECODER_REPORT_MISSING_H

#include "../tallies.h"

/* Figures that any group of the report why has. */
struct missing_why {
	bool counts, split; /* instructions and CPI; their terms */
	bool frequency, off, difference;
};

/* Figures measured in the intervals of a list. Starts zeroed. */
struct missing_facts {
	uint32_t seen; /* enum tally_seen */
	bool has_cpi_groups, has_others;
	bool raw, scaled, thread, busy; /* a number in some row */
	bool util[COLUMN_UTIL_RATIOS], has_util;
	struct sums sums; /* of CPI groups */
};

void missing_add_interval(struct missing_facts *f, const struct interval *iv);
/* The other columns in which the list's table has a value. */
struct missing_columns {
	bool task, cpu, off_cpu, switches, migrations, faults, unexplained;
};
void missing_intervals_line(
	const struct report *r, const struct missing_facts *f, struct missing_columns has);

/* Each prints nothing if no figure is n/a throughout, or without intervals. */
void missing_summary_line(const struct report *r, const struct tally *t);
void missing_why_line(
	const struct report *r, const struct tally *t, const struct missing_why *found);

#endif
