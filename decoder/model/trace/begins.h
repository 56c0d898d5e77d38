/*
 * Intervals that have begun, by hooks of their own (INTERVAL_MINOR_BEGIN), and which of them are
 * over. The others are open: not over when the trace ended, or their end was lost. Pairs are
 * found by their number, whatever thread, ring, slice or file their hooks are of, and in any order;
 * a pair is dropped soon, so that memory grows with the intervals open at one time, and with pairs
 * whose hooks are in different slices.
 */
#ifndef SWT_DECODER_MODEL_TRACE_BEGINS_H
#define SWT_DECODER_MODEL_TRACE_BEGINS_H

#include "model.h"

struct trace;

/* A begin hook, or that it is over. */
struct begun {
	uint64_t id; /* of the machine */
	uint64_t ticks, position;
	const struct task *task;
	const char *label; /* a file's, or text; NULL: none */
	char *text;	   /* owned */
	uint32_t label_len, period, ring, tid, file, machine;
	uint8_t major, mm; /* of the interval */
	bool over;
	bool unnamed; /* its label has a number that the file has not defined so far */
};

/* Starts zeroed. */
struct begins {
	struct begun *at;
	size_t count, room, paired; /* paired: those left when pairs were dropped last */
	size_t slice;		    /* where those of the current slice begin */
	uint32_t *period;	    /* by machine: the last one of all begin hooks */
	size_t machines, machines_room;
};

/* Adds one, whose text becomes this one's. 0 or CPIDECODE_ENOMEM. */
int begins_add(struct begins *b, struct begun *begun);
/* The next ones are of another slice: numbers that a damaged trace has several times are paired
 * alike in whatever order slices are read, unless there are thousands in different slices. */
static inline void begins_end_slice(struct begins *b)
{
	b->slice = b->count;
}
/* Whether one of them is unnamed. */
bool begins_lack_names(const struct begins *b);
/* Moves all to another one. 0 or CPIDECODE_ENOMEM. */
int begins_move(struct begins *to, struct begins *from);
/*
 * After the last hook: leaves open intervals, in order of time. Turning tracing off drops them, so
 * that of each machine only the last period counts. Again: changes nothing.
 */
void begins_settle(struct begins *b, const struct trace *t);
void begins_free(struct begins *b);

#endif
