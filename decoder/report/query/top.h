/*
 * The intervals of the greatest or least values of a column, found in one pass by a heap for each
 * thread: memory is in proportion to their number.
 */
#ifndef SWT_DECODER_REPORT_QUERY_TOP_H
#define SWT_DECODER_REPORT_QUERY_TOP_H

#include <stdatomic.h>

#include "../../model/intervals/order.h"
#include "where.h"

enum { TOP_MOST = 1000000 };

struct top_entry {
	uint64_t rank;		     /* greater ones come first */
	struct interval_order order; /* among equals */
	uint64_t end;		     /* ticks */
	uint32_t tid;
	uint32_t trace; /* its place by the ids of the traces; before `order` */
	bool is_known;	/* those without a value come last */
};

/* A time of a thread in which some of them were open, in ticks. */
struct top_span {
	uint64_t start, end;
	uint32_t machine, tid;
};

/* Starts zeroed. */
struct top {
	struct top_entry *at; /* the first one has the first place */
	size_t count;
	const struct top_entry **by_hook; /* in order of file, ring and position */
	struct top_span *spans;		  /* in order of machine, thread and start; disjoint */
	size_t nspans;
};

/* By r->sort, or by elapsed time falling. */
struct top_order {
	struct where column;
	bool falling;
	atomic_bool has_texts; /* some interval has a text there, which has no rank */
};

/* Ranks a trace's files by their trace ids; files of one trace share a rank. The caller frees the
 * array. NULL: no memory. */
uint32_t *top_place_traces(const struct trace *t);

/* False: r->sort is no column of numbers that an interval has alone. */
bool top_parse_order(struct top_order *o, const struct report *r);
/* False: it has no value, and comes last. Greater ranks come first. On any thread. */
bool top_find_rank(
	struct top_order *o, const struct trace *t, const struct interval *iv, uint64_t *rank);
/* A number in the order of such numbers. */
uint64_t top_rank_real(double real);

/*
 * The first n intervals that r selects, by an order that was parsed; NULL: the longest. 0 or a
 * CPIDECODE_E code.
 */
int top_find(struct top *t, struct report *r, struct top_order *order, size_t n);
/* Whether the interval is one of them, and its place. On any thread. */
bool top_has(const struct top *t, const struct interval *iv, size_t *place);
/* Whether the interval may contain one of them, or be nested in one. On any thread. */
bool top_is_near(const struct top *t, const struct interval *iv);
void top_free(struct top *t);

#endif
