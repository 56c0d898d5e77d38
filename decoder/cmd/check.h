/*
 * Checks that options go together, and exits with a message if they do not. Also sets what one
 * option implies for others.
 */
#ifndef SWT_DECODER_CHECK_H
#define SWT_DECODER_CHECK_H

#include "options.h"

/* The command line's options, and where its operands go. */
struct seen {
	bool report, format, weight, filter, output, partial, schema;
	char ***list; /* the list that operands go to: --before and --after switch it */
	size_t *n;
};

void check_options(struct options *o, const struct seen *seen);

#endif
