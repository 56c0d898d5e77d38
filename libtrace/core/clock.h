/*
 * The time stamp clock of this machine: TSC where it is invariant and the kernel trusts it
 * (clock_trust.h), the generic timer on AArch64, else CLOCK_MONOTONIC_RAW in ns (a call).
 */
#ifndef SWT_CORE_CLOCK_H
#define SWT_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "private_abi.h"
#include "../../formats/base/time_ns.h"

/* The process's clock (enum tf_clock), decided once when it starts, from what the machine has.
 * SWTRACE_CLOCK=raw forces the system call. */
uint32_t clock_kind(void);

/* Ticks per second; measured or asked of the kernel once per process (up to 20 ms). */
uint64_t clock_ticks_per_second(void) PRIVATE_ABI(clock_ticks_per_second);

/* The kernel's figure of that rate, 0 if it has none: counters/perf defines it, which opens an
 * event to learn it. */
uint64_t clock_rate_of_kernel(void);

/* How that rate was found: "TSC (rate of the kernel)". */
const char *clock_rate_source(void);

/* Reads a clock sync: ticks, CLOCK_REALTIME ns and CLOCK_MONOTONIC ns. It is the best of several
 * tries, so that they are within a microsecond of each other. */
void clock_sync(uint64_t sync[3]) PRIVATE_ABI(clock_sync);

static inline uint64_t clock_raw_ns(void)
{
	return time_ns_now(CLOCK_MONOTONIC_RAW);
}

/* The instruction behind TF_CLOCK_TSC and TF_CLOCK_ARM_GENERIC. */
static inline uint64_t clock_instruction(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return clock_raw_ns();
#endif
}

/* Reads the clock of this process. */
uint64_t clock_now(void) PRIVATE_ABI(clock_now);

/* The process's clock is clock_instruction(); false until it is decided. */
extern bool clock_is_instruction __attribute__((visibility("hidden")));

/* The same, without a call where the clock is an instruction. */
static inline uint64_t clock_read(void)
{
	return __atomic_load_n(&clock_is_instruction, __ATOMIC_RELAXED) ? clock_instruction()
									: clock_now();
}

/* The same, ordered after all earlier instructions: the processor may otherwise read the clock
 * before they complete. */
static inline uint64_t clock_read_after(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
	return clock_read();
}

#endif
