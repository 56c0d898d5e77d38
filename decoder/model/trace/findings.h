/* What reading the hooks of a trace found: counts per ring, and damage inside of sections. */
#ifndef SWT_DECODER_MODEL_TRACE_FINDINGS_H
#define SWT_DECODER_MODEL_TRACE_FINDINGS_H

#include "trace.h"

/* Starts zeroed. */
struct findings {
	struct hook_counts total;
	struct hook_counts **rings; /* by file, then beside its rings; NULL: nothing was read */
	size_t nfiles;
	struct hook_damage *damage; /* by file, then offset; at most MAX_TOLD_DAMAGE */
	size_t ndamage, damage_cap;
};

enum { MAX_TOLD_DAMAGE = 1000 };

/*
 * Sorts by file, then offset, and keeps so many at most: those that come first, so it
 * does not matter in which order they were found. Returns how many.
 */
size_t hook_damage_keep(struct hook_damage *d, size_t n, size_t most);

void hook_counts_add(struct hook_counts *to, const struct hook_counts *c);
/* Adds what an iterator found so far. 0 or CPIDECODE_ENOMEM. */
int findings_add(struct findings *f, const struct trace *t, struct hook_iter *it);
/* NULL: that ring is not known, or nothing was read. i as in trace_file.rings. */
const struct hook_counts *findings_ring(const struct findings *f, size_t file, size_t i);
void findings_free(struct findings *f);

#endif
