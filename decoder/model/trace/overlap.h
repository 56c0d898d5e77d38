/*
 * Hooks in several sections: which of them are read where.
 *
 * A record keeps its position in its ring, so sections that claim the same positions have the same
 * records there. A section's stamps have to fit that: else the claim is wrong, and every
 * section is read. Of two that begin at one position the longer one is read,
 * then the one with fewer torn records: it was copied later, and has records committed since.
 */
#ifndef SWT_DECODER_MODEL_TRACE_OVERLAP_H
#define SWT_DECODER_MODEL_TRACE_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section's claim to positions of a ring, from its header. */
struct claim {
	uint64_t position, first, last;
	uint32_t raw, torn;
	uint32_t member; /* which of the ring's files */
	bool has_range;	 /* first and last are of hooks */
	bool refuted;	 /* result: it claims positions of other records */
	uint32_t skip;	 /* result: bytes at its start that others have; raw: all of it */
	size_t section;	 /* for the caller */
};

/*
 * Sorts claims by position and fills in the results. holds(ctx, claim): the section can be
 * read; asked before another one is given up for it. 0 or a negative code of holds.
 */
int overlap_settle(
	struct claim *claims, size_t n, int (*holds)(void *ctx, const struct claim *), void *ctx);

#endif
