/*
 * A trace as a host: the countersets that it tells of, and their samples, one after the other.
 * Everything in a trace may be a lie: what is kept is bounded, what is handed on was checked.
 * Private to replay/.
 */
#ifndef SWT_PERFLIB_REPLAY_H
#define SWT_PERFLIB_REPLAY_H

#include "../../../include/cpidecode.h"
#include "../counterset.h"

enum {
	REPLAY_SETS = 256,
	REPLAY_TEXT_BYTES = 16 << 20, /* names and helps of all countersets */
	REPLAY_PENDING = 64,	      /* threads whose samples are incomplete */
	REPLAY_BYTES = 64 << 20,      /* rows of all samples that are not handed out yet */
};

struct replay;

/* A counterset of the trace. */
struct replay_set {
	struct counterset set; /* context: this */
	struct counterset_definition definition;
	struct counter_definition *counter;
	struct replay *replay;
	uint64_t hash;		 /* as its hooks call this definition */
	uint32_t told;		 /* counters so far */
	bool whole;		 /* all of them: it can be had */
	bool has_names;		 /* definition's texts are its own */
	struct derived *derived; /* from other hooks than samples of counters; NULL: recorded */
	/* The host's step: */
	bool asked;
	uint32_t status;
	struct rows rows;
};

/* Where reading is. */
struct replay_cursor {
	cpidecode_hooks *it;
	const cpidecode_hook *hook; /* the present one */
	bool again;		    /* it is to be taken once more, and no field of it was read */
	bool ended;
};

struct pending;

struct replay {
	struct host host;
	cpidecode_trace *trace;
	struct replay_set **set;
	uint32_t sets;
	const struct counterset **listed; /* those that can be had */
	uint32_t nlisted;
	size_t text_bytes;
	struct replay_cursor at;
	struct pending *pending;
	uint32_t npending;
	size_t bytes;	/* at most REPLAY_BYTES and what the last row takes */
	uint64_t order; /* of the samples that were complete */
	bool stepped;
	struct sample_time last; /* of the sample handed out last */
};

/* The moment of a hook. */
struct sample_time replay_time_of(const struct replay *r, const cpidecode_hook *h);

extern const struct counterset_operations replay_operations;

struct replay_reader;

/* replay_define.c: hooks that say what a counterset, and what its counters are. */
void replay_take_set(struct replay *r, struct replay_reader *f);
void replay_take_counters(struct replay *r, struct replay_reader *f);
/* What it said of itself. */
void replay_forget(struct replay *r, struct replay_set *s);

/* replay_scan.c: finds the countersets, reading the trace once. */
uint32_t replay_scan(struct replay *r);
struct replay_set *replay_find(const struct replay *r, const GUID *id);
/* A new counterset, without a definition; NULL: too many, or no memory. */
struct replay_set *replay_add(struct replay *r);
/* An ERROR_ code for one of cpidecode.h. */
uint32_t replay_status(int code);

/*
 * Samples, from the hooks of each. take: the present hook; end: there is no further one. After
 * each, until it returns false, ready: a sample is in the sets that are asked for, and *time is its
 * moment. replay_sample.c: of counters; replay_derived.c: of intervals.
 */
uint32_t replay_take_sample(struct replay *r);
void replay_end_samples(struct replay *r);
bool replay_ready_sample(struct replay *r, struct sample_time *time);
void replay_drop_samples(struct replay *r);

uint32_t replay_take_interval(struct replay *r);
void replay_end_intervals(struct replay *r);
bool replay_ready_interval(struct replay *r, struct sample_time *time, uint32_t *status);
extern const GUID replay_cpi_guid, replay_processor_guid;
/* The countersets that follow from such intervals, as far as the library has them built in. */
uint32_t replay_add_derived(struct replay *r, bool cpi, bool utilisation);
void replay_free_derived(struct derived *d);

#endif
