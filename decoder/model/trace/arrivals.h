/*
 * Reads the hooks of a stream while the rest of it arrives, so that decoding overlaps the copy.
 *
 * Whether they were read rightly is certain only once all of the file is known: later sections may
 * contradict earlier ones, or describe them. So the result counts only if none does; else the trace
 * is read again, as a file is. Of one file, read in any order, without times and tasks. The part
 * lacks the facts of a complete file: sums of rings, META, tasks, machines, syncs.
 */
#ifndef SWT_DECODER_MODEL_TRACE_ARRIVALS_H
#define SWT_DECODER_MODEL_TRACE_ARRIVALS_H

#include "findings.h"

struct trace_arrivals {
	/*
	 * Reads all hooks of `part`, which is one trace, each time with further sections, and
	 * lives until free. parallel: several threads pay, as sections are to be unpacked, or many
	 * wait already. 0, or a negative code: everything is read again. *found gets what reading
	 * found.
	 */
	int (*read)(void *ctx, const struct trace *part, bool parallel, struct findings *found);
	void (*free)(void *ctx);
	void *ctx;
	uint64_t alone, parallel; /* bytes of sections, unpacked, to read at one time */
	bool of_one_container;	  /* stops reading once the file has others */
};

/* To be called before files are added. The trace calls free in the end. 0 or CPIDECODE_ENOMEM. */
int trace_set_arrivals(struct trace *t, const struct trace_arrivals *how);
/* The ctx, if all hooks of the trace were read so. NULL: they are still to be read. */
void *trace_arrived(const struct trace *t);
/* Adds what reading them found; after trace_arrived. 0 or CPIDECODE_ENOMEM. */
int trace_tell_arrived(const struct trace *t, struct findings *found);

#endif
