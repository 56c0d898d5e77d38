#include "cpus.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/clock.h"
#include "../../core/online.h"
#include "../perf/group.h"
#include "../sample.h"

/* The events that count on a processor. */
struct cpu_events {
	struct perf_group group;
	uint8_t member[INTERVAL_EVENTS_MAX]; /* the set's events */
};

/* Allocated once for a set, and kept: a thread may read the holders at any time. */
struct event_cpus {
	const struct event_set *set;
	_Atomic int holders; /* CHANGING: none, they are being opened or closed */
	struct cpu_set online;
	bool missing[INTERVAL_EVENTS_MAX]; /* it could not be opened somewhere */
	unsigned count;
	struct cpu_events *at; /* `count` of them */
};

enum { CHANGING = -1 };

static void cpus_close(struct event_cpus *c)
{
	for (unsigned i = 0; i < c->count; i++)
		perf_group_close(&c->at[i].group, false);
	free(c->at);
	c->at = NULL;
	c->count = 0;
}

/* Opens the events[0..count) of a processor in one group. */
static int cpus_open_group(struct event_cpus *c, struct cpu_events *at, const uint8_t *events,
	unsigned count, uint32_t cpu, unsigned *failed)
{
	struct perf_event_attr attr[INTERVAL_EVENTS_MAX];

	for (unsigned i = 0; i < count; i++)
		attr[i] = c->set->event[events[i]].attr;
	memcpy(at->member, events, count);
	return perf_group_open(&at->group, attr, count, -1, (int)cpu, failed);
}

/* One group; an event that cannot be in it is unknown, as the sum of others would not be all. */
static void cpus_open_one(struct event_cpus *c, uint32_t cpu)
{
	struct cpu_events *at = &c->at[c->count];
	uint8_t events[INTERVAL_EVENTS_MAX];
	unsigned count = 0, failed;

	for (unsigned i = 0; i < c->set->count; i++) {
		const struct event_member *m = &c->set->event[i];

		if (m->way == EVENT_ON_CPUS && event_member_counts_on(m, cpu))
			events[count++] = (uint8_t)i;
	}
	while (count && cpus_open_group(c, at, events, count, cpu, &failed)) {
		c->missing[events[failed]] = true;
		count--;
		memmove(&events[failed], &events[failed + 1], count - failed);
	}
	c->count += count > 0;
}

static bool cpus_open(struct event_cpus *c)
{
	cpu_set_online(&c->online);
	memset(c->missing, 0, sizeof c->missing);
	c->at = calloc(c->online.end + 1, sizeof *c->at);
	for (uint32_t cpu = 0; c->at && cpu < c->online.end; cpu++)
		if (cpu_set_has(&c->online, cpu))
			cpus_open_one(c, cpu);
	return c->at;
}

/* The set's, made if it has none yet. */
static struct event_cpus *cpus_of(const struct event_set *set)
{
	struct event_cpus *c = __atomic_load_n(&set->cpus, __ATOMIC_ACQUIRE), *none = NULL;

	if (c)
		return c;
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->set = set;
	/* Another thread may come first. Release: pairs with the acquire above. */
	if (__atomic_compare_exchange_n((struct event_cpus **)&set->cpus, &none, c, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return c;
	free(c);
	return none;
}

struct event_cpus *event_cpus_hold(const struct event_set *set)
{
	struct event_cpus *c = set->on_cpus ? cpus_of(set) : NULL;
	int holders = c ? atomic_load(&c->holders) : CHANGING;

	while (holders != CHANGING) {
		const int next = holders ? holders + 1 : CHANGING;

		/* The groups that a holder opened are there: acquire. */
		if (!atomic_compare_exchange_weak(&c->holders, &holders, next))
			continue;
		if (next != CHANGING)
			return c;
		const bool opened = cpus_open(c);
		atomic_store(&c->holders, opened);
		return opened ? c : NULL;
	}
	return NULL;
}

void event_cpus_drop(struct event_cpus *c)
{
	int holders = c ? atomic_load(&c->holders) : 0;

	while (holders > 0) {
		const int next = holders > 1 ? holders - 1 : CHANGING;

		if (!atomic_compare_exchange_weak(&c->holders, &holders, next))
			continue;
		if (next != CHANGING)
			return;
		cpus_close(c);
		atomic_store(&c->holders, 0);
		return;
	}
}

static void cpus_add(const struct cpu_events *at, struct event_cpus_sum *sums)
{
	struct perf_group_reading now;
	int rc = perf_group_read(&at->group, &now);

	for (unsigned i = 0; i < at->group.count; i++) {
		struct event_cpus_sum *sum = &sums[at->member[i]];

		if (rc || sum->count == NOT_MEASURED) {
			sum->count = NOT_MEASURED;
			continue;
		}
		sum->count += now.count[i];
		sum->enabled += now.enabled;
		sum->running += now.running;
	}
}

void event_cpus_read(const struct event_cpus *c, struct event_cpus_sum sums[INTERVAL_EVENTS_MAX])
{
	const struct cpu_set *online = cpu_set_online_lately(clock_now(), NULL);
	const bool same = online->end == c->online.end &&
			  memcmp(online->word, c->online.word, sizeof online->word) == 0;

	for (unsigned i = 0; i < c->set->count; i++)
		if (c->set->event[i].way == EVENT_ON_CPUS)
			sums[i] = (struct event_cpus_sum){
				.count = same && !c->missing[i] ? 0 : NOT_MEASURED};
	for (unsigned i = 0; same && i < c->count; i++)
		cpus_add(&c->at[i], sums);
}

void event_cpus_after_fork(struct event_cpus *c)
{
	int changing = CHANGING;

	if (c)
		atomic_compare_exchange_strong(&c->holders, &changing, 0);
}
