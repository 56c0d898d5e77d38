/*
 * Events by name, for programs: libswtrace has them.
 */
#include "../counters/perf/try_event.h"

int cpc_event_find(const char *name, struct cpc_event *event, char *why)
{
	return event_find(name, event, why);
}

int cpc_event_attr(const struct cpc_event *event, struct perf_event_attr *attr, size_t size)
{
	return event_attr(event, attr, size);
}

int cpc_event_try(const struct cpc_event *event)
{
	return perf_try_event(event);
}

int cpc_event_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	return event_walk(visit, user);
}

int cpc_event_walk_terms(const char *pmu, int (*visit)(void *user, const char *term), void *user)
{
	return event_walk_terms(pmu, visit, user);
}

const char *cpc_event_pmu_name(void)
{
	return event_pmu_name();
}
