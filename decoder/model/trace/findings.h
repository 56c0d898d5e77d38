/* Findings of reading a trace's hooks: counts per ring, and damage inside sections. */
#ifndef SWT_DECODER_MODEL_TRACE_FINDINGS_H
#define SWT_DECODER_MODEL_TRACE_FINDINGS_H

#include "begins.h"
#include "trace.h"

/* Numbers in hooks of intervals that the file's table of labels does not have. */
struct unnamed {
	uint64_t labels; /* of intervals */
	uint64_t names;	 /* of values; also those beyond this reader's limits */
};

static inline void unnamed_add(struct unnamed *to, struct unnamed more)
{
	to->labels += more.labels;
	to->names += more.names;
}

/* Starts zeroed. */
struct findings {
	struct hook_counts total;
	struct unnamed unnamed;
	bool has_other_hooks;	    /* of reading intervals: some hook belongs to none */
	struct begins begins;	    /* begun intervals; once settled, open ones */
	struct hook_counts **rings; /* by file, parallel to its rings; NULL: nothing read */
	size_t nfiles;
	struct hook_damage *damage; /* by file, then offset; at most MAX_KEPT_DAMAGE */
	size_t ndamage, damage_cap;
};

enum { MAX_KEPT_DAMAGE = 1000 };

/*
 * Sorts by file, then offset, and keeps at most MAX_KEPT_DAMAGE, the first ones, so that the order
 * of finding does not matter. Returns their number.
 */
size_t hook_damage_keep(struct hook_damage *d, size_t n);

void hook_counts_add(struct hook_counts *to, const struct hook_counts *c);
/* Adds an iterator's findings so far. 0 or CPIDECODE_ENOMEM. */
int findings_add(struct findings *f, const struct trace *t, struct hook_iter *it);
/* Adds counts of a ring; i as in trace_file.rings. 0 or CPIDECODE_ENOMEM. */
int findings_add_ring(struct findings *f, const struct trace *t, size_t file, size_t i,
	const struct hook_counts *c);
/* NULL if the ring is unknown or nothing was read. i as in trace_file.rings. */
const struct hook_counts *findings_ring(const struct findings *f, size_t file, size_t i);
void findings_free(struct findings *f);

#endif
