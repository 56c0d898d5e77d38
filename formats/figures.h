/*
 * Figures of an interval, wherever they are computed: by the library, from live rings, or by the
 * decoder.
 */
#ifndef SWT_FORMATS_FIGURES_H
#define SWT_FORMATS_FIGURES_H

#include <math.h>
#include <stdint.h>

/* A count that was not measured. */
#define NOT_MEASURED UINT64_MAX

/* Cycles per instruction, for example. NAN unless both counts were measured. */
static inline double figure_ratio(uint64_t above, uint64_t below)
{
	if (above == NOT_MEASURED || below == NOT_MEASURED || below == 0)
		return NAN;
	return (double)above / (double)below;
}

/* Without nominal cycles no cycle counts as idle or busy: 0 means unmeasured. */
static inline void figures_forget_busy(uint64_t cycles, uint64_t *busy_cycles)
{
	if (cycles == NOT_MEASURED && *busy_cycles == 0)
		*busy_cycles = NOT_MEASURED;
}

/* Cycles of a clock of unknown rate are scaled cycles, but no share of the time. A processor
 * that was not idle was not 0 % busy. */
static inline void figures_forget_share(double raw_cpi, double scaled_cpi, double *busy_pct)
{
	if (*busy_pct == 0 && scaled_cpi > 0 && isnan(raw_cpi))
		*busy_pct = NAN;
}

/* Time is busy, idle or in interrupts: a processor without any of them was offline. */
static inline void figures_forget_offline(double *busy, double *idle, double *intr)
{
	if (*busy == 0 && *idle == 0 && !(*intr > 0))
		*busy = *idle = *intr = NAN;
}

/*
 * Completes the time on and off the processor. A thread without a switch ran all the time, whatever
 * its clock lacks. The time on a processor comes from another clock than elapsed, and may exceed it
 * slightly.
 */
static inline void figures_settle_times(
	double elapsed_ns, uint64_t ctx_switches, uint64_t *on_cpu_ns, uint64_t *off_cpu_ns)
{
	/* Exceeds any clock's range and any integer. */
	if (!(elapsed_ns < 0x1p63))
		return;
	const uint64_t elapsed = (uint64_t)elapsed_ns;

	if (ctx_switches == 0)
		*on_cpu_ns = elapsed;
	if (*on_cpu_ns != NOT_MEASURED)
		*off_cpu_ns = elapsed > *on_cpu_ns ? elapsed - *on_cpu_ns : 0;
}

#endif
