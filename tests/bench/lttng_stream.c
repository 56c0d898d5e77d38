/*
 * A writer of LTTng-UST events with the fields of `continuous traced stream`, pinned to the last
 * processor, as fast as it can.
 *
 *	lttng_stream SECONDS
 *
 * Prints the events attempted and the seconds that they took.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tp.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { AT_ONCE = 1000, WAIT_MS = 5000 };

int main(int argc, char **argv)
{
	uint64_t random = 0x9E3779B97F4A7C15u, events = 0, start, end;
	uint32_t number = 0;
	unsigned n;
	const int *cpu = processors(&n);

	if (argc != 2)
		die("see the first lines of lttng_stream.c");
	pin(cpu[n - 1]);
	realtime();
	for (int i = 0; !lttng_ust_tracepoint_enabled(bench, fields8); i++) {
		if (i == WAIT_MS)
			die("the tracepoint was not enabled");
		sleep_ns(1000000);
	}
	start = now_ns();
	end = start + (uint64_t)(atof(argv[1]) * 1e9);
	while (now_ns() < end) {
		for (int i = 0; i < AT_ONCE; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			lttng_ust_tracepoint(bench, fields8, ++number, (uint32_t)(random >> 32),
				(uint32_t)(random >> 52), 0x7f3a, (uint32_t)(random >> 20) & 0xff,
				1, 0, 0);
		}
		events += AT_ONCE;
	}
	printf("%llu %.6f\n", (unsigned long long)events, (double)(now_ns() - start) / 1e9);
	return fflush(stdout) ? 1 : 0;
}
