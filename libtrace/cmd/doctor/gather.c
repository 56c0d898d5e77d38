/*
 * doctor: gathers facts on the kernel, permissions and counters.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../../../formats/base/number.h"
#include "../../core/file.h"
#include "../../core/online.h"
#include "../../core/proc_field.h"
#include "../../counters/machine/rate.h"
#include "../../session/session.h"
#include "facts.h"

/* Reads a file that holds one number; -1 on failure. */
static long gather_number(const char *path)
{
	int64_t value;

	return file_read_number(path, &value) && value >= 0 ? (long)value : -1;
}

/* Reads a field of /proc/self/status; false if it is missing. */
static bool status_field(const char *name, int base, uint64_t *value)
{
	char text[64];

	return proc_field_read("/proc/self/status", name, text, sizeof text) &&
	       number_parse(text, base, UINT64_MAX, value);
}

/* ------------------------------------------------------ virtual machines */

#if defined(__x86_64__)
static const struct {
	const char *sign, *name;
} hypervisors[] = {
	{"KVMKVMKVM", "KVM"},
	{"Microsoft Hv", "Hyper-V"},
	{"VMwareVMware", "VMware"},
	{"XenVMMXenVMM", "Xen"},
	{"TCGTCGTCGTCG", "QEMU emulation"},
	{"bhyve bhyve ", "bhyve"},
	{"VBoxVBoxVBox", "VirtualBox"},
	{"ACRNACRNACRN", "ACRN"},
	{" lrpepyh  vr", "Parallels"},
};

static bool ask_processor(char *name, size_t size)
{
	unsigned a, b, c, d;
	char sign[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(sign, &b, 4);
	memcpy(sign + 4, &c, 4);
	memcpy(sign + 8, &d, 4);
	for (size_t i = 0; i < sizeof hypervisors / sizeof *hypervisors; i++)
		if (strcmp(sign, hypervisors[i].sign) == 0)
			snprintf(name, size, "%s", hypervisors[i].name);
	return true;
}
#else
static bool ask_processor(char *name, size_t size)
{
	(void)name;
	(void)size;
	return false;
}
#endif

/* Detects a hypervisor by the firmware's names, for processors that cannot report one. */
static bool ask_firmware(char *name, size_t size)
{
	static const char *const files[] = {"/sys/class/dmi/id/product_name",
		"/sys/class/dmi/id/sys_vendor", "/proc/device-tree/hypervisor/compatible",
		"/proc/device-tree/compatible"};
	static const struct {
		const char *word, *name;
	} known[] = {{"KVM", "KVM"}, {"linux,kvm", "KVM"}, {"QEMU", "QEMU"},
		{"linux,dummy-virt", "QEMU"}, {"VMware", "VMware"}, {"vmware", "VMware"},
		{"VirtualBox", "VirtualBox"}, {"xen,xen", "Xen"}, {"Parallels", "Parallels"},
		{"Virtual Machine", "Hyper-V"}, {"Google Compute Engine", "KVM"},
		{"Apple Virtualization", "Apple"}, {"BHYVE", "bhyve"}};
	char line[128];

	if (file_read_line("/sys/hypervisor/type", line, sizeof line)) {
		snprintf(name, size, "%.40s", line);
		return true;
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (!file_read_line(files[i], line, sizeof line))
			continue;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
			if (!strstr(line, known[k].word))
				continue;
			snprintf(name, size, "%s", known[k].name);
			return true;
		}
	}
	return false;
}

/* ------------------------------------------------------------ containers */

static void find_container(char *name, size_t size)
{
	static const char *const words[] = {"kubepods", "docker", "libpod", "containerd", "lxc"};
	const char *said = getenv("container");
	char line[64], groups[4096];
	ssize_t n;

	if (file_read_line("/run/systemd/container", line, sizeof line))
		snprintf(name, size, "%.40s", line);
	else if (said && *said)
		snprintf(name, size, "%.40s", said);
	else if (access("/run/.containerenv", F_OK) == 0)
		snprintf(name, size, "podman");
	else if (getenv("KUBERNETES_SERVICE_HOST"))
		snprintf(name, size, "kubernetes");
	else if (access("/.dockerenv", F_OK) == 0)
		snprintf(name, size, "docker");
	if (*name)
		return;
	n = file_read_once("/proc/1/cgroup", groups, sizeof groups - 1);
	groups[n > 0 ? n : 0] = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words && !*name; i++)
		if (strstr(groups, words[i]))
			snprintf(name, size, "%s", words[i]);
}

/* The initial user namespace maps all ids to themselves. */
static bool in_user_namespace(void)
{
	uint64_t word[3]; /* the first id inside, outside, and how many there are */
	char line[80];

	if (!file_read_line("/proc/self/uid_map", line, sizeof line))
		return false;
	const char *at = line, *const end = line + strlen(line);
	for (int i = 0; i < 3; i++) {
		at += strspn(at, " ");
		if (!number_scan(&at, end, 10, UINT64_MAX, &word[i]))
			return false;
	}
	return word[0] != 0 || word[1] != 0 || word[2] < UINT32_MAX;
}

