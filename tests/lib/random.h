/* Numbers that are the same in each run: xorshift64, of a state other than 0. */
#ifndef SWT_TESTS_LIB_RANDOM_H
#define SWT_TESTS_LIB_RANDOM_H

#include <stdint.h>

static inline uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
