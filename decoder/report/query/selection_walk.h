/*
 * All intervals of a trace in order (by machine and start, parents first), each with whether the
 * report selects it: for events around and between the selected ones. Memory is bounded, as
 * of an interval_stream.
 */
#ifndef SWT_DECODER_REPORT_QUERY_SELECTION_WALK_H
#define SWT_DECODER_REPORT_QUERY_SELECTION_WALK_H

#include "../../model/intervals/stream.h"
#include "../report.h"
#include "lineage.h"

/* Starts zeroed. */
struct selection_walk {
	struct interval_stream *all;
	struct interval_stream *selected; /* a part of the same order; NULL: all are */
	const struct interval *next;	  /* the next selected one; NULL: none is left */
	struct lineage lineage;
	struct interval_query query;
	struct findings found; /* of `selected`, or of all */
};

/*
 * Open intervals are among them. wants: of enum interval_want. found: of reading, starts zeroed;
 * NULL: not wanted. To be closed in any case. 0 or a CPIDECODE_E code.
 */
int selection_walk_open(
	struct selection_walk *w, struct report *r, unsigned wants, struct findings *found);
/* 1 and an interval (valid until the next call), 0 at the end, or a negative code. */
int selection_walk_next(struct selection_walk *w, const struct interval **iv, bool *selected);
/* The next one is the first again. */
int selection_walk_rewind(struct selection_walk *w);
void selection_walk_close(struct selection_walk *w);

#endif
