/*
 * A script, parsed. Shared by parse.c and script.c only.
 */
#ifndef SWT_COUNTERS_SCRIPT_PARSE_H
#define SWT_COUNTERS_SCRIPT_PARSE_H

#include <stdbool.h>

#include "../../core/online.h"
#include "script.h"

/* CPIs and percentages are in units of 1/SCRIPT_ONE. */
#define SCRIPT_ONE UINT64_C(1000000000)

/* A script's quantities: those of a CPI, and how processors spend their time. */
enum script_what {
	SCRIPT_INSTRUCTIONS = COUNTER_INSTRUCTIONS,
	SCRIPT_BUSY = COUNTER_BUSY,
	SCRIPT_THREAD_INSTRUCTIONS = COUNTER_THREAD_INSTRUCTIONS,
	SCRIPT_THREAD_CYCLES = COUNTER_THREAD_CYCLES,
	SCRIPT_INTR = COUNTER_QUANTITIES, /* cycles in interrupts, of those that are busy */
	SCRIPT_CORE,			  /* unhalted core clock ticks */
	SCRIPT_REFERENCE,		  /* unhalted reference clock ticks */
	SCRIPT_SWITCHES,
	SCRIPT_INTERRUPTS,
	SCRIPT_WHATS,
};

enum script_how { SCRIPT_COUNT, SCRIPT_PERCENT, SCRIPT_CPI, SCRIPT_NONE };

struct script_action {
	enum script_what what;
	enum script_how how;
	uint32_t from, to; /* processors, both included */
	uint64_t value;
};

struct script_step {
	size_t first, actions; /* of script.action */
	uint64_t reads;
	uint64_t cycles; /* NOT_MEASURED: the real clock's */
};

struct script {
	struct script_action *action;
	struct script_step *step;
	size_t actions, steps, action_room, step_room;
	bool thread_mentioned[2];		/* instructions, cycles */
	struct cpu_set mentioned[SCRIPT_WHATS]; /* those of processors */
	/* How far it has come. */
	size_t at;
	uint64_t done; /* reads of the step `at` */
	bool started;
	uint64_t last_ticks, cycles;
	uint64_t count[SCRIPT_WHATS][ONLINE_MAX];
};

#endif
