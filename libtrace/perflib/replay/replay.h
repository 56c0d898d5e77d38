/*
 * A trace as a host: its countersets and their samples, one after the other. A trace is untrusted:
 * memory use is bounded, and values are checked before callers get them. Private to replay/.
 *
 * libtrace/perflib/replay owns countersets in traces: recording and reading them. It includes
 * perflib. Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_REPLAY_H
#define SWT_PERFLIB_REPLAY_H

#include "../../../include/cpidecode.h"
#include "../counterset.h"

enum {
	REPLAY_SETS = 256,
	REPLAY_TEXT_BYTES = 16 << 20, /* names and help texts of all countersets */
	REPLAY_PENDING = 64,	      /* threads with incomplete samples */
	REPLAY_BYTES = 64 << 20,      /* rows of all samples not yet returned */
};

struct replay;

/* A counterset of the trace. */
struct replay_set {
	struct counterset set; /* context: this */
	struct counterset_definition definition;
	struct counter_definition *counter;
	struct replay *replay;
	uint64_t hash;		 /* identifies this definition in hooks */
	uint32_t counters_read;	 /* counters read so far */
	bool whole;		 /* the definition is complete */
	bool has_names;		 /* the definition owns its texts */
	struct derived *derived; /* computed from other hooks; NULL: recorded */
	/* In the host's current step: */
	bool asked;
	uint32_t status;
	struct rows rows;
};

/* The read position. */
struct replay_cursor {
	cpidecode_hooks *it;
	const cpidecode_hook *hook; /* current */
	bool again;		    /* process the hook again; none of its fields was read */
	bool ended;
};

struct pending;

struct replay {
	struct host host;
	cpidecode_trace *trace;
	struct replay_set *set[REPLAY_SETS];
	uint32_t sets;
	const struct counterset **listed; /* the complete ones */
	uint32_t nlisted;
	size_t text_bytes;
	struct replay_cursor at;
	struct pending *pending;
	size_t npending, pending_room;
	size_t bytes;	/* at most REPLAY_BYTES plus the last row */
	uint64_t order; /* number of completed samples */
	bool stepped;
	struct sample_time last; /* of the sample returned last */
};

struct replay_reader;

/* In define.c: hooks that define a counterset and its counters. */
void replay_read_set(struct replay *r, struct replay_reader *f);
void replay_read_counters(struct replay *r, struct replay_reader *f);
/* Drops the definition. */
void replay_forget(struct replay *r, struct replay_set *s);

/* sets.c */
struct replay_set *replay_find(const struct replay *r, const GUID *id);
/* A new counterset, without a definition or operations; NULL: too many, or no memory. */
struct replay_set *replay_add(struct replay *r);

/* scan.c: finds the countersets, reading the trace once. */
uint32_t replay_scan(struct replay *r);
/* An ERROR_ code for one of cpidecode.h. */
uint32_t replay_status(int code);

/*
 * Builds samples from hooks. The function read processes the current hook, end marks the end of the
 * trace. After each, call ready until it returns false: it places a sample in the sets asked for
 * and its time in *time. sample.c reads counter samples, intervals.c intervals.
 */
uint32_t replay_read_sample(struct replay *r);
void replay_end_samples(struct replay *r);
bool replay_ready_sample(struct replay *r, struct sample_time *time);
void replay_drop_samples(struct replay *r);

uint32_t replay_read_interval(struct replay *r);
void replay_end_intervals(struct replay *r);
bool replay_ready_interval(struct replay *r, struct sample_time *time, uint32_t *status);
/* Adds the built-in countersets that can be derived from interval hooks. */
uint32_t replay_add_derived(struct replay *r, bool cpi, bool utilisation);
void replay_free_derived(struct derived *d);

#endif
