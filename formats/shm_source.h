/*
 * The source of a process's counts, as in its task slot (struct shm_task): an enum
 * shm_source, and flags of the measured quantities and methods.
 */
#ifndef SWT_FORMATS_SHM_SOURCE_H
#define SWT_FORMATS_SHM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "session.h"

enum counter_quantity {
	COUNTER_INSTRUCTIONS,	     /* retired, per processor */
	COUNTER_BUSY,		     /* cycles not idle, per processor */
	COUNTER_THREAD_INSTRUCTIONS, /* retired by the calling thread */
	COUNTER_THREAD_CYCLES,	     /* of the calling thread */
	COUNTER_QUANTITIES,
};

/* Sets of quantities, for `want`. */
#define COUNTER_BIT(q) (1u << (q))
#define COUNTER_CPU_BITS (COUNTER_BIT(COUNTER_INSTRUCTIONS) | COUNTER_BIT(COUNTER_BUSY))
#define COUNTER_THREAD_BITS                                                                        \
	(COUNTER_BIT(COUNTER_THREAD_INSTRUCTIONS) | COUNTER_BIT(COUNTER_THREAD_CYCLES))

/* In source_flags, next to the COUNTER_BITs of the measured quantities: enum cpi_source of busy,
 * and limits of the counts. */
#define COUNTER_FLAG_BUSY_SHIFT 8
#define COUNTER_FLAG_BUSY_MASK (15u << COUNTER_FLAG_BUSY_SHIFT)
#define COUNTER_FLAG_USER_ONLY (1u << 12)  /* a thread's counts are of user mode only */
#define COUNTER_FLAG_CORE_TYPES (1u << 13) /* the machine has several types of core */

/* "instructions", "busy", "thread instructions", "thread cycles". */
const char *counter_quantity_name(enum counter_quantity quantity);

/* Describes a source and its flags, as META and info print them: "software (busy, thread
 * cycles)". Returns text. */
const char *shm_source_name(uint32_t source, uint32_t source_flags, char *text, size_t size);

#endif
