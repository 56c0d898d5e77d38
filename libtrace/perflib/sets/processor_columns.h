/*
 * The columns of Processor Information, and how several processors' are one.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H
#define SWT_PERFLIB_SETS_PROCESSOR_COLUMNS_H

#include "../counterset.h"

/* Up to UTILITY_PRIVILEGED a column is also the counter's id; there is no counter 29. */
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

/* Of what a total is made. */
enum processor_sum {
	SUM_NONE,    /* no machine supplies it */
	SUM_TIMES,   /* of 100 ns: the average, so that percentages are of the whole group */
	SUM_COUNTS,  /* the sum */
	SUM_READING, /* a momentary value: the average */
};

extern const enum processor_sum processor_sums[PROCESSOR_COLUMNS];
extern const struct counterset_definition processor_definition;

#endif
