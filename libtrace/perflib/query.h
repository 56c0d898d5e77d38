/*
 * A query: specifications, in the order in which they were added, and the countersets that they
 * are of, each of which is collected once a sample.
 */
#ifndef SWT_PERFLIB_QUERY_H
#define SWT_PERFLIB_QUERY_H

#include <sys/types.h>

#include "counterset.h"

enum { COLUMN_WORDS = COUNTERSET_COUNTERS / 64 };

struct query_set {
	const struct counterset *set;
	void *state; /* of its operations' open */
	uint32_t users;
	uint64_t wanted[COLUMN_WORDS]; /* a bit a column: of any of its specifications */
	/* the last sample: */
	uint32_t status;
	uint64_t there[COLUMN_WORDS]; /* a bit a column: some row has a value */
	struct rows rows;
	/* As the trace was last told of it (replay/record.c): when, CLOCK_MONOTONIC seconds, and
	 * what; 0: not yet. */
	int64_t told;
	uint64_t told_definition;
};

struct specification {
	PERF_COUNTER_IDENTIFIER identifier; /* but for its Size and Index */
	struct query_set *set;
	char *pattern; /* NULL: of a single-instance counterset */
	uint32_t pattern_bytes;
};

struct query {
	pid_t owner; /* a child of fork has none of its parent's */
	struct host *host;
	bool recorded; /* a sample is to be had once, and kept until it is handed out */
	bool stepped;
	struct sample_time time;
	struct query_set **set;
	uint32_t sets;
	struct specification *specification;
	uint32_t specifications;
};

/* A query of this host, which it closes in the end, also if this fails. */
uint32_t query_open(struct host *host, bool recorded, HANDLE *handle);

/* NULL: not a handle of a query. */
struct query *query_of(HANDLE handle);

/* wanted, anew: of a set that has other columns now, or fewer specifications. */
void query_want(struct query *q, struct query_set *s);

/* query_collect.c: the next sample of all sets. */
uint32_t query_collect(struct query *q);

/* Whether the specification is of this row of its counterset's last sample. */
bool query_takes(const struct specification *spec, uint32_t row);

#endif
