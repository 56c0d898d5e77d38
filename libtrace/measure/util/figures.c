#include "figures.h"

#include <math.h>
#include <string.h>

static double figures_percent(uint64_t part, uint64_t whole)
{
	if (part == NOT_MEASURED || whole == NOT_MEASURED || whole == 0)
		return NAN;
	return 100.0 * ((double)part / (double)whole);
}

UINT32 util_count_wrapped(uint64_t count)
{
	return count == NOT_MEASURED ? AI_COUNT_NOT_MEASURED
				     : (UINT32)(count % AI_COUNT_NOT_MEASURED);
}

UINT32 util_count(uint64_t count)
{
	if (count == NOT_MEASURED)
		return AI_COUNT_NOT_MEASURED;
	return count < AI_COUNT_NOT_MEASURED ? (UINT32)count : AI_COUNT_NOT_MEASURED - 1;
}

static void figures_clear_cpus(CPUUTIL_DATA *d, int from, int to)
{
	for (int cpu = from; cpu < to; cpu++) {
		d->cpu_busy[cpu] = d->cpu_idle[cpu] = d->cpu_intr[cpu] = NAN;
		d->cpu_actual_perf[cpu] = NAN;
		d->cpu_disp_cnt[cpu] = d->cpu_intr_cnt[cpu] = AI_COUNT_NOT_MEASURED;
	}
}

void util_clear(CPUUTIL_DATA *d)
{
	memset(d, 0, sizeof *d);
	figures_clear_cpus(d, 0, MAX_CPUS);
	d->sys_busy = d->sys_idle = d->sys_intr = d->sys_actual_perf = NAN;
}

void util_fill(CPUUTIL_DATA *d, const struct counter_interval *i)
{
	struct counter_usage sum;

	/* Clear processors above the highest one that is online now. */
	figures_clear_cpus(d, (int)i->cpus, d->num_cpus);
	d->num_cpus = (int)i->cpus;
	d->flags = i->usage_flags;
	d->method = i->method;
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
		const struct counter_usage *c = &i->cpu[cpu].usage;

		d->cpu_busy[cpu] = figures_percent(c->busy, c->elapsed);
		d->cpu_idle[cpu] = figures_percent(c->idle, c->elapsed);
		d->cpu_intr[cpu] = figures_percent(c->intr, c->elapsed);
		d->cpu_actual_perf[cpu] = figures_percent(c->core, c->reference);
		d->cpu_disp_cnt[cpu] = util_count(c->switches);
		d->cpu_intr_cnt[cpu] = util_count(c->interrupts);
	}
	usage_sums(i, &sum);
	d->sys_busy = figures_percent(sum.busy, sum.elapsed);
	d->sys_idle = figures_percent(sum.idle, sum.elapsed);
	d->sys_intr = figures_percent(sum.intr, sum.elapsed);
	d->sys_actual_perf = figures_percent(sum.core, sum.reference);
}
