/*
 * The columns of intervals that the page of --format html unpacks only for a selected interval:
 * those of CSV that do not follow from its start, end, thread and label, and a column for each
 * named value. Blocks of `more`, see sink/page/README.md.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_CELLS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_CELLS_H

#include "../../../base/varint.h"
#include "../../../sink/tiles/tiles.h"
#include "../../rows.h"
#include "../../values/events.h"
#include "ids.h"

struct cell_column;

struct cells {
	struct report *r;
	struct cell_column *columns;
	size_t ncolumns, room;
	size_t nown; /* the first ones: not of named values */
	size_t id;   /* the column of ids; then that of some parents' */
	struct ids ids;
	uint32_t *by_value;	  /* by kind, then name: the column + 1; 0: none yet */
	uint64_t values_left_out; /* names without a column */
	struct out text;
	struct tiles_measured *measured; /* values of the last interval, for means */
	uint32_t nmeasured;
	size_t rows;  /* in the block that is being filled */
	size_t bytes; /* of it, so far */
};

/* Functions that return int return 0 or CPIDECODE_ENOMEM. To be freed in any case. */
int cells_init(struct cells *c, struct report *r);
/* end: of the page. is_parent_known: the page finds its parent, if it has one. */
int cells_add(struct cells *c, const struct interval *iv, uint64_t end, bool is_parent_known);
/* Appends the block, and begins the next one. */
int cells_write(struct cells *c, struct buffer *to);
/* An array of the columns' names; after the last block. */
void cells_write_names(struct cells *c, struct json *j);
/* An array of the indexes there of columns that have numbers, or that had a value in `measured`. */
void cells_write_numeric(const struct cells *c, struct json *j, bool measured);
/* The place of an event's column, by its number among the trace's texts; -1: none. */
int64_t cells_find_event(const struct cells *c, uint32_t name);
/* The place of a column of intervals' own, by its name; -1: none. */
int64_t cells_find_own(const struct cells *c, const char *name);
/* The names of the events that have columns. */
int cells_list_events(const struct cells *c, struct event_names *names);
void cells_free(struct cells *c);

#endif
