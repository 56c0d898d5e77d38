#include "doctor_machines.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "../../include/perfutil.h"

static void measure(struct doctor_facts *m, bool cpus, bool thread)
{
	struct counters_description *d = &m->pmu.in_use;
	static const char *const name[] = {
		"instructions", "busy", "thread instructions", "thread cycles"};

	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		bool of_thread = COUNTER_BIT(q) & COUNTER_THREAD_BITS;
		bool always = q == COUNTER_BUSY || q == COUNTER_THREAD_CYCLES;

		d->quantity[q].name = name[q];
		d->quantity[q].measured = always || (of_thread ? thread : cpus);
		snprintf(d->quantity[q].how, sizeof d->quantity[q].how, "%s",
			d->quantity[q].measured ? "hardware counter" : "missing");
	}
	d->source = cpus || thread ? SHM_SOURCE_PERF : SHM_SOURCE_SOFTWARE;
	snprintf(d->line, sizeof d->line, "perf_event (instructions)");
}

/* Why nothing, or not all, can be opened. */
static void refuse(struct doctor_facts *m, int cpu_errno, int thread_errno)
{
	struct counters_pmu *p = &m->pmu.found;

	p->cpu_wide_errno = cpu_errno;
	p->thread_errno = thread_errno;
	p->cpu_wide = cpu_errno == 0;
	p->thread = thread_errno == 0;
	p->present = p->cpu_wide || p->thread;
	p->user_read = p->user_read && p->thread;
	snprintf(p->why, sizeof p->why, "missing");
	snprintf(p->advice, sizeof p->advice, "get it");
	measure(m, p->cpu_wide, p->thread);
}

/* Bare metal, root: nothing is missing. */
static void metal(struct doctor_facts *m)
{
	*m = (struct doctor_facts){
		.kernel = {.release = "6.1.0",
			.machine = "x86_64",
			.supported = true,
			.perf_events = 1},
		.rights = {.perfmon = 1, .seccomp = 0, .lockdown = "none"},
		.pmu = {.found = {.paranoid = 2,
				.user_read = true,
				.ref_cycles = true,
				.core_types = 1},
			.core_pmus = 1,
			.core_pmu = {{"cpu", ""}},
			.user_read_switch = 1,
			.mlock_kb = 516,
			.page_kb = 4,
			.cycles_hz = 3000000000u,
			.cpus = 8},
		.clock = {.title = "TSC",
			.hz = 3000000000u,
			.visited = 8,
			.ppm = 2,
			.kernel = {"tsc", "tsc hpet acpi_pm"},
			.trust = CLOCK_TRUST_KERNEL,
			.constant = 1,
			.nonstop = 1},
		.rings = {.registered = true, .kernel = true},
		.memory = {.tmpfs = true,
			.writable = true,
			.mode = 01777,
			.room = 8ull << 30,
			.size = 16ull << 30,
			.wanted = 36 << 20},
		.limits = {1024, 4096, UINT64_MAX},
		.sessions = {.user = "root",
			.groups = "root",
			.count = 1,
			.list = {{.id = "sessions.used",
				.why = "root's session",
				.dir = "/dev/shm/swtrace.0",
				.used = true,
				.state = "tracing",
				.owner = "root",
				.mode = 0700,
				.is_owner = true}}},
	};
	refuse(m, 0, 0);
	m->pmu.found.why[0] = m->pmu.found.advice[0] = 0;
}

static void refuse_wakeups(struct doctor_facts *m, const char *switches, const char *wakeups)
{
	snprintf(m->switches.switches_why, sizeof m->switches.switches_why, "%s", switches);
	snprintf(m->switches.wakeups_why, sizeof m->switches.wakeups_why, "%s", wakeups);
}

static void without_tracefs(struct doctor_facts *m)
{
	metal(m);
	refuse_wakeups(m, "",
		"tracefs is not mounted, or lacks sched_waking (mount -t tracefs nodev /sys/kernel/tracing)");
}

static void odd_tracepoint(struct doctor_facts *m)
{
	metal(m);
	refuse_wakeups(m, "", "this kernel's format of sched_waking is not known");
}

static void user(struct doctor_facts *m)
{
	metal(m);
	m->rights.perfmon = 0;
	refuse_wakeups(m,
		"kernel.perf_event_paranoid is 2 and CAP_PERFMON is missing (run as root, or sysctl kernel.perf_event_paranoid=0)",
		"this user may not use the kernel's tracepoints (run as root)");
	m->pmu.found.user_only = true;
	refuse(m, EACCES, 0);
}

