/*
 * PAPI, the peer for counters, reading the same software events.
 */
#include "counters.h"

#ifdef BENCH_PAPI

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

static int set = PAPI_NULL;

const char *papi_open(void)
{
	static const char *const software[] = {
		"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"};
	static const char *const hardware[] = {
		"RETIRED_INSTRUCTIONS", "CYCLES_NOT_IN_HALT", "RETIRED_BRANCH_INSTRUCTIONS"};
	const char *const *event = software;
	static char why[128];
	int rc;

	/* PAPI needs hardware events and a processor in its tables: force one, and open stand-ins
	 * for its events. */
	if (stands_in()) {
		setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen1", 0);
		event = hardware;
	}
	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc != PAPI_VER_CURRENT)
		return "PAPI_library_init failed";
	rc = PAPI_create_eventset(&set);
	for (int i = 0; i < 3 && rc == PAPI_OK; i++)
		rc = PAPI_add_named_event(set, event[i]);
	if (rc == PAPI_OK)
		rc = PAPI_start(set);
	if (rc == PAPI_OK)
		return NULL;
	snprintf(why, sizeof why, "PAPI: %s", PAPI_strerror(rc));
	return why;
}

void papi_loop(uint64_t turns)
{
	long long count[3];

	for (uint64_t i = 0; i < turns; i++) {
		reading_failures += PAPI_read(set, count) != PAPI_OK;
		__asm__ volatile("");
	}
}

#else

const char *papi_open(void)
{
	return "--peers was not given";
}

void papi_loop(uint64_t turns)
{
	(void)turns;
}

#endif
