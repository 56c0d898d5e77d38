/* Numbers that are the same in each run. */
#ifndef SWT_TESTS_LIB_RANDOM_H
#define SWT_TESTS_LIB_RANDOM_H

#include <stdint.h>

/* xorshift64, of a state other than 0. */
static inline uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* 31 bits of a linear congruential generator. */
static inline uint32_t random31(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

#endif
