/*
 * doctor: gathers facts on recording the kernel's context switches and wake-ups.
 */
#include <errno.h>

#include "../../core/online.h"
#include "../../kernel/records.h"
#include "facts.h"

static uint32_t first_online(void)
{
	struct cpu_set online;
	uint32_t cpu = 0;

	cpu_set_online(&online);
	while (cpu < online.end && !cpu_set_has(&online, cpu))
		cpu++;
	return cpu < online.end ? cpu : 0;
}

/* The right that the kernel requires for a tracepoint's data. */
static bool has_right_to_tracepoints(const struct doctor_facts *m)
{
	return (m->rights.perfmon > 0 && !m->kernel.in_user_namespace) ||
	       m->pmu.found.paranoid == -1;
}

void gather_switches(struct switches_facts *s)
{
	struct kernel_records records;
	const int error = kernel_records_open(&records, first_online(), false);

	if (error)
		kernel_records_explain(error, s->switches_why, sizeof s->switches_why);
	else
		kernel_records_close(&records);
}

void gather_wakeups(struct switches_facts *s, const struct doctor_facts *m, bool tries)
{
	struct waking_format format;
	int error = waking_read_format(&format);

	if (!error && tries)
		error = waking_try(&format, first_online());
	else if (!error && !has_right_to_tracepoints(m))
		error = -EACCES;
	if (error)
		waking_explain(error, s->wakeups_why, sizeof s->wakeups_why);
}
