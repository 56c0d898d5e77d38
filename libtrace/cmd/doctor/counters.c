/*
 * doctor: the hardware counters, and the source of counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "doctor.h"

/* A page for each event that is read in user mode: instructions and cycles of a thread. */
enum { PAGES_A_THREAD = 2 };

static const char *cause_todo(enum cause cause)
{
	static const char *const todo[] = {
		[CAUSE_KERNEL] = "use a kernel with CONFIG_PERF_EVENTS",
		[CAUSE_GUEST] =
			"measure on the host or on bare metal, or give the guest a virtual PMU (kvm: -cpu host,pmu=on; clouds: a metal instance)",
		[CAUSE_NO_PMU] = "look for PMU in the kernel's log and in the firmware's settings",
		[CAUSE_NO_EVENT] =
			"measure on another machine; swtrace event list says what this one counts",
		[CAUSE_SECCOMP] =
			"allow perf_event_open in the sandbox's seccomp profile (docker run --security-opt seccomp=FILE)",
		[CAUSE_LOCKDOWN] = "start the kernel with lockdown=integrity, or without",
		[CAUSE_MODULE] =
			"look for a refused perf_event_open in the audit log; allow it in the security module's policy",
		[CAUSE_USER_NAMESPACE] =
			"run outside of the user namespace, or sysctl kernel.perf_event_paranoid=0 on the host",
		[CAUSE_DESCRIPTORS] = "raise the limit (ulimit -n)",
		[CAUSE_WATCHDOG] = "sysctl kernel.nmi_watchdog=0",
		[CAUSE_TAKEN] = "end the other profiler (perf, a monitoring agent)",
		[CAUSE_ERROR] = "look in the kernel's log",
	};

	return todo[cause];
}

static void cause_advice(struct finding *n, enum cause cause, const struct counters_pmu *p)
{
	if (cause == CAUSE_PARANOID)
		finding_todo(n, "sysctl kernel.perf_event_paranoid=%s, or CAP_PERFMON",
			p->thread ? "0" : "0 (2: of threads in user mode only)");
	else
		finding_todo(n, "%s", cause_todo(cause));
}

static void doctor_check_hardware(struct findings *f, const struct doctor_facts *m)
{
	const struct counters_pmu *p = &m->pmu.found;
	enum cause cause = doctor_cause(m);
	const char *what = "no hardware counters";
	const char *means = "no CPI is measured; elapsed cycles, busy and thread time still are";
	char why[128];
	struct finding *n;

	if (cause == CAUSE_NONE) {
		n = finding(f, "pmu.hardware", p->user_only ? FINDING_NOTE : FINDING_GOOD,
			"hardware counters: of processors and of threads%s",
			p->user_only ? ", of threads in user mode only" : "");
		finding_means(n, "raw, scaled and on-thread CPI");
		if (p->user_only)
			finding_todo(n, "sysctl kernel.perf_event_paranoid=1");
		return;
	}
	if (p->taken) {
		what = "hardware counters: there, but they never count";
	} else if (p->thread) {
		what = p->user_only ? "hardware counters: of one's own threads in user mode only"
				    : "hardware counters: of one's own threads only";
		means = "on-thread CPI; raw and scaled CPI are n/a";
	} else if (p->cpu_wide) {
		what = "hardware counters: of processors only";
		means = "raw and scaled CPI; on-thread CPI is n/a";
	}
	doctor_cause_text(cause, m, why, sizeof why);
	n = finding(f, "pmu.hardware",
		(p->thread || p->cpu_wide) && !p->taken ? FINDING_NOTE : FINDING_BAD, "%s: %s",
		what, why);
	finding_means(n, "%s", means);
	cause_advice(n, cause, p);
}

static void core_types(struct findings *f, const struct pmu_facts *p)
{
	char list[512] = "";
	struct finding *n;

	if (p->core_pmus < 0)
		return;
	for (int i = 0; i < p->core_pmus; i++)
		text_append(list, sizeof list, "%s%s%s%s", i ? ", " : "", p->core_pmu[i].name,
			*p->core_pmu[i].cpus ? " of processors " : "", p->core_pmu[i].cpus);
	if (p->core_pmus == 0) {
		n = finding(f, "pmu.cores", FINDING_NOTE, "the kernel shows no PMU of processors");
		finding_means(n, "it has no driver for one, or the machine has none");
		return;
	}
	if (p->core_pmus == 1) {
		n = finding(f, "pmu.cores", FINDING_GOOD, "one type of processors: %s", list);
		finding_means(n, "counts of all processors may be added");
		return;
	}
	n = finding(f, "pmu.cores", FINDING_NOTE, "%d types of processors: %s", p->core_pmus, list);
	finding_means(n,
		"instructions and cycles of the types differ: an interval on several is flagged as hybrid");
	finding_todo(n, "for a CPI to compare, keep the program on one type (taskset -c LIST)");
}

static void doctor_check_watchdog(struct findings *f, const struct doctor_facts *m)
{
	bool stops = doctor_cause(m) == CAUSE_WATCHDOG;
	struct finding *n;

	if (!m->pmu.found.nmi_watchdog) {
		n = finding(f, "pmu.watchdog", FINDING_GOOD, "the NMI watchdog uses no counter");
		finding_means(n, "the kernel reserves no counter");
		return;
	}
	n = finding(f, "pmu.watchdog", stops ? FINDING_BAD : FINDING_NOTE,
		"the NMI watchdog uses a counter of every processor");
	finding_means(n, stops ? "none is left for instructions and cycles"
			       : "one fewer is left: counts may be multiplexed, and flagged so");
	finding_todo(n, "sysctl kernel.nmi_watchdog=0");
}

