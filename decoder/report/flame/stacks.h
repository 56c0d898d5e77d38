/*
 * Stacks of a flame graph in partial results (formats/partial.md): as text of numbers and names,
 * canonical, so that merging gives the same bytes as reading the entire trace.
 */
#ifndef SWT_DECODER_REPORT_FLAME_STACKS_H
#define SWT_DECODER_REPORT_FLAME_STACKS_H

#include "../../model/stats/partial/partial.h"
#include "tree.h"

/* A picture's text in addition to its frames. */
struct flame_about {
	const char *host;   /* NULL: unknown, or several. Of stacks that were read: to be freed */
	int64_t start, end; /* of the intervals; start > end: none */
};

/* Adds the tree's stacks to *p. 0 or CPIDECODE_ENOMEM. */
int flame_stacks_put(
	struct partial *p, const struct flame_tree *t, const struct flame_about *about);
/*
 * Reads all stacks of *p into *t, which has its root. is_shown: processes are called as a report of
 * the traces calls them, perhaps with their containers, which are frames otherwise. 0,
 * CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: they are damaged.
 */
int flame_stacks_get(
	struct flame_tree *t, const struct partial *p, bool is_shown, struct flame_about *about);
/* Makes one of several, after the last merge. As flame_stacks_get. */
int flame_stacks_settle(struct partial *p);

#endif
