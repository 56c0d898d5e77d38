/*
 * When the intervals of a group ended and how long they took, coarsely: shows how much the
 * intervals of one run depend on each other. Times are cut into cells of 2^shift ns,
 * values to some significant bits, and each pair has a count. Both are as fine as leaves at most
 * TIMELINE_CELLS cells and TIMELINE_VALUES values, which is a property of the intervals alone:
 * neither the order of adding nor that of merging changes anything.
 */
#ifndef SWT_DECODER_MODEL_STATS_TIMELINE_H
#define SWT_DECODER_MODEL_STATS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../formats/base/hash_index.h"

enum {
	TIMELINE_CELLS = 256,
	TIMELINE_VALUES = 128,
	TIMELINE_BITS = 64,
	TIMELINE_SHIFT = 63,
};

/* An interval as it is. */
struct timeline_point {
	int64_t end_ns;
	uint64_t value;
};

struct timeline_entry {
	int64_t cell;
	uint64_t value; /* the least that is cut to it */
	uint64_t count;
};

/* Starts zeroed. */
struct timeline {
	uint64_t total; /* of the counts */
	union {
		struct timeline_entry *entries; /* each once, in no order */
		/* While index has no slots: few intervals, at the finest resolution, in less
		 * memory. In no order. */
		struct timeline_point *points;
	};
	struct hash_index index; /* of entries */
	uint32_t used, room;
	uint8_t shift, cut; /* cells of 2^shift ns; TIMELINE_BITS - cut significant bits */
};

/* All return 0 or CPIDECODE_ENOMEM: then the timeline can only be freed. */
int timeline_add(struct timeline *t, int64_t end_ns, uint64_t value);
int timeline_merge(struct timeline *t, const struct timeline *from);
/* After the last, before the questions below: as coarse as it has to be. */
int timeline_settle(struct timeline *t);
/* Entries by cell, then value, *n of them, for the caller to free; NULL: no memory. */
struct timeline_entry *timeline_sorted(const struct timeline *t, uint32_t *n);
/* One entry of a timeline of that shift and cut, as timeline_sorted gave it. */
int timeline_add_entry(struct timeline *t, const struct timeline_entry *e);
void timeline_free(struct timeline *t);

/* The least value that is cut to no less than value, when that many bits stay. */
static inline uint64_t timeline_cut(uint64_t value, unsigned cut)
{
	unsigned length = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
	unsigned bits = TIMELINE_BITS - cut;

	return length > bits ? value >> (length - bits) << (length - bits) : value;
}

/* The equivalent number of independent intervals, and how well that is known. */
struct timeline_evidence {
	double effective; /* NAN: the intervals depend on each other for too long to say */
	double df;
};

/*
 * Of the mean; or, unless limit is NAN, of the share of values up to the limit. The variance
 * of block sums, of blocks as long as leaves neighbours independent, over that of as many
 * independent values.
 */
int timeline_judge(const struct timeline *t, double limit, struct timeline_evidence *e);

#endif
