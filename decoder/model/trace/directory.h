/*
 * Where a file's HOOKS sections are: by ring, then position. There may be millions, so
 * an entry is small, and many of them wait in a temporary file.
 */
#ifndef SWT_DECODER_MODEL_TRACE_DIRECTORY_H
#define SWT_DECODER_MODEL_TRACE_DIRECTORY_H

#include <stdatomic.h>

#include "../../../formats/base/hash_index.h"
#include "../../io/input.h"
#include "../../base/spill.h"
#include "trace.h"

enum {
	/* Rings that one file may have: a bound for memory, far above any machine's. */
	MAX_RINGS = 16384,
	RING_BITS = 14,
	OFFSET_BITS = 50,
};

/*
 * A HOOKS section of a ring. Its range of ticks is made from what the headers say: those of
 * a ring's sections do not overlap but for their ends, and never step back. A record whose
 * stamp lies outside of its section's range is the writer's mistake; it is still read.
 */
struct section_ref {
	uint64_t offset : OFFSET_BITS, ring : RING_BITS; /* of the header; index in rings */
	uint64_t position;
	uint64_t lo, hi; /* ticks, lo <= hi <= the next one's lo */
	uint32_t stored;
	uint32_t raw : 29, codec : 2;
	uint32_t has_range : 1; /* the header said a range; else it is the gap between its
				   neighbours */
	uint32_t hooks, torn;	/* as the header says */
	uint64_t last;		/* the header's last stamp */
	uint32_t skip;		/* bytes at its start that another section has (overlap.h) */
	uint32_t lost;		/* hooks since the section before it */
};

_Static_assert(sizeof(struct section_ref) == 64, "there are millions of them");
_Static_assert(IO_MAX_RAW < 1 << 29, "raw holds the largest section");
_Static_assert(MAX_RINGS <= 1 << RING_BITS, "ring holds all indices");

/* The sections of one ring: a run of the directory's. */
struct ring_sections {
	size_t first, count;
	bool disordered; /* the headers' ranges contradict each other: hooks may be anywhere */
};

/* A ring while its file is scanned. */
struct ring_state {
	struct trace_ring sum;
	struct io_section last; /* of which nothing is counted yet, if pending */
	uint64_t last_position, last_offset;
	uint64_t loss_at;   /* offset of the last LOSS section with this ring */
	uint64_t causes_at; /* and of the CAUSES section */
	size_t count;
	bool pending, unsorted;
};

/* Starts zeroed. */
struct directory {
	struct spill refs; /* struct section_ref; as they came, in the end sorted */
	size_t count;
	struct ring_sections *rings; /* in the end: by ring number */
	struct ring_state *states;   /* as they came */
	size_t nstates, states_cap;
	struct hash_index by_ring; /* of states */
	struct io_section *bad;	   /* that are invalid, although their headers looked well */
	size_t nbad, bad_cap;
	atomic_uint *loads;
};

struct file;

/*
 * A HOOKS section of io_scan: 0, a negative code, or IO_DOUBT. A header that was not verified is
 * compared with its neighbours in the ring.
 */
int directory_add(struct file *f, const struct io_section *s);
/* An entry of the LOSS section at that offset; 1: there are too many rings. */
int directory_add_loss(struct file *f, const struct trace_ring *entry, uint64_t offset);
/* The same of a CAUSES section. */
int directory_add_causes(struct file *f, const struct trace_ring *entry, uint64_t offset);
/*
 * After the scan. Counts the waiting sections first, and adds invalid ones to dir->bad, for the
 * caller to examine (io_rescue), which may add sections.
 */
int directory_settle(struct file *f);
/* Sorts everything: f->rings and the accessors of trace_private.h are valid from now on. */
int directory_finish(struct file *f);
void directory_free(struct directory *d);

#endif
