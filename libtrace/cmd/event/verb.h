/*
 * Shared by the files of the verb event.
 *
 * libtrace/cmd/event owns the verb event. It includes cmd, counters and events. Errors: a negative
 * errno with why; the verb's are those of cmd.h.
 */
#ifndef SWT_CMD_EVENT_VERB_H
#define SWT_CMD_EVENT_VERB_H

#include "../cmd.h"
#include "../print_stream.h"
#include "cpu.h"

struct event_asked {
	const struct verb *verb;
	const char *cpu_name; /* --cpu; NULL: this machine */
	struct event_cpu cpu;
	bool json, try;
	struct table *table; /* for text */
	int operands;
	char **operand;
};

/* Each returns an exit code. */
int event_list(const struct event_asked *a);
int event_show(const struct event_asked *a);
int event_encode(const struct event_asked *a);

const char *event_origin_name(enum cpc_event_origin origin);
const char *event_modes_name(const struct cpc_event *e);

/* Advice on an error of event_cpu_event. */
const char *event_advice(int rc);

/* The members "type": 4, "config": "0x3c", ... */
void event_perf_json(struct json *j, const struct event_cpu *cpu, const struct cpc_event *e);
/* A number as a string in hexadecimal: JSON's own have 53 bits. */
void event_json_hex(struct json *j, const char *key, uint64_t value);
/* "type 4, config 0x3c" and how perf spells it. */
void event_perf_text(struct table *t, const struct event_cpu *cpu, const struct cpc_event *e);

#endif
