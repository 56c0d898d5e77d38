/* The library's own cost, from a file's intervals, for the info report. */
#ifndef SWT_DECODER_REPORT_INFO_COST_H
#define SWT_DECODER_REPORT_INFO_COST_H

#include "../../sink/document.h"
#include "../report.h"

enum { INFO_COSTS = 16 }; /* the most that are listed; else only their range */

/* The library's cost in one process: each calibrates itself. */
struct info_cost {
	bool has_pid;
	uint32_t pid;
	uint64_t inside, pair; /* ticks */
	uint64_t intervals;
};

/* Starts zeroed. */
struct info_costs {
	struct info_cost list[INFO_COSTS];
	unsigned n;
	bool more; /* than the list holds */
	uint64_t intervals;
	uint64_t inside_min, inside_max, pair_min, pair_max; /* of all */
};

void info_costs_add(struct info_costs *c, const struct interval *iv);
/* The same result in any order. */
void info_costs_merge(struct info_costs *c, const struct info_costs *from);
/* After the last one: orders the list. */
void info_costs_settle(struct info_costs *c);
/* Lines, none without costs; or a member. */
void info_write_costs(struct document *d, const struct info_costs *c, const struct trace_file *f);

#endif