static void user_read(struct findings *f, const struct doctor_facts *m)
{
	const struct counters_pmu *p = &m->pmu.found;
	char state[48] = "";
	struct finding *n;

	if (!p->thread)
		return;
	if (m->pmu.user_read_switch >= 0)
		snprintf(state, sizeof state, " (the kernel's switch is %d)",
			m->pmu.user_read_switch);
	if (p->user_read) {
		n = finding(f, "pmu.user_read", FINDING_GOOD,
			"a thread reads its counters in user mode%s", state);
		finding_means(n, "a reading takes tens of ns; verified just now");
		return;
	}
	n = finding(f, "pmu.user_read", FINDING_NOTE,
		"a thread reads its counters by a system call%s%s%s", state,
		*p->user_read_why ? ": " : "", p->user_read_why);
	finding_means(n, "the figures are the same; a reading takes about 500 ns more");
	finding_todo(n, "%s", p->user_read_advice);
}

static void locked_pages(struct findings *f, const struct pmu_facts *p)
{
	struct finding *n;

	if (!p->found.user_read || p->mlock_kb < 0 || p->page_kb <= 0)
		return;
	long threads = p->mlock_kb * (long)p->cpus / (p->page_kb * PAGES_A_THREAD);

	n = finding(f, "pmu.pages", FINDING_GOOD,
		"kernel.perf_event_mlock_kb is %ld: pages for %ld threads of a user", p->mlock_kb,
		threads);
	finding_means(n, "further threads read their counters by system calls");
}

void doctor_pmu(struct findings *f, const struct doctor_facts *m)
{
	doctor_check_hardware(f, m);
	core_types(f, &m->pmu);
	doctor_check_watchdog(f, m);
	user_read(f, m);
	locked_pages(f, &m->pmu);
}

/* -------------------------------------------------------- quantities */

static const struct {
	const char *id, *means, *missing;
} quantity[COUNTER_QUANTITIES] = {
	[COUNTER_INSTRUCTIONS] = {"counters.instructions",
		"of all processors: needed for raw and scaled CPI", "raw and scaled CPI are n/a"},
	[COUNTER_BUSY] = {"counters.busy",
		"cycles in which a processor was not idle: needed for scaled CPI",
		"scaled CPI and busy are n/a"},
	[COUNTER_THREAD_INSTRUCTIONS] = {"counters.thread_instructions", "needed for on-thread CPI",
		"on-thread CPI is n/a"},
	[COUNTER_THREAD_CYCLES] = {"counters.thread_cycles",
		"needed for on-thread CPI, and the thread's share of the interval",
		"on-thread CPI, and the thread's share of the interval, are n/a"},
};

/* A missing quantity needs no reason here: pmu gave it. */
static bool is_pmus(const struct counters_pmu *p, const char *how)
{
	return p->why[0] && strncmp(how, p->why, strlen(p->why)) == 0;
}

static const char *missing_todo(const struct pmu_facts *p, int q)
{
	const char *how = p->in_use.quantity[q].how;

	if (p->in_use.source == SHM_SOURCE_SCRIPTED)
		return "mention it in the script of SWTRACE_COUNTERS";
	if (strncmp(how, "SWTRACE_COUNTERS", 16) == 0)
		return "unset SWTRACE_COUNTERS";
	if (q == COUNTER_BUSY)
		return "mount /proc, readable";
	if (strstr(how, "SWTRACE_CPU_HZ"))
		return "see the nominal frequency";
	return "see pmu";
}

static void doctor_check_quantities(struct findings *f, const struct pmu_facts *p)
{
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		bool measured = p->in_use.quantity[q].measured;
		const char *how = p->in_use.quantity[q].how;
		struct finding *n;

		if (!measured && is_pmus(&p->found, how))
			how = "not measured";
		n = finding(f, quantity[q].id, measured ? FINDING_GOOD : FINDING_BAD, "%s: %s",
			p->in_use.quantity[q].name, how);
		finding_means(n, "%s", measured ? quantity[q].means : quantity[q].missing);
		if (!measured)
			finding_todo(n, "%s", missing_todo(p, q));
	}
}

static void doctor_check_frequency(struct findings *f, const struct pmu_facts *p)
{
	struct finding *n;

	if (p->cycles_hz) {
		n = finding(f, "counters.frequency", FINDING_GOOD,
			"nominal cycles: %" PRIu64 " MHz", (p->cycles_hz + 500000) / 1000000);
		finding_means(n, "raw and scaled CPI count cycles at this rate");
		return;
	}
	n = finding(f, "counters.frequency", doctor_has_cycles(p) ? FINDING_NOTE : FINDING_BAD,
		"the nominal frequency is unknown");
	finding_means(n, doctor_has_cycles(p)
				 ? "raw CPI is n/a; scaled CPI uses unhalted cycles"
				 : "raw and scaled CPI are n/a; on-thread CPI does not need it");
	finding_todo(n, "set SWTRACE_CPU_HZ to it, in Hz");
}

void doctor_counters(struct findings *f, const struct doctor_facts *m)
{
	const struct counters_description *d = &m->pmu.in_use;
	struct finding *n;

	n = finding(f, "counters.source", d->rc ? FINDING_BAD : FINDING_GOOD, "%s%s",
		d->rc ? "" : "in use: ", d->line);
	if (d->rc) {
		finding_means(n, "CpiInit fails");
		finding_todo(n, "set SWTRACE_COUNTERS as swtrace(1) says, or unset it");
		return;
	}
	finding_means(n, "the source of programs that are started here");
	doctor_check_quantities(f, &m->pmu);
	doctor_check_frequency(f, &m->pmu);
}
