/* Finds by trying whether this process has hardware counters, and if not, why. */
#include "probe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/trace_file.h"
#include "../../core/clock.h"
#include "../../core/file.h"
#include "../../core/online.h"
#include "perf.h"
#include "page.h"

/* INT_MIN: unknown. */
static int read_number(const char *path)
{
	int64_t v;

	return file_read_number(path, &v) && v >= -100 && v <= 100 ? (int)v : INT_MIN;
}

int perf_paranoid(void)
{
	return read_number("/proc/sys/kernel/perf_event_paranoid");
}

/* The first online processor that works: one may go offline meanwhile. */
static int try_cpus(struct perf_counters *c)
{
	struct cpu_set online;
	int rc = PERF_UNAVAILABLE;

	*c = (struct perf_counters){0};
	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++) {
		if (!cpu_set_has(&online, cpu))
			continue;
		rc = perf_open_cpu(c, cpu);
		if (rc == PERF_OPEN || c->error != ENODEV)
			break;
	}
	return rc;
}

static const char *probe_reason_of_errno(int error)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		return "this machine offers none (no PMU; most virtual machines' guests have none)";
	case ENOSYS:
		return "the kernel has no perf_event_open, or a sandbox hides it";
	case EMFILE:
	case ENFILE:
		return "out of file descriptors";
	case EBUSY:
		return "another user has all hardware counters";
	default:
		return strerror(error);
	}
}

static const char *probe_find_advice(int error)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		return "measure on the host or on bare metal, or give the guest a virtual PMU (kvm: -cpu host,pmu=on)";
	case ENOSYS:
		return "allow perf_event_open in the sandbox's seccomp profile";
	case EMFILE:
	case ENFILE:
		return "raise the limit (ulimit -n)";
	case EBUSY:
		return "end the other profiler";
	default:
		return "";
	}
}

/* The kernel's own answer to too few rights is EACCES; EPERM comes from a filter before it. */
static void explain_rights(struct counters_pmu *p, const char *what, int error, int level)
{
	if (error == EPERM) {
		snprintf(p->why, sizeof p->why,
			"%s: a sandbox or security module forbids perf_event_open", what);
		snprintf(p->advice, sizeof p->advice,
			"allow perf_event_open in the sandbox's seccomp profile");
		return;
	}
	if (p->paranoid == INT_MIN)
		snprintf(p->why, sizeof p->why, "%s: CAP_PERFMON is missing", what);
	else
		snprintf(p->why, sizeof p->why,
			"%s: kernel.perf_event_paranoid is %d and CAP_PERFMON is missing", what,
			p->paranoid);
	snprintf(p->advice, sizeof p->advice,
		"sysctl kernel.perf_event_paranoid=%d, or give the program CAP_PERFMON", level);
}

static bool no_pmu(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENXIO;
}

static void probe_explain_pmu(struct counters_pmu *p)
{
	/* The kernel checks rights first: an error that says there is no such counter wins. */
	bool none = !p->present && no_pmu(p->thread_errno);
	bool cpus = p->cpu_wide_errno != 0 && !none;
	int error = cpus ? p->cpu_wide_errno : p->thread_errno;
	const char *what = "hardware counters";

	if (p->cpu_wide)
		what = "the counters of a thread";
	else if (p->thread)
		what = "the counters of all processors";
	if (error == EACCES || error == EPERM) {
		/* All processors need paranoid <= 0, a thread's user mode <= 2. */
		explain_rights(p, what, error, cpus ? 0 : 2);
	} else if (no_pmu(error) && p->cycles && !p->cpu_wide) {
		snprintf(p->why, sizeof p->why,
			"instructions: this machine's PMU counts cycles, but not these");
	} else if (error) {
		snprintf(p->why, sizeof p->why, "%s: %s", what, probe_reason_of_errno(error));
		snprintf(p->advice, sizeof p->advice, "%s", probe_find_advice(error));
	} else if (p->taken) {
		snprintf(p->why, sizeof p->why, "hardware counters: in use by %s",
			p->nmi_watchdog ? "others, such as the NMI watchdog"
					: "another profiler that does not share them");
		snprintf(p->advice, sizeof p->advice, "%s",
			p->nmi_watchdog ? "sysctl kernel.nmi_watchdog=0"
					: "end the other profiler");
	} else if (p->user_only) {
		snprintf(p->why, sizeof p->why,
			"a thread's counters: only user mode is counted (kernel.perf_event_paranoid is %d)",
			p->paranoid);
		snprintf(p->advice, sizeof p->advice, "sysctl kernel.perf_event_paranoid=1");
	}
}

