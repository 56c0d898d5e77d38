/*
 * One measured interval as a hook group: label, summary, the three detailed hooks, quality,
 * label, in one reservation. Layouts: formats/trace-file.md, "CPI hooks".
 *
 * Built before the reservation, so that between begin and commit there are only copies;
 * the elapsed ticks, known from the group's stamp only, are patched in.
 */
#ifndef SWT_CPI_GROUP_H
#define SWT_CPI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../counters/source.h"

enum { GROUP_PARTS = CPI_GROUP_DATA_HOOKS };

struct group_spec {
	bool summary, detailed, quality;
	bool scaled, thread;  /* asked for */
	uint32_t mm;	      /* the program's minor code, 0x00 to 0xFF */
	const char *label;    /* NULL: none */
	uint32_t tid;	      /* whose thread figures they are */
	uint64_t start_ticks; /* elapsed is from here to the stamp */
};

struct group_part {
	uint32_t minor, nwords;
	uint32_t elapsed; /* index of the high word */
	uint8_t *words;
};

struct group {
	struct group_part part[GROUP_PARTS];
	uint32_t parts;
};

/* Bytes of words for the largest group of this many processors. */
size_t group_room(uint32_t cpus);

/* Lays the data hooks out in `words`, of group_room(interval->cpus) bytes. */
void group_build(struct group *g, const struct group_spec *spec,
	const struct counter_interval *interval, uint8_t *words);

/* Writes it. 0: written, *elapsed set; or nothing was to be written, *elapsed untouched.
 * A PU_ code: lost. */
int group_write(const struct group *g, const struct group_spec *spec, uint64_t *elapsed);

#endif
