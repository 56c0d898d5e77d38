/*
 * This machine.
 */
#include <stdlib.h>

#include "../counters/clock.h"
#include "counterset.h"

#define FROM_1601_TO_1970 INT64_C(116444736000000000) /* in 100 ns */

static uint32_t refresh(struct host *host, const struct counterset *const **sets, uint32_t *n)
{
	(void)host;
	*sets = counterset_builtin;
	*n = counterset_builtins;
	return ERROR_SUCCESS;
}

static uint32_t step(
	struct host *host, const struct counterset *const *of, uint32_t n, struct sample_time *time)
{
	uint64_t sync[3];

	(void)host;
	(void)of;
	(void)n;
	clock_sync(sync);
	time->ticks = (int64_t)sync[0];
	time->frequency = (int64_t)clock_ticks_per_second();
	time->time_100ns = (int64_t)(sync[1] / 100) + FROM_1601_TO_1970;
	return ERROR_SUCCESS;
}

static void close_live(struct host *host)
{
	free(host);
}

static const struct host_operations operations = {refresh, step, close_live};

uint32_t host_live(struct host **host)
{
	struct host *live = calloc(1, sizeof *live);

	if (!live)
		return ERROR_OUTOFMEMORY;
	live->operations = &operations;
	*host = live;
	return ERROR_SUCCESS;
}
