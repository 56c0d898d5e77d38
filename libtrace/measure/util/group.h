/*
 * An interval of CPU utilisation as a hook group. Layouts: formats/trace-file.md, "CPU utilisation
 * hooks".
 */
#ifndef SWT_MEASURE_UTIL_GROUP_H
#define SWT_MEASURE_UTIL_GROUP_H

#include <stddef.h>

#include "../../counters/usage.h"
#include "../cpi/parts.h"

struct util_spec {
	bool summary, detailed;
	uint32_t mm;	      /* the program's minor code, 0x00 to 0xFF */
	const char *label;    /* NULL: none */
	uint64_t start_ticks; /* elapsed is from here to the stamp */
};

/* Bytes of words for the largest group of this many processors. */
size_t util_group_room(uint32_t cpus);

/* Builds the data hooks in `words`, of util_group_room(i->cpus) bytes. */
void util_group_build(struct parts *g, const struct util_spec *spec, const struct usage_interval *i,
	uint8_t *words);

/* As parts_write. */
int util_group_write(const struct parts *g, const struct util_spec *spec, uint64_t *elapsed);

#endif
