/*
 * What the hardware counts: cycles not halted, and the reference's.
 *
 * Bases are of 32 bits. In units of 2^16 cycles they last for a day between two samples, and a
 * processor that is busy for 1 % of a second is still seen within half a per cent.
 */
#include "../../counters/choice.h"
#include "../../counters/perf.h"
#include "../../counters/rate.h"
#include "processor.h"

enum { BASE_SHIFT = 16 };

/* Not where SWTRACE_COUNTERS says otherwise. Opened by the first sample that wants them. */
static bool hold(struct processors *p)
{
	const struct counter_choice *c = counter_choice();

	if (p->counting)
		return true;
	if (!p->machine->hardware || c->rc || !c->of[FROM_PERF])
		return false;
	p->counting = perf_hold_cpus(PERF_HARDWARE, &p->online) == PERF_OPEN;
	return p->counting;
}

static void set_ratio(struct processor *to, enum processor_column column, uint64_t part,
	enum processor_column base, uint64_t whole)
{
	processor_set_value(to, column, rate_scale(part, 100, 1 << BASE_SHIFT));
	processor_set_value(to, base, (uint32_t)(whole >> BASE_SHIFT));
}

static void take(struct processor *to, const struct perf_reading *r)
{
	uint64_t cycles = r->count[PERF_CYCLES];
	uint64_t reference = r->count[PERF_REF_CYCLES] != CPI_NONE ? r->count[PERF_REF_CYCLES]
								   : r->count[PERF_MPERF];
	/* Of the time that they were counted: right also where counters are shared. */
	uint64_t elapsed = rate_cycles_of_ns(r->running);

	if (cycles == CPI_NONE)
		return;
	if (r->opening != to->opening)
		to->known_before &= ~PROCESSOR_COUNTER_BITS;
	to->opening = r->opening;
	if (reference != CPI_NONE)
		set_ratio(to, PROCESSOR_PERFORMANCE, cycles, PROCESSOR_PERFORMANCE_BASE, reference);
	if (elapsed != CPI_NONE)
		set_ratio(to, PROCESSOR_UTILITY, cycles, PROCESSOR_UTILITY_BASE, elapsed);
}

void processors_read_counters(struct processors *p)
{
	bool all = true;

	if (!hold(p))
		return;
	for (int tries = 0; tries < 2; tries++) {
		all = true;
		for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
			struct perf_reading r;

			if (!p->cpu[cpu].online)
				continue;
			if (perf_read_cpu(PERF_HARDWARE, cpu, &r) == PERF_CPU_READ)
				take(&p->cpu[cpu], &r);
			else
				all = false;
		}
		if (all)
			return;
		/* Some came online: theirs are opened now. */
		if (tries == 0)
			perf_renew_cpus(PERF_HARDWARE, &p->online);
	}
}

void processors_drop_counters(struct processors *p)
{
	if (p->counting)
		perf_drop_cpus(PERF_HARDWARE);
	p->counting = false;
}
