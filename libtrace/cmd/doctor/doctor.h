/*
 * What doctor found out. Facts come in (doctor_facts.h), findings go out: nothing here looks at
 * the machine, so that tests can make machines up.
 */
#ifndef SWT_CMD_DOCTOR_DOCTOR_H
#define SWT_CMD_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "facts.h"

enum finding_status {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing, nothing is broken */
	FINDING_BAD,
};

struct finding {
	const char *id; /* "TOPIC.WHAT": scripts rely on it, swtrace.1 lists them */
	enum finding_status status;
	char text[640];	   /* what was found */
	char meaning[384]; /* what that means */
	char todo[384];	   /* what to do; "": nothing */
};

enum { FINDINGS_MAX = 48 };

struct findings {
	int count;
	bool measurable;   /* some CPI can be measured: exit code 0, not 4 */
	const char *cause; /* one word why there are no or not all hardware counters, or "none" */
	char verdict[384];
	struct finding list[FINDINGS_MAX];
};

/* All of it, in the order in which it is printed. */
void doctor_findings(struct findings *f, const struct doctor_facts *m);

/* ----------------------------------------------- its parts, a topic each */

void doctor_kernel(struct findings *f, const struct doctor_facts *m);
void doctor_rights(struct findings *f, const struct doctor_facts *m);
void doctor_pmu(struct findings *f, const struct doctor_facts *m);
void doctor_counters(struct findings *f, const struct doctor_facts *m);
void doctor_clock(struct findings *f, const struct doctor_facts *m);
void doctor_rings(struct findings *f, const struct doctor_facts *m);
void doctor_memory(struct findings *f, const struct doctor_facts *m);
void doctor_limits(struct findings *f, const struct doctor_facts *m);
void doctor_sessions(struct findings *f, const struct doctor_facts *m);

/* A new one; never NULL. */
__attribute__((format(printf, 4, 5))) struct finding *finding(
	struct findings *f, const char *id, enum finding_status status, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_means(
	struct finding *n, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_todo(struct finding *n, const char *format, ...);

/* Whether processors have cycles for a CPI: nominal ones, or unhalted ones that are counted. */
bool doctor_has_cycles(const struct pmu_facts *p);

/* ------------------------- why there are no or not all hardware counters */

enum cause {
	CAUSE_NONE,	      /* they are there, all of them */
	CAUSE_KERNEL,	      /* it has no perf events */
	CAUSE_GUEST,	      /* a virtual machine without a PMU */
	CAUSE_NO_PMU,	      /* a machine without one */
	CAUSE_NO_EVENT,	      /* a PMU that cannot count instructions and cycles */
	CAUSE_SECCOMP,	      /* a filter of system calls */
	CAUSE_LOCKDOWN,	      /* the kernel's lockdown */
	CAUSE_MODULE,	      /* a security module */
	CAUSE_USER_NAMESPACE, /* rights that count in there only */
	CAUSE_PARANOID,	      /* perf_event_paranoid without CAP_PERFMON */
	CAUSE_DESCRIPTORS,    /* too few of them */
	CAUSE_WATCHDOG,	      /* the NMI watchdog has the counters */
	CAUSE_TAKEN,	      /* somebody else has */
	CAUSE_ERROR,	      /* something else that the kernel says */
};

enum cause doctor_cause(const struct doctor_facts *m);
/* The word for scripts, "guest-without-pmu" and the like. */
const char *doctor_cause_word(enum cause cause);
/* What it is, in at most about 60 columns; text is size bytes. */
void doctor_cause_text(enum cause cause, const struct doctor_facts *m, char *text, size_t size);

#endif
