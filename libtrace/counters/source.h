/*
 * Where counts come from. A source fills samples; the difference of two samples is an
 * interval of counts, from which libtrace/measure/cpi/ makes figures. Knows no ring and no file.
 *
 * The source is chosen once a process, from SWTRACE_COUNTERS (auto, software, perf, none or
 * scripted:FILE). Each quantity stands on its own: what one source cannot supply may come
 * from another, and what none supplies is CPI_NONE, never a number.
 *
 * Errors in this room: 0 or a negative PU_ code.
 */
#ifndef SWT_COUNTERS_SOURCE_H
#define SWT_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/private_abi.h"
#include "sample.h"

/* Chooses the source, once a process. Afterwards the same answer every time. */
int counters_choose(void) PRIVATE_ABI(counters_choose);
enum shm_source counters_mark(uint32_t *flags) PRIVATE_ABI(counters_mark);

/* One more instance that will read `want`; one fewer. hold fails for want of descriptors
 * or memory only: PU_ERROR_INSUFFICIENT_RESOURCES, PU_ERROR_NOT_ENOUGH_MEMORY. */
int counters_hold(unsigned want) PRIVATE_ABI(counters_hold);
void counters_drop(unsigned want) PRIVATE_ABI(counters_drop);

/* Processors that a sample of this machine must have room for. */
uint32_t counters_room(void) PRIVATE_ABI(counters_room);

/* Reads what is wanted; the rest, and what cannot be read, is CPI_NONE. s->room is set.
 * Allocates nothing but at a thread's first read. */
void counters_read(struct counter_sample *s, unsigned want, enum counter_end end)
	PRIVATE_ABI(counters_read);

/* The calling thread closes what COUNTER_TIME_BIT and COUNTER_QUALITY_BIT opened. */
void counters_rest(void);

/* A start that reads the clock alone: of the interval, the elapsed time and nominal cycles are
 * known. */
void counters_stamp(struct counter_sample *s, uint64_t ticks);

void counters_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out) PRIVATE_ABI(counters_difference);

#endif
