/*
 * Whose events `swtrace event` talks about: a processor's PMU, this machine's or another's.
 */
#ifndef SWT_CMD_EVENT_CPU_H
#define SWT_CMD_EVENT_CPU_H

#include "../../events/encoding.h"

enum event_kind {
	EVENT_CPU_OTHER, /* its registers are not known here */
	EVENT_CPU_INTEL, /* IA32_PERFEVTSELx */
	EVENT_CPU_AMD,	 /* PERF_CTLx, 0xc0010200 */
	EVENT_CPU_K7,	 /* PERF_CTLx at 0xc0010000: AMD before family 15h */
	EVENT_CPU_ARM,	 /* PMEVTYPERx_EL0 */
};

struct event_cpu {
	enum event_kind kind;
	const char *title;    /* human-readable */
	bool here;	      /* this machine's: event_find accepts the names */
	char pfm[64];	      /* libpfm4's name of its PMU; "": none */
	struct event_pmu pmu; /* where its terms come from; name "": nowhere */
	unsigned counters;    /* programmable ones; 0: unknown */
	bool global;	      /* has one register that enables them all */
};

/* name NULL: this machine. 0 or -EINVAL with why. */
int event_cpu_find(const char *name, struct event_cpu *cpu, char why[EVENT_WHY_MAX]);

/* event_find for that processor. */
int event_cpu_event(const struct event_cpu *cpu, const char *name, struct cpc_event *e,
	char why[EVENT_WHY_MAX]);

/* The processor's own code for an event, where the kernel's is generic: false if it has none
 * or is not known. Others are as they are. */
bool event_cpu_config(
	const struct event_cpu *cpu, const struct cpc_event *e, struct cpc_event *own);

#endif
