/*
 * doctor: the kernel, its virtual machine or container, and the rights of this process.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "doctor.h"

static void doctor_check_release(struct findings *f, const struct kernel_facts *k)
{
	struct finding *n = finding(f, "kernel.release", k->supported ? FINDING_GOOD : FINDING_NOTE,
		"Linux %s on %s", k->release, k->machine);

	if (k->supported) {
		finding_means(n, "a processor with restartable sequences and a clock instruction");
	} else {
		finding_means(
			n, "programs use the guest rings and CLOCK_MONOTONIC_RAW: hooks cost more");
		finding_todo(n, "use x86-64 or AArch64");
	}
}

static void perf_events(struct findings *f, const struct doctor_facts *m)
{
	struct finding *n;

	if (m->kernel.perf_events == 1 || m->pmu.found.present) {
		n = finding(f, "kernel.perf_events", FINDING_GOOD, "it has perf events");
		finding_means(n, "counters are opened by perf_event_open");
		return;
	}
	n = finding(f, "kernel.perf_events", FINDING_BAD,
		"no perf events: there is no /proc/sys/kernel/perf_event_paranoid");
	finding_means(n, "instructions cannot be counted, whatever the processor");
	finding_todo(n, "use a kernel with CONFIG_PERF_EVENTS; in a sandbox, mount /proc");
}

static void doctor_check_machine(struct findings *f, const struct doctor_facts *m)
{
	const struct kernel_facts *k = &m->kernel;
	struct finding *n;

	if (!k->is_virtual) {
		n = finding(f, "kernel.machine", FINDING_GOOD, "no hypervisor detected");
		finding_means(n, "the counters are the machine's own");
		return;
	}
	n = finding(f, "kernel.machine", FINDING_NOTE, "a virtual machine's guest (%s)",
		k->hypervisor[0] ? k->hypervisor : "an unknown hypervisor");
	finding_means(n,
		"its host decides which counters it has; the host may take a processor away for a while, in which elapsed cycles continue");
	if (!m->pmu.found.present)
		finding_todo(n, "see pmu: the host must provide a PMU");
}

static void kernel_find_container(struct findings *f, const struct kernel_facts *k)
{
	struct finding *n;

	if (!k->container[0] && !k->in_user_namespace) {
		n = finding(f, "kernel.container", FINDING_GOOD, "no container detected");
		finding_means(n, "/dev/shm and its sessions are the whole machine's");
		return;
	}
	n = finding(f, "kernel.container", FINDING_NOTE, "in a container (%s%s)",
		k->container[0] ? k->container : "a user namespace",
		k->container[0] && k->in_user_namespace ? ", user namespace" : "");
	finding_means(n,
		"system calls, memory, rights and /dev/shm are as it allows; programs outside of it trace in other sessions");
	finding_todo(
		n, "to share sessions with the host: mount its /dev/shm (docker run --ipc=host)");
}

/* why: "why (what to do)". */
static void todo_of(struct finding *n, const char *why)
{
	const char *advice = strrchr(why, '(');

	if (advice)
		finding_todo(n, "%.*s", (int)strcspn(advice + 1, ")"), advice + 1);
}

/* The length of "why" without " (what to do)". */
static int why_length(const char *why)
{
	const char *advice = strrchr(why, '(');

	return (int)(advice && advice > why ? advice - why - 1 : (ptrdiff_t)strlen(why));
}

/* Who ran on the processors, and who woke it. */
static void kernel_add_wakeups(struct findings *f, const struct switches_facts *s)
{
	const char *why = s->switches_why[0] ? s->switches_why : s->wakeups_why;
	struct finding *n;

	if (!*why) {
		n = finding(f, "kernel.wakeups", FINDING_GOOD,
			"context switches and wake-ups (sched:sched_waking) can be recorded");
		finding_means(n,
			"swtrace on --switches records who runs on the processors, and who wakes a thread that waits");
		return;
	}
	n = finding(f, "kernel.wakeups", FINDING_NOTE, "%s cannot be recorded: %.*s",
		s->switches_why[0] ? "context switches and wake-ups" : "wake-ups", why_length(why),
		why);
	finding_means(n, "%s",
		s->switches_why[0]
			? "swtrace on --switches fails"
			: "swtrace on --switches records who runs on the processors, but not who wakes a thread");
	todo_of(n, why);
}

void doctor_kernel(struct findings *f, const struct doctor_facts *m)
{
	doctor_check_release(f, &m->kernel);
	perf_events(f, m);
	doctor_check_machine(f, m);
	kernel_find_container(f, &m->kernel);
	kernel_add_wakeups(f, &m->switches);
}

/* ---------------------------------------------------------------- rights */

/* CAP_PERFMON counts only if it is of the first user namespace. */
static bool doctor_is_privileged(const struct doctor_facts *m)
{
	return m->rights.perfmon > 0 && !m->kernel.in_user_namespace;
}

