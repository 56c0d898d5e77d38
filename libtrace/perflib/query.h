/*
 * A query: specifications in the order in which they were added, and their countersets, each of
 * which is collected once per sample.
 */
#ifndef SWT_PERFLIB_QUERY_H
#define SWT_PERFLIB_QUERY_H

#include <sys/types.h>

#include "counterset.h"

enum { COLUMN_WORDS = COUNTERSET_COUNTERS / 64 };

struct query_set {
	const struct counterset *set;
	void *state; /* from the counterset's open */
	uint32_t users;
	uint64_t wanted[COLUMN_WORDS]; /* a bit per column that a specification reads */
	/* The last sample: */
	uint32_t status;
	uint64_t there[COLUMN_WORDS]; /* a bit per column that has a value in some row */
	struct rows rows;
	/* The definition that record.c last wrote to the trace, and when, in CLOCK_MONOTONIC
	 * seconds; 0: not yet. */
	int64_t recorded_at;
	uint64_t recorded_definition;
};

struct specification {
	PERF_COUNTER_IDENTIFIER identifier; /* all but its Size and Index */
	struct query_set *set;
	char *pattern; /* NULL: the counterset has a single instance */
	uint32_t pattern_bytes;
};

struct query {
	pid_t owner; /* a child of fork must not use its parent's query */
	struct host *host;
	bool recorded; /* from a trace: keep each sample until the caller gets it */
	bool stepped;
	struct sample_time time;
	struct query_set **set;
	uint32_t sets;
	struct specification *specification;
	uint32_t specifications;
	size_t set_room, specification_room;
};

/* Creates a query of this host. The query owns the host; a failure closes it. */
uint32_t query_open(struct host *host, bool recorded, HANDLE *handle);

/* NULL if the handle is not a query's. */
struct query *query_of(HANDLE handle);

/* Recomputes wanted: the counterset's columns or the query's specifications changed. */
void query_want(struct query *q, struct query_set *s);

/* In query_collect.c: reads the next sample of all countersets. */
uint32_t query_collect(struct query *q);

/* Whether the specification matches this row of its counterset's last sample. */
bool query_takes(const struct specification *spec, uint32_t row);

#endif
