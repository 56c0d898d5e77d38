/*
 * A trace of recorded counters and of intervals, built from an input: mostly valid, partly
 * contradictory.
 */
#ifndef SWT_TESTS_FUZZ_REPLAY_MADE_H
#define SWT_TESTS_FUZZ_REPLAY_MADE_H

#include "fuzz.h"

/* Builds the file and consumes its parts. Returns the number of hooks. */
unsigned replay_made(struct feed *in, struct bytes *file);

#endif
