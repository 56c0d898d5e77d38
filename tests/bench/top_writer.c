/*
 * The traced program of the top benchmark: one pinned thread that writes at a steady rate.
 *
 *	top_writer hooks|intervals RATE SECONDS
 *
 * hooks: of 8 words; intervals: light ones of eight labels. RATE a second, in batches of a
 * millisecond's worth. Prints how many it wrote, and ns of processor time for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "bench.h"
#include "perfutil.h"
#include "swtrace.h"

enum { MAJOR = 0x42, BATCHES = 1000 };

static void write_interval(uint64_t n)
{
	switch (n & 7) {
#define CASE(k)                                                                                    \
	case k: {                                                                                  \
		SWTRACE_SCOPE("request " #k);                                                      \
		break;                                                                             \
	}
		CASE(0)
		CASE(1)
		CASE(2)
		CASE(3)
		CASE(4)
		CASE(5)
		CASE(6)
		CASE(7)
	}
}

static void write_hook(uint64_t n)
{
	UINT32 word[8] = {(UINT32)n};

	TraceHookWords(MAJOR, 0x10, 8, word);
}

int main(int argc, char **argv)
{
	uint64_t rate = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t batches = (argc > 3 ? strtoull(argv[3], NULL, 10) : 0) * BATCHES;
	void (*write)(uint64_t) =
		argc > 1 && strcmp(argv[1], "hooks") == 0 ? write_hook : write_interval;
	uint64_t used, next, n = 0;

	if (!rate || !batches)
		return 2;
	pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	next = time_ns_monotonic();
	used = time_ns_now(CLOCK_THREAD_CPUTIME_ID);
	for (; batches; batches--) {
		for (uint64_t i = rate / BATCHES; i; i--)
			write(n++);
		next += TIME_SECOND_NS / BATCHES;
		const struct timespec t = time_of_ns(next);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	used = time_ns_now(CLOCK_THREAD_CPUTIME_ID) - used;
	printf("%llu %.2f\n", (unsigned long long)n, (double)used / (double)n);
	return 0;
}