static void doctor_check_paranoid(struct findings *f, const struct doctor_facts *m)
{
	static const char *const means[] = {
		"everyone may count processors and threads",
		"processors with CAP_PERFMON only, threads by everyone",
		"processors, and threads in the kernel: with CAP_PERFMON only",
		"nothing may be counted without CAP_PERFMON",
	};
	int level = m->pmu.found.paranoid, at = level < 0 ? 0 : level > 3 ? 3 : level;
	enum finding_status status = FINDING_GOOD;
	struct finding *n;

	if (level == INT_MIN) {
		n = finding(f, "rights.paranoid", FINDING_NOTE,
			"kernel.perf_event_paranoid is unknown");
		finding_means(n, "permissions are unknown until a counter is opened");
		return;
	}
	if (at > 0 && !doctor_is_privileged(m))
		status = at > 2 ? FINDING_BAD : FINDING_NOTE;
	n = finding(f, "rights.paranoid", status, "kernel.perf_event_paranoid is %d", level);
	finding_means(
		n, "%s%s", means[at], at > 0 && doctor_is_privileged(m) ? ", which is here" : "");
	if (status != FINDING_GOOD)
		finding_todo(n,
			"sysctl kernel.perf_event_paranoid=0 for all CPIs%s; or CAP_PERFMON",
			at > 2	 ? ", 2 for the on-thread one in user mode"
			: at > 1 ? ", 1 for threads in the kernel too"
				 : "");
}

static void doctor_check_capability(struct findings *f, const struct doctor_facts *m)
{
	struct finding *n;

	if (doctor_is_privileged(m)) {
		n = finding(f, "rights.capability", FINDING_GOOD, "CAP_PERFMON is there");
		finding_means(n, "this user may count processors, and threads in the kernel");
		return;
	}
	if (m->rights.perfmon > 0) {
		n = finding(
			f, "rights.capability", FINDING_NOTE, "CAP_PERFMON is of a user namespace");
		finding_means(n, "the kernel requires it outside of that namespace");
		finding_todo(n, "run outside of the user namespace, or lower perf_event_paranoid");
		return;
	}
	n = finding(f, "rights.capability", FINDING_NOTE, "CAP_PERFMON is %s",
		m->rights.perfmon < 0 ? "unknown" : "missing");
	finding_means(n, "kernel.perf_event_paranoid says what may be counted without it");
	finding_todo(n, "run as root, or setcap cap_perfmon+ep PROGRAM (Linux 5.8 and later)");
}

/* A seccomp filter usually answers EPERM; the kernel answers EACCES if rights are missing. */
static bool filter_stops(const struct doctor_facts *m)
{
	const struct counters_pmu *p = &m->pmu.found;

	return p->cpu_wide_errno == ENOSYS || p->thread_errno == ENOSYS ||
	       ((p->cpu_wide_errno == EPERM || p->thread_errno == EPERM) &&
		       strcmp(m->rights.lockdown, "confidentiality") != 0);
}

static void doctor_check_seccomp(struct findings *f, const struct doctor_facts *m)
{
	struct finding *n;

	if (m->rights.seccomp < 0)
		return;
	if (m->rights.seccomp == 0) {
		n = finding(f, "rights.seccomp", FINDING_GOOD, "no seccomp filter");
		finding_means(n, "system calls reach the kernel");
		return;
	}
	bool stops = filter_stops(m);

	n = finding(f, "rights.seccomp", stops ? FINDING_BAD : FINDING_NOTE, "a seccomp filter %s",
		stops ? "forbids perf_event_open" : "is at work");
	finding_means(
		n, stops ? "nothing can be counted in this sandbox" : "it does not block counters");
	if (stops)
		finding_todo(n,
			"allow perf_event_open in its profile (docker run --security-opt seccomp=FILE, --cap-add PERFMON)");
}

static void doctor_check_lockdown(struct findings *f, const struct doctor_facts *m)
{
	bool stops = strcmp(m->rights.lockdown, "confidentiality") == 0;
	struct finding *n;

	if (!m->rights.lockdown[0])
		return;
	n = finding(f, "rights.lockdown", stops ? FINDING_BAD : FINDING_GOOD,
		"the kernel's lockdown is %s", m->rights.lockdown);
	finding_means(n, stops ? "the kernel forbids perf events to everyone"
			       : "it does not forbid perf events");
	if (stops)
		finding_todo(n, "start the kernel with lockdown=integrity, or without");
}

void doctor_rights(struct findings *f, const struct doctor_facts *m)
{
	doctor_check_paranoid(f, m);
	doctor_check_capability(f, m);
	doctor_check_seccomp(f, m);
	doctor_check_lockdown(f, m);
}
