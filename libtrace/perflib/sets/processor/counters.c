/*
 * Hardware counts: unhalted cycles and reference cycles.
 *
 * Bases have 32 bits. In units of 2^16 cycles they wrap after more than a day, and the utility of a
 * processor that is busy for 1 % of a second is measured to half a percent.
 */
#include <limits.h>
#include <stdio.h>

#include "../../../counters/choice.h"
#include "../../../core/file.h"
#include "../../../counters/perf/perf.h"
#include "../../../counters/machine/rate.h"
#include "processor.h"

#define CPPC_FORMAT "%s/devices/system/cpu/cpu%u/acpi_cppc/"

enum { BASE_SHIFT = 16 };

/* A smaller unit: the firmware's reference clock may be slow. */
enum { FIRMWARE_SHIFT = 12 };

/* Opens the counters for the first sample that wants them, unless SWTRACE_COUNTERS selects other
 * sources. */
static bool processors_hold_counters(struct processors *p)
{
	const struct counter_choice *c = counter_choice();

	if (p->counting)
		return true;
	if (!p->machine->hardware || c->rc || !c->of[FROM_PERF])
		return false;
	p->counting = perf_hold_cpus(PERF_HARDWARE, &p->online) == PERF_OPEN;
	return p->counting;
}

static void processor_set_ratio(struct processor *to, enum processor_column column, uint64_t part,
	enum processor_column base, uint64_t whole)
{
	processor_set_value(to, column, rate_scale(part, 100, 1 << BASE_SHIFT));
	processor_set_value(to, base, (uint32_t)(whole >> BASE_SHIFT));
}

static void processor_set_counts(struct processor *to, const struct perf_reading *r)
{
	uint64_t cycles = r->count[PERF_CYCLES], reference = r->count[PERF_REF_CYCLES];
	/* Cycles during the time counted, which stays correct when counters are multiplexed. */
	uint64_t elapsed = rate_cycles_of_ns(r->running);

	if (cycles == NOT_MEASURED || reference == NOT_MEASURED) {
		/* Fall back to APERF and MPERF, which count the same cycles. */
		cycles = cycles == NOT_MEASURED ? r->count[PERF_APERF] : cycles;
		reference = reference == NOT_MEASURED ? r->count[PERF_MPERF] : reference;
	}
	if (cycles == NOT_MEASURED)
		return;
	if (r->opening != to->opening)
		to->known_before &= ~PROCESSOR_COUNTER_BITS;
	to->opening = r->opening;
	if (reference != NOT_MEASURED)
		processor_set_ratio(
			to, PROCESSOR_PERFORMANCE, cycles, PROCESSOR_PERFORMANCE_BASE, reference);
	if (elapsed != NOT_MEASURED)
		processor_set_ratio(to, PROCESSOR_UTILITY, cycles, PROCESSOR_UTILITY_BASE, elapsed);
}

static void processor_read_perf(struct processors *p)
{
	bool all = true;

	if (!processors_hold_counters(p))
		return;
	for (int tries = 0; tries < 2; tries++) {
		all = true;
		for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
			struct perf_reading r;

			if (!p->cpu[cpu].online)
				continue;
			if (perf_read_cpu(PERF_HARDWARE, cpu, &r) == PERF_CPU_READ)
				processor_set_counts(&p->cpu[cpu], &r);
			else
				all = false;
		}
		if (all)
			return;
		/* Open the counters of processors that came online. */
		if (tries == 0)
			perf_renew_cpus(PERF_HARDWARE, &p->online);
	}
}

/*
 * Reads the firmware's counters. Delivered performance has units of which the nominal frequency is
 * nominal_perf and the reference clock reference_perf.
 */
static void read_firmware(const struct processors *p, uint32_t cpu, struct processor *to)
{
	uint64_t reference, delivered, reference_perf, nominal_perf, part;
	char path[PATH_MAX], text[64];
	ssize_t n = -1;

	if (snprintf(path, sizeof path, CPPC_FORMAT "feedback_ctrs", p->machine->sys, cpu) <
		(int)sizeof path)
		n = file_read_once(path, text, sizeof text);
	if (n <= 0 || !processor_parse_feedback(text, (size_t)n, &reference, &delivered) ||
		!file_number(&reference_perf, CPPC_FORMAT "reference_perf", p->machine->sys, cpu) ||
		!file_number(&nominal_perf, CPPC_FORMAT "nominal_perf", p->machine->sys, cpu) ||
		reference_perf > UINT32_MAX || nominal_perf > UINT32_MAX || nominal_perf == 0)
		return;
	part = rate_scale(delivered, 100 * reference_perf, nominal_perf << FIRMWARE_SHIFT);
	/* The firmware's counters wrapped or were reset. */
	if (part < to->before[PROCESSOR_PERFORMANCE])
		to->known_before &= ~PROCESSOR_COUNTER_BITS;
	processor_set_value(to, PROCESSOR_PERFORMANCE, part);
	processor_set_value(
		to, PROCESSOR_PERFORMANCE_BASE, (uint32_t)(reference >> FIRMWARE_SHIFT));
}

/* Uses one unit for all processors, so that totals add up. */
void processors_read_counters(struct processors *p)
{
	bool counted = false;

	processor_read_perf(p);
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++)
		counted |= p->cpu[cpu].known & PROCESSOR_BIT(PROCESSOR_PERFORMANCE);
	for (uint32_t cpu = 0; cpu < p->online.end && !counted; cpu++)
		if (p->cpu[cpu].online)
			read_firmware(p, cpu, &p->cpu[cpu]);
}

void processors_drop_counters(struct processors *p)
{
	if (p->counting)
		perf_drop_cpus(PERF_HARDWARE);
	p->counting = false;
}
