#include "registers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	IA32_PMC0 = 0xc1,
	IA32_PERFEVTSEL0 = 0x186,
	IA32_FIXED_CTR0 = 0x309,
	IA32_FIXED_CTR_CTRL = 0x38d,
	IA32_PERF_GLOBAL_CTRL = 0x38f,
	K7_CTL0 = 0xc0010000,
	K7_CTR0 = 0xc0010004,
	AMD_CTL0 = 0xc0010200,
	AMD_CTR0 = 0xc0010201,
	AMD_GLOBAL_CTL = 0xc0000301,
};

#define BIT(n) ((uint64_t)1 << (n))
/* Fields of a select register of x86. */
#define SELECT_USR BIT(16)
#define SELECT_OS BIT(17)
#define SELECT_EDGE BIT(18)
#define SELECT_INT BIT(20)
#define SELECT_ANY BIT(21)
#define SELECT_EN BIT(22)
#define SELECT_INV BIT(23)
/* Bits that the programmer chooses, not the event. */
#define SELECT_OURS (SELECT_USR | SELECT_OS | SELECT_INT | SELECT_EN)
#define SELECT_FILTERS (SELECT_EDGE | SELECT_INV | SELECT_ANY | (uint64_t)0xff << 24)

__attribute__((format(printf, 4, 5))) static void name_register(
	struct event_register *r, uint32_t address, uint64_t value, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->name, sizeof r->name, format, args);
	va_end(args);
	r->msr = address != 0;
	r->address = address;
	r->value = value;
}

static void add_field(struct event_programme *p, const char *name, uint64_t value)
{
	int i = 0;

	while (i < EVENT_FIELDS - 1 && p->field[i].name)
		i++;
	p->field[i].name = name;
	p->field[i].value = value;
}

/* --------------------------------------------------------------------------------- x86 */

static void x86_fields(
	const struct event_cpu *cpu, const struct cpc_event *e, struct event_programme *p)
{
	uint64_t v = p->select.value;
	bool intel = cpu->kind == EVENT_CPU_INTEL;

	add_field(p, "event", (v & 0xff) | (intel ? 0 : (v >> 32 & 0xf) << 8));
	add_field(p, "umask", (v >> 8 & 0xff) | (intel ? (v >> 40 & 0xff) << 8 : 0));
	add_field(p, "usr", e->user);
	add_field(p, "os", e->kernel);
	add_field(p, "edge", v >> 18 & 1);
	if (intel)
		add_field(p, "any", v >> 21 & 1);
	add_field(p, "en", 1);
	add_field(p, "inv", v >> 23 & 1);
	add_field(p, "cmask", v >> 24 & 0xff);
}

static uint64_t x86_select(const struct cpc_event *e)
{
	return (e->config & ~SELECT_OURS) | (e->user ? SELECT_USR : 0) |
	       (e->kernel ? SELECT_OS : 0) | SELECT_EN;
}

/* The register that holds the rest of an event that does not fit its select register. */
static const char *intel_extra(const struct cpc_event *e, struct event_register *extra)
{
	static const struct {
		uint32_t code, address;
		const char *name, *term;
	} known[] = {
		{0x1b7, 0x1a6, "MSR_OFFCORE_RSP_0", "offcore_rsp"},
		{0x1bb, 0x1a7, "MSR_OFFCORE_RSP_1", "offcore_rsp"},
		{0x2b7, 0x1a7, "MSR_OFFCORE_RSP_1", "offcore_rsp"},
		{0x12a, 0x1a6, "MSR_OFFCORE_RSP_0", "offcore_rsp"},
		{0x12b, 0x1a7, "MSR_OFFCORE_RSP_1", "offcore_rsp"},
		{0x1cd, 0x3f6, "MSR_PEBS_LD_LAT", "ldlat"},
		{0x100b, 0x3f6, "MSR_PEBS_LD_LAT", "ldlat"},
		{0x1c6, 0x3f7, "MSR_PEBS_FRONTEND", "frontend"},
		{0x3c6, 0x3f7, "MSR_PEBS_FRONTEND", "frontend"},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].code != (e->config & 0xffff))
			continue;
		name_register(extra, known[i].address, e->config1, "%s", known[i].name);
		return known[i].term;
	}
	return NULL;
}

/* An event code of 0 is the kernel's way to say: fixed counter umask - 1, and no other. */
static int intel_fixed(const struct cpc_event *e)
{
	unsigned umask = e->config >> 8 & 0xff;

	return (e->config & 0xff) == 0 && umask >= 1 && umask <= 16 ? (int)umask - 1 : -1;
}

static int fixed_counter(
	const struct cpc_event *e, int n, struct event_programme *p, char why[EVENT_WHY_MAX])
{
	uint64_t how = (e->kernel ? 1 : 0) | (e->user ? 2 : 0);

	if (e->config & (SELECT_FILTERS & ~SELECT_ANY))
		return event_refuse(why, -ENOTSUP,
			"it is counted by fixed counter %d only, which has no edge, inv and cmask",
			n);
	if (e->config & SELECT_ANY)
		how |= 4;
	p->fixed = true;
	p->counter = n;
	name_register(&p->select, IA32_FIXED_CTR_CTRL, how << 4 * n, "IA32_FIXED_CTR_CTRL");
	name_register(&p->count, IA32_FIXED_CTR0 + (uint32_t)n, 0, "IA32_FIXED_CTR%d", n);
	name_register(&p->enable, IA32_PERF_GLOBAL_CTRL, BIT(32 + n), "IA32_PERF_GLOBAL_CTRL");
	add_field(p, "os", e->kernel);
	add_field(p, "usr", e->user);
	return 0;
}

