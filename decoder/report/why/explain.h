/*
 * Correlates of the tail: parents, threads, processors, times and arguments that are more frequent
 * among the slowest intervals than chance leaves likely.
 *
 * A value is tested if at least WHY_LEAST_TAIL intervals of the tail have it. It is an explanation
 * if an interval with it is at least twice as likely to be in the tail as one without, if it goes
 * with at least a tenth of the tail's excess, and if as many in the tail have by chance a
 * probability of at most WHY_CHANCE (hypergeometric), divided by the number of values tested.
 */
#ifndef SWT_DECODER_WHY_EXPLAIN_H
#define SWT_DECODER_WHY_EXPLAIN_H

#include "../../sink/document.h"
#include "kept.h"
#include "why.h"

enum {
	WHY_LEAST_TAIL = 5,
	WHY_LEAST_RATIO = 2,
	WHY_LEAST_SHARE = 10, /* percent of the excess */
	WHY_EXPLANATIONS = 8, /* of a label, at most */
	WHY_TIMES = 20,	      /* parts of the trace's time */
	WHY_VALUES = 1024,    /* of a kind that are distinguished */
	WHY_ARGUMENTS =
		64, /* distinct values of an argument; numbers with more are grouped by doublings */
};
#define WHY_CHANCE 0.001

enum why_by {
	WHY_BY_PARENT,
	WHY_BY_THREAD,
	WHY_BY_PROCESSOR,
	WHY_BY_TIME,
	WHY_BY_ARGUMENT,
	WHY_BY_RANGE, /* of an argument */
	WHY_BYS,
};

struct why_explanation {
	uint32_t group; /* its index */
	uint32_t cell;	/* of the search */
	enum why_by by;
	const char *value; /* any bytes */
	size_t length;
	uint64_t count, tail;	 /* intervals with it; of these in the tail */
	double share, excess_ns; /* percent of the tail's excess, and its part of the difference */
	double mean[2];		 /* ns: of the intervals with it, and of the others */
	struct histogram times[2];
};

/* By group, the greatest share first. Starts zeroed. */
struct why_explanations {
	struct why_explanation *at;
	size_t count;
	struct intern memory;
};

/* The probability that n of all, drawn by chance, have at least k of the tail's. */
double why_chance(uint64_t all, uint64_t tail, uint64_t n, uint64_t k);

/*
 * kept: instead of r->trace, NULL: none. groups: parallel to those of t, with their sums. To be
 * freed in any case. Reads the trace twice more if a group has enough intervals. 0 or a CPIDECODE_E
 * code.
 */
int why_explain(struct report *r, const struct why_kept *kept, const struct why_group *groups,
	const struct tally *t, struct why_explanations *e);
void why_explanations_free(struct why_explanations *e);

/* The first of a group's explanations, and how many it has. */
const struct why_explanation *why_explanations_of(
	const struct why_explanations *e, uint32_t group, size_t *count);
/* The beginning of rows with these columns; zeroed: the row is another quantity. */
struct why_explained {
	const struct tally_group *group;
	struct cell by, value, count, tail;
	struct cell mean[2], median[2]; /* as in why_explanation */
	double share, excess;
};
void why_explained_set(struct why_explained *row, const struct why_explanation *e);
extern const struct column why_explanation_columns[];
/* A table, or a member; nothing if there is none. */
void why_write_explanations(struct document *d, const struct why_explanations *e, uint32_t group);

#endif
