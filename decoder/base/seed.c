#include "seed.h"

#include <sys/random.h>

uint64_t seed_make(void)
{
	uint64_t seed;

	/* Early in boot there may be no random bits: predictable hashes cost time at worst. */
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = 0;
	return seed;
}
