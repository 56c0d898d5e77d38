/*
 * An event, which conditions test: one hook, or the hooks of one group together.
 */
#ifndef SWT_TRIGGER_EVENT_H
#define SWT_TRIGGER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/figures.h"
#include "../session/task.h"
#include "labels.h"

/* Kinds of CPI hooks, each at most once in a group. */
enum { EVENT_MINORS = 7 };

/* Pointers are into the bytes it was made of. */
struct event {
	const uint8_t *record; /* the first; NULL: no hook, only losses */
	uint32_t bytes, hooks;
	uint8_t major;
	uint32_t minor[EVENT_MINORS], minors;
	uint32_t number; /* its writer's, in the session */
	uint32_t tid;	 /* its writer's, once found */
	uint64_t stamp;
	bool has_elapsed, has_label, has_cpi, has_cpu;
	bool is_scripted;     /* a process with scripted counters traced; set by the watch */
	uint64_t elapsed;     /* ticks */
	const uint8_t *label; /* NULL of a label that has a number */
	uint32_t label_length, label_number;
	/* Arguments: their words, and the strings of their hook. */
	const uint8_t *args, *strings, *strings_end;
	uint32_t nargs;
	/* Events that it counted: the same. */
	const uint8_t *events, *event_names, *event_names_end;
	uint32_t nevents;
	struct label_copy *labels; /* set by the watch; NULL: numbers have no texts */
	uint64_t cpi;		   /* of the thread, else of the system; times 10000 */
	uint32_t cpu;		   /* not of a guest ring's */
	uint64_t end_ns; /* of its stamp, CLOCK_REALTIME; set for conditions that ask; 0: unknown */
	uint64_t lost;	 /* hooks, since the watch began */
	const struct task_identity *task; /* its writer, if found */
};

/*
 * The event at the start of a run of well-formed committed records, which may be a pad: then it
 * has no hooks. Sizes within a record are a writer's, and checked here. bytes is at least 8.
 */
void event_read(struct event *e, const uint8_t *records, uint32_t bytes);

/* False: it has no label, or none that is known. */
bool event_find_label(const struct event *e, const uint8_t **text, uint32_t *length);

/* Figures of an interval. NOT_MEASURED: not known. */
struct event_figures {
	uint64_t on_cpu_ns, ctx_switches;
	/* The thread's, else the system's; both or none are measured. */
	uint64_t instructions, cycles;
};

/* Reads the figures that no condition uses, which event_read skips. */
void event_read_figures(const struct event *e, struct event_figures *f);

/* An argument: formats/interval_hooks.h. */
struct event_arg {
	uint32_t type; /* enum interval_arg_type */
	uint64_t value;
	const uint8_t *text; /* of INTERVAL_ARG_TEXT */
	uint32_t length;
};

/* Finds the last argument of this name. */
bool event_find_arg(const struct event *e, const char *name, struct event_arg *arg);
/* The count of the last event of this name. NOT_MEASURED: none, or it was not counted. */
uint64_t event_find_count(const struct event *e, const char *name);
/* Whether a count was scaled up. */
bool event_has_scaled_counts(const struct event *e);

#endif
