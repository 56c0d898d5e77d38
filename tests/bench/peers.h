/*
 * Other tracers and counter libraries, each in a module that is loaded if present.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

/* Loads a module and, if it has tracepoints, waits until they are enabled. Returns its ops for
 * hooks or for intervals; the last has no id. */
const struct op *peers_load(const char *module, bool intervals);
/* Opens what the op of that place measures with, in a process of its own. Returns NULL, or why it
 * cannot here. */
const char *peers_open(enum place place);
/* Checks that all that was timed was measured, or exits. Hits each tracepoint and prints "peer
 * EVENT COUNT" lines: the peer's trace must end with all of these hits. */
void peers_trailer(void);

/* The module's symbol bench_peers. */
struct peers {
	const struct op *ops;	       /* beside hooks; NULL: none */
	const struct op *interval_ops; /* beside intervals */
	/* Tracepoints, in the benchmark's own process; NULL: none. */
	bool (*ready)(void);
	void (*hit)(uint64_t turns); /* hits each enabled tracepoint so many times */
	const char *const *events;   /* their names, NULL-terminated */
	/* Libraries, in processes of their own; NULL: none. */
	const char *(*open)(enum place place);
	const char *(*check)(void); /* NULL, or which of the timed readings failed */
};

#endif
