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

/* A document on standard output, with the labels of facts and without headings. print_document_end
 * ends it. */
struct document *event_begin_document(struct print_stream *s, bool json);
/* Type, config, ..., and how perf spells the event. */
void event_write_perf(struct document *d, const struct event_cpu *cpu, const struct cpc_event *e);
/* "       WRMSR 0x00000186 <- 0x000000000041003c" */
void event_spell_wrmsr(struct out *o, uint64_t address, uint64_t value);

#endif
