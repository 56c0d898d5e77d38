/*
 * Tracepoints of other tracers, in a module that is loaded if present.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

/* Loads the module and waits until its tracepoints are enabled. Returns its ops; the last has no
 * id. */
const struct op *peers_load(const char *module);
/* Checks that the tracepoints are still enabled, then hits each. Prints "peer EVENT COUNT" lines:
 * the peer's trace must end with all of these hits. */
void peers_trailer(void);

/* The module's symbol bench_peers. */
struct peers {
	const struct op *ops;
	bool (*ready)(void);
	void (*hit)(uint64_t turns); /* hits each enabled tracepoint so many times */
	const char *const *events;   /* their names, NULL-terminated */
};

#endif