static void gather_kernel(struct kernel_facts *k)
{
	struct utsname u;

	if (uname(&u) == 0) {
		snprintf(k->release, sizeof k->release, "%.70s", u.release);
		snprintf(k->machine, sizeof k->machine, "%.20s", u.machine);
	}
#if defined(__x86_64__) || defined(__aarch64__)
	k->supported = true;
#endif
	k->perf_events = access("/proc/sys/kernel/perf_event_paranoid", F_OK) == 0;
	k->is_virtual = ask_processor(k->hypervisor, sizeof k->hypervisor);
	/* Trust CPUID over the firmware: bare-metal cloud instances have the same product names as
	 * virtual ones. */
#if !defined(__x86_64__)
	k->is_virtual = ask_firmware(k->hypervisor, sizeof k->hypervisor);
#else
	if (k->is_virtual && !k->hypervisor[0])
		ask_firmware(k->hypervisor, sizeof k->hypervisor);
#endif
	find_container(k->container, sizeof k->container);
	k->in_user_namespace = in_user_namespace();
}

/* ---------------------------------------------------------------- rights */

enum { CAPABILITY_SYS_ADMIN = 21, CAPABILITY_PERFMON = 38 };

/* Finds the bracketed word in "none [integrity] confidentiality". */
static void find_lockdown(char *word, size_t size)
{
	char line[80], *begin, *end;

	if (!file_read_line("/sys/kernel/security/lockdown", line, sizeof line))
		return;
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return;
	*end = 0;
	snprintf(word, size, "%.20s", begin + 1);
}

static void gather_rights(struct rights_facts *r)
{
	const uint64_t enough = 1ull << CAPABILITY_PERFMON | 1ull << CAPABILITY_SYS_ADMIN;
	uint64_t value;

	r->perfmon = status_field("CapEff", 16, &value) ? (value & enough) != 0 : -1;
	r->seccomp = status_field("Seccomp", 10, &value) ? (int)value : -1;
	find_lockdown(r->lockdown, sizeof r->lockdown);
}

/* -------------------------------------------------------------- counters */

#define PMUS "/sys/bus/event_source/devices"

/* Whether a PMU is a processor's: it is called "cpu" or lists its processors, as in perf's own
 * test. */
static bool is_core_pmu(const char *name, struct core_pmu *pmu)
{
	char path[320];

	snprintf(path, sizeof path, PMUS "/%s/cpus", name);
	if (!file_read_line(path, pmu->cpus, sizeof pmu->cpus) && strcmp(name, "cpu") != 0)
		return false;
	snprintf(pmu->name, sizeof pmu->name, "%.31s", name);
	return true;
}

static void find_core_pmus(struct pmu_facts *p)
{
	DIR *d = opendir(PMUS);
	const struct dirent *e;

	p->core_pmus = d ? 0 : -1;
	while (d && p->core_pmus < CORE_PMUS_MAX && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.' && is_core_pmu(e->d_name, &p->core_pmu[p->core_pmus]))
			p->core_pmus++;
	if (d)
		closedir(d);
}

static int user_read_switch(const struct pmu_facts *p)
{
	char path[96];

	if (p->core_pmus > 0) {
		snprintf(path, sizeof path, PMUS "/%s/rdpmc", p->core_pmu[0].name);
		if (gather_number(path) >= 0)
			return (int)gather_number(path);
	}
	return (int)gather_number("/proc/sys/kernel/perf_user_access");
}

static unsigned online_cpus(void)
{
	struct cpu_set online;
	unsigned n = 0;

	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++)
		n += cpu_set_has(&online, cpu);
	return n;
}

static void gather_pmu(struct pmu_facts *p)
{
	counters_probe_pmu(&p->found);
	counters_describe(&p->in_use);
	find_core_pmus(p);
	p->user_read_switch = user_read_switch(p);
	p->mlock_kb = gather_number("/proc/sys/kernel/perf_event_mlock_kb");
	p->page_kb = sysconf(_SC_PAGESIZE) / 1024;
	p->cycles_hz = rate_hz();
	p->cpus = online_cpus();
}

static void gather_machine(struct doctor_facts *m)
{
	memset(m, 0, sizeof *m);
	gather_kernel(&m->kernel);
	gather_rights(&m->rights);
	gather_pmu(&m->pmu);
	gather_clock(&m->clock);
	gather_rings(&m->rings);
	gather_memory(&m->memory);
	gather_limits(&m->limits);
	gather_switches(&m->switches);
}

void doctor_gather(struct doctor_facts *m)
{
	gather_machine(m);
	gather_wakeups(&m->switches, m, true);
	gather_clock_measure(&m->clock);
	gather_events(&m->events, NULL);
	gather_sessions(&m->sessions);
}

void doctor_gather_quickly(struct doctor_facts *m, const struct session *s)
{
	gather_machine(m);
	gather_wakeups(&m->switches, m, false);
	m->memory.wanted = s->geometry.file_size;
	m->memory.made = true;
	gather_events(&m->events, s->control->events);
}
