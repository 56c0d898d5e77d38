/*
 * A processor's actual frequency, as cpufreq tells it.
 */
#ifndef SWT_COUNTERS_MACHINE_FREQUENCY_H
#define SWT_COUNTERS_MACHINE_FREQUENCY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Now, in Hz: of the last milliseconds where the hardware counts it, else what the processor was
 * last set to. Where the kernel does not control it, what SWTRACE_CPU_HZ says. CPI_NONE: nothing
 * tells.
 */
uint64_t frequency_of(uint32_t cpu);

/* Where all frequencies so far came from: "cpufreq/scaling_cur_freq", "environment
 * (SWTRACE_CPU_HZ)", joined by " + "; "" if nothing told any. */
void frequency_sources(char *text, size_t size);

/* Looks below this directory instead ("/sys"), which stays the caller's. Not while others look. */
void frequency_look_in(const char *sysfs);

#endif
