#include "process.h"
#include "../sets.h"

#define TIME(column, title, text)                                                                  \
	COUNTER(column, PERF_100NSEC_TIMER, PERF_AGGREGATE_TOTAL, title, text)

static const struct counter_definition counters[PROCESS_COLUMNS] = {
	TIME(PROCESS_TIME, "% Processor Time",
		"Processor time of all threads: above 100 if several run at once."),
	TIME(PROCESS_USER, "% User Time", "Time in user mode."),
	TIME(PROCESS_PRIVILEGED, "% Privileged Time", "Time in the kernel."),
	RATE(PROCESS_FAULTS, "Page Faults/sec", "Page faults, minor and major."),
	RATE(PROCESS_MAJOR_FAULTS, "Major Faults/sec", "Page faults that needed I/O."),
	RATE(PROCESS_SWITCHES, "Context Switches/sec", "Context switches of all threads."),
	RATE(PROCESS_VOLUNTARY, "Voluntary Context Switches/sec",
		"Switches of threads that blocked."),
	RATE(PROCESS_INVOLUNTARY, "Involuntary Context Switches/sec",
		"Switches of preempted threads."),
	RATE(PROCESS_INSTRUCTIONS, "Instructions/sec",
		"Instructions retired, counted while a query asks for them."),
	COUNTER(PROCESS_THREADS, PERF_COUNTER_RAWCOUNT, PERF_AGGREGATE_TOTAL, "Thread Count",
		"Threads at present."),
	COUNT(PROCESS_VIRTUAL, "Virtual Bytes", "Address space in use."),
	COUNT(PROCESS_RESIDENT, "Working Set", "Resident bytes, including shared ones."),
	COUNTER(PROCESS_ELAPSED, PERF_ELAPSED_TIME, PERF_AGGREGATE_UNDEFINED, "Elapsed Time",
		"Seconds since the process started."),
	COUNTER(PROCESS_ID, PERF_COUNTER_RAWCOUNT, PERF_AGGREGATE_UNDEFINED, "ID Process",
		"Process id."),
};

const struct counterset_definition process_definition = {
	.guid = {0xc50e7d38, 0x6f92, 0x4d1b, {0x95, 0xe4, 0x2a, 0xb8, 0x71, 0x06, 0xdf, 0x53}},
	.name = "Process",
	.help = "The processes of this machine: time, faults, switches, memory and instructions.",
	SETS_DEFINITION,
	.ncounters = PROCESS_COLUMNS,
};
