/*
 * The stacks of the runs of two sides, before and after, for a differential flame graph. A frame
 * has the sums of each side; a picture shows their means for a run.
 */
#ifndef SWT_DECODER_REPORT_FLAME_SIDES_H
#define SWT_DECODER_REPORT_FLAME_SIDES_H

#include "../report.h"

struct flame_tree;

/* 0 or CPIDECODE_ENOMEM; *s is to be freed in either case. */
int flame_sides_new(struct flame_sides **s);
/* Adds a run's stacks to side 0 or 1. r: of the run. 0 or CPIDECODE_ENOMEM. */
int flame_sides_add(
	struct flame_sides *s, unsigned side, const struct report *r, const struct flame_tree *t);
/* Writes the picture, or with FORMAT_HTML the page, to r->out, once. 0 or CPIDECODE_ENOMEM. */
int flame_sides_write(struct flame_sides *s, const struct report *r);
void flame_sides_free(struct flame_sides *s); /* NULL is fine */

#endif
