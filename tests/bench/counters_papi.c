/*
 * PAPI, the peer for counters, reading the same software events. Compiled into the benchmark of
 * counters, and into papi_peer.c's module.
 */
#include "counters.h"

#ifdef BENCH_PAPI

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS_READ = 3 };
static int set = PAPI_NULL;

/* PAPI needs hardware events and a processor in its tables: force one, and open stand-ins for its
 * events. */
static const char *const *event_names(void)
{
	static const char *const software[EVENTS_READ] = {
		"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"};
	static const char *const hardware[EVENTS_READ] = {
		"RETIRED_INSTRUCTIONS", "CYCLES_NOT_IN_HALT", "RETIRED_BRANCH_INSTRUCTIONS"};

	if (!stands_in())
		return software;
	setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen1", 0);
	return hardware;
}

static const char *outcome(int rc)
{
	static char why[128];

	if (rc == PAPI_OK)
		return NULL;
	snprintf(why, sizeof why, "PAPI: %s", PAPI_strerror(rc));
	return why;
}

const char *papi_open(void)
{
	const char *const *event = event_names();
	int rc;

	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc != PAPI_VER_CURRENT)
		return "PAPI_library_init failed";
	rc = PAPI_create_eventset(&set);
	for (int i = 0; i < EVENTS_READ && rc == PAPI_OK; i++)
		rc = PAPI_add_named_event(set, event[i]);
	if (rc == PAPI_OK)
		rc = PAPI_start(set);
	return outcome(rc);
}

/* The high-level region reads what it can of PAPI_EVENTS and does not tell: so first read all of
 * them, and stop, as a thread has one running set. */
const char *papi_open_region(void)
{
	const char *const *event = event_names();
	long long count[EVENTS_READ];
	const char *why = papi_open();
	char names[128];
	int rc;

	if (why)
		return why;
	rc = PAPI_stop(set, count);
	snprintf(names, sizeof names, "%s,%s,%s", event[0], event[1], event[2]);
	setenv("PAPI_EVENTS", names, 1);
	if (rc == PAPI_OK)
		rc = PAPI_hl_region_begin("bench");
	if (rc == PAPI_OK)
		rc = PAPI_hl_region_end("bench");
	return outcome(rc);
}

void papi_loop(uint64_t turns)
{
	long long count[EVENTS_READ];

	for (uint64_t i = 0; i < turns; i++) {
		reading_failures += PAPI_read(set, count) != PAPI_OK;
		__asm__ volatile("");
	}
}

void papi_region(void)
{
	reading_failures += PAPI_hl_region_begin("bench") != PAPI_OK;
	reading_failures += PAPI_hl_region_end("bench") != PAPI_OK;
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
