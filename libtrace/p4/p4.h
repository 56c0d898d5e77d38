/*
 * Declarations shared by the files of this directory, beyond the public header. All functions are
 * pure.
 *
 * libtrace/p4 owns the Pentium 4's events and how its counters are programmed. It includes
 * formats and include only. Errors: as p4counters.h says of each function.
 */
#ifndef SWT_P4_P4_H
#define SWT_P4_P4_H

#include "tables.h"

/* A request's register values, which do not depend on the assignment. upstream: 0 if the request
 * has no upstream ESCR. */
uint32_t p4_escr_value(const struct p4_request *r);
uint32_t p4_cccr_value(const struct p4_request *r);
uint32_t p4_upstream_value(const struct p4_request *r);

/* The counters that could count it through one of its event's ESCRs, in order of preference.
 * Returns their number. */
size_t p4_counters_of(const struct p4_request *r, uint8_t escr, uint8_t counters[P4_COUNTERS]);

#endif
