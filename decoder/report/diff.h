/* What changed from one trace to another, by label and minor. */
#ifndef SWT_DECODER_DIFF_H
#define SWT_DECODER_DIFF_H

#include "../model/compare.h"
#include "gate.h"
#include "report.h"

/* NAN: not there. */
struct diff_value {
	double before, after;
	struct judgement judged;
};

struct diff_row {
	const struct tally_group *before, *after; /* one may be NULL */
	const char *cpi_of, *instructions_of;	  /* "thread", "scaled", ...; NULL: n/a */
	struct diff_value values[METRICS];
	struct judgement ranks; /* whether times tend to be longer, or shorter */
};

struct diff {
	struct diff_row *rows; /* the largest change of total time first, then by name */
	size_t count, common;  /* common: in both */
	double alpha;	       /* of each row */
};

/* 0 or CPIDECODE_ENOMEM. The tallies have to stay, settled, with counts. */
int diff_make(struct diff *d, const struct tally *before, const struct tally *after);
void diff_free(struct diff *d);
static inline const struct tally_group *diff_name(const struct diff_row *row)
{
	return row->after ? row->after : row->before;
}

void diff_print(struct report *r, const struct diff *d);
/* A note for each row that fails a gate, and for gates that say nothing. How many failed. */
size_t diff_gates(struct report *r, const struct diff *d);

#endif
