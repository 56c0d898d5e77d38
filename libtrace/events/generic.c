/* The kernel's generic events (hardware, software, caches) by perf's names. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

struct generic {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	const char *description;
};

#define HARDWARE(name, alias, id, text)                                                            \
	{                                                                                          \
		name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, text                          \
	}
#define SOFTWARE(name, alias, id, text)                                                            \
	{                                                                                          \
		name, alias, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, text                          \
	}

static const struct generic generic[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES,
		"cycles of the processor while it is not idle, at the rate it runs at"),
	HARDWARE("instructions", NULL, INSTRUCTIONS, "instructions retired"),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES,
		"cycles while not idle, at the rate of the time stamp counter"),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES,
		"accesses to the cache, of the last level mostly"),
	HARDWARE("cache-misses", NULL, CACHE_MISSES,
		"accesses that the cache, of the last level mostly, did not have"),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "branches retired"),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES, "branches retired that were mispredicted"),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES, "cycles of the bus"),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
		"cycles in which no instruction was issued"),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
		"cycles in which no instruction was retired"),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK, "ns on a processor, by its timer"),
	SOFTWARE("task-clock", NULL, TASK_CLOCK, "ns that the thread ran"),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS, "page faults"),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN, "page faults without input or output"),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ, "page faults that waited for a device"),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES, "switches to another thread"),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS, "moves to another processor"),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS,
		"unaligned accesses that the kernel carried out"),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS,
		"instructions that the kernel carried out"),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES,
		"switches to a thread of another control group"),
};

enum { GENERIC = sizeof generic / sizeof *generic };

/* ------------------------------------------------------------------------------ caches */

enum { READS = 1, WRITES = 2, PREFETCHES = 4 };

static const struct {
	const char *name, *what;
	unsigned operations;
} caches[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "the data cache of the first level",
		READS | WRITES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "the instruction cache of the first level",
		READS | PREFETCHES},
	[PERF_COUNT_HW_CACHE_LL] = {"LLC", "the cache of the last level",
		READS | WRITES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", "the data TLB", READS | WRITES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", "the instruction TLB", READS},
	[PERF_COUNT_HW_CACHE_BPU] = {"branch", "the branch predictor", READS},
	[PERF_COUNT_HW_CACHE_NODE] = {"node", "the memory of the processor's node",
		READS | WRITES | PREFETCHES},
};

static const struct {
	const char *accesses, *misses;
} operations[PERF_COUNT_HW_CACHE_OP_MAX] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"loads", "load-misses"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"stores", "store-misses"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetches", "prefetch-misses"},
};

enum { CACHE_EVENTS = PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX * 2 };

struct cache_event {
	char name[48], description[80];
	uint64_t config;
};

/* False if the kernel has no such combination. */
static bool cache_event(unsigned i, struct cache_event *c)
{
	unsigned cache = i / (PERF_COUNT_HW_CACHE_OP_MAX * 2);
	unsigned operation = i / 2 % PERF_COUNT_HW_CACHE_OP_MAX, miss = i % 2;
	const char *verb = miss ? operations[operation].misses : operations[operation].accesses;

	if (!(caches[cache].operations >> operation & 1))
		return false;
	snprintf(c->name, sizeof c->name, "%s-%s", caches[cache].name, verb);
	snprintf(c->description, sizeof c->description, "%s of %s", verb, caches[cache].what);
	c->config = cache | operation << 8 | (uint64_t)miss << 16;
	return true;
}

/* ------------------------------------------------------------------------------- names */

static bool generic_set_event(struct cpc_event *e, uint32_t type, uint64_t config)
{
	const char *pmu = type == PERF_TYPE_SOFTWARE ? "software" : event_pmu_name();

	e->origin = CPC_EVENT_GENERIC;
	e->type = type;
	e->config = config;
	e->software = type == PERF_TYPE_SOFTWARE;
	snprintf(e->pmu, sizeof e->pmu, "%s", pmu);
	return true;
}

bool event_generic_find(const char *name, struct cpc_event *e)
{
	struct cache_event c;

	for (int i = 0; i < GENERIC; i++) {
		const struct generic *g = &generic[i];

		if (strcmp(name, g->name) == 0 || (g->alias && strcmp(name, g->alias) == 0))
			return generic_set_event(e, g->type, g->config);
	}
	for (unsigned i = 0; i < CACHE_EVENTS; i++)
		if (cache_event(i, &c) && strcmp(name, c.name) == 0)
			return generic_set_event(e, PERF_TYPE_HW_CACHE, c.config);
	return false;
}

const char *event_generic_alias(const char *name)
{
	for (int i = 0; i < GENERIC; i++) {
		if (generic[i].alias && strcmp(name, generic[i].name) == 0)
			return generic[i].alias;
		if (generic[i].alias && strcmp(name, generic[i].alias) == 0)
			return generic[i].name;
	}
	return NULL;
}

int event_generic_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	struct cache_event c;
	int rc = 0;

	for (int i = 0; i < GENERIC && rc == 0; i++) {
		const struct generic *g = &generic[i];
		struct cpc_event_info info = {.name = g->name,
			.pmu = g->type == PERF_TYPE_SOFTWARE ? "software" : event_pmu_name(),
			.description = g->description,
			.origin = CPC_EVENT_GENERIC};

		rc = visit(user, &info);
		info.name = g->alias;
		if (rc == 0 && g->alias)
			rc = visit(user, &info);
	}
	for (unsigned i = 0; i < CACHE_EVENTS && rc == 0; i++)
		if (cache_event(i, &c))
			rc = visit(user, &(struct cpc_event_info){.name = c.name,
						 .pmu = event_pmu_name(),
						 .description = c.description,
						 .origin = CPC_EVENT_GENERIC});
	return rc;
}
