/*
 * Whether there are hardware counters for this process, and if not, why: found by trying.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "online.h"
#include "perf.h"

static int read_paranoid(void)
{
	char text[16];
	ssize_t n = file_read_once("/proc/sys/kernel/perf_event_paranoid", text, sizeof text - 1);
	char *end;
	long v;

	if (n <= 0)
		return INT_MIN;
	text[n] = 0;
	v = strtol(text, &end, 10);
	return end == text || v < -100 || v > 100 ? INT_MIN : (int)v;
}

/* The first online processor that can be tried: one may go offline meanwhile. */
static int try_cpus(struct perf_group *g)
{
	struct cpu_set online;
	int rc = PERF_UNAVAILABLE;

	*g = PERF_NO_GROUP;
	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++) {
		if (!cpu_set_has(&online, cpu))
			continue;
		rc = perf_open_cpu(g, cpu);
		if (rc == PERF_OPEN || g->error != ENODEV)
			break;
	}
	return rc;
}

static const char *reason(int error)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		return "this machine offers none (no PMU; most virtual machines' guests "
		       "have none)";
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

static const char *advice(int error)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		return "measure on the host or on bare metal, or give the guest a virtual PMU "
		       "(kvm: -cpu host,pmu=on)";
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

static void explain(struct counters_pmu *p)
{
	/* Rights are checked first: what says that there is nothing to have rights to, wins. */
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
	} else if (error) {
		snprintf(p->why, sizeof p->why, "%s: %s", what, reason(error));
		snprintf(p->advice, sizeof p->advice, "%s", advice(error));
	} else if (p->user_only) {
		snprintf(p->why, sizeof p->why,
			"a thread's counters: only user mode is counted "
			"(kernel.perf_event_paranoid is %d)",
			p->paranoid);
		snprintf(p->advice, sizeof p->advice, "sysctl kernel.perf_event_paranoid=1");
	}
}

void counters_probe_pmu(struct counters_pmu *p)
{
	struct perf_group g;

	memset(p, 0, sizeof *p);
	p->paranoid = read_paranoid();
	p->cpu_wide = try_cpus(&g) == PERF_OPEN;
	p->cpu_wide_errno = p->cpu_wide ? 0 : g.error;
	p->ref_cycles = p->cpu_wide && g.second >= 0;
	perf_close_group(&g);

	p->thread = perf_open_thread(&g) == PERF_OPEN;
	p->thread_errno = p->thread ? 0 : g.error;
	p->user_only = p->thread && g.user_only;
	/* A CPI needs both counts. */
	if (p->thread && g.second < 0) {
		p->thread = false;
		p->thread_errno = ENOENT;
	}
	perf_close_group(&g);

	p->present = p->cpu_wide || p->thread;
	explain(p);
}
