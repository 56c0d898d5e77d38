#include "sampling.h"

#include <errno.h>
#include <time.h>

static uint64_t real_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void real_wait(uint64_t until)
{
	const struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

struct sampling_calls sampling_calls = {real_now, real_wait};

uint64_t sampling_next(uint64_t start, uint64_t period, uint64_t n, uint64_t now)
{
	uint64_t passed = now > start ? (now - start) / period : 0;

	return passed > n ? passed + 1 : n + 1;
}
