/*
 * The arithmetic of CPI: figures from the counts of an interval. Pure.
 *
 * A figure whose counts were not measured, or that would divide by zero, is NAN as a double
 * and 0 0 as words. As words: the integral part and the fraction times 10000, rounded half
 * up, computed from the counts in integers; at most 0xFFFFFFFF 9999.
 *
 * libtrace/measure/cpi owns the CPI of intervals: instances, figures, groups. It includes core,
 * counters, ring, scope and session. Errors as in group.h.
 */
#ifndef SWT_MEASURE_CPI_FIGURES_H
#define SWT_MEASURE_CPI_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../formats/figures.h"
#include "../../counters/source.h"

void figure_cpi_words(uint64_t cycles, uint64_t instructions, uint32_t word[2]);

/* A share, in percent: of the same measure as words. */
void figure_share_words(uint64_t part, uint64_t whole, uint32_t word[2]);

/* Busy, of counts of one processor or of their sums. Percent, never above 100. */
double figure_busy(const struct counter_interval_cpu *c);
void figure_busy_words(const struct counter_interval_cpu *c, uint32_t word[2]);

/* The sums over all online processors; a sum of which a term was not measured was not
 * measured either. */
void figure_sums(const struct counter_interval *i, struct counter_interval_cpu *sum);

/* Whether busy was measured on every online processor, and there is at least one: its share
 * of the time or, where that is unknown (unhalted cycles of an interval too short for the idle
 * accounting, at an unknown frequency), its cycles. */
bool figure_busy_known(const struct counter_interval_cpu *sum);

#endif
