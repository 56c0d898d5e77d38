/*
 * From an event's code to register values: the counters of x86 and AArch64.
 * Knows no name and no printing.
 */
#ifndef SWT_CMD_EVENT_REGISTERS_H
#define SWT_CMD_EVENT_REGISTERS_H

#include "cpu.h"

struct event_register {
	char name[40];
	bool msr; /* has an address; else a system register of AArch64, by its name */
	uint64_t address;
	uint64_t value;
};

enum { EVENT_FIELDS = 12 };

/* One event on one counter. */
struct event_programme {
	int counter; /* the programmable one's number, or the fixed one's */
	bool fixed;
	struct event_register select; /* what it counts, and how */
	struct event_register count;
	struct event_register extra;  /* name "": none */
	struct event_register enable; /* this counter's bits of the one that enables all;
					 name "": the select register does */
	struct {
		const char *name;
		uint64_t value;
	} field[EVENT_FIELDS]; /* the parts of select.value; name NULL ends */
	const char *also;      /* a counter of its own that the event has as well; NULL: none */
};

/* Programmes e, with the processor's own code, for the counter of this number; fixed-only events
 * use the fixed one instead. -ENOTSUP with why: no register can. */
int event_programme(const struct event_cpu *cpu, const struct cpc_event *e, int counter,
	struct event_programme *p, char why[EVENT_WHY_MAX]);

/* The term for config1 of such an event; NULL: none of its own. */
const char *event_extra_term(const struct event_cpu *cpu, const struct cpc_event *e);

/* How many programmable counters may be taken at all. */
int event_counters(const struct event_cpu *cpu);

#endif
