/*
 * doctor: derives why hardware counters are missing from the kernel's errors and the other facts.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

static bool says_no_event(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENXIO || error == ENODEV;
}

/* Picks the most precise error. The kernel checks permissions before it looks up the event, so "no
 * such event" wins. */
static int cause_find_errno(const struct counters_pmu *p)
{
	if (p->cpu_wide && p->thread)
		return 0;
	if (!p->present && says_no_event(p->thread_errno))
		return p->thread_errno;
	return p->cpu_wide_errno ? p->cpu_wide_errno : p->thread_errno;
}

static enum cause of_rights(const struct doctor_facts *m, int error)
{
	if (error == EPERM) {
		if (strcmp(m->rights.lockdown, "confidentiality") == 0)
			return CAUSE_LOCKDOWN;
		return m->rights.seccomp == 2 ? CAUSE_SECCOMP : CAUSE_MODULE;
	}
	if (m->rights.perfmon > 0)
		return m->kernel.in_user_namespace ? CAUSE_USER_NAMESPACE : CAUSE_MODULE;
	/* At 0 and below perf_event_paranoid requires no permission. */
	if (m->pmu.found.paranoid != INT_MIN && m->pmu.found.paranoid <= 0)
		return CAUSE_MODULE;
	return CAUSE_PARANOID;
}

static enum cause of_machine(const struct doctor_facts *m)
{
	if (m->pmu.core_pmus > 0 || m->pmu.found.present)
		return CAUSE_NO_EVENT;
	return m->kernel.is_virtual ? CAUSE_GUEST : CAUSE_NO_PMU;
}

enum cause doctor_cause(const struct doctor_facts *m)
{
	const struct counters_pmu *p = &m->pmu.found;
	int error = cause_find_errno(p);

	if (p->taken)
		return p->nmi_watchdog ? CAUSE_WATCHDOG : CAUSE_TAKEN;
	if (error == 0)
		return CAUSE_NONE;
	if (m->kernel.perf_events == 0 && (error == ENOSYS || error == ENOENT))
		return CAUSE_KERNEL;
	if (says_no_event(error))
		return of_machine(m);
	/* The kernel shows no PMU, so permissions are not the cause. */
	if ((error == EACCES || error == EPERM || error == ENOSYS) && m->pmu.core_pmus == 0 &&
		!p->present)
		return of_machine(m);
	if (error == EACCES || error == EPERM)
		return of_rights(m, error);
	if (error == ENOSYS)
		return CAUSE_SECCOMP;
	if (error == EMFILE || error == ENFILE)
		return CAUSE_DESCRIPTORS;
	if (error == EBUSY)
		return p->nmi_watchdog ? CAUSE_WATCHDOG : CAUSE_TAKEN;
	return CAUSE_ERROR;
}

const char *doctor_cause_word(enum cause cause)
{
	static const char *const word[] = {
		[CAUSE_NONE] = "none",
		[CAUSE_KERNEL] = "kernel-without-perf-events",
		[CAUSE_GUEST] = "guest-without-pmu",
		[CAUSE_NO_PMU] = "no-pmu",
		[CAUSE_NO_EVENT] = "pmu-without-events",
		[CAUSE_SECCOMP] = "seccomp",
		[CAUSE_LOCKDOWN] = "lockdown",
		[CAUSE_MODULE] = "security-module",
		[CAUSE_USER_NAMESPACE] = "user-namespace",
		[CAUSE_PARANOID] = "perf-event-paranoid",
		[CAUSE_DESCRIPTORS] = "descriptors",
		[CAUSE_WATCHDOG] = "nmi-watchdog",
		[CAUSE_TAKEN] = "counters-taken",
		[CAUSE_ERROR] = "error",
	};

	return word[cause];
}

void doctor_cause_text(enum cause cause, const struct doctor_facts *m, char *text, size_t size)
{
	static const char *const plain[] = {
		[CAUSE_NONE] = "nothing is missing",
		[CAUSE_KERNEL] = "the kernel has no perf events",
		[CAUSE_GUEST] = "this guest has no PMU",
		[CAUSE_NO_PMU] = "no PMU that the kernel knows",
		[CAUSE_NO_EVENT] = "the PMU does not count instructions and cycles",
		[CAUSE_SECCOMP] = "a sandbox forbids perf_event_open (seccomp)",
		[CAUSE_LOCKDOWN] = "the kernel's lockdown forbids perf events",
		[CAUSE_MODULE] = "a security module forbids perf_event_open",
		[CAUSE_USER_NAMESPACE] = "CAP_PERFMON does not count in a user namespace",
		[CAUSE_DESCRIPTORS] = "out of file descriptors",
		[CAUSE_WATCHDOG] = "the NMI watchdog has the counters",
		[CAUSE_TAKEN] = "other users hold all counters",
	};

	if (cause == CAUSE_PARANOID && m->pmu.found.paranoid != INT_MIN)
		snprintf(text, size, "kernel.perf_event_paranoid is %d and CAP_PERFMON is missing",
			m->pmu.found.paranoid);
	else if (cause == CAUSE_PARANOID)
		snprintf(text, size, "CAP_PERFMON is missing");
	else if (cause == CAUSE_ERROR)
		snprintf(text, size, "perf_event_open: %s",
			strerror(cause_find_errno(&m->pmu.found)));
	else
		snprintf(text, size, "%s", plain[cause]);
}
