/*
 * Idle states and frequencies, which sysfs has per processor.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../../core/file.h"
#include "processor.h"

#define CPU_FORMAT "%s/devices/system/cpu/cpu%u/"

/* ----------------------------------------------------------------------- idle states */

/* Reads the names of idle states once, when the processor comes online: they do not change. */
static void find_states(const struct processors *p, uint32_t cpu, struct processor *c)
{
	char path[PATH_MAX], name[64];

	c->states_known = true;
	for (c->states = 0; c->states < IDLE_STATES; c->states++) {
		ssize_t n;

		if (snprintf(path, sizeof path, CPU_FORMAT "cpuidle/state%u/name", p->machine->sys,
			    cpu, c->states) >= (int)sizeof path)
			return;
		n = file_read_once(path, name, sizeof name);
		if (n <= 0)
			return;
		c->class_of[c->states] = (uint8_t)processor_idle_class(name, (size_t)n);
	}
}

static void read_states(const struct processors *p, uint32_t cpu, struct processor *c)
{
	uint64_t time[4] = {0}, usage[4] = {0}, sleeps = 0;
	unsigned classes = 0;

	for (unsigned state = 0; state < c->states; state++) {
		unsigned class = c->class_of[state];
		uint64_t us, times;

		if (!file_number(
			    &us, CPU_FORMAT "cpuidle/state%u/time", p->machine->sys, cpu, state) ||
			!file_number(&times, CPU_FORMAT "cpuidle/state%u/usage", p->machine->sys,
				cpu, state))
			return;
		time[class] += us * 10;
		usage[class] += times;
		sleeps += times;
		classes |= 1u << class;
	}
	for (unsigned class = 1; class <= 3; class ++) {
		if (!(classes & 1u << class))
			continue;
		processor_set_value(
			c, (enum processor_column)(PROCESSOR_C1_TIME + class - 1), time[class]);
		processor_set_value(
			c, (enum processor_column)(PROCESSOR_C1 + class - 1), usage[class]);
	}
	if (c->states)
		processor_set_value(c, PROCESSOR_IDLE_BREAKS, sleeps);
}

void processors_read_states(struct processors *p)
{
	for (uint32_t cpu = 0; cpu < p->end; cpu++) {
		struct processor *c = &p->cpu[cpu];

		if (!c->online) {
			c->states_known = false;
			continue;
		}
		if (!c->states_known)
			find_states(p, cpu, c);
		read_states(p, cpu, c);
	}
}

/* ----------------------------------------------------------------------- frequencies */

static bool of_cpufreq(const struct processors *p, uint32_t cpu, const char *name, uint64_t *khz)
{
	return file_number(khz, CPU_FORMAT "cpufreq/%s", p->machine->sys, cpu, name) && *khz > 0 &&
	       *khz < 1000000000;
}

static uint64_t processor_percent_of(uint64_t part, uint64_t whole)
{
	return (part * 100 + whole / 2) / whole;
}

static bool read_cpufreq(const struct processors *p, uint32_t cpu, struct processor *c)
{
	uint64_t now, highest, allowed;
	bool known = of_cpufreq(p, cpu, "scaling_cur_freq", &now);

	if (known)
		processor_set_value(c, PROCESSOR_FREQUENCY, (now + 500) / 1000);
	if (!of_cpufreq(p, cpu, "cpuinfo_max_freq", &highest))
		return known;
	if (known)
		processor_set_value(c, PROCESSOR_OF_MAXIMUM, processor_percent_of(now, highest));
	if (of_cpufreq(p, cpu, "scaling_max_freq", &allowed))
		processor_set_value(c, PROCESSOR_LIMIT, processor_percent_of(allowed, highest));
	return known;
}

/* x86 kernels without cpufreq report the measured or nominal frequency in /proc/cpuinfo. */
static void read_cpuinfo(struct processors *p)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/cpuinfo", p->machine->proc) >= (int)sizeof path ||
		!file_text_read(&p->text, path) ||
		!processor_parse_cpuinfo(p->text.bytes, p->text.used, p->counts, p->online.end))
		return;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++)
		if (!(p->cpu[cpu].known & PROCESSOR_BIT(PROCESSOR_FREQUENCY)) &&
			p->counts[cpu] != NOT_MEASURED)
			processor_set_value(&p->cpu[cpu], PROCESSOR_FREQUENCY, p->counts[cpu]);
}

void processors_read_frequencies(struct processors *p, uint64_t columns)
{
	bool all = true;

	for (uint32_t cpu = 0; cpu < p->online.end; cpu++)
		if (p->cpu[cpu].online)
			all &= read_cpufreq(p, cpu, &p->cpu[cpu]);
	if (!all && columns & PROCESSOR_BIT(PROCESSOR_FREQUENCY))
		read_cpuinfo(p);
}