static void user_at_1(struct doctor_facts *m)
{
	user(m);
	m->pmu.found.paranoid = 1;
	m->pmu.found.user_only = false;
}

static void user_at_3(struct doctor_facts *m)
{
	user(m);
	m->pmu.found.paranoid = 3;
	refuse(m, EACCES, EACCES);
}

static void container_seccomp(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->kernel.container, sizeof m->kernel.container, "docker");
	m->rights.seccomp = 2;
	m->rights.perfmon = 0;
	m->memory.size = m->memory.room = 64 << 20;
	refuse(m, EPERM, EPERM);
}

/* Filters that let it through are not to blame. */
static void container_fine(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->kernel.container, sizeof m->kernel.container, "podman");
	m->rights.seccomp = 2;
	m->memory.container = 4ull << 30;
}

static void sandbox_without_call(struct doctor_facts *m)
{
	metal(m);
	m->rights.seccomp = 2;
	refuse(m, ENOSYS, ENOSYS);
}

static void guest(struct doctor_facts *m)
{
	metal(m);
	m->kernel.is_virtual = true;
	snprintf(m->kernel.hypervisor, sizeof m->kernel.hypervisor, "KVM");
	m->pmu.core_pmus = 0;
	snprintf(m->clock.kernel.current, sizeof m->clock.kernel.current, "kvm-clock");
	refuse(m, ENOENT, ENOENT);
}

/* Rights are looked at before the kernel sees that there is nothing to have rights to. */
static void guest_user_at_3(struct doctor_facts *m)
{
	guest(m);
	m->rights.perfmon = 0;
	m->pmu.found.paranoid = 3;
	refuse(m, EACCES, EACCES);
}

static void guest_with_seccomp(struct doctor_facts *m)
{
	guest(m);
	m->rights.seccomp = 2;
	refuse(m, EPERM, EPERM);
}

static void metal_without_pmu(struct doctor_facts *m)
{
	metal(m);
	m->pmu.core_pmus = 0;
	refuse(m, ENOENT, EOPNOTSUPP);
}

/* A PMU that has cycles alone, as in some emulators. */
static void no_instructions(struct doctor_facts *m)
{
	guest(m);
	m->pmu.core_pmus = 1;
	m->pmu.found.present = m->pmu.found.cycles = true;
}

static void watchdog(struct doctor_facts *m)
{
	metal(m);
	m->pmu.found.nmi_watchdog = true;
}

static void events_of_environment(struct doctor_facts *m)
{
	metal(m);
	m->events = (struct events_facts){.from = "SWTRACE_EVENTS",
		.counted = "page-faults, instructions (in user mode only)",
		.missing = "context-switches, r01c2",
		.why = "kernel.perf_event_paranoid is 2"};
}

static void events_are_wrong(struct doctor_facts *m)
{
	metal(m);
	m->events = (struct events_facts){
		.from = "the session's list", .trouble = "there is no event \"x\""};
}

static void events_are_all_missing(struct doctor_facts *m)
{
	metal(m);
	m->events = (struct events_facts){
		.from = "SWTRACE_EVENTS", .missing = "r01c2", .why = "no counter"};
}

static void watchdog_takes_all(struct doctor_facts *m)
{
	watchdog(m);
	m->pmu.found.taken = true;
}

static void taken(struct doctor_facts *m)
{
	metal(m);
	refuse(m, EBUSY, EBUSY);
}

static void lockdown(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->rights.lockdown, sizeof m->rights.lockdown, "confidentiality");
	refuse(m, EPERM, EPERM);
}

static void module(struct doctor_facts *m)
{
	metal(m);
	refuse(m, EACCES, EACCES);
}

static void user_namespace(struct doctor_facts *m)
{
	metal(m);
	m->kernel.in_user_namespace = true;
	refuse(m, EACCES, 0);
}

static void no_perf_events(struct doctor_facts *m)
{
	metal(m);
	m->kernel.perf_events = 0;
	m->pmu.found.paranoid = INT_MIN;
	m->pmu.core_pmus = -1;
	refuse(m, ENOSYS, ENOSYS);
}

