/*
 * gentrace: large traces for benchmarks and for tests of memory and time.
 *
 * Content is made once, unit by unit in order of time, and handed to a sink: trace.bin,
 * CTF for the peers, or folded stacks. The same options make the same content in every
 * format. Nothing is kept but the open sections, so a trace may have any size.
 */
#ifndef GENTRACE_H
#define GENTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kind { KIND_HOOKS, KIND_GROUPS, KIND_MIXED };
enum format { FORMAT_TRACE, FORMAT_CTF, FORMAT_FOLDED };
/* The order of the sections in a file: by first stamp (a dump's), as they filled up (the drain's),
 * or ring after ring, which is as far from the order of time as it gets. */
enum order { ORDER_FIRST, ORDER_FILLED, ORDER_RINGS };

/* The parts of a group. */
enum part {
	PART_LABEL = 1, /* both */
	PART_SUMMARY = 2,
	PART_SYSTEM = 4,
	PART_CPUS = 8,
	PART_THREAD = 16,
	PART_ALL = 31,
	PART_TIME = 32, /* the hook of the interval major, with the library's own cost */
};

enum {
	MAX_CPUS = 4096,
	MAX_THREADS = 65536,
	MAX_DEPTH = 64,
	MAX_LABELS = 8 << 20,
	LABEL_SIZE = 32,
	MAX_HOOKS_OF_UNIT = 7,
};

struct options {
	enum kind kind;
	enum format format;
	enum order order;
	uint64_t count; /* units; 0: bytes decide */
	uint64_t bytes; /* of records */
	unsigned cpus, threads, words, labels, depth, parts, section;
	unsigned codec; /* enum tf_codec */
	int level;	/* zlib's */
	uint64_t gap;	/* ns between units, on average */
	int64_t drift;	/* of the clock, in millionths */
	uint64_t seed;
	bool even, utilisation, index, schema, end;
	const char *output; /* "-": standard output */
};

struct hook {
	uint8_t major;
	uint32_t minor;
	const uint32_t *words;
	unsigned nwords;
	const char *string; /* NULL: none */
	unsigned length;
};

/* A hook, or a group: hooks that stand next to each other in one section. */
struct unit {
	unsigned cpu;
	uint32_t tid;
	uint64_t stamp;
	struct hook hook[MAX_HOOKS_OF_UNIT];
	unsigned nhooks;
	/* A group's labels from the outermost on, and its ticks outside nested groups. */
	const char *const *stack;
	unsigned depth;
	const char *process, *task; /* process: its main thread's name */
	uint64_t self;
};

/* The trace's clock. */
#define GEN_HZ UINT64_C(2500000000)
#define GEN_START (400 * GEN_HZ) /* ticks of the sync at the start */
#define GEN_REALTIME_S INT64_C(1700000000)
#define GEN_MONOTONIC UINT64_C(400000000000)

/* Ends the program with a line on stderr. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *need_memory(void *p); /* p, unless it is NULL */

/* --- content.c */

struct content;
struct content *content_open(const struct options *o);
/* The next unit, which stays until the one after it; false: that was all. */
bool content_next(struct content *c, struct unit *u);
void content_close(struct content *c);

uint32_t thread_tid(const struct options *o, unsigned thread);
uint32_t thread_pid(const struct options *o, unsigned thread);
void thread_name(unsigned thread, char name[16]);

/* --- group.c: the hooks of the CPI facility, or of CPU utilisation */

struct group; /* room for the words of one */
struct group *group_open(const struct options *o);
void group_close(struct group *g);
/* Adds the hooks of a group to u; random numbers come from *state. */
void group_make(struct group *g, uint64_t *state, uint32_t mm, uint32_t tid, uint64_t elapsed,
	const char *label, struct unit *u);

/* A pseudo-random number; the sequence of a state is the same everywhere. */
uint64_t random_next(uint64_t *state);

/* --- sinks. `only`: the ring that is written in this pass, or -1: all */

struct trace_sink;
struct trace_sink *trace_sink_open(const struct options *o);
void trace_sink_pass(struct trace_sink *s, int only);
void trace_sink_put(struct trace_sink *s, const struct unit *u);
void trace_sink_close(struct trace_sink *s);

struct ctf_sink;
struct ctf_sink *ctf_sink_open(const struct options *o);
void ctf_sink_put(struct ctf_sink *s, const struct unit *u);
void ctf_sink_close(struct ctf_sink *s);

#endif
