/*
 * Facts of an interval for a condition that asks other intervals (where.h): its leaves and calls,
 * once those around it, and those nested in it, are on its thread's stack or were. Both walks of
 * an interval_query use them: lineage.c, parents first, and lineage_backward.c.
 */
#ifndef SWT_DECODER_REPORT_QUERY_LINEAGE_FACTS_H
#define SWT_DECODER_REPORT_QUERY_LINEAGE_FACTS_H

#include "../../base/spill.h"
#include "../../model/intervals/nested_cost.h"
#include "../../model/intervals/stream.h"
#include "where.h"

struct lineage {
	const struct where *where;
	const struct trace *trace;
	struct thread_stacks threads;
	/* A struct lineage_inside, or bool, for each interval, in order of the walks. */
	struct spill inside;
	uint64_t at; /* the next interval of the walk */
	bool gathering;
	/* Facts that the condition needs; the others are not computed. */
	bool asks_depth, asks_self, asks_cost;
	uint64_t under, contains; /* bits of calls */
	/* In a walk by ends: who gets the selected intervals, and its first code. */
	const struct interval_taker *taker;
	int taken;
	uint64_t met, shifted; /* intervals, and how many of them made way for another */
	size_t held;	       /* bytes of the entries' records */
};

#define LINEAGE_NO_PARENT SIZE_MAX

/* An interval that may contain later ones. */
struct lineage_entry {
	uint64_t start, end;
	uint64_t selection; /* bits of leaves that hold of it */
	uint64_t calls;	    /* bits of calls: under() of it, contains() once that is known */
	uint64_t children;  /* ticks of those directly in it */
	struct nested_sum cost;
	uint64_t at;	     /* its place in the walk */
	size_t parent, root; /* on the stack; of the outermost one, LINEAGE_NO_PARENT and itself */
	uint32_t file, depth, era;
	/* In order of the ends: room for a copy, which later entries of this place use again. */
	bool has_record; /* it may be selected */
	size_t room;
	struct interval_record *record;
};

/*
 * Of an interval whose parent is not set yet. Sets members one by one: GCC zeroes a compound
 * literal first, or builds it elsewhere and copies it with loads that its stores cannot forward to.
 */
static inline void lineage_set_entry(
	struct lineage_entry *e, const struct nest_key *key, uint32_t file, uint64_t selection)
{
	e->start = key->start;
	e->end = key->end;
	e->selection = selection;
	e->calls = e->children = 0;
	nested_sum_begin(&e->cost, key);
	e->file = file;
	e->depth = 0;
	e->era = key->era;
	e->has_record = false;
}
/* Sets the parent of stack[own], and what is known of both by it. */
void lineage_set_parent(
	const struct lineage *l, struct lineage_entry *stack, size_t own, size_t parent);

/* Whether a node of the condition holds of stack[own]. */
bool lineage_holds(
	const struct lineage *l, const struct lineage_entry *stack, size_t own, uint16_t node);
/* Sets the calls of under(), which hold of an interval if they do of the one around, once all
 * others are set. */
void lineage_set_under(const struct lineage *l, struct lineage_entry *stack, size_t own);
/* Once those nested in it are known: its other leaves, and what its parent gets from it. */
void lineage_set_inside(const struct lineage *l, struct lineage_entry *stack, size_t own);
/* After that: passes the calls of contains() that hold for it on to its parent, for which they hold
 * too. */
void lineage_set_contains(const struct lineage *l, struct lineage_entry *stack, size_t own);

#endif
