/*
 * A processor's actual frequency, from cpufreq.
 */
#ifndef SWT_COUNTERS_MACHINE_FREQUENCY_H
#define SWT_COUNTERS_MACHINE_FREQUENCY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Now, in Hz: the average of the last milliseconds if the hardware counts it, else the last
 * setting. If the kernel does not control it, SWTRACE_CPU_HZ. NOT_MEASURED: unknown.
 */
uint64_t frequency_of(uint32_t cpu);

/* Where all frequencies so far came from: "cpufreq/scaling_cur_freq", "environment
 * (SWTRACE_CPU_HZ)", joined by " + "; "" if none is known. */
void frequency_sources(char *text, size_t size);

#endif
