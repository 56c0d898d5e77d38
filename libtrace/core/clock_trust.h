/*
 * Which clock may stamp hooks: whether the kernel trusts the processor's counter, and whether a
 * process reads the same CLOCK_MONOTONIC_RAW as the one that made a session. Neither allocates,
 * uses stdio nor needs more than 512 bytes of stack.
 */
#ifndef SWT_CORE_CLOCK_TRUST_H
#define SWT_CORE_CLOCK_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's clock sources. "": unknown. */
struct clock_sources {
	char current[48];
	char available[160]; /* separated by blanks */
};

enum clock_trust {
	CLOCK_TRUST_KERNEL,	   /* the kernel trusts the counter */
	CLOCK_TRUST_CPUID,	   /* the kernel cannot be asked: CPUID calls it invariant */
	CLOCK_TRUST_ARCHITECTURE,  /* AArch64: the counter is constant and common by definition */
	CLOCK_DISTRUST_WITHDRAWN,  /* the kernel does not trust the counter, or not any more */
	CLOCK_DISTRUST_RATE,	   /* the counter changes its rate or stops */
	CLOCK_DISTRUST_NO_COUNTER, /* a machine without a counter that is known here */
};

/* The rule for a TSC that CPUID calls invariant, or not. */
enum clock_trust clock_judge_tsc(bool invariant, const struct clock_sources *s);

/* How far this machine's clock can be trusted now; *s is what the kernel says. */
enum clock_trust clock_trust_now(struct clock_sources *s);

static inline bool clock_is_trusted(enum clock_trust trust)
{
	return trust <= CLOCK_TRUST_ARCHITECTURE;
}

/*
 * The inode of this process's time namespace; 0: unknown (no such namespaces, no /proc). Only
 * the kernel's clocks have an offset in it. The TSC and AArch64's counter are read by an
 * instruction and are the same in all.
 */
uint64_t clock_time_namespace(void);

/* Whether kernel clocks read here are those of that namespace; an unknown one is this one. */
bool clock_is_same_time(uint64_t time_namespace);

/*
 * Whether this process may stamp hooks in a session's clock (enum tf_clock) that was set up in
 * that time namespace: 0; PU_ERROR_NOT_SUPPORTED: its own clock is another kind;
 * PU_ERROR_INCOMPATIBLE_OPTIONS: CLOCK_MONOTONIC_RAW of another time namespace.
 */
int clock_fits_session(uint32_t kind, uint64_t time_namespace);

/* A line: which clock, what the kernel says of it, why. kind: of the session. */
void clock_describe(uint32_t kind, char *text, size_t size);

/* "TSC", "generic timer" or "CLOCK_MONOTONIC_RAW". */
const char *clock_name(uint32_t kind);

#endif
