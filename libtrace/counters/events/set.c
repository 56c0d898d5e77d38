#include "set.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/online.h"
#include "../perf/group.h"
#include "cpus.h"

/* ------------------------------------------------------------------------- one event */

static int member_try(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	struct perf_group g;
	int rc = perf_group_open(&g, &copy, 1, 0, -1, NULL);

	if (rc == 0)
		perf_group_close(&g, false);
	return rc;
}

/* These may succeed in the next thread. */
static bool member_is_passing(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM;
}

static bool member_is_denied(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -ENOSYS;
}

/* Without the kernel's part, where most faults of a system call happen, perf would count others
 * than the quality hook. */
static enum event_way member_fault_way(const struct cpc_event *e)
{
	if (e->type != PERF_TYPE_SOFTWARE || e->modes_given)
		return EVENT_BY_NOTHING;
	switch (e->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		return EVENT_BY_FAULTS;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return EVENT_BY_MINOR_FAULTS;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return EVENT_BY_MAJOR_FAULTS;
	default:
		return EVENT_BY_NOTHING;
	}
}

static int member_try_user_only(struct event_member *m, const struct cpc_event *e)
{
	int rc = -EACCES;

	if (e->modes_given || event_is_in_kernel_only(e))
		return rc;
	m->attr.exclude_kernel = m->attr.exclude_hv = 1;
	rc = member_try(&m->attr);
	m->user_only = rc == 0 || member_is_passing(rc);
	return rc;
}

bool event_member_counts_on(const struct event_member *m, uint32_t cpu)
{
	return event_pmu_counts_on(m->pmu, cpu);
}

/* On the first processor that it counts on. */
static int member_try_on_cpus(const struct event_member *m)
{
	struct perf_event_attr copy = m->attr;
	struct cpu_set online;
	struct perf_group g;

	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++) {
		if (!cpu_set_has(&online, cpu) || !event_member_counts_on(m, cpu))
			continue;
		int rc = perf_group_open(&g, &copy, 1, -1, (int)cpu, NULL);

		if (rc == 0)
			perf_group_close(&g, false);
		return rc;
	}
	return -ENODEV;
}

static void member_choose_on_cpus(struct event_member *m, const struct event_listed *listed)
{
	const struct cpc_event *e = &listed->event;
	int rc = listed->is_foreign ? -ENOTSUP : event_attr(e, &m->attr, sizeof m->attr);

	m->way = EVENT_ON_CPUS;
	/* The kernel opens this one for a processor, but counts nothing. */
	if (rc == 0 && e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_TASK_CLOCK)
		rc = -EOPNOTSUPP;
	if (rc == 0)
		rc = event_is_in_kernel_only(e) && !e->kernel ? -EINVAL : member_try_on_cpus(m);
	if (rc == 0 || member_is_passing(rc))
		return;
	m->way = EVENT_BY_NOTHING;
	m->error = -rc;
}

void event_member_choose(struct event_member *m, const struct event_listed *listed)
{
	const struct cpc_event *e = &listed->event;
	int rc;

	*m = (struct event_member){.way = EVENT_BY_PERF};
	snprintf(m->name, sizeof m->name, "%s", e->name);
	memcpy(m->pmu, e->pmu, sizeof m->pmu);
	if (listed->on_cpus) {
		member_choose_on_cpus(m, listed);
		return;
	}
	if (!listed->is_foreign && e->type == PERF_TYPE_SOFTWARE &&
		e->config == PERF_COUNT_SW_TASK_CLOCK) {
		m->way = EVENT_BY_CLOCK;
		return;
	}
	rc = listed->is_foreign ? -ENOTSUP : event_attr(e, &m->attr, sizeof m->attr);
	if (rc == 0)
		rc = member_try(&m->attr);
	if (member_is_denied(rc) && member_fault_way(e) != EVENT_BY_NOTHING) {
		m->way = member_fault_way(e);
		return;
	}
	/* Counted in the kernel only, and that is left out: it would be 0. */
	if (rc == 0 && event_is_in_kernel_only(e) && !e->kernel)
		rc = -EINVAL;
	if (rc == -EACCES || rc == -EPERM)
		rc = member_try_user_only(m, e);
	if (rc == 0 || member_is_passing(rc))
		return;
	m->way = EVENT_BY_NOTHING;
	m->error = -rc;
}

/* --------------------------------------------------------------------------- the sets */

static pthread_mutex_t event_set_lock = PTHREAD_MUTEX_INITIALIZER;
static struct event_set *sets;

bool event_sets_try_lock(void)
{
	return pthread_mutex_trylock(&event_set_lock) == 0;
}

void event_sets_lock(void)
{
	pthread_mutex_lock(&event_set_lock);
}

void event_sets_unlock(void)
{
	pthread_mutex_unlock(&event_set_lock);
}

static struct event_set *event_set_new(
	const char *list, const struct event_listed *listed, int count)
{
	size_t size = strlen(list) + 1;
	struct event_set *set = calloc(1, sizeof *set + size);

	if (!set)
		return NULL;
	memcpy(set->list, list, size);
	for (int i = 0; i < count; i++) {
		event_member_choose(&set->event[i], &listed[i]);
		set->others |= set->event[i].way > EVENT_BY_PERF;
		set->on_cpus |= set->event[i].way == EVENT_ON_CPUS;
	}
	set->count = (unsigned)count;
	set->next = sets;
	sets = set;
	return set;
}

const struct event_set *event_set_of(const char *list, char why[EVENT_WHY_MAX])
{
	struct event_listed listed[INTERVAL_EVENTS_MAX];
	int count;

	why[0] = 0;
	for (const struct event_set *set = sets; set; set = set->next)
		if (strcmp(set->list, list) == 0)
			return set;
	count = event_list_parse(list, listed, INTERVAL_EVENTS_MAX, why);
	return count < 0 ? NULL : event_set_new(list, listed, count);
}

void event_sets_after_fork(void)
{
	for (struct event_set *set = sets; set; set = set->next)
		event_cpus_after_fork(set->cpus);
}

void event_sets_forget_lock(void)
{
	event_set_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
