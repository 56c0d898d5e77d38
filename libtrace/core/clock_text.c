/* The session's clock in words. Separate from clock_trust.c, because hooks need no stdio. */
#include <stdio.h>

#include "../../formats/trace_file.h"
#include "clock_trust.h"

const char *clock_name(uint32_t kind)
{
	switch (kind) {
	case TF_CLOCK_TSC:
		return "TSC";
	case TF_CLOCK_ARM_GENERIC:
		return "generic timer";
	default:
		return "CLOCK_MONOTONIC_RAW";
	}
}

static const char *clock_trust_reason(uint32_t kind, enum clock_trust trust)
{
	bool is_call = kind == TF_CLOCK_MONOTONIC_RAW;

	switch (trust) {
	case CLOCK_TRUST_KERNEL:
		return is_call ? "SWTRACE_CLOCK=raw at init, for the kernel trusts the TSC"
			       : "the kernel trusts it";
	case CLOCK_TRUST_CPUID:
		return is_call ? "SWTRACE_CLOCK=raw at init, for CPUID calls the TSC invariant"
			       : "CPUID calls it invariant, the kernel cannot be asked";
	case CLOCK_TRUST_ARCHITECTURE:
		return is_call ? "SWTRACE_CLOCK=raw at init" : "constant by architecture";
	case CLOCK_DISTRUST_WITHDRAWN:
		return is_call ? "the kernel does not trust the TSC"
			       : "the kernel does not trust it any more";
	case CLOCK_DISTRUST_RATE:
		return "CPUID does not call the TSC invariant";
	default:
		return "this machine has no other";
	}
}

void clock_describe(uint32_t kind, char *text, size_t size)
{
	struct clock_sources s;
	enum clock_trust trust = clock_trust_now(&s);

	snprintf(text, size, "%s; kernel: %s; available: %s; %s", clock_name(kind),
		s.current[0] ? s.current : "?", s.available[0] ? s.available : "?",
		clock_trust_reason(kind, trust));
}
