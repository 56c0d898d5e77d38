/*
 * The gaps between the intervals of a label on a thread, and what filled them. An instant of a gap
 * belongs to the interval of the thread that began last of those around it, or to nothing.
 *
 * decoder/report/query/gaps owns the report of gaps. It includes report, base, model, partial
 * and query. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GAPS_GAPS_H
#define SWT_DECODER_REPORT_QUERY_GAPS_GAPS_H

#include "../../tallies.h"

#define GAPS_BY_THREAD "label,tid"

enum {
	/* With a name; the rest is summed. */
	GAPS_FILLERS = 10,
	GAPS_FILLERS_TEXT = 4,
};

/* A filler of a row's gaps. */
struct gap_filler {
	uint32_t row;
	const struct tally_group *group; /* NULL: nothing was recorded, or others */
	bool is_others;
	exact_sum time; /* in 1/EXACT_PER_NS ns */
	uint64_t count; /* intervals that began in the gaps */
	/* Off-CPU time, ns, of those of them without nested intervals, and how many have it. */
	uint64_t off_ns, tell_off;
};

struct gap_row {
	const struct tally_group *group;
	/* With r->by_list, which is GAPS_BY_THREAD: of that thread. */
	uint32_t machine, tid;
	const uint8_t *machine_id; /* the least id of its traces */
	const struct task *task;
	struct histogram gaps; /* whole ns */
	exact_sum total;       /* in 1/EXACT_PER_NS ns */
	/* By time, the greatest first; those with a name. */
	const struct gap_filler *fillers;
	size_t nfillers;
	struct gap_filler nothing, others;
};

/* Rows with gaps, by total time, the greatest first. Returns as choice_make. */
int gaps_print(struct report *r, const struct gap_row *const *rows, size_t count);

#endif
