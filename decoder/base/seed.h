/* Seeds of hashes whose keys a trace chooses. */
#ifndef SWT_DECODER_BASE_SEED_H
#define SWT_DECODER_BASE_SEED_H

#include <stdint.h>

/* A random number: a trace that was made to have colliding keys cannot know it. */
uint64_t seed_make(void);

#endif
