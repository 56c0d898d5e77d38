/*
 * One measured interval as a hook group: label, summary, the three detailed hooks, quality,
 * label, time, events, arguments, in one reservation. Layouts: formats/trace-file.md, "CPI hooks"
 * and "Interval hooks".
 *
 * libtrace/measure owns live intervals of CPI and utilisation: instances, arithmetic, hook groups.
 * It includes session, ring, counters and core. Errors: negative PU_ codes.
 */
#ifndef SWT_MEASURE_CPI_GROUP_H
#define SWT_MEASURE_CPI_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "../../counters/source.h"
#include "../../ring/hook.h"
#include "../scope/args.h"
#include "events.h"

struct group_spec {
	bool summary, detailed, quality;
	bool scaled, thread;	 /* asked for */
	uint32_t mm;		 /* the program's minor code, 0x00 to 0xFF */
	const char *label;	 /* NULL: none */
	uint32_t tid;		 /* the thread of the thread figures */
	uint64_t start_ticks;	 /* elapsed is from here to the stamp */
	const struct args *args; /* NULL: none */
	struct events *events;	 /* NULL: none */
};

/* Writes the group, stamped with `at` (see hook_begin_at). Returns 0 with *elapsed set, 0 with
 * *elapsed untouched if nothing was to be written, or a PU_ code if it was lost. */
int group_write(const struct group_spec *spec, const struct counter_interval *interval,
	const struct hook_time *at, uint64_t *elapsed);

#endif
