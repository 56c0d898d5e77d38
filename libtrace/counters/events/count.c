#include "count.h"

#include <sys/resource.h>

#include "../machine/rate.h"

__attribute__((noinline)) static struct event_groups *count_open(const struct event_set *set)
{
	struct thread_group *t = thread_keep(thread_self());
	struct event_groups *before = t ? t->events : NULL;

	if (!t)
		return NULL;
	t->events = NULL;
	event_groups_close(before, false);
	t->events = event_groups_open(set);
	return t->events;
}

static uint64_t count_faults(enum event_way way)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u) != 0)
		return NOT_MEASURED;
	return (way == EVENT_BY_MAJOR_FAULTS ? 0 : (uint64_t)u.ru_minflt) +
	       (way == EVENT_BY_MINOR_FAULTS ? 0 : (uint64_t)u.ru_majflt);
}

static void count_read_others(const struct event_set *set, struct event_reading *r)
{
	for (unsigned i = 0; i < set->count; i++) {
		enum event_way way = set->event[i].way;

		if (way == EVENT_BY_CLOCK)
			r->count[i] = thread_time_ns();
		else if (way > EVENT_BY_CLOCK && way != EVENT_ON_CPUS)
			r->count[i] = count_faults(way);
	}
}

void event_count_read_all(
	const struct event_set *set, struct event_reading *r, enum event_side side)
{
	const struct thread_group *t = thread_self()->group;
	struct event_groups *g = t ? t->events : NULL;

	r->opening = 0;
	if (!g || g->set != set)
		g = count_open(set);
	if (!g)
		return;
	if (!set->others) {
		event_groups_read(g, r);
		return;
	}
	/* Read the processors' counters outside the thread's: they also count the work of reading
	 * those. */
	if (set->on_cpus && side == EVENT_AT_START)
		event_groups_read_cpus(g, r);
	event_groups_read(g, r);
	count_read_others(set, r);
	if (set->on_cpus && side == EVENT_AT_END)
		event_groups_read_cpus(g, r);
}

void event_count_rest(void)
{
	struct thread_group *t = thread_self()->group;
	struct event_groups *before = t ? t->events : NULL;

	if (!before)
		return;
	t->events = NULL;
	event_groups_close(before, false);
}

struct event_count event_count_between(
	const struct event_reading *from, const struct event_reading *to, unsigned event)
{
	struct event_count c = {0};
	uint64_t before = from->count[event], after = to->count[event];
	unsigned group = from->group_of[event];

	if (before == NOT_MEASURED || after == NOT_MEASURED || after < before)
		return c;
	c.enabled = to->enabled[group] - from->enabled[group];
	c.running = to->running[group] - from->running[group];
	c.value = after - before;
	c.known = c.running != 0 || c.enabled == 0;
	if (!c.known)
		return (struct event_count){0};
	if (c.running < c.enabled)
		c.value = rate_scale(c.value, c.enabled, c.running);
	return c;
}