static void no_descriptors(struct doctor_facts *m)
{
	metal(m);
	m->pmu.cpus = 512;
	m->limits.descriptors_hard = 1024;
	refuse(m, EMFILE, 0);
}

static void odd_error(struct doctor_facts *m)
{
	metal(m);
	refuse(m, EIO, EIO);
}

static void hybrid(struct doctor_facts *m)
{
	metal(m);
	m->pmu.found.core_types = 2;
	m->pmu.core_pmus = 2;
	m->pmu.core_pmu[0] = (struct core_pmu){"cpu_core", "0-7"};
	m->pmu.core_pmu[1] = (struct core_pmu){"cpu_atom", "8-15"};
}

static void no_user_read(struct doctor_facts *m)
{
	metal(m);
	m->pmu.found.user_read = false;
	m->pmu.user_read_switch = 0;
	snprintf(m->pmu.found.user_read_why, 256, "rdpmc is 0");
	snprintf(m->pmu.found.user_read_advice, 256, "echo 1 >rdpmc");
}

/* An AArch64 machine that does not tell its frequency. */
static void no_frequency(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->kernel.machine, sizeof m->kernel.machine, "aarch64");
	snprintf(m->pmu.core_pmu[0].name, 32, "armv8_pmuv3_0");
	m->clock.title = "generic timer";
	m->clock.trust = CLOCK_TRUST_ARCHITECTURE;
	m->clock.constant = m->clock.nonstop = -1;
	snprintf(m->clock.kernel.current, sizeof m->clock.kernel.current, "arch_sys_counter");
	m->pmu.cycles_hz = 0;
}

static void no_frequency_but_cycles(struct doctor_facts *m)
{
	no_frequency(m);
	m->pmu.found.cycles = true;
}

static void no_frequency_no_thread(struct doctor_facts *m)
{
	no_frequency(m);
	refuse(m, 0, EACCES);
}

static void old_libc(struct doctor_facts *m)
{
	metal(m);
	m->rings.registered = false;
}

static void old_kernel(struct doctor_facts *m)
{
	old_libc(m);
	m->rings.kernel = false;
}

static void raw_clock(struct doctor_facts *m)
{
	metal(m);
	m->clock.title = "CLOCK_MONOTONIC_RAW";
	m->clock.is_call = m->clock.asked_for = true;
}

static void unstable_clock(struct doctor_facts *m)
{
	metal(m);
	m->clock.title = "CLOCK_MONOTONIC_RAW";
	m->clock.is_call = true;
	m->clock.trust = CLOCK_DISTRUST_WITHDRAWN;
	m->clock.kernel = (struct clock_sources){"hpet", "hpet acpi_pm"};
}

static void untold_clock(struct doctor_facts *m)
{
	metal(m);
	m->clock.trust = CLOCK_TRUST_CPUID;
	m->clock.kernel = (struct clock_sources){"", ""};
}

static void other_time_namespace(struct doctor_facts *m)
{
	raw_clock(m);
	m->sessions.list[0].clock_misfit = PU_ERROR_INCOMPATIBLE_OPTIONS;
}

static void other_clock(struct doctor_facts *m)
{
	raw_clock(m);
	m->sessions.list[0].clock_misfit = PU_ERROR_NOT_SUPPORTED;
}

static void restored_snapshot(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->sessions.list[0].clock_back, sizeof m->sessions.list[0].clock_back,
		"found behind the stamps at 3 section entries, by 2 s at most");
}

static void bad_clock(struct doctor_facts *m)
{
	metal(m);
	m->clock.back = 3;
	m->clock.ppm = -700;
	m->clock.constant = 0;
	m->clock.suspended_ns = 3600000000000u;
	snprintf(m->clock.kernel.current, sizeof m->clock.kernel.current, "hpet");
}

static void full_shm(struct doctor_facts *m)
{
	metal(m);
	m->memory.room = 1 << 20;
}

static void odd_shm(struct doctor_facts *m)
{
	metal(m);
	m->memory.tmpfs = false;
	m->memory.container = 48 << 20;
	m->limits.file_size = 1 << 20;
}

static void closed_shm(struct doctor_facts *m)
{
	metal(m);
	m->memory.mode = 0755;
	m->memory.writable = false;
}

static void no_shm(struct doctor_facts *m)
{
	metal(m);
	m->memory = (struct memory_facts){.error = ENOENT, .wanted = 36 << 20};
}