static const char *intel_also(const struct cpc_event *e)
{
	if (e->config == 0xc0)
		return "fixed counter 0 (IA32_FIXED_CTR0) counts the same";
	if (e->config == 0x3c)
		return "fixed counter 1 (IA32_FIXED_CTR1) counts the same";
	return NULL;
}

static int registers_encode_intel(const struct event_cpu *cpu, const struct cpc_event *e, int n,
	struct event_programme *p, char why[EVENT_WHY_MAX])
{
	int fixed = intel_fixed(e);

	if (fixed >= 0)
		return fixed_counter(e, fixed, p, why);
	if (e->config1 && !intel_extra(e, &p->extra))
		return event_refuse(why, -ENOTSUP,
			"config1=0x%llx goes to a register that is not known here",
			(unsigned long long)e->config1);
	name_register(
		&p->select, IA32_PERFEVTSEL0 + (uint32_t)n, x86_select(e), "IA32_PERFEVTSEL%d", n);
	name_register(&p->count, IA32_PMC0 + (uint32_t)n, 0, "IA32_PMC%d", n);
	if (cpu->global)
		name_register(&p->enable, IA32_PERF_GLOBAL_CTRL, BIT(n), "IA32_PERF_GLOBAL_CTRL");
	x86_fields(cpu, e, p);
	p->also = cpu->global ? intel_also(e) : NULL;
	return 0;
}

static int registers_encode_amd(const struct event_cpu *cpu, const struct cpc_event *e, int n,
	struct event_programme *p, char why[EVENT_WHY_MAX])
{
	bool old = cpu->kind == EVENT_CPU_K7;
	uint32_t i = (uint32_t)n;

	if (e->config1)
		return event_refuse(why, -ENOTSUP, "config1 is of no use to AMD's counters");
	name_register(&p->select, old ? K7_CTL0 + i : AMD_CTL0 + 2 * i, x86_select(e),
		old ? "PerfEvtSel%d" : "PERF_CTL%d", n);
	name_register(&p->count, old ? K7_CTR0 + i : AMD_CTR0 + 2 * i, 0,
		old ? "PerfCtr%d" : "PERF_CTR%d", n);
	if (cpu->global)
		name_register(&p->enable, AMD_GLOBAL_CTL, BIT(n), "PerfCntrGlobalCtl");
	x86_fields(cpu, e, p);
	return 0;
}

/* ----------------------------------------------------------------------------- AArch64 */

enum { ARM_CYCLES = 0x11 };

static int registers_encode_arm(const struct event_cpu *cpu, const struct cpc_event *e, int n,
	struct event_programme *p, char why[EVENT_WHY_MAX])
{
	const struct event_field code = {0, 0xffff}, threshold = {1, 0xffc}, compare = {1, 0xc000},
				 count = {1, 0x10000};
	const uint64_t word[3] = {e->config, e->config1, e->config2};
	uint64_t least = event_field_get(&threshold, word), how = event_field_get(&compare, word);
	uint64_t value = event_field_get(&code, word);

	(void)cpu;
	if (e->config >> 16)
		return event_refuse(why, -ENOTSUP, "event 0x%llx has more than 16 bits",
			(unsigned long long)e->config);
	value |= (e->kernel ? 0 : BIT(31)) | (e->user ? 0 : BIT(30));
	if (least)
		value |= least << 32 | (how << 1 | event_field_get(&count, word)) << 61;
	name_register(&p->select, 0, value, "PMEVTYPER%d_EL0", n);
	name_register(&p->count, 0, 0, "PMEVCNTR%d_EL0", n);
	name_register(&p->enable, 0, BIT(n), "PMCNTENSET_EL0");
	add_field(p, "evtCount", e->config & 0xffff);
	add_field(p, "P", !e->kernel);
	add_field(p, "U", !e->user);
	if (least) {
		add_field(p, "TH", least);
		add_field(p, "TC", value >> 61);
	} else if (e->config == ARM_CYCLES) {
		p->also =
			"the cycle counter (PMCCNTR_EL0) counts the same: P and U in PMCCFILTR_EL0, bit 31 in PMCNTENSET_EL0";
	}
	return 0;
}

/* ---------------------------------------------------------------------------------- all */

int event_programme(const struct event_cpu *cpu, const struct cpc_event *e, int counter,
	struct event_programme *p, char why[EVENT_WHY_MAX])
{
	*p = (struct event_programme){.counter = counter};
	if (e->config2)
		return event_refuse(why, -ENOTSUP, "config2 goes to no register that is known");
	switch (cpu->kind) {
	case EVENT_CPU_INTEL:
		return registers_encode_intel(cpu, e, counter, p, why);
	case EVENT_CPU_AMD:
	case EVENT_CPU_K7:
		return registers_encode_amd(cpu, e, counter, p, why);
	case EVENT_CPU_ARM:
		return registers_encode_arm(cpu, e, counter, p, why);
	default:
		return event_refuse(
			why, -ENOTSUP, "the registers of this processor are not known here");
	}
}

const char *event_extra_term(const struct event_cpu *cpu, const struct cpc_event *e)
{
	struct event_register extra;

	return cpu->kind == EVENT_CPU_INTEL && e->config1 ? intel_extra(e, &extra) : NULL;
}

int event_counters(const struct event_cpu *cpu)
{
	static const int usual[] = {[EVENT_CPU_OTHER] = 0,
		[EVENT_CPU_INTEL] = 4,
		[EVENT_CPU_AMD] = 6,
		[EVENT_CPU_K7] = 4,
		[EVENT_CPU_ARM] = 6};

	return cpu->counters && cpu->kind != EVENT_CPU_OTHER ? (int)cpu->counters
							     : usual[cpu->kind];
}
