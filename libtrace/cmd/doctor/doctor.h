/*
 * doctor's findings, derived from the facts in facts.h. Nothing here examines the machine, so tests
 * can supply facts of their own.
 *
 * libtrace/cmd/doctor owns the verb doctor: facts, findings, printing. It includes cmd, core,
 * counters, dump, kernel and session. Errors: an unknown fact is a finding.
 */
#ifndef SWT_CMD_DOCTOR_DOCTOR_H
#define SWT_CMD_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "facts.h"

enum finding_status {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing; nothing is broken */
	FINDING_BAD,
};

struct finding {
	const char *id; /* "TOPIC.WHAT": a stable name for scripts, listed in swtrace.1 */
	enum finding_status status;
	char text[640];	   /* the finding */
	char meaning[384]; /* its consequence */
	char todo[384];	   /* how to fix it; "": no action needed */
};

enum { FINDINGS_MAX = 48 };

struct findings {
	int count;
	bool measurable;   /* some CPI can be measured: exit code 0 instead of 4 */
	const char *cause; /* one word: why counters are missing; "none" if they are complete */
	char verdict[384];
	struct finding list[FINDINGS_MAX];
};

/* Derives all findings, in output order. */
void doctor_findings(struct findings *f, const struct doctor_facts *m);

/* ----------------------------------------------- its parts, a topic each */

void doctor_kernel(struct findings *f, const struct doctor_facts *m);
void doctor_rights(struct findings *f, const struct doctor_facts *m);
void doctor_pmu(struct findings *f, const struct doctor_facts *m);
void doctor_counters(struct findings *f, const struct doctor_facts *m);
void doctor_events(struct findings *f, const struct doctor_facts *m);
void doctor_clock(struct findings *f, const struct doctor_facts *m);
void doctor_rings(struct findings *f, const struct doctor_facts *m);
void doctor_memory(struct findings *f, const struct doctor_facts *m);
void doctor_limits(struct findings *f, const struct doctor_facts *m);
void doctor_sessions(struct findings *f, const struct doctor_facts *m);

/* Adds a finding. Never returns NULL. */
__attribute__((format(printf, 4, 5))) struct finding *finding(
	struct findings *f, const char *id, enum finding_status status, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_means(
	struct finding *n, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_todo(struct finding *n, const char *format, ...);

/* Whether processors have cycles for a CPI: nominal ones, or counted unhalted ones. */
bool doctor_has_cycles(const struct pmu_facts *p);

/* ------------------------- why there are no or not all hardware counters */

enum cause {
	CAUSE_NONE,	      /* no cause: all counters work */
	CAUSE_KERNEL,	      /* the kernel has no perf events */
	CAUSE_GUEST,	      /* a virtual machine without a PMU */
	CAUSE_NO_PMU,	      /* a physical machine without a PMU */
	CAUSE_NO_EVENT,	      /* the PMU cannot count instructions and cycles */
	CAUSE_SECCOMP,	      /* a system call filter */
	CAUSE_LOCKDOWN,	      /* the kernel's lockdown */
	CAUSE_MODULE,	      /* a security module */
	CAUSE_USER_NAMESPACE, /* capabilities that apply only in a user namespace */
	CAUSE_PARANOID,	      /* perf_event_paranoid without CAP_PERFMON */
	CAUSE_DESCRIPTORS,    /* too few file descriptors */
	CAUSE_WATCHDOG,	      /* the NMI watchdog uses the counters */
	CAUSE_TAKEN,	      /* other users hold the counters */
	CAUSE_ERROR,	      /* another error from the kernel */
};

enum cause doctor_cause(const struct doctor_facts *m);
/* The cause's word for scripts, such as "guest-without-pmu". */
const char *doctor_cause_word(enum cause cause);
/* Describes the cause in about 60 columns at most; text has size bytes. */
void doctor_cause_text(enum cause cause, const struct doctor_facts *m, char *text, size_t size);

#endif
