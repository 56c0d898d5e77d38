/*
 * Counts the intervals that begin in each step of time of a row, for pictures whose columns of
 * pixels are multiples of a step. README.md in this folder has the format. The intervals of a row
 * do not overlap: an interval longer than a step is the last one to begin in it.
 */
#ifndef SWT_DECODER_SINK_TILES_GRID_H
#define SWT_DECODER_SINK_TILES_GRID_H

#include "../../base/varint.h"

enum {
	GRID_LEVELS = 2,
	GRID_FAN_BITS = 3, /* a step is 2^GRID_FAN_BITS of the level below */
};

struct grid_step {
	uint64_t step, count, sum;
	uint64_t longest, start; /* start: of the longest, since the step's */
	uint64_t second;	 /* the longest of the others */
	uint32_t name, second_name;
};

/* A level of a row. Starts zeroed. */
struct grid {
	struct grid_step open; /* count 0: none */
	struct buffer bytes;   /* the steps before it that are in no block yet */
	uint64_t first, last;  /* steps of `bytes` */
	uint64_t intervals;    /* of `bytes` */
	uint32_t count;	       /* of steps */
};

/* Returns the n of the narrowest steps, which are 2^n ns: up to `until`, one step for 512 to 1,024
 * of `intervals`, those of all rows together. */
unsigned grid_bits(uint64_t until, uint64_t intervals);
/* Adds an interval to all levels of its row. */
void grid_add(struct grid levels[GRID_LEVELS], unsigned bits, uint64_t start, uint64_t duration,
	uint32_t name);
/* Ends all open steps. */
void grid_end(struct grid levels[GRID_LEVELS], unsigned bits);

#endif
