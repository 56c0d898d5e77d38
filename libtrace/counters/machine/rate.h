/*
 * Processor cycles at the nominal rate: TSC ticks on x86-64. Elsewhere, or where the TSC
 * cannot be trusted, elapsed time times the nominal frequency, if that is known.
 *
 * libtrace/counters/machine owns the accounts of all processors: idle time, /proc/stat,
 * frequencies. It includes counters and core. Errors: false, 0 or NOT_MEASURED for what is unknown.
 */
#ifndef SWT_COUNTERS_MACHINE_RATE_H
#define SWT_COUNTERS_MACHINE_RATE_H

#include <stdint.h>

#include "../../core/private_abi.h"

/* Nominal cycles per second; 0: unknown. Found once a process: SWTRACE_CPU_HZ, or the
 * kernel's value. */
uint64_t rate_hz(void);

/* SWTRACE_CPU_HZ; 0: not set, or no frequency. */
uint64_t rate_said_hz(void);

/* value * mul / div without overflow in between, rounded to nearest; saturates. */
uint64_t rate_scale(uint64_t value, uint64_t mul, uint64_t div) PRIVATE_ABI(rate_scale);

/* Cycles in these ticks of the clock, in these ns; NOT_MEASURED where the rate is unknown. */
uint64_t rate_cycles_of_ticks(uint64_t ticks) PRIVATE_ABI(rate_cycles_of_ticks);
uint64_t rate_cycles_of_ns(uint64_t ns) PRIVATE_ABI(rate_cycles_of_ns);

/* ns in these ticks of the clock. */
uint64_t rate_ns_of_ticks(uint64_t ticks);

/* "2700000000" and the like: digits only, 1 MHz to 1 THz; else 0. */
uint64_t rate_parse_hz(const char *text);

#endif
