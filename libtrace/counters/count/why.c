/* Explains in one line why an event is not counted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count.h"
#include "../perf/probe.h"

static bool is_others(pid_t tid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", (int)tid);
	return tid > 0 && geteuid() != 0 && stat(path, &st) == 0 && st.st_uid != geteuid();
}

/* The highest kernel.perf_event_paranoid at which unprivileged users may count this. */
static int level_needed(const struct count_event *e, bool processors)
{
	if (processors)
		return 0;
	return e->event.kernel ? 1 : 2;
}

static void why_explain_access(const struct count_event *e, bool processors, pid_t tid, char *why)
{
	int level = perf_paranoid(), needed = level_needed(e, processors);

	if (is_others(tid))
		snprintf(why, EVENT_WHY_MAX,
			"process %d belongs to another user; its owner, root or CAP_PERFMON with CAP_SYS_PTRACE may count it",
			(int)tid);
	else if (level > needed)
		snprintf(why, EVENT_WHY_MAX,
			"kernel.perf_event_paranoid is %d; root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=%d allows %s",
			level, needed,
			processors ? "counting whole processors" : "counting in the kernel");
	else
		snprintf(why, EVENT_WHY_MAX,
			"denied, though kernel.perf_event_paranoid is %d: by a seccomp filter or a security module; swtrace doctor says more",
			level);
}

static const char *why_explain_error(const struct count_event *e, int error, bool processors)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return e->event.software
			       ? "this kernel does not count it"
			       : "no counter of this machine counts it; swtrace doctor lists the counters";
	case EINVAL:
	case ENOSPC:
		if (e->group)
			return "it cannot be counted together with the others of its { }";
		return processors
			       ? "the kernel rejects it (swtrace event show prints its encoding)"
			       : "the kernel rejects it per thread: some PMUs count per processor only (use -a)";
	case EBUSY:
		return "its counters are in use (see swtrace doctor)";
	case ENOSYS:
		return "this kernel has no perf events, or a seccomp filter hides them (see swtrace doctor)";
	default:
		return strerror(error);
	}
}

void count_explain(
	const struct count_event *e, int error, bool processors, pid_t tid, char why[EVENT_WHY_MAX])
{
	if (error == EACCES || error == EPERM)
		why_explain_access(e, processors, tid, why);
	else
		snprintf(why, EVENT_WHY_MAX, "%s", why_explain_error(e, error, processors));
}
