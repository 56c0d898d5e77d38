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
