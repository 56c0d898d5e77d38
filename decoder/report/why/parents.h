/* Finds the names of parents during a walk of intervals by machine and start. */
#ifndef SWT_DECODER_WHY_PARENTS_H
#define SWT_DECODER_WHY_PARENTS_H

#include "../../model/intervals/thread_stacks.h"
#include "../../model/stats/tally/tally.h"

/* Starts zeroed. */
struct why_parents {
	struct tally names;	      /* a group's index is its number */
	struct thread_stacks threads; /* uint32_t: the name of the interval of each depth */
};

/* Adds the next interval of the walk; *around: its parent's name, NULL: none. Returns 0 or
 * CPIDECODE_ENOMEM. */
int why_parents_add(
	struct why_parents *p, const struct interval *iv, const struct tally_group **around);
/* Ends a walk, but keeps the names. */
void why_parents_end(struct why_parents *p);
void why_parents_free(struct why_parents *p);

#endif
