/*
 * What the files p4*.c share beyond the public header. Pure, as that is.
 */
#ifndef SWT_P4_P4_H
#define SWT_P4_P4_H

#include "tables.h"

/* Register values of a request by themselves. upstream: 0 for a request without. */
uint32_t p4_escr_value(const struct p4_request *r);
uint32_t p4_cccr_value(const struct p4_request *r);
uint32_t p4_upstream_value(const struct p4_request *r);

/* Counters that could count it by way of one of its event's ESCRs, in order of preference. */
size_t p4_counters_of(const struct p4_request *r, uint8_t escr, uint8_t counters[P4_COUNTERS]);

#endif
