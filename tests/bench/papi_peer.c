/*
 * PAPI reading counters at the two ends of an interval, as a module of the benchmark. Preloaded
 * into a process of its own: syscall of counters_events.c must be found before libc's.
 */
#include <linux/perf_event.h>

#include "counters.h"
#include "peers.h"
#include "work.h"

uint64_t reading_failures;

/* clang-format off */
OP_LOOPS(read, , papi_loop(2))
OP_LOOPS(region, , papi_region())

static const struct op interval_peers[] = {
	{"papi_read", tight_read, work_read, .place = PAPI_READ},
	{"papi_region", tight_region, work_region, .place = PAPI_REGION},
	{0},
};
/* clang-format on */

static bool has_hardware_events(void)
{
	static const uint64_t config[] = {PERF_COUNT_HW_INSTRUCTIONS};
	struct bare b = bare_open(PERF_TYPE_HARDWARE, config, 1, 0, -1);
	bool has = b.count == 1;

	bare_close(&b);
	return has;
}

static const char *open_papi(enum place place)
{
	if (!has_hardware_events())
		stand_in_begin();
	return place == PAPI_READ ? papi_open() : papi_open_region();
}

static const char *check(void)
{
	return reading_failures ? "a reading of PAPI failed" : NULL;
}

const struct peers bench_peers = {
	.interval_ops = interval_peers,
	.open = open_papi,
	.check = check,
};
