/*
 * Processors by name, and their encodings of the kernel's generic events.
 */
#include "cpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

static const struct event_format intel_formats[] = {{"event", "config:0-7"},
	{"umask", "config:8-15,40-47"}, {"edge", "config:18"}, {"pc", "config:19"},
	{"any", "config:21"}, {"inv", "config:23"}, {"cmask", "config:24-31"},
	{"in_tx", "config:32"}, {"in_tx_cp", "config:33"}, {"offcore_rsp", "config1:0-63"},
	{"ldlat", "config1:0-15"}, {"frontend", "config1:0-23"}, {NULL, NULL}};

static const struct event_format amd_formats[] = {{"event", "config:0-7,32-35"},
	{"umask", "config:8-15"}, {"edge", "config:18"}, {"inv", "config:23"},
	{"cmask", "config:24-31"}, {NULL, NULL}};

static const struct event_format arm_formats[] = {{"event", "config:0-15"}, {"long", "config1:0"},
	{"rdpmc", "config1:1"}, {"threshold", "config1:2-13"},
	{"threshold_compare", "config1:14-15"}, {"threshold_count", "config1:16"}, {NULL, NULL}};

static const struct {
	enum event_kind kind;
	const char *name, *title, *pmu;
	const struct event_format *formats;
	bool global;
} kinds[] = {
	{EVENT_CPU_OTHER, NULL, "no processor whose registers are known", "", NULL, false},
	{EVENT_CPU_INTEL, "intel", "Intel architectural performance monitoring", "cpu",
		intel_formats, true},
	{EVENT_CPU_AMD, "amd", "AMD performance counters", "cpu", amd_formats, false},
	{EVENT_CPU_K7, NULL, "AMD performance counters, before family 15h", "cpu", amd_formats,
		false},
	{EVENT_CPU_ARM, "arm", "Arm performance monitors (PMUv3)", "armv8_pmuv3", arm_formats,
		true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Built-in formats, where the kernel's are not there. */
static void cpu_set_kind(struct event_cpu *cpu, enum event_kind kind)
{
	cpu->kind = kind;
	cpu->title = kinds[kind].title;
	cpu->global = kinds[kind].global;
	if (cpu->pmu.name[0] || !kinds[kind].formats)
		return;
	snprintf(cpu->pmu.name, sizeof cpu->pmu.name, "%s", kinds[kind].pmu);
	cpu->pmu.type = PERF_TYPE_RAW;
	cpu->pmu.formats = kinds[kind].formats;
}

/* ------------------------------------------------------------------------ this machine */

static enum event_kind kind_of_formats(const struct event_pmu *pmu)
{
	struct event_field event, other;

	if (!event_pmu_field(pmu, "event", &event))
		return EVENT_CPU_OTHER;
	if (event_pmu_field(pmu, "umask", &other) && event_pmu_field(pmu, "cmask", &other))
		return event.mask >> 32 ? EVENT_CPU_AMD : EVENT_CPU_INTEL;
	return event_field_bits(&event) >= 10 && strncmp(pmu->name, "cpu", 3) != 0
		       ? EVENT_CPU_ARM
		       : EVENT_CPU_OTHER;
}

#ifdef __x86_64__
static enum event_kind kind_of_machine(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return EVENT_CPU_OTHER;
	if (b == signature_INTEL_ebx)
		return EVENT_CPU_INTEL;
	return b == signature_AMD_ebx ? EVENT_CPU_AMD : EVENT_CPU_OTHER;
}

/* AMD's version 2 has the register that enables all. */
static bool has_global(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && a & 1;
}
#else
static enum event_kind kind_of_machine(void)
{
#ifdef __aarch64__
	return EVENT_CPU_ARM;
#else
	return EVENT_CPU_OTHER;
#endif
}

static bool has_global(void)
{
	return false;
}
#endif

static void find_here(struct event_cpu *cpu)
{
	enum event_kind kind;

	cpu->here = true;
	cpu->counters = event_pmu_counters();
	if (event_pmu_open(event_pmu_name(), &cpu->pmu) == 0)
		kind = kind_of_formats(&cpu->pmu);
	else
		kind = event_sysfs_is_ours() ? kind_of_machine() : EVENT_CPU_OTHER;
	/* Before family 15h there are four, and the kernel's format is the same. */
	if (kind == EVENT_CPU_AMD && cpu->counters == 4)
		kind = EVENT_CPU_K7;
	cpu_set_kind(cpu, kind);
	if (kind == EVENT_CPU_AMD && event_sysfs_is_ours())
		cpu->global = has_global();
}

/* -------------------------------------------------------------------- other processors */

static enum event_kind kind_of_pfm(const struct event_pfm_pmu *pmu)
{
	if (!pmu->core || strcmp(pmu->name, "knc") == 0 || strncmp(pmu->name, "netburst", 8) == 0)
		return EVENT_CPU_OTHER;
	if (strncmp(pmu->description, "Intel ", 6) == 0)
		return EVENT_CPU_INTEL;
	if (strncmp(pmu->name, "amd64_", 6) == 0)
		return pmu->counters > 4 ? EVENT_CPU_AMD : EVENT_CPU_K7;
	return strncmp(pmu->name, "arm_a", 5) == 0 ? EVENT_CPU_ARM : EVENT_CPU_OTHER;
}

/* Intel's before architectural performance monitoring, or with its first version only. */
static bool lacks_global(const char *name)
{
	static const char *const old[] = {"p6", "ppro", "pii", "piii", "pm", "coreduo"};

	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (strcmp(name, old[i]) == 0)
			return true;
	return false;
}

static int find_pfm(const char *name, struct event_cpu *cpu, char why[EVENT_WHY_MAX])
{
	struct event_pfm_pmu pmu;

	if (event_pfm_open(name, &pmu))
		return event_refuse(why, -EINVAL,
			"no processor \"%.60s\" is known: it may be intel, amd, arm, p4%s", name,
			event_has_libpfm4() ? " or a PMU of libpfm4"
					    : " (libpfm4, which knows more, is missing)");
	cpu_set_kind(cpu, kind_of_pfm(&pmu));
	snprintf(cpu->pfm, sizeof cpu->pfm, "%s", pmu.name);
	cpu->counters = pmu.counters;
	/* libpfm4 counts them with the second thread's, which has its own unless it is off. */
	if (cpu->kind == EVENT_CPU_INTEL && pmu.counters >= 8)
		cpu->counters = pmu.counters / 2;
	if (cpu->kind == EVENT_CPU_INTEL)
		cpu->global = !lacks_global(pmu.name);
	if (cpu->kind == EVENT_CPU_AMD)
		cpu->global = strstr(pmu.name, "zen4") || strstr(pmu.name, "zen5");
	return 0;
}

int event_cpu_find(const char *name, struct event_cpu *cpu, char why[EVENT_WHY_MAX])
{
	*cpu = (struct event_cpu){.kind = EVENT_CPU_OTHER};
	if (!name) {
		find_here(cpu);
		return 0;
	}
	for (int i = 0; i < KINDS; i++) {
		if (kinds[i].name && strcmp(kinds[i].name, name) == 0) {
			cpu_set_kind(cpu, kinds[i].kind);
			return 0;
		}
	}
	return find_pfm(name, cpu, why);
}

int event_cpu_event(
	const struct event_cpu *cpu, const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	char whole[EVENT_NAME_MAX * 2];
	struct cpc_event generic;

	if (cpu->here)
		return event_find(name, e, why);
	/* Generic names are the same everywhere. */
	if (event_find(name, &generic, why) == 0 && generic.origin == CPC_EVENT_GENERIC) {
		*e = generic;
		if (!e->software)
			snprintf(e->pmu, sizeof e->pmu, "%s", cpu->pmu.name);
		return 0;
	}
	int rc = event_find_for(&cpu->pmu, name, e, why);
	if (rc == 0 || !cpu->pfm[0] || strchr(name, '/'))
		return rc;
	const char *scope = strstr(name, "::");
	size_t length = strlen(cpu->pfm);

	if (scope && ((size_t)(scope - name) != length || strncasecmp(name, cpu->pfm, length) != 0))
		return event_refuse(why, -EINVAL, "unknown event \"%s\" of %s", name, cpu->pfm);
	snprintf(whole, sizeof whole, "%s::%s", cpu->pfm, scope ? scope + 2 : name);
	rc = event_find(whole, e, why);
	if (rc)
		return rc;
	snprintf(e->name, sizeof e->name, "%s", name);
	snprintf(e->pmu, sizeof e->pmu, "%s", cpu->pmu.name);
	return 0;
}

/* --------------------------------------------------------------------- generic events */

enum { NO_CODE = 0 };

/* Intel's are the architectural events; AMD's those of families 17h and up (of a K7 the same,
 * but for the caches); Arm's the common events. ref-cycles: fixed counter 2. */
static const uint32_t intel_codes[PERF_COUNT_HW_MAX] = {[PERF_COUNT_HW_CPU_CYCLES] = 0x3c,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0xc0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x4f2e,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x412e,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0xc4,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0xc5,
	[PERF_COUNT_HW_BUS_CYCLES] = 0x13c,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x300};
static const uint32_t amd_codes[PERF_COUNT_HW_MAX] = {[PERF_COUNT_HW_CPU_CYCLES] = 0x76,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0xc0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0xc2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0xc3};
static const uint32_t k7_codes[PERF_COUNT_HW_MAX] = {[PERF_COUNT_HW_CPU_CYCLES] = 0x76,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0xc0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x77d,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x77e,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0xc2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0xc3};
static const uint32_t arm_codes[PERF_COUNT_HW_MAX] = {[PERF_COUNT_HW_CPU_CYCLES] = 0x11,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x08,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x0c,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
	[PERF_COUNT_HW_BUS_CYCLES] = 0x1d,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24};

static uint64_t code_of(enum event_kind kind, uint64_t id)
{
	static const uint32_t *const codes[] = {[EVENT_CPU_OTHER] = NULL,
		[EVENT_CPU_INTEL] = intel_codes,
		[EVENT_CPU_AMD] = amd_codes,
		[EVENT_CPU_K7] = k7_codes,
		[EVENT_CPU_ARM] = arm_codes};

	return codes[kind] && id < PERF_COUNT_HW_MAX ? codes[kind][id] : NO_CODE;
}

/* The event's encoding in sysfs. */
static bool from_sysfs(const struct event_cpu *cpu, const char *name, struct cpc_event *own)
{
	char why[EVENT_WHY_MAX];
	struct cpc_event found;

	if (cpu->pmu.formats || event_terms(&cpu->pmu, name, &found, why) ||
		found.type == PERF_TYPE_HARDWARE)
		return false;
	own->config = found.config;
	own->config1 = found.config1;
	own->config2 = found.config2;
	return true;
}

bool event_cpu_config(const struct event_cpu *cpu, const struct cpc_event *e, struct cpc_event *own)
{
	char name[EVENT_NAME_MAX];

	*own = *e;
	if (e->type == PERF_TYPE_RAW || e->type == cpu->pmu.type)
		return true;
	if (e->type != PERF_TYPE_HARDWARE)
		return false;
	own->type = cpu->pmu.type;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(e->name, ":"), e->name);
	if (from_sysfs(cpu, name, own))
		return true;
	own->config = code_of(cpu->kind, e->config & UINT32_MAX);
	return own->config != NO_CODE;
}