/* If others hold the counters without sharing them, an open group never runs. */
static bool ever_runs(const struct perf_counters *c)
{
	const struct timespec turn = {.tv_nsec = TIME_MS_NS};
	struct perf_reading r;

	for (int i = 0; i < 20; i++) {
		if (!perf_read_counters(c, &r, NULL) || r.running > 0)
			return true;
		nanosleep(&turn, NULL);
	}
	return false;
}

static void probe_cpus(struct counters_pmu *p)
{
	struct perf_counters c;
	bool open = try_cpus(&c) == PERF_OPEN, runs = !open || ever_runs(&c);

	/* The NMI watchdog keeps the one counter that counts nothing but cycles; next to the
	 * time stamp counter they are not needed. */
	if (!runs && perf_has(&c, PERF_CYCLES) && clock_kind() == TF_CLOCK_TSC) {
		perf_close_counters(&c, false);
		perf_leave_out(PERF_CYCLES);
		open = try_cpus(&c) == PERF_OPEN;
		runs = !open || ever_runs(&c);
	}
	p->taken = !runs;
	p->cpu_wide = open && perf_has(&c, PERF_INSTRUCTIONS);
	p->cpu_wide_errno = p->cpu_wide ? 0 : c.error;
	p->cycles = open && perf_has(&c, PERF_CYCLES);
	p->ref_cycles = open && perf_has(&c, PERF_REF_CYCLES);
	p->msr = open && perf_has(&c, PERF_MPERF);
	perf_close_counters(&c, false);
}

static void no_user_read(struct counters_pmu *p, const char *why, const char *todo)
{
	snprintf(p->user_read_why, sizeof p->user_read_why, "%s", why);
	snprintf(p->user_read_advice, sizeof p->user_read_advice, "%s", todo);
}

/* Mapped, but not readable in user mode. */
static void explain_switch(struct counters_pmu *p)
{
#if defined(__x86_64__)
	if (read_number("/sys/bus/event_source/devices/cpu/rdpmc") == 0)
		no_user_read(p, "the kernel does not allow rdpmc in user mode",
			"echo 1 >/sys/bus/event_source/devices/cpu/rdpmc");
	else
		no_user_read(p, "the kernel offers rdpmc for none of this thread's counters", "");
#else
	int allowed = read_number("/proc/sys/kernel/perf_user_access");

	if (allowed == 0)
		no_user_read(p, "kernel.perf_user_access is 0", "sysctl kernel.perf_user_access=1");
	else
		no_user_read(p, "the kernel does not let user mode read counters",
			"a kernel from 5.17 on does, on AArch64");
#endif
}

static void explain_user_read(struct counters_pmu *p, const struct perf_group *g)
{
	void *page;

	if (!perf_registers_usable()) {
		no_user_read(p, "no instruction for it here (another processor, or valgrind)", "");
		return;
	}
	if (p->core_types > 1) {
		no_user_read(
			p, "the machine's types of core number their counters differently", "");
		return;
	}
	page = perf_calls.map(g->member[0].fd, 1);
	if (!page) {
		no_user_read(p, "the counters' pages cannot be mapped",
			"raise kernel.perf_event_mlock_kb or the locked memory limit (ulimit -l)");
		return;
	}
	perf_calls.unmap(page, 1);
	explain_switch(p);
}

static void probe_thread(struct counters_pmu *p)
{
	struct perf_group_reading r;
	struct perf_counters c;
	bool open = perf_open_thread(&c, 0) == PERF_OPEN;

	p->thread_errno = open ? 0 : c.error;
	p->user_only = open && c.user_only;
	/* A CPI needs both counts. */
	p->thread = open && perf_has(&c, PERF_INSTRUCTIONS) && perf_has(&c, PERF_CYCLES);
	if (open && !p->thread)
		p->thread_errno = ENOENT;
	if (p->thread && p->core_types <= 1 && !ever_runs(&c))
		p->taken = true;
	p->user_read = p->thread && perf_group_read_here(&c.group, &r) == 0 && r.in_user_mode;
	if (!p->thread)
		no_user_read(p, "there are no counters of a thread", "");
	else if (!p->user_read)
		explain_user_read(p, &c.group);
	perf_close_counters(&c, false);
}

void counters_probe_pmu(struct counters_pmu *p)
{
	memset(p, 0, sizeof *p);
	p->paranoid = perf_paranoid();
	p->nmi_watchdog = read_number("/proc/sys/kernel/nmi_watchdog") > 0;
	p->core_types = core_types()->count;
	probe_cpus(p);
	probe_thread(p);
	p->present = p->cpu_wide || p->cycles || p->thread;
	probe_explain_pmu(p);
}
