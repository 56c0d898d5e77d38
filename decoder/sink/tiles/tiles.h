/*
 * The tiles of --format html --tiles: the intervals of a trace by row, in pieces that a page can
 * read one by one, and the sums over them that it reads first. README.md in this folder has the
 * format.
 *
 *	t = tiles_new(out, until, intervals);
 *	tiles_add(t, row, &interval);
 *	tiles_add_order(t, count, rows, names, more);
 *	error = tiles_end(t, &summary);
 *	tiles_free(t);
 *
 * A row's intervals come in order and do not overlap. Writers do not return errors: they stop after
 * the first one, and tiles_end returns it. Memory is bounded but for a few hundred bytes of each
 * row, and for each column 16 bytes of each row and 4 of each tile.
 *
 * decoder/sink/tiles owns tiles. It includes sink and base. Errors as in sink/out.h; tiles_end
 * returns them.
 */
#ifndef SWT_DECODER_SINK_TILES_TILES_H
#define SWT_DECODER_SINK_TILES_TILES_H

#include "../../base/varint.h"
#include "../out.h"

/* The first and the last bytes of the file. */
#define TILES_MAGIC "SWTTILE1"

struct tiles;

/* A figure of an interval. Each tile has the mean of each column. */
struct tiles_measured {
	uint32_t column;
	double value; /* finite */
};

struct tiles_interval {
	uint64_t start, duration, number; /* number: its place in the order of the trace */
	uint32_t name;
	const struct tiles_measured *measured;
	uint32_t nmeasured;
};

struct tiles_summary {
	uint64_t bytes;
	uint32_t check; /* CRC-32 of the packed directory */
};

/* The writer owns `to` until tiles_end. until, intervals: about the last start, and how many will
 * come. NULL: out of memory. */
struct tiles *tiles_new(struct out *to, uint64_t until, uint64_t intervals);
void tiles_add(struct tiles *t, uint32_t row, const struct tiles_interval *interval);
/* Sets the parent, by row and place in it, of the next interval added to the row. */
void tiles_adopt(struct tiles *t, uint32_t row, uint32_t parent_row, uint32_t parent_place);
/*
 * The next intervals in the order of the trace: their rows and names, a number each, and a block of
 * their other columns. Consumes the bytes of `more`.
 */
void tiles_add_order(struct tiles *t, uint32_t count, const struct buffer *rows,
	const struct buffer *names, struct buffer *more);
/* Writes the rest and the directory. The stream stays open. 0 or an errno. */
int tiles_end(struct tiles *t, struct tiles_summary *summary);
void tiles_free(struct tiles *t); /* NULL is fine */

#endif
