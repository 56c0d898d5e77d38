#include "sampling.h"

#include <errno.h>
#include <time.h>

#include "../../../formats/base/time_ns.h"

static void real_wait(uint64_t until)
{
	const struct timespec t = time_of_ns(until);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

struct sampling_calls sampling_calls = {time_ns_monotonic, real_wait};

uint64_t sampling_next(uint64_t start, uint64_t period, uint64_t n, uint64_t now)
{
	uint64_t passed = now > start ? (now - start) / period : 0;

	return passed > n ? passed + 1 : n + 1;
}
