/*
 * The kernel's CLOCK_MONOTONIC_RAW as ticks of the session's clock: along the line through two
 * readings of both clocks, normally the last ones before and after the time to convert.
 */
#ifndef SWT_KERNEL_STAMPS_H
#define SWT_KERNEL_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

struct stamps {
	bool is_raw; /* the session's clock is CLOCK_MONOTONIC_RAW itself */
	uint64_t ticks, ns;
	double ticks_per_ns, nominal;
};

/* kind: of the session's clock, enum tf_clock. */
void stamps_begin(struct stamps *s, uint32_t kind, uint64_t ticks_per_second);
/* Reads both clocks. */
void stamps_renew(struct stamps *s);
uint64_t stamps_ticks(const struct stamps *s, uint64_t ns);

#endif
