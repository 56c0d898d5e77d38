/* A few intervals, searched by the time that they overlap. */
#ifndef SWT_DECODER_REPORT_SLOWEST_OVERLAPS_H
#define SWT_DECODER_REPORT_SLOWEST_OVERLAPS_H

#include "../../model/trace/model.h"

struct overlap {
	const struct interval *iv;
	uint64_t latest_end; /* ticks: of it and those before it, of its machine */
};

/* Starts zeroed. */
struct overlaps {
	struct overlap *at; /* by machine, then start */
	size_t count;
};

/* The intervals stay as long as `o`. 0 or CPIDECODE_ENOMEM. */
int overlaps_begin(struct overlaps *o, const struct interval *const *intervals, size_t count);
void overlaps_free(struct overlaps *o);
/* Its place in `at`; count: not among them. */
size_t overlaps_find(const struct overlaps *o, const struct interval *iv);

/* Where to begin a search for those of a machine that began before `end` (ticks). */
size_t overlaps_count_begun(const struct overlaps *o, uint32_t machine, uint64_t end);
/* Moves *i to the place of the next one that ends after `start`; false: there are no more. */
bool overlaps_next(const struct overlaps *o, uint32_t machine, uint64_t start, size_t *i);

#endif
