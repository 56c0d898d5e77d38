#include "lineage.h"

#include "../../base/grow.h"
#include "lineage_backward.h"

/* Intervals between calls that drop the mapped results from memory. */
enum { DROP_RESULTS = 1 << 17 };

/* Known of an interval once those nested in it are, if the condition asks it of one around. */
struct lineage_inside {
	uint64_t calls;	    /* bits of contains() that hold of one nested in it */
	uint64_t selection; /* with the leaves of self_ns and own_nested_ns */
};

/* Pops the innermost interval, after all that is nested in it. */
static void lineage_close_interval(struct lineage *l, struct thread_stack *t)
{
	const size_t own = t->count - 1;
	struct lineage_entry *stack = t->at;

	lineage_set_inside(l, stack, own);
	if (l->where->asks_inside_around)
		((struct lineage_inside *)l->inside.p)[stack[own].at] =
			(struct lineage_inside){stack[own].calls, stack[own].selection};
	else
		((bool *)l->inside.p)[stack[own].at] =
			lineage_holds(l, stack, own, l->where->expression.root);
	lineage_set_contains(l, stack, own);
	t->count--;
}

static void lineage_close_thread(void *ctx, struct thread_stack *t)
{
	struct lineage *l = ctx;

	if (l->taker)
		lineage_meet_drop(l, t);
	while (l->gathering && t->count)
		lineage_close_interval(l, t);
}

static void lineage_drop_results(struct lineage *l)
{
	if (l->at % DROP_RESULTS == 0 && l->inside.mapped)
		spill_drop(&l->inside);
}

/* Pops intervals that end before this one, and pushes it. NULL: no memory. */
static struct thread_stack *lineage_push(
	struct lineage *l, const struct nest_key *key, uint32_t file, uint64_t selection)
{
	struct thread_stack *t = thread_stacks_find(
		&l->threads, key->era / 2, key->tid, key->era & 1 ? key->start : 0);

	lineage_drop_results(l);
	if (!t)
		return NULL;
	while (t->count && ((struct lineage_entry *)t->at)[t->count - 1].end < key->end) {
		if (l->gathering)
			lineage_close_interval(l, t);
		else
			t->count--;
	}
	if (!t->count)
		t->until = key->end;
	if (array_grow(&t->at, t->count, &t->cap, sizeof(struct lineage_entry)))
		return NULL;
	struct lineage_entry *stack = t->at;
	const size_t own = t->count++;
	lineage_set_entry(&stack[own], key, file, selection);
	stack[own].at = l->at++;
	lineage_set_parent(l, stack, own, own ? own - 1 : LINEAGE_NO_PARENT);
	return t;
}

static int lineage_gather(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection)
{
	struct lineage *l = ctx;
	const size_t size =
		l->where->asks_inside_around ? sizeof(struct lineage_inside) : sizeof(bool);
	int rc = spill_reserve(&l->inside, (l->at + 1) * size);

	if (rc)
		return rc;
	l->gathering = true;
	struct thread_stack *t = lineage_push(l, key, file, selection);
	if (!t)
		return CPIDECODE_ENOMEM;
	if (l->under)
		lineage_set_under(l, t->at, t->count - 1);
	return 0;
}

static int lineage_select(
	void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection, bool *selected)
{
	struct lineage *l = ctx;
	const uint64_t at = l->at;

	if (l->where->asks_inside && !l->where->asks_inside_around) {
		lineage_drop_results(l);
		*selected = ((const bool *)l->inside.p)[l->at++];
		return 0;
	}
	struct thread_stack *t = lineage_push(l, key, file, selection);
	if (!t)
		return CPIDECODE_ENOMEM;
	struct lineage_entry *stack = t->at;
	const size_t own = t->count - 1;
	if (l->where->asks_inside_around) {
		const struct lineage_inside *inside = (struct lineage_inside *)l->inside.p + at;

		/* Calls of under() may have been set before these were known. */
		stack[own].calls |= inside->calls & l->contains;
		stack[own].selection |= inside->selection;
	}
	if (l->under)
		lineage_set_under(l, stack, own);
	*selected = lineage_holds(l, stack, own, l->where->expression.root);
	return 0;
}

static void lineage_end_walk(void *ctx)
{
	struct lineage *l = ctx;

	if (l->taker)
		lineage_meet_over(l);
	thread_stacks_free(&l->threads);
	l->gathering = false;
	l->at = 0;
}

static uint64_t lineage_selection(void *ctx, const struct interval *iv)
{
	const struct lineage *l = ctx;

	return where_selection(l->where, l->trace, iv);
}

static void lineage_find_asked(struct lineage *l)
{
	const struct expression *e = &l->where->expression;

	for (uint16_t i = 0; i < e->nodes; i++) {
		const struct expression_node *n = &e->node[i];
		const bool is_leaf = n->kind == EXPRESSION_COMPARE || n->kind == EXPRESSION_ABSENT;

		l->asks_depth |= is_leaf && l->where->words[n->id].source == WHERE_DEPTH;
		l->asks_self |= is_leaf && l->where->words[n->id].source == WHERE_SELF;
		l->asks_cost |= is_leaf && l->where->words[n->id].source == WHERE_OWN_NESTED;
	}
	for (unsigned i = 0; i < l->where->ncalls; i++)
		*(e->node[l->where->calls[i]].id == WHERE_UNDER ? &l->under : &l->contains) |=
			UINT64_C(1) << i;
}

void lineage_init(
	struct lineage *l, const struct where *w, const struct trace *t, struct interval_query *q)
{
	*l = (struct lineage){.where = w, .trace = t};
	lineage_find_asked(l);
	l->threads.drop = lineage_close_thread;
	l->threads.ctx = l;
	*q = (struct interval_query){.ctx = l,
		.wants = w->wants,
		.gathers = w->asks_inside,
		.selection = lineage_selection,
		.gather = lineage_gather,
		.select = lineage_select,
		.end = lineage_end_walk,
		.meet = lineage_meets(w) ? lineage_meet : NULL,
		.meet_end = lineage_meet_end};
}

void lineage_free(struct lineage *l)
{
	l->gathering = false;
	thread_stacks_free(&l->threads);
	spill_free(&l->inside);
}
