/* The hooks of a ring or a file that are not in the trace, by its ledger. */
#ifndef SWT_DECODER_LOSSES_H
#define SWT_DECODER_LOSSES_H

#include "../model/trace/findings.h"

struct losses {
	uint64_t full, big, held, no_guest; /* hooks lost, by cause */
	uint64_t unexplained;		    /* lost by the section headers, cause unknown */
	uint64_t overwritten, torn;
	uint64_t skipped; /* sections */
	/* Hooks lost by other causes. */
	uint64_t no_slot, no_memory, unattached, unwritten;
};

/* counts: what reading the ring's sections found; NULL if they were not read. */
void losses_add_ring(
	struct losses *l, const struct trace_ring *ring, const struct hook_counts *counts);
/* Sums the losses of all rings of a file. found may be NULL. */
struct losses losses_of_file(const struct trace_file *f, const struct findings *found);
/* Hooks lost, all causes. */
uint64_t losses_lost(const struct losses *l);
/* Hooks lost and torn, of all files. found may be NULL. */
uint64_t losses_count(const struct trace *t, const struct findings *found);

#endif
