#include "columns.h"

#include "../sets.h"

#define ONE(column, number, kind, base_id, sum, title, text)                                       \
	DEFINE(column, number, kind, 0, PERF_DETAIL_NOVICE, base_id, sum, title, text)
#define BASE(column, number, kind, title)                                                          \
	DEFINE(column, number, kind, PERF_ATTRIB_NO_DISPLAYABLE, PERF_DETAIL_ADVANCED,             \
		PERF_NO_COUNTER, PERF_AGGREGATE_UNDEFINED, title,                                  \
		"Denominator of the counters based on it.")
#define TIME(column, kind, title, text) COUNTER(column, kind, PERF_AGGREGATE_AVG, title, text)
#define EVENTS(column, kind, title, text) COUNTER(column, kind, PERF_AGGREGATE_TOTAL, title, text)
#define NOW(column, number, title, text)                                                           \
	ONE(column, number, PERF_COUNTER_RAWCOUNT, PERF_NO_COUNTER, PERF_AGGREGATE_AVG, title, text)

static const struct counter_definition counters[PROCESSOR_COLUMNS] = {
	TIME(PROCESSOR_TIME, PERF_100NSEC_TIMER_INV, "% Processor Time",
		"Time that was not idle. The raw value is the idle time."),
	TIME(PROCESSOR_USER, PERF_100NSEC_TIMER, "% User Time",
		"Time in user mode, including low-priority (nice) processes and guests."),
	TIME(PROCESSOR_PRIVILEGED, PERF_100NSEC_TIMER, "% Privileged Time",
		"Time in the kernel, including interrupts and deferred work."),
	EVENTS(PROCESSOR_INTERRUPTS, PERF_COUNTER_COUNTER, "Interrupts / sec",
		"Interrupts of devices, timers and other processors."),
	TIME(PROCESSOR_DPC_TIME, PERF_100NSEC_TIMER, "% DPC Time",
		"Time in soft interrupts, the deferred work of interrupts."),
	TIME(PROCESSOR_INTERRUPT_TIME, PERF_100NSEC_TIMER, "% Interrupt Time",
		"Time in hardware interrupts."),
	EVENTS(PROCESSOR_DPCS, PERF_COUNTER_COUNTER, "DPCs Queued / sec",
		"Soft interrupts handled."),
	NOW(PROCESSOR_DPC_RATE, 7, "DPC Rate",
		"Deferred calls queued between two clock ticks. Not available."),
	TIME(PROCESSOR_IDLE, PERF_100NSEC_TIMER, "% Idle Time",
		"Idle time, including waits for I/O."),
	TIME(PROCESSOR_C1_TIME, PERF_100NSEC_TIMER, "% C1 Time",
		"Time in idle states C1, C1E and halt."),
	TIME(PROCESSOR_C2_TIME, PERF_100NSEC_TIMER, "% C2 Time", "Time in idle state C2."),
	TIME(PROCESSOR_C3_TIME, PERF_100NSEC_TIMER, "% C3 Time",
		"Time in idle states C3 and deeper."),
	EVENTS(PROCESSOR_C1, PERF_COUNTER_BULK_COUNT, "C1 Transitions / sec",
		"Entries into idle states C1, C1E and halt."),
	EVENTS(PROCESSOR_C2, PERF_COUNTER_BULK_COUNT, "C2 Transitions / sec",
		"Entries into idle state C2."),
	EVENTS(PROCESSOR_C3, PERF_COUNTER_BULK_COUNT, "C3 Transitions / sec",
		"Entries into idle states C3 and deeper."),
	TIME(PROCESSOR_PRIORITY_TIME, PERF_100NSEC_TIMER_INV, "% Priority Time",
		"Time neither idle nor in low-priority (nice) processes. The raw value is the idle and low-priority time."),
	NOW(PROCESSOR_PARKING, 16, "Parking Status", "Linux parks no processors. Not available."),
	NOW(PROCESSOR_FREQUENCY, 17, "Processor Frequency", "Current frequency in MHz."),
	NOW(PROCESSOR_OF_MAXIMUM, 18, "% of Maximum Frequency",
		"Current frequency, as a share of the processor's maximum."),
	NOW(PROCESSOR_STATE_FLAGS, 19, "Processor State Flags",
		"Flags of Windows' power management. Not available."),
	EVENTS(PROCESSOR_CLOCK_INTERRUPTS, PERF_COUNTER_COUNTER, "Clock Interrupts / sec",
		"Interrupts of the processor's local timer."),
	ONE(PROCESSOR_AVERAGE_IDLE, 21, PERF_PRECISION_100NS_TIMER, PROCESSOR_AVERAGE_IDLE_BASE,
		PERF_AGGREGATE_AVG, "Average Idle Time",
		"Average length of idle periods. Not available."),
	BASE(PROCESSOR_AVERAGE_IDLE_BASE, 22, PERF_PRECISION_TIMESTAMP, "Average Idle Time Base"),
	EVENTS(PROCESSOR_IDLE_BREAKS, PERF_COUNTER_BULK_COUNT, "Idle Break Events / sec",
		"How often the processor woke from an idle state."),
	ONE(PROCESSOR_PERFORMANCE, 24, PERF_AVERAGE_BULK, PROCESSOR_PERFORMANCE_BASE,
		PERF_AGGREGATE_AVG, "% Processor Performance",
		"Average frequency while not halted, as a share of the nominal frequency."),
	BASE(PROCESSOR_PERFORMANCE_BASE, 25, PERF_AVERAGE_BASE, "% Processor Performance Base"),
	ONE(PROCESSOR_UTILITY, 26, PERF_AVERAGE_BULK, PROCESSOR_UTILITY_BASE, PERF_AGGREGATE_AVG,
		"% Processor Utility",
		"Cycles not halted, as a share of those at the nominal frequency: above 100 if it runs faster."),
	BASE(PROCESSOR_UTILITY_BASE, 27, PERF_AVERAGE_BASE, "% Utility Base"),
	ONE(PROCESSOR_PRIVILEGED_UTILITY, 28, PERF_AVERAGE_BULK, PROCESSOR_UTILITY_BASE,
		PERF_AGGREGATE_AVG, "% Privileged Utility",
		"Kernel cycles not halted. Not available."),
	NOW(PROCESSOR_LIMIT, 30, "% Performance Limit",
		"Highest frequency allowed now, as a share of the processor's maximum."),
	NOW(PROCESSOR_LIMIT_FLAGS, 31, "Performance Limit Flags",
		"Why performance is limited. Not available."),
};

