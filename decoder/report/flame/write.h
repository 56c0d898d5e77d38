/* Writes a flame graph of a tree: a picture or lines. */
#ifndef SWT_DECODER_REPORT_FLAME_WRITE_H
#define SWT_DECODER_REPORT_FLAME_WRITE_H

#include "../report.h"
#include "stacks.h"

/* Each consumes the tree. 0 or CPIDECODE_ENOMEM. */
int flame_write_picture(
	const struct report *r, struct flame_tree *t, const struct flame_about *about);
int flame_write_lines(const struct report *r, struct flame_tree *t);

#endif
