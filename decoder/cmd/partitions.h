/*
 * --partition: each trace becomes a file in the folders of its partition.
 */
#ifndef SWT_DECODER_CMD_PARTITIONS_H
#define SWT_DECODER_CMD_PARTITIONS_H

#include "options.h"

/* A trace that fails does not stop the others. Returns an exit code; what failed was said. */
int partitions_write(struct options *o);

#endif