const enum processor_sum processor_sums[PROCESSOR_COLUMNS] = {
	[PROCESSOR_TIME] = SUM_TIMES,
	[PROCESSOR_USER] = SUM_TIMES,
	[PROCESSOR_PRIVILEGED] = SUM_TIMES,
	[PROCESSOR_INTERRUPTS] = SUM_COUNTS,
	[PROCESSOR_DPC_TIME] = SUM_TIMES,
	[PROCESSOR_INTERRUPT_TIME] = SUM_TIMES,
	[PROCESSOR_DPCS] = SUM_COUNTS,
	[PROCESSOR_IDLE] = SUM_TIMES,
	[PROCESSOR_C1_TIME] = SUM_TIMES,
	[PROCESSOR_C2_TIME] = SUM_TIMES,
	[PROCESSOR_C3_TIME] = SUM_TIMES,
	[PROCESSOR_C1] = SUM_COUNTS,
	[PROCESSOR_C2] = SUM_COUNTS,
	[PROCESSOR_C3] = SUM_COUNTS,
	[PROCESSOR_PRIORITY_TIME] = SUM_TIMES,
	[PROCESSOR_FREQUENCY] = SUM_READING,
	[PROCESSOR_OF_MAXIMUM] = SUM_READING,
	[PROCESSOR_CLOCK_INTERRUPTS] = SUM_COUNTS,
	[PROCESSOR_IDLE_BREAKS] = SUM_COUNTS,
	[PROCESSOR_PERFORMANCE] = SUM_COUNTS,
	[PROCESSOR_PERFORMANCE_BASE] = SUM_COUNTS,
	[PROCESSOR_UTILITY] = SUM_COUNTS,
	[PROCESSOR_UTILITY_BASE] = SUM_COUNTS,
	[PROCESSOR_LIMIT] = SUM_READING,
};

const struct counterset_definition processor_definition = {
	.guid = {0xb4fc721a, 0x0378, 0x476f, {0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0x0b, 0x36}},
	.name = "Processor Information",
	.help = "Activity of each processor, by NUMA node and processor, and of the machine.",
	SETS_DEFINITION,
	.ncounters = PROCESSOR_COLUMNS,
};
