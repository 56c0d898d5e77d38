/*
 * Per-processor times and counts from the kernel's accounting.
 */
#include <limits.h>
#include <stdio.h>

#include "../../../core/file.h"
#include "processor.h"

/* Columns, grouped by the file that supplies them. */
#define IDLE_BITS                                                                                  \
	(PROCESSOR_BIT(PROCESSOR_TIME) | PROCESSOR_BIT(PROCESSOR_IDLE) |                           \
		PROCESSOR_BIT(PROCESSOR_PRIORITY_TIME))
#define STAT_BITS                                                                                  \
	(PROCESSOR_BIT(PROCESSOR_USER) | PROCESSOR_BIT(PROCESSOR_PRIVILEGED) |                     \
		PROCESSOR_BIT(PROCESSOR_DPC_TIME) | PROCESSOR_BIT(PROCESSOR_INTERRUPT_TIME) |      \
		PROCESSOR_BIT(PROCESSOR_PRIORITY_TIME))
#define INTERRUPT_BITS                                                                             \
	(PROCESSOR_BIT(PROCESSOR_INTERRUPTS) | PROCESSOR_BIT(PROCESSOR_CLOCK_INTERRUPTS))

void processors_refresh(struct processors *p)
{
	char path[PATH_MAX], list[8192];
	bool moved = p->end == 0;
	ssize_t n = -1;

	if (snprintf(path, sizeof path, "%s/devices/system/cpu/online", p->machine->sys) <
		(int)sizeof path)
		n = file_read_once(path, list, sizeof list);
	if (n <= 0 || n == (ssize_t)sizeof list || !cpu_set_parse(&p->online, list, (size_t)n))
		cpu_set_online(&p->online);
	if (p->end < p->online.end)
		p->end = p->online.end;
	for (uint32_t cpu = 0; cpu < p->end; cpu++) {
		p->cpu[cpu].online = cpu_set_has(&p->online, cpu);
		moved |= p->cpu[cpu].online && p->topology.cpu[cpu].node == NODE_NONE;
	}
	if (moved)
		topology_read(&p->topology, p->machine->sys, &p->online);
}

static bool processor_read_file(struct processors *p, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s", p->machine->proc, name) < (int)sizeof path &&
	       file_text_read(&p->text, path);
}

/* Reads /proc/stat once per sample. */
static bool processor_read_stat(struct processors *p, bool *have)
{
	*have = *have || processor_read_file(p, "stat");
	return *have;
}

/* Reads the finest idle times available; p->slack is their error. */
static void processor_read_idle(struct processors *p, bool *have)
{
	uint64_t at;

	if ((!p->machine->idle || !p->machine->idle(p->idle, p->online.end, &at)) &&
		(!processor_read_stat(p, have) || !idle_parse_stat(p->text.bytes, p->text.used,
							  p->user_hz, p->idle, p->online.end)))
		return;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
		if (p->idle[cpu].ns == IDLE_UNKNOWN)
			continue;
		processor_set_value(&p->cpu[cpu], PROCESSOR_TIME, p->idle[cpu].ns / 100);
		processor_set_value(&p->cpu[cpu], PROCESSOR_IDLE, p->idle[cpu].ns / 100);
		if (p->idle[cpu].slack / 100 > p->slack)
			p->slack = p->idle[cpu].slack / 100;
	}
}

/* These times exclude stolen time, which is neither idle nor the processor's own. */
static void processor_read_times(struct processors *p, bool *have)
{
	const uint64_t unit = 10000000 / p->user_hz; /* 100 ns units per tick */

	if (!processor_read_stat(p, have) ||
		!processor_parse_stat(p->text.bytes, p->text.used, p->ticks, p->online.end))
		return;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
		const struct processor_ticks *t = &p->ticks[cpu];
		struct processor *to = &p->cpu[cpu];
		bool interrupts = t->irq != NOT_MEASURED;

		if (!t->known)
			continue;
		processor_set_value(to, PROCESSOR_USER, (t->user + t->nice) * unit);
		processor_set_value(to, PROCESSOR_PRIVILEGED,
			(t->system + (interrupts ? t->irq + t->softirq : 0)) * unit);
		if (to->known & PROCESSOR_BIT(PROCESSOR_IDLE))
			processor_set_value(to, PROCESSOR_PRIORITY_TIME,
				to->value[PROCESSOR_IDLE] + t->nice * unit);
		if (!interrupts)
			continue;
		processor_set_value(to, PROCESSOR_DPC_TIME, t->softirq * unit);
		processor_set_value(to, PROCESSOR_INTERRUPT_TIME, t->irq * unit);
	}
}

static void read_interrupts(struct processors *p)
{
	if (!processor_read_file(p, "interrupts") ||
		!processor_parse_interrupts(
			p->text.bytes, p->text.used, p->interrupts, p->online.end))
		return;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
		const struct processor_interrupts *i = &p->interrupts[cpu];

		if (i->all != NOT_MEASURED)
			processor_set_value(&p->cpu[cpu], PROCESSOR_INTERRUPTS, i->all);
		if (i->clock != NOT_MEASURED)
			processor_set_value(&p->cpu[cpu], PROCESSOR_CLOCK_INTERRUPTS, i->clock);
	}
}

static void read_softirqs(struct processors *p)
{
	if (!processor_read_file(p, "softirqs") ||
		!processor_parse_softirqs(p->text.bytes, p->text.used, p->counts, p->online.end))
		return;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++)
		if (p->counts[cpu] != NOT_MEASURED)
			processor_set_value(&p->cpu[cpu], PROCESSOR_DPCS, p->counts[cpu]);
}

void processors_read(struct processors *p, uint64_t columns)
{
	bool have = false;

	for (uint32_t cpu = 0; cpu < p->end; cpu++)
		p->cpu[cpu].known = 0;
	p->slack = 10000000 / p->user_hz;
	/* Read times first: they must match the sample's time. */
	if (columns & IDLE_BITS)
		processor_read_idle(p, &have);
	if (columns & STAT_BITS)
		processor_read_times(p, &have);
	if (columns & PROCESSOR_COUNTER_BITS)
		processors_read_counters(p);
	if (columns & INTERRUPT_BITS)
		read_interrupts(p);
	if (columns & PROCESSOR_BIT(PROCESSOR_DPCS))
		read_softirqs(p);
	if (columns & PROCESSOR_STATE_BITS)
		processors_read_states(p);
	if (columns & PROCESSOR_FREQUENCY_BITS)
		processors_read_frequencies(p, columns);
	for (uint32_t cpu = 0; cpu < p->end; cpu++)
		p->cpu[cpu].known &= p->cpu[cpu].online ? columns : 0;
}
