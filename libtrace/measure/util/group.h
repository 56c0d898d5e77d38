/*
 * An interval of CPU utilisation as a hook group. Layouts: formats/trace-file.md, "CPU utilisation
 * hooks".
 *
 * libtrace/measure/util owns CPU utilisation: samples and intervals. It includes core, counters,
 * cpi and session. Errors as in cpi/group.h.
 */
#ifndef SWT_MEASURE_UTIL_GROUP_H
#define SWT_MEASURE_UTIL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "../../counters/usage/usage.h"

struct util_spec {
	bool summary, detailed;
	uint32_t mm;	      /* the program's minor code, 0x00 to 0xFF */
	const char *label;    /* NULL: none */
	uint64_t start_ticks; /* elapsed is from here to the stamp */
};

/* Writes the group. Returns 0 with *elapsed set, 0 with *elapsed untouched if nothing was to be
 * written, or a PU_ code if it was lost. */
int util_group_write(
	const struct util_spec *spec, const struct counter_interval *i, uint64_t *elapsed);

#endif
