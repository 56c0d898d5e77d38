/* The names of the intervals around those of a walk by machine and start. */
#ifndef SWT_DECODER_WHY_PARENTS_H
#define SWT_DECODER_WHY_PARENTS_H

#include "../../model/intervals/thread_stacks.h"
#include "../../model/stats/tally.h"

/* Starts zeroed. */
struct why_parents {
	struct tally names;	      /* a group's place is its number */
	struct thread_stacks threads; /* uint32_t: the name of the interval of each depth */
};

/* The next interval of the walk; *around: the name of the innermost one around it, NULL: none. 0 or
 * CPIDECODE_ENOMEM. */
int why_parents_add(
	struct why_parents *p, const struct interval *iv, const struct tally_group **around);
/* After a walk. Names stay. */
void why_parents_end(struct why_parents *p);
void why_parents_free(struct why_parents *p);

#endif
