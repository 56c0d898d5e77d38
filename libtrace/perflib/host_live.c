/*
 * This machine: the built-in countersets, then those of running providers.
 */
#include <stdlib.h>

#include "../../formats/base/array.h"
#include "../../formats/base/time_ns.h"
#include "../core/clock.h"
#include "counterset.h"
#include "guid.h"

struct live {
	struct host host;
	struct providers *providers;
	const struct counterset **set;
	uint32_t sets;
	size_t room;
};

static bool is_taken(const struct live *live, const GUID *id)
{
	for (uint32_t i = 0; i < live->sets; i++)
		if (guid_equal(&live->set[i]->definition->guid, id))
			return true;
	return false;
}

/* The first counterset with a GUID wins. */
static void live_add_sets(struct live *live, const struct counterset *const *sets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_taken(live, &sets[i]->definition->guid))
			live->set[live->sets++] = sets[i];
}

static uint32_t live_refresh_sets(
	struct host *host, const struct counterset *const **sets, uint32_t *n)
{
	struct live *live = (struct live *)host;
	const struct counterset *const *provided;
	uint32_t count, status = providers_refresh(live->providers, &provided, &count);

	if (status)
		return status;
	count += counterset_builtins;
	if (!array_reserve(&live->set, &live->room, count, sizeof *live->set))
		return ERROR_OUTOFMEMORY;
	live->sets = 0;
	live_add_sets(live, counterset_builtin, counterset_builtins);
	live_add_sets(live, provided, count - counterset_builtins);
	*sets = live->set;
	*n = live->sets;
	return ERROR_SUCCESS;
}

static uint32_t live_sample_clock(
	struct host *host, const struct counterset *const *of, uint32_t n, struct sample_time *time)
{
	uint64_t sync[3];

	(void)host;
	(void)of;
	(void)n;
	clock_sync(sync);
	time->ticks = (int64_t)sync[0];
	time->frequency = (int64_t)clock_ticks_per_second();
	time->time_100ns = (int64_t)(sync[1] / 100) + TIME_1601_TO_1970_100NS;
	return ERROR_SUCCESS;
}

static void close_live(struct host *host)
{
	struct live *live = (struct live *)host;

	providers_close(live->providers);
	free(live->set);
	free(live);
}

static const struct host_operations operations = {live_refresh_sets, live_sample_clock, close_live};

uint32_t host_live(struct host **host)
{
	struct live *live = calloc(1, sizeof *live);

	if (!live)
		return ERROR_OUTOFMEMORY;
	live->host.operations = &operations;
	live->providers = providers_open();
	if (!live->providers) {
		free(live);
		return ERROR_OUTOFMEMORY;
	}
	*host = &live->host;
	return ERROR_SUCCESS;
}