/* Root's session is not for this user, who has none yet. */
static void stranger(struct doctor_facts *m)
{
	user(m);
	m->sessions =
		(struct sessions_facts){.user = "guest", .groups = "guest, audio", .count = 2};
	m->sessions.list[0] = (struct session_facts){.id = "sessions.used",
		.why = "your own session",
		.dir = "/dev/shm/swtrace.1000",
		.used = true,
		.absent = true};
	m->sessions.list[1] = (struct session_facts){.id = "sessions.root",
		.why = "root's session",
		.dir = "/dev/shm/swtrace.0",
		.owner = "root",
		.group = "perf",
		.mode = 0750,
		.trouble = "directory /dev/shm/swtrace.0: permission denied"};
}

/* A member of its group traces there. */
static void member(struct doctor_facts *m)
{
	user(m);
	m->sessions.list[0].is_owner = false;
	snprintf(m->sessions.list[0].group, 40, "perf");
}

static void squatted(struct doctor_facts *m)
{
	metal(m);
	snprintf(m->sessions.list[0].trouble, 384,
		"belongs to user 7: that user squats on the name");
	m->sessions.list[0].state = NULL;
}

static void undrained(struct doctor_facts *m)
{
	metal(m);
	m->sessions.list[0].undrained = true;
}

static void relative(struct doctor_facts *m)
{
	metal(m);
	m->sessions.count = 0;
	snprintf(m->sessions.trouble, 384, "SWTRACE_SESSION is \"x\"");
}

static void scripted(struct doctor_facts *m)
{
	guest(m);
	measure(m, true, true);
	m->pmu.in_use.source = SHM_SOURCE_SCRIPTED;
}

static void wrong_variable(struct doctor_facts *m)
{
	metal(m);
	m->pmu.in_use.rc = -1;
	snprintf(m->pmu.in_use.line, 256, "SWTRACE_COUNTERS=x: not auto");
}

/* ------------------------------------------------------------------------- the table */

