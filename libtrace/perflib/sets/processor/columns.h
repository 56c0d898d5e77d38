/*
 * How to total the columns of Processor Information over processors.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H
#define SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H

#include "../../columns.h"

#define PROCESSOR_BIT(column) (UINT64_C(1) << (column))

/* How a column's total is computed. */
enum processor_sum {
	SUM_NONE,    /* the column is never available */
	SUM_TIMES,   /* average of times in 100 ns: percentages are of the complete group */
	SUM_COUNTS,  /* sum */
	SUM_READING, /* average of momentary values */
};

extern const enum processor_sum processor_sums[PROCESSOR_COLUMNS];

#endif
