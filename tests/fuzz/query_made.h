/*
 * Countersets and a host built from an input: definitions, instances with arbitrary bytes as names,
 * and values that change.
 */
#ifndef SWT_TESTS_FUZZ_QUERY_MADE_H
#define SWT_TESTS_FUZZ_QUERY_MADE_H

#include "../../libtrace/perflib/counterset.h"
#include "fuzz.h"

enum { SETS = 3, COLUMNS = COUNTERSET_COUNTERS, ROWS = 24, NAME = 1200 };

struct made_row {
	uint32_t id;
	size_t bytes;
	char name[NAME];
	uint64_t value[COLUMNS];
	bool known[COLUMNS];
};

/* A counterset, which goes and comes back as another one: its other form. */
struct made {
	struct counterset set[2];
	struct counterset_definition definition[2];
	struct counter_definition counter[COLUMNS];
	char text[2][64];
	unsigned form; /* the one that is there */
	bool gone, fails, unready;
	unsigned opened, closed;
	uint32_t nrows;
	struct made_row row[ROWS];
};

extern struct made made[SETS];

struct machine {
	struct host host;
	const struct counterset *set[SETS];
	uint32_t sets;
	uint32_t left; /* samples, of a trace */
	bool recorded;
	struct sample_time time;
};

extern struct machine machine;

void make_machine(struct feed *in);
/* The instances that a counterset of these has, without values. */
void made_instances(const struct made *m, struct rows *rows);
/* Countersets fail, go, and come back. */
void happen(struct feed *in);

#endif
