/*
 * Countersets that are made up, and a host that has them.
 */
#ifndef SWT_TESTS_PERFLIB_MADE_UP_H
#define SWT_TESTS_PERFLIB_MADE_UP_H

#include "../../libtrace/perflib/counterset.h"

enum { MADE_UP_COLUMNS = 8, MADE_UP_SETS = 8 };

struct made_up_row {
	const char *name;
	uint32_t id;
	uint32_t known; /* a bit a column */
	uint64_t value[MADE_UP_COLUMNS];
};

struct made_up_set {
	struct counterset set;
	struct counterset_definition definition;
	const struct made_up_row *row;
	uint32_t rows;
	/* results of its operations */
	uint32_t open_status, collect_status;
	bool other_columns; /* it collects rows of another width */
	/* calls that it received */
	unsigned opened, closed, collected;
	uint64_t wanted[COUNTERSET_COUNTERS / 64];
};

/* Operations and context are set; the definition is the caller's to fill. */
void made_up_set(struct made_up_set *set, const struct counterset_definition *definition,
	const struct made_up_row *row, uint32_t rows);

struct made_up_host {
	struct host host;
	const struct counterset *set[MADE_UP_SETS];
	uint32_t sets;
	uint32_t refresh_status, step_status;
	struct sample_time time; /* a second later with each step */
	unsigned steps, last, closed;
	uint32_t stepped_sets;
};

/* As a trace it ends after `last` steps; 0: never. */
void made_up_host(struct made_up_host *host, unsigned last);
void made_up_host_add(struct made_up_host *host, struct made_up_set *set);

#endif
