/* A tree of frames from a log of intervals. */
#ifndef SWT_DECODER_REPORT_FLAME_BACKWARD_H
#define SWT_DECODER_REPORT_FLAME_BACKWARD_H

#include "log.h"

/*
 * Adds all intervals of the log to the tree, which holds the root; the log's names go to it.
 * 0; a negative code (errno for CPIDECODE_ESPOOL); or 1: rings whose stamps went back, or
 * what else only sorting gets right: the tree is of no use then.
 */
int flame_backward(struct flame_log *log, struct flame_tree *tree);

#endif
