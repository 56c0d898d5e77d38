/*
 * A trace of recorded counters and of intervals, built from an input: mostly valid, partly
 * contradictory.
 */
#ifndef SWT_TESTS_FUZZ_REPLAY_MADE_H
#define SWT_TESTS_FUZZ_REPLAY_MADE_H

#include "fuzz.h"

/* The file; what it was made of is used up. Returns how many hooks it has. */
unsigned replay_made(struct feed *in, struct bytes *file);

#endif
