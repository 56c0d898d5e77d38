/*
 * --report diff: finds the runs of both sides, reads them, and writes what changed.
 */
#ifndef SWT_DECODER_CMD_COMPARISON_H
#define SWT_DECODER_CMD_COMPARISON_H

#include "options.h"

/* Returns an exit code; what failed was said. */
int comparison_write(struct options *o);

#endif
