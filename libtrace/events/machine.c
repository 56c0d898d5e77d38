/*
 * This processor's own PMU.
 */
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "private.h"

/* ARM's have no fixed name: the first of those that say on which processors they are. */
static int has_cpus(void *user, const char *name)
{
	char cpus[4096];
	struct event_pmu pmu;

	if (event_pmu_open(name, &pmu) || event_pmu_file(&pmu, "cpus", cpus, sizeof cpus))
		return 0;
	snprintf(user, sizeof pmu.name, "%s", name);
	return 1;
}

const char *event_pmu_name(void)
{
	static const char *const known[] = {"cpu", "cpu_core"};

	static _Thread_local char name[64];
	struct event_pmu pmu;

	for (int i = 0; i < 2; i++)
		if (event_pmu_open(known[i], &pmu) == 0)
			return known[i];
	name[0] = 0;
	event_walk_pmus(has_cpus, name);
	return name;
}

#ifdef __x86_64__
static unsigned intel_counters(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(0xA, 0, &a, &b, &c, &d) || (a & 0xff) == 0)
		return 0;
	return (a >> 8 & 0xff) + ((a & 0xff) > 1 ? d & 0x1f : 0);
}

static unsigned amd_counters(void)
{
	enum { PERFMON_V2 = 1, CORE_EXTENSION = 1 << 23 };
	unsigned a, b, c, d;

	if (__get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && a & PERFMON_V2 && b & 0xf)
		return b & 0xf;
	if (!__get_cpuid(0x80000001, &a, &b, &c, &d))
		return 0;
	return c & CORE_EXTENSION ? 6 : 4;
}

static unsigned cpuid_counters(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return 0;
	if (b == signature_INTEL_ebx)
		return intel_counters();
	return b == signature_AMD_ebx ? amd_counters() : 0;
}
#else
/* AArch64 keeps the number in PMCR_EL0, which user mode may not read. */
static unsigned cpuid_counters(void)
{
	return 0;
}
#endif

unsigned event_pmu_counters(void)
{
	return event_sysfs_is_ours() && *event_pmu_name() ? cpuid_counters() : 0;
}
