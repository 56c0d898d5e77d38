/*
 * The columns of Processor Information, and how to total them over processors.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H
#define SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H

#include "../../counterset.h"

/* Column numbers equal counter ids up to UTILITY_PRIVILEGED; counter 29 does not exist. */
enum processor_column {
	PROCESSOR_TIME,
	PROCESSOR_USER,
	PROCESSOR_PRIVILEGED,
	PROCESSOR_INTERRUPTS,
	PROCESSOR_DPC_TIME,
	PROCESSOR_INTERRUPT_TIME,
	PROCESSOR_DPCS,
	PROCESSOR_DPC_RATE,
	PROCESSOR_IDLE,
	PROCESSOR_C1_TIME,
	PROCESSOR_C2_TIME,
	PROCESSOR_C3_TIME,
	PROCESSOR_C1,
	PROCESSOR_C2,
	PROCESSOR_C3,
	PROCESSOR_PRIORITY_TIME,
	PROCESSOR_PARKING,
	PROCESSOR_FREQUENCY,
	PROCESSOR_OF_MAXIMUM,
	PROCESSOR_STATE_FLAGS,
	PROCESSOR_CLOCK_INTERRUPTS,
	PROCESSOR_AVERAGE_IDLE,
	PROCESSOR_AVERAGE_IDLE_BASE,
	PROCESSOR_IDLE_BREAKS,
	PROCESSOR_PERFORMANCE,
	PROCESSOR_PERFORMANCE_BASE,
	PROCESSOR_UTILITY,
	PROCESSOR_UTILITY_BASE,
	PROCESSOR_PRIVILEGED_UTILITY,
	PROCESSOR_LIMIT,
	PROCESSOR_LIMIT_FLAGS,
	PROCESSOR_COLUMNS,
};

#define PROCESSOR_BIT(column) (UINT64_C(1) << (column))

/* How a column's total is computed. */
enum processor_sum {
	SUM_NONE,    /* the column is never available */
	SUM_TIMES,   /* average of times in 100 ns: percentages are of the complete group */
	SUM_COUNTS,  /* sum */
	SUM_READING, /* average of momentary values */
};

extern const enum processor_sum processor_sums[PROCESSOR_COLUMNS];
extern const struct counterset_definition processor_definition;

#endif
