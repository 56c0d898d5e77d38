#include "lineage_backward.h"

#include <stdlib.h>
#include <string.h>

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../../model/intervals/backward.h"
#include "../../model/intervals/record.h"

/* Many long intervals that overlap without nesting would take quadratic time: sorting does not. */
enum { LINEAGE_SHIFTED_AT_ALL = 1 << 20, LINEAGE_SHIFTED_EACH = 64 };

bool lineage_meets(const struct where *w)
{
	return !w->asks_inside_around;
}

static int lineage_offer(const struct lineage *l, const struct lineage_entry *stack, size_t own,
	const struct interval_record *r)
{
	if (!r || !lineage_holds(l, stack, own, l->where->expression.root))
		return 0;
	return l->taker->take(l->taker->ctx, r);
}

/* Pops the innermost interval, after all that is nested in it. */
static void lineage_leave(struct lineage *l, struct thread_stack *t)
{
	const size_t own = t->count - 1;
	struct lineage_entry *stack = t->at;

	if (l->where->asks_inside && !l->taken) {
		lineage_set_inside(l, stack, own);
		l->taken = lineage_offer(
			l, stack, own, stack[own].has_record ? stack[own].record : NULL);
		lineage_set_contains(l, stack, own);
	}
	t->count--;
}

void lineage_meet_drop(struct lineage *l, struct thread_stack *t)
{
	struct lineage_entry *stack = t->at;

	while (t->count)
		lineage_leave(l, t);
	for (size_t i = 0; i < t->cap; i++) {
		l->held -= stack[i].room;
		free(stack[i].record);
	}
}

/* Makes room for one more; of new entries, no room for records. */
static int lineage_grow(struct thread_stack *t)
{
	const size_t cap = t->cap;
	int rc = array_grow(&t->at, t->count, &t->cap, sizeof(struct lineage_entry));

	if (!rc && t->cap > cap)
		memset((struct lineage_entry *)t->at + cap, 0,
			(t->cap - cap) * sizeof(struct lineage_entry));
	return rc;
}

static bool lineage_starts_after(const struct lineage_entry *e, uint32_t era, uint64_t start)
{
	return e->era != era ? e->era > era : e->start > start;
}

/* Opens a place of the stack, below intervals that overlap the new one. */
static void lineage_shift(struct thread_stack *t, size_t at)
{
	struct lineage_entry *stack = t->at;
	const struct lineage_entry free_one = stack[t->count];

	for (size_t i = t->count; i > at; i--) {
		stack[i] = stack[i - 1];
		if (stack[i].parent != LINEAGE_NO_PARENT && stack[i].parent >= at)
			stack[i].parent++;
		if (stack[i].root >= at)
			stack[i].root++;
	}
	stack[at] = free_one;
	t->count++;
}

/* The stack begins with what starts first: once ends come before that, it is over. */
static void lineage_set_until(struct thread_stack *t)
{
	const struct lineage_entry *first = t->at;

	t->until = first->era & 1 ? ~first->start : UINT64_MAX;
}

/* Pops intervals that start after this one ends, and inserts it. *own: its place. */
static int lineage_enter(struct lineage *l, const struct nest_key *key, uint32_t file,
	uint64_t selection, struct thread_stack **found, size_t *own)
{
	struct thread_stack *t = thread_stacks_find(&l->threads, key->era / 2, key->tid, ~key->end);

	if (!t || lineage_grow(t))
		return CPIDECODE_ENOMEM;
	struct lineage_entry *stack = t->at;
	while (t->count && lineage_starts_after(&stack[t->count - 1], key->era | 1, key->end))
		lineage_leave(l, t);
	size_t at = t->count;
	while (at && lineage_starts_after(&stack[at - 1], key->era, key->start))
		at--;
	l->met++;
	l->shifted += t->count - at;
	if (l->shifted > LINEAGE_SHIFTED_AT_ALL + LINEAGE_SHIFTED_EACH * l->met)
		return INTERVAL_BACKWARD_UNSUITED;
	if (at < t->count)
		lineage_shift(t, at);
	else
		t->count++;
	lineage_set_entry(&stack[at], key, file, selection);
	lineage_set_parent(l, stack, at, at ? at - 1 : LINEAGE_NO_PARENT);
	lineage_set_until(t);
	*found = t;
	*own = at;
	return l->taken;
}

/* Keeps a copy until what is nested in it is known. */
static int lineage_keep(struct lineage *l, struct lineage_entry *e, const struct interval_record *r)
{
	const size_t room = e->room;

	if (!r)
		return 0;
	if (!array_reserve(&e->record, &e->room, r->sort.size, 1))
		return CPIDECODE_ENOMEM;
	l->held += e->room - room;
	if (l->held > l->taker->most_held)
		return INTERVAL_BACKWARD_UNSUITED;
	memcpy(e->record, r, r->sort.size);
	e->has_record = true;
	return 0;
}

int lineage_meet(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection,
	const struct interval_record *r, const struct interval_taker *taker)
{
	struct lineage *l = ctx;
	struct thread_stack *t;
	size_t own;

	l->taker = taker;
	int rc = lineage_enter(l, key, file, selection, &t, &own);
	if (rc)
		return rc;
	struct lineage_entry *stack = t->at;
	if (l->under)
		lineage_set_under(l, stack, own);
	return l->where->asks_inside ? lineage_keep(l, &stack[own], r)
				     : lineage_offer(l, stack, own, r);
}

int lineage_meet_end(void *ctx)
{
	struct lineage *l = ctx;

	thread_stacks_free(&l->threads);
	return l->taken;
}

void lineage_meet_over(struct lineage *l)
{
	/* What is left is not to be offered. */
	l->taken = CPIDECODE_ECANCELED;
	thread_stacks_free(&l->threads);
	l->taken = 0;
	l->taker = NULL;
}