const struct machine machines[] = {
	{"bare metal, root", metal, true, "none", "CPI can be measured here",
		{{"pmu.hardware", GOOD, "of processors and of threads"},
			{"pmu.user_read", GOOD, "user mode"}, {"pmu.pages", GOOD, "516"},
			{"rights.capability", GOOD, "CAP_PERFMON"}}},
	{"user, paranoid 2", user, true, "perf-event-paranoid", ", of threads only",
		{{"pmu.hardware", NOTE, "kernel.perf_event_paranoid is 2"},
			{"rights.paranoid", NOTE, "kernel.perf_event_paranoid=0"},
			{"rights.capability", NOTE, "setcap"}}},
	{"no tracefs", without_tracefs, true, "none", "can be",
		{{"kernel.wakeups", NOTE, "wake-ups cannot be recorded: tracefs is not mounted"},
			{"kernel.wakeups", NOTE, "but not who wakes"},
			{"kernel.wakeups", NOTE, "mount -t tracefs nodev /sys/kernel/tracing"}}},
	{"unknown sched_waking", odd_tracepoint, true, "none", "can be",
		{{"kernel.wakeups", NOTE, "format of sched_waking is not known"}}},
	{"user, no wake-ups", user, true, "perf-event-paranoid", ", of threads only",
		{{"kernel.wakeups", NOTE,
			 "context switches and wake-ups cannot be recorded: kernel.perf_event"},
			{"kernel.wakeups", NOTE, "--switches fails"},
			{"kernel.wakeups", NOTE, "run as root, or sysctl"}}},
	{"user, paranoid 1", user_at_1, true, "perf-event-paranoid", ", of threads only",
		{{"pmu.hardware", NOTE, "of one's own threads only"},
			{"rights.paranoid", NOTE, "sysctl"}}},
	{"user, paranoid 3", user_at_3, false, "perf-event-paranoid",
		"here: kernel.perf_event_paranoid is 3 and CAP_PERFMON is missing",
		{{"pmu.hardware", BAD, "2: of threads in user mode only"},
			{"rights.paranoid", BAD, "nothing may be counted"},
			{"pmu.user_read", GONE, ""}, {"counters.instructions", BAD, "n/a"}}},
	{"container with seccomp", container_seccomp, false, "seccomp", "(seccomp)",
		{{"rights.seccomp", BAD, "docker run"}, {"kernel.container", NOTE, "docker"},
			{"memory.space", GOOD, "64 of 64 MiB"}, {"rights.capability", NOTE, ""}}},
	{"container that allows it", container_fine, true, "none", "can be",
		{{"rights.seccomp", NOTE, "does not block"},
			{"memory.container", GOOD, "4096 MiB"}}},
	{"sandbox that hides the call", sandbox_without_call, false, "seccomp", "(seccomp)",
		{{"rights.seccomp", BAD, "profile"}}},
	{"guest without PMU", guest, false, "guest-without-pmu", "this guest has no PMU",
		{{"kernel.machine", NOTE, "KVM"}, {"pmu.hardware", BAD, "pmu=on"},
			{"pmu.cores", NOTE, "no PMU"}, {"clock.kernel", NOTE, "virtual machine"}}},
	{"guest without PMU, user", guest_user_at_3, false, "guest-without-pmu",
		"this guest has no PMU", {{"rights.paranoid", BAD, "sysctl"}}},
	{"guest without PMU, seccomp", guest_with_seccomp, false, "guest-without-pmu",
		"this guest has no PMU", {{"rights.seccomp", BAD, "profile"}}},
	{"metal without PMU", metal_without_pmu, false, "no-pmu", "no PMU that the kernel knows",
		{{"pmu.hardware", BAD, "firmware"}}},
	{"PMU without instructions", no_instructions, false, "pmu-without-events",
		"does not count instructions",
		{{"pmu.cores", GOOD, "cpu"}, {"pmu.hardware", BAD, "another machine"}}},
	{"NMI watchdog", watchdog, true, "none", "can be",
		{{"pmu.watchdog", NOTE, "kernel.nmi_watchdog=0"}}},
	{"NMI watchdog takes all", watchdog_takes_all, false, "nmi-watchdog", "NMI watchdog",
		{{"pmu.watchdog", BAD, "none is left"}, {"pmu.hardware", BAD, "nmi_watchdog=0"}}},
	{"events of intervals", events_of_environment, true, "none", "can be",
		{{"counters.events", GOOD, "by SWTRACE_EVENTS: page-faults"},
			{"counters.events_missing", NOTE, "of the first: kernel.perf_event"}}},
	{"a wrong list of events", events_are_wrong, true, "none", "can be",
		{{"counters.events", BAD, "the session's list: there is no event \"x\""},
			{"counters.events_missing", GONE, ""}}},
	{"no event of the list", events_are_all_missing, true, "none", "can be",
		{{"counters.events", BAD, "none"}, {"counters.events_missing", NOTE, "r01c2"}}},
	{"another profiler", taken, false, "counters-taken", "other users hold",
		{{"pmu.hardware", BAD, "end the other"}}},
	{"lockdown", lockdown, false, "lockdown", "lockdown",
		{{"rights.lockdown", BAD, "lockdown=integrity"}}},
	{"security module", module, false, "security-module", "security module",
		{{"pmu.hardware", BAD, "audit log"}}},
	{"user namespace", user_namespace, true, "user-namespace", "of threads only",
		{{"rights.capability", NOTE, "outside of that namespace"},
			{"kernel.container", NOTE, "user namespace"}}},
	{"kernel without perf events", no_perf_events, false, "kernel-without-perf-events",
		"the kernel has no perf events",
		{{"kernel.perf_events", BAD, "CONFIG_PERF_EVENTS"}, {"pmu.cores", GONE, ""},
			{"rights.paranoid", NOTE, "unknown"}}},
	{"512 processors, 1024 descriptors", no_descriptors, true, "descriptors", "threads only",
		{{"limits.descriptors", BAD, "ulimit -n 1664 (as root"}}},
	{"an odd error", odd_error, false, "error", "perf_event_open: Input/output error",
		{{"pmu.hardware", BAD, "kernel's log"}}},
	{"hybrid", hybrid, true, "none", "can be",
		{{"pmu.cores", NOTE, "cpu_core of processors 0-7, cpu_atom of processors 8-15"},
			{"pmu.cores", NOTE, "flagged"}}},
	{"rdpmc switched off", no_user_read, true, "none", "can be",
		{{"pmu.user_read", NOTE, "switch is 0"}, {"pmu.user_read", NOTE, "echo 1 >rdpmc"},
			{"pmu.pages", GONE, ""}}},
	{"unknown frequency", no_frequency, true, "none", "of threads only",
		{{"counters.frequency", BAD, "SWTRACE_CPU_HZ"}, {"clock.flags", GONE, ""},
			{"clock.kernel", GOOD, "stable"}}},
	{"unknown frequency, cycles counted", no_frequency_but_cycles, true, "none", "can be",
		{{"counters.frequency", NOTE, "raw CPI is n/a; scaled"}}},
	{"unknown frequency, no threads", no_frequency_no_thread, false, "security-module",
		"frequency is unknown", {{"counters.frequency", BAD, "SWTRACE_CPU_HZ"}}},
	{"old libc", old_libc, true, "none", "can be",
		{{"rings.rseq", GOOD, "libswtrace registers"}}},
	{"no rseq", old_kernel, true, "none", "can be", {{"rings.rseq", NOTE, "Linux 4.18"}}},
	{"SWTRACE_CLOCK=raw", raw_clock, true, "none", "can be",
		{{"clock.source", NOTE, "unset SWTRACE_CLOCK"},
			{"rings.rseq", NOTE, "also takes a call of the clock"}}},
	{"TSC that the kernel withdrew", unstable_clock, true, "none", "can be",
		{{"clock.kernel", NOTE, "does not trust the TSC (available: hpet acpi_pm)"},
			{"clock.source", NOTE, "CLOCK_MONOTONIC_RAW"}}},
	{"no /sys", untold_clock, true, "none", "can be", {{"clock.kernel", NOTE, "only CPUID"}}},
	{"another time namespace", other_time_namespace, true, "none", "can be",
		{{"sessions.clock", BAD, "swtrace init in this time namespace"}}},
	{"another clock", other_clock, true, "none", "can be",
		{{"sessions.clock", BAD, "SWTRACE_CLOCK alike"}}},
	{"a restored snapshot", restored_snapshot, true, "none", "can be",
		{{"sessions.clock_back", BAD, "3 section entries, by 2 s"}}},
	{"a bad clock", bad_clock, true, "none", "can be",
		{{"clock.order", BAD, "backwards 3 times from one of 8"},
			{"clock.rate", BAD, "-700"}, {"clock.flags", NOTE, "not constant_tsc"},
			{"clock.suspend", NOTE, "3.6e+03 s"}}},
	{"full /dev/shm", full_shm, true, "none", "can be", {{"memory.space", BAD, "-s 1"}}},
	{"a disk for /dev/shm, small limits", odd_shm, true, "none", "can be",
		{{"memory.kind", BAD, "tmpfs"}, {"memory.container", BAD, "48 MiB"},
			{"limits.file_size", BAD, "ulimit -f"}}},
	{"closed /dev/shm", closed_shm, true, "none", "can be",
		{{"memory.kind", BAD, "chmod 1777"}}},
	{"no /dev/shm", no_shm, true, "none", "can be",
		{{"memory.space", BAD, "No such file"}, {"memory.kind", GONE, ""}}},
	{"root's session is closed", stranger, true, "perf-event-paranoid", "can be",
		{{"sessions.root", NOTE, "the group perf may trace there (mode 0750)"},
			{"sessions.root", NOTE,
				"for you (guest, groups guest, audio) it is as if absent"},
			{"sessions.root", NOTE, "init -g"},
			{"sessions.used", NOTE, "swtrace init"}}},
	{"member of the group", member, true, "perf-event-paranoid", "can be",
		{{"sessions.used", GOOD, "this one is used"},
			{"sessions.used", GOOD, "its owner controls it"}}},
	{"a squatter", squatted, true, "none", "can be",
		{{"sessions.used", BAD, "squats"}, {"sessions.used", BAD, "SWTRACE_SESSION"}}},
	{"a killed drain", undrained, true, "none", "can be",
		{{"sessions.drain", BAD, "swtrace on"}, {"sessions.used", GOOD, ""}}},
	{"a relative SWTRACE_SESSION", relative, true, "none", "can be",
		{{"sessions.used", BAD, "absolute path"}}},
	{"scripted", scripted, true, "guest-without-pmu", "scripted here", {{0}}},
	{"a wrong SWTRACE_COUNTERS", wrong_variable, false, "none", "SWTRACE_COUNTERS=x",
		{{"counters.source", BAD, "unset"}, {"counters.busy", GONE, ""}}},
};

const int machine_count = sizeof machines / sizeof *machines;
