/*
 * The processors' groups.
 *
 * A reader holds them, and needs no lock: the groups stay until the last holder is gone. A
 * processor that went offline leaves a dead group, which is kept on a list until then; one store
 * replaces it by a new one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "../../core/lock.h"
#include "perf.h"

/* The most retired groups: they keep their descriptors open. */
enum { ASIDE_MAX = 256 };

struct cpu_counters {
	struct perf_counters counters;
	uint64_t opening;
	_Atomic bool dead;
	struct cpu_counters *next; /* retired */
};

struct cpu_set_groups {
	int (*open)(struct perf_counters *c, uint32_t cpu);
	bool spared; /* no group, for lack of descriptors; not an error */
	unsigned holders;
	_Atomic(struct cpu_counters *) group_of[ONLINE_MAX];
	struct cpu_counters *aside;
	unsigned asides;
	/* Opening failed on one processor, and hence on all. */
	_Atomic bool refused;
	/* Every possible processor has a group that was alive at the last check. */
	_Atomic bool complete;
};

static pthread_mutex_t cpu_sets_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t cpu_sets_openings;
static struct cpu_set_groups cpu_sets[PERF_SETS] = {
	[PERF_HARDWARE] = {.open = perf_open_cpu},
	[PERF_SOFTWARE] = {.open = perf_open_switches, .spared = true},
};

/* Avoids the heap: a signal handler that interrupted malloc may get here. */
static struct cpu_counters *new_counters(void)
{
	void *p = mmap(NULL, sizeof(struct cpu_counters), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void free_counters(struct cpu_counters *g)
{
	munmap(g, sizeof *g);
}

static void perf_release_cpu(struct cpu_counters *g)
{
	perf_close_counters(&g->counters, false);
	free_counters(g);
}

static void close_cpus(struct cpu_set_groups *s)
{
	for (uint32_t cpu = 0; cpu < ONLINE_MAX; cpu++) {
		struct cpu_counters *g = atomic_exchange(&s->group_of[cpu], NULL);

		if (g)
			perf_release_cpu(g);
	}
	while (s->aside) {
		struct cpu_counters *g = s->aside;

		s->aside = g->next;
		perf_release_cpu(g);
	}
	s->asides = 0;
}

/* PERF_UNAVAILABLE with *error ENODEV: this one just went offline. Else it holds for all. */
static int open_one(
	const struct cpu_set_groups *s, uint32_t cpu, struct cpu_counters **out, int *error)
{
	struct cpu_counters *g = new_counters();
	int rc;

	*error = 0;
	if (!g)
		return PERF_NO_DESCRIPTORS;
	rc = s->open(&g->counters, cpu);
	*error = g->counters.error;
	if (rc != PERF_OPEN) {
		free_counters(g);
		return rc;
	}
	g->opening = ++cpu_sets_openings;
	*out = g;
	return rc;
}

static int open_cpus(struct cpu_set_groups *s, const struct cpu_set *online)
{
	s->refused = false;
	for (uint32_t cpu = 0; cpu < online->end && !s->refused; cpu++) {
		struct cpu_counters *g = NULL;
		int rc, error;

		if (!cpu_set_has(online, cpu))
			continue;
		rc = open_one(s, cpu, &g, &error);
		if (rc == PERF_NO_DESCRIPTORS) {
			close_cpus(s);
			s->refused = s->spared;
			return s->spared ? PERF_OPEN : rc;
		}
		if (rc == PERF_OPEN)
			s->group_of[cpu] = g;
		else if (error != ENODEV)
			s->refused = true;
	}
	return PERF_OPEN;
}

static void find_complete(struct cpu_set_groups *s)
{
	bool all = true;

	for (uint32_t cpu = 0; cpu < cpus_possible() && all; cpu++)
		all = s->group_of[cpu] && !s->group_of[cpu]->dead;
	s->complete = all;
}

int perf_hold_cpus(enum perf_set which, const struct cpu_set *online)
{
	struct cpu_set_groups *s = &cpu_sets[which];
	const int cancellation = lock_hold(&cpu_sets_lock);
	int rc = PERF_OPEN;

	if (s->holders == 0)
		rc = open_cpus(s, online);
	if (rc == PERF_OPEN && s->holders++ == 0)
		find_complete(s);
	lock_release(&cpu_sets_lock, cancellation);
	return rc;
}

void perf_drop_cpus(enum perf_set which)
{
	struct cpu_set_groups *s = &cpu_sets[which];
	const int cancellation = lock_hold(&cpu_sets_lock);

	if (s->holders > 0 && --s->holders == 0)
		close_cpus(s);
	lock_release(&cpu_sets_lock, cancellation);
}

bool perf_cpus_complete(enum perf_set which)
{
	return cpu_sets[which].complete;
}

enum perf_cpu_state perf_read_cpu(enum perf_set which, uint32_t cpu, struct perf_reading *r)
{
	struct cpu_set_groups *s = &cpu_sets[which];
	struct cpu_counters *g = cpu < ONLINE_MAX ? s->group_of[cpu] : NULL;
	int error;

	if (!g)
		return s->refused ? PERF_CPU_NONE : PERF_CPU_DEAD;
	if (perf_read_counters(&g->counters, r, &error)) {
		r->opening = g->opening;
		return PERF_CPU_READ;
	}
	/* Closed by the program, or its processor went offline. */
	g->dead = true;
	s->complete = false;
	return error == ENODATA ? PERF_CPU_DEAD : PERF_CPU_NONE;
}

static void cpus_set_aside(struct cpu_set_groups *s, struct cpu_counters *g)
{
	g->next = s->aside;
	s->aside = g;
	s->asides++;
}

static void perf_renew_cpu(struct cpu_set_groups *s, uint32_t cpu)
{
	struct cpu_counters *old = s->group_of[cpu], *g = NULL;
	int error;

	if ((old && !old->dead) || s->asides >= ASIDE_MAX ||
		open_one(s, cpu, &g, &error) != PERF_OPEN)
		return;
	s->group_of[cpu] = g;
	if (old)
		cpus_set_aside(s, old);
}

void perf_renew_cpus(enum perf_set which, const struct cpu_set *online)
{
	struct cpu_set_groups *s = &cpu_sets[which];

	/* A signal handler may have interrupted the lock's holder. */
	if (s->refused || pthread_mutex_trylock(&cpu_sets_lock) != 0)
		return;
	for (uint32_t cpu = 0; cpu < online->end && s->holders > 0; cpu++)
		if (cpu_set_has(online, cpu))
			perf_renew_cpu(s, cpu);
	find_complete(s);
	pthread_mutex_unlock(&cpu_sets_lock);
}

void perf_before_fork(void)
{
	pthread_mutex_lock(&cpu_sets_lock);
}

/* A processor's counters also count for the child. */
void perf_after_fork(void)
{
	pthread_mutex_unlock(&cpu_sets_lock);
}

void perf_forget_lock(void)
{
	cpu_sets_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
