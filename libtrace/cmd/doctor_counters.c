/*
 * doctor: what can be counted here, and what to do about the rest.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../counters/source.h"
#include "doctor.h"

enum { CAPABILITY_SYS_ADMIN = 21, CAPABILITY_PERFMON = 38 };

/* -1: unknown. */
static int has_capability(int number)
{
	char line[256];
	uint64_t effective;
	int has = -1;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && has < 0 && fgets(line, sizeof line, f))
		if (sscanf(line, "CapEff: %" SCNx64, &effective) == 1)
			has = (int)(effective >> number & 1);
	if (f)
		fclose(f);
	return has;
}

static void permissions(struct findings *f, const struct counters_pmu *pmu)
{
	char paranoid[32] = "unknown";
	bool may =
		has_capability(CAPABILITY_PERFMON) > 0 || has_capability(CAPABILITY_SYS_ADMIN) > 0;

	if (pmu->paranoid != INT_MIN)
		snprintf(paranoid, sizeof paranoid, "%d", pmu->paranoid);
	finding(f, "counters", FINDING_NOTE, "kernel.perf_event_paranoid is %s, CAP_PERFMON is %s",
		paranoid, may ? "there" : "missing");
}

static void hardware(struct findings *f, const struct counters_pmu *pmu)
{
	const char *verdict = "hardware counters: processors and threads";

	if (!pmu->present)
		verdict = "no hardware counters";
	else if (!pmu->cpu_wide)
		verdict = "hardware counters: of one's own threads only";
	else if (!pmu->thread)
		verdict = "hardware counters: of processors only";
	finding(f, "counters", pmu->cpu_wide ? FINDING_GOOD : FINDING_BAD, "%s%s%s",
		pmu->why[0] ? pmu->why : verdict, pmu->advice[0] ? "; to do: " : "", pmu->advice);
}

bool doctor_counters(struct findings *f, char verdict[512])
{
	struct counters_description d;
	struct counters_pmu pmu;
	bool instructions = false;

	memset(&d, 0, sizeof d);
	memset(&pmu, 0, sizeof pmu);
	counters_probe_pmu(&pmu);
	counters_describe(&d);
	hardware(f, &pmu);
	permissions(f, &pmu);
	if (d.rc) {
		finding(f, "counters", FINDING_BAD, "%s", d.line);
	} else {
		finding(f, "counters", FINDING_GOOD, "in use: %s", d.line);
		for (int q = 0; q < COUNTER_QUANTITIES; q++)
			finding(f, "counters", d.quantity[q].measured ? FINDING_GOOD : FINDING_BAD,
				"%s: %s", d.quantity[q].name, d.quantity[q].how);
		instructions = d.quantity[COUNTER_INSTRUCTIONS].measured ||
			       d.quantity[COUNTER_THREAD_INSTRUCTIONS].measured;
	}
	if (instructions && d.source == SHM_SOURCE_SCRIPTED)
		snprintf(verdict, 512, "CPI is scripted here (SWTRACE_COUNTERS), not measured");
	else if (instructions)
		snprintf(verdict, 512, "CPI can be measured here%s",
			d.quantity[COUNTER_INSTRUCTIONS].measured ? "" : ", of threads only");
	else
		snprintf(verdict, 512, "CPI cannot be measured here: %s",
			d.rc	     ? d.line
			: pmu.why[0] ? pmu.why
				     : "no source counts instructions");
	return instructions;
}
