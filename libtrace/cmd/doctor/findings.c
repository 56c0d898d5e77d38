/*
 * doctor: all findings, and the verdict.
 */
#include <stdio.h>

#include "doctor.h"

static void findings_add_verdict(struct findings *f, const struct doctor_facts *m)
{
	const struct counters_description *d = &m->pmu.in_use;
	bool cpus = d->quantity[COUNTER_INSTRUCTIONS].measured && doctor_has_cycles(&m->pmu);
	bool thread = d->quantity[COUNTER_THREAD_INSTRUCTIONS].measured &&
		      d->quantity[COUNTER_THREAD_CYCLES].measured;
	bool scripted = d->source == SHM_SOURCE_SCRIPTED;
	enum cause cause = doctor_cause(m);
	char why[128];

	/* A script has its own rate. */
	cpus = cpus || (scripted && d->quantity[COUNTER_INSTRUCTIONS].measured);
	/* Counters that others hold open but never count. */
	f->measurable = d->rc == 0 && (cpus || thread) && (scripted || !m->pmu.found.taken);
	f->cause = doctor_cause_word(cause);
	doctor_cause_text(cause, m, why, sizeof why);
	if (d->rc)
		snprintf(f->verdict, sizeof f->verdict, "CPI cannot be measured here: %s", d->line);
	else if (f->measurable && scripted)
		snprintf(f->verdict, sizeof f->verdict,
			"CPI is scripted here (SWTRACE_COUNTERS), not measured");
	else if (f->measurable)
		snprintf(f->verdict, sizeof f->verdict, "CPI can be measured here%s",
			cpus && thread ? ""
			: cpus	       ? ", of processors only"
				       : ", of threads only");
	else if (d->quantity[COUNTER_INSTRUCTIONS].measured && !m->pmu.found.taken)
		snprintf(f->verdict, sizeof f->verdict,
			"CPI cannot be measured here: the processors' frequency is unknown (SWTRACE_CPU_HZ)");
	else if (cause == CAUSE_NONE)
		snprintf(f->verdict, sizeof f->verdict,
			"CPI cannot be measured here: the source in use counts no instructions");
	else
		snprintf(f->verdict, sizeof f->verdict, "CPI cannot be measured here: %s", why);
}

void doctor_findings(struct findings *f, const struct doctor_facts *m)
{
	f->count = 0;
	doctor_kernel(f, m);
	doctor_rights(f, m);
	doctor_pmu(f, m);
	doctor_counters(f, m);
	doctor_events(f, m);
	doctor_clock(f, m);
	doctor_rings(f, m);
	doctor_memory(f, m);
	doctor_limits(f, m);
	doctor_sessions(f, m);
	findings_add_verdict(f, m);
}
