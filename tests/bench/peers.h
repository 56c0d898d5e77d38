/*
 * Tracepoints of others: a module that is loaded when it is there.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

/* Loads it and waits until its tracepoints are enabled; ops, the last without an id. */
const struct op *peers_load(const char *module);
/* Checks that they still are enabled, and hits each of them, so that the end of the others'
 * trace must hold all of them: "peer EVENT COUNT" lines. */
void peers_trailer(void);

/* What the module offers, under the name bench_peers. */
struct peers {
	const struct op *ops;
	bool (*ready)(void);
	void (*hit)(uint64_t turns); /* so many times each of those that are enabled */
	const char *const *events;   /* their names, NULL behind the last */
};

#endif
