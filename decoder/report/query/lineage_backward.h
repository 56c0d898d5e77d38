/*
 * The query of lineage.h for intervals in order of their ends, the last one first (backward.h). The
 * stack of a thread has those that may contain the next one, by their starts. Most nest; of those
 * that overlap, the parent is the one that starts last.
 */
#ifndef SWT_DECODER_REPORT_QUERY_LINEAGE_BACKWARD_H
#define SWT_DECODER_REPORT_QUERY_LINEAGE_BACKWARD_H

#include "lineage_facts.h"

/* Whether the condition can be decided so: it asks no contents of an interval around. */
bool lineage_meets(const struct where *w);
/* Functions of struct interval_query; ctx: struct lineage. */
int lineage_meet(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection,
	const struct interval_record *r, const struct interval_taker *taker);
int lineage_meet_end(void *ctx);
/* Pops all of a stack, when it is dropped. */
void lineage_meet_drop(struct lineage *l, struct thread_stack *t);
/* After the last one, or if it was broken off: *l is as before the first one. */
void lineage_meet_over(struct lineage *l);

#endif
