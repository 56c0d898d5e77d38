#include "groups.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"

static _Atomic uint64_t openings;

/* Counters that user mode can read are mapped; software events have none. */
static bool groups_are_hardware(const struct perf_event_attr *attr, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (attr[i].type == PERF_TYPE_SOFTWARE)
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
		g->group_of[events[i]] = (uint8_t)g->groups;
		g->member[g->groups][i] = (uint8_t)events[i];
	}
	if (groups_are_hardware(attr, count))
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
		g->group_of[i] = EVENT_NO_GROUP;
		if (set->event[i].way == EVENT_BY_PERF)
			events[count++] = i;
	}
	groups_open_all(g, events, count);
	/* An event of all processors is a group of its own, with its own times. */
	for (unsigned i = 0, next = g->groups; i < set->count; i++)
		if (set->event[i].way == EVENT_ON_CPUS)
			g->group_of[i] = (uint8_t)next++;
	g->cpus = event_cpus_hold(set);
	g->is_one_call = g->groups == 1 && g->group[0]->count == set->count && !g->group[0]->mapped;
	return g;
}

/* Inlined: after a system call each return is mispredicted. */
static inline __attribute__((always_inline)) void groups_read_one(
	const struct event_groups *g, unsigned group, struct event_reading *r)
{
	const uint8_t *member = g->member[group];
	unsigned members = g->group[group]->count;
	struct perf_group_reading now;
	int rc = perf_group_read_here(g->group[group], &now);

	for (unsigned i = 0; i < members; i++)
		r->count[member[i]] = rc ? NOT_MEASURED : now.count[i];
	r->enabled[group] = rc ? 0 : now.enabled;
	r->running[group] = rc ? 0 : now.running;
}

void event_groups_read(const struct event_groups *g, struct event_reading *r)
{
	r->opening = g->opening;
	memcpy(r->group_of, g->group_of, sizeof r->group_of);
	for (unsigned i = 0; i < g->set->count; i++)
		if (g->group_of[i] == EVENT_NO_GROUP)
			r->count[i] = NOT_MEASURED;
	r->enabled[EVENT_NO_GROUP] = r->running[EVENT_NO_GROUP] = 0;
	for (unsigned i = 0; i < g->groups; i++)
		groups_read_one(g, i, r);
}

void event_groups_read_cpus(struct event_groups *g, struct event_reading *r)
{
	struct event_cpus_sum sums[INTERVAL_EVENTS_MAX];
	bool held = g->cpus || (g->cpus = event_cpus_hold(g->set));

	if (held)
		event_cpus_read(g->cpus, sums);
	for (unsigned i = 0; i < g->set->count; i++) {
		unsigned group = g->group_of[i];

		if (g->set->event[i].way != EVENT_ON_CPUS)
			continue;
		r->count[i] = held ? sums[i].count : NOT_MEASURED;
		r->enabled[group] = held ? sums[i].enabled : 0;
		r->running[group] = held ? sums[i].running : 0;
	}
}

void event_groups_close(struct event_groups *g, bool forked)
{
	if (!g)
		return;
	event_cpus_drop(g->cpus);
	for (unsigned i = g->groups; i-- > 0;) {
		perf_group_close(g->group[i], forked);
		free(g->group[i]);
	}
	free(g);
}
