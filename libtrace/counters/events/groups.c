#include "groups.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../sample.h"

static _Atomic uint64_t openings;

/* Counters that user mode can read are mapped; software events have none. */
static bool groups_are_hardware(
	const struct event_groups *g, const struct event_set *set, int group)
{
	for (unsigned i = 0; i < set->count; i++)
		if (g->at[i].group == group && set->event[i].attr.type == PERF_TYPE_SOFTWARE)
			return false;
	return true;
}

/* Opens events[0..count) as the next group. */
static int groups_add(
	struct event_groups *g, const unsigned *events, unsigned count, unsigned *failed)
{
	struct perf_event_attr attr[INTERVAL_EVENTS_MAX];
	struct perf_group *group = malloc(sizeof *group);
	int rc = -ENOMEM;

	*failed = 0;
	for (unsigned i = 0; i < count; i++)
		attr[i] = g->set->event[events[i]].attr;
	if (group)
		rc = perf_group_open(group, attr, count, 0, -1, failed);
	if (rc) {
		free(group);
		return rc;
	}
	for (unsigned i = 0; i < count; i++) {
		g->at[events[i]].group = (int8_t)g->groups;
		g->at[events[i]].member = (int8_t)i;
	}
	if (groups_are_hardware(g, g->set, (int)g->groups))
		perf_group_map(group);
	g->group[g->groups++] = group;
	return 0;
}

/*
 * All in one group, if the counters suffice. The event that does not fit begins the next one; one
 * that cannot even be opened by itself is left out.
 */
static void groups_open_all(struct event_groups *g, unsigned *events, unsigned count)
{
	unsigned failed;

	while (count > 0) {
		unsigned fit = count;
		int rc = groups_add(g, events, fit, &failed);

		while (rc && failed > 0) {
			fit = failed;
			rc = groups_add(g, events, fit, &failed);
		}
		if (rc)
			fit = 1;
		events += fit;
		count -= fit;
	}
}

struct event_groups *event_groups_open(const struct event_set *set)
{
	struct event_groups *g = calloc(1, sizeof *g);
	unsigned events[INTERVAL_EVENTS_MAX], count = 0;

	if (!g)
		return NULL;
	g->set = set;
	g->opening = atomic_fetch_add_explicit(&openings, 1, memory_order_relaxed) + 1;
	for (unsigned i = 0; i < set->count; i++) {
		g->at[i].group = -1;
		if (set->event[i].way == EVENT_BY_PERF)
			events[count++] = i;
	}
	groups_open_all(g, events, count);
	return g;
}

static void groups_take(const struct event_groups *g, unsigned group,
	const struct perf_group_reading *now, struct event_reading *r)
{
	for (unsigned i = 0; i < g->set->count; i++) {
		if (g->at[i].group != (int)group)
			continue;
		r->count[i] = now->count[g->at[i].member];
		r->enabled[i] = now->enabled;
		r->running[i] = now->running;
	}
}

void event_groups_read(const struct event_groups *g, struct event_reading *r)
{
	struct perf_group_reading now;

	r->opening = g->opening;
	for (unsigned i = 0; i < g->set->count; i++) {
		r->count[i] = CPI_NONE;
		r->enabled[i] = r->running[i] = 0;
	}
	for (unsigned i = 0; i < g->groups; i++)
		if (perf_group_read_here(g->group[i], &now) == 0)
			groups_take(g, i, &now, r);
}

void event_groups_close(struct event_groups *g, bool forked)
{
	if (!g)
		return;
	for (unsigned i = g->groups; i-- > 0;) {
		perf_group_close(g->group[i], forked);
		free(g->group[i]);
	}
	free(g);
}
