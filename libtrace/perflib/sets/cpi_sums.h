/*
 * CPI: its running sums. Private to cpi*.c; pure.
 */
#ifndef SWT_PERFLIB_SETS_CPI_SUMS_H
#define SWT_PERFLIB_SETS_CPI_SUMS_H

#include "../../counters/source.h"
#include "../columns.h"

enum {
	CPI_KNOWS_INSTRUCTIONS = 1,
	CPI_KNOWS_CYCLES = 2,
	CPI_KNOWS_BUSY = 4,
	CPI_KNOWS_SHARE = 8, /* busy and total time */
	CPI_KNOWS_ALL = 15,
};

/* A processor's 64-bit sums since the query was opened; they never decrease. */
struct cpi_sums {
	uint64_t instructions, cycles, busy, part, whole;
};

/* Which values the machine measures on a processor. */
unsigned cpi_knows(const struct counter_sample *s, uint32_t cpu);

/* Whether the interval is shorter than the error of its idle times; the caller then extends it. */
bool cpi_is_too_short(const struct counter_sample *from, const struct counter_sample *to);

/* Adds an interval's counts: all known ones or none, so that ratios cover the same time. */
void cpi_sums_gain(struct cpi_sums *s, const struct counter_interval_cpu *c, unsigned known);
void cpi_sums_add(struct cpi_sums *s, const struct cpi_sums *other);

#endif
