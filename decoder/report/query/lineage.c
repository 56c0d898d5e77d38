#include "lineage.h"

#include "../../base/exact.h"
#include "../../base/grow.h"
#include "../../model/intervals/nested_cost.h"

/* Intervals between calls that drop the mapped results from memory. */
enum { DROP_RESULTS = 1 << 17 };

/* Known of an interval once those nested in it are, if the condition asks it of one around. */
struct lineage_inside {
	uint64_t calls;	    /* bits of contains() that hold of one nested in it */
	uint64_t selection; /* with the leaves of self_ns and own_nested_ns */
};

/* An interval that may contain later ones. */
struct lineage_entry {
	uint64_t end;
	uint64_t selection; /* bits of leaves that hold of it */
	uint64_t calls;	    /* bits of calls: under() of it, contains() once that is known */
	uint64_t elapsed, children; /* ticks; children: of those directly in it */
	struct nested_sum cost;
	uint64_t at; /* its place in the walk */
	uint32_t file;
};

/* The subject of a condition: the innermost interval of a stack. */
struct lineage_row {
	const struct lineage *lineage;
	const struct lineage_entry *root, *own; /* parent: own - 1, unless own is root */
};

static bool lineage_test_leaf(
	void *ctx, const struct expression *e, const struct expression_node *leaf)
{
	const struct lineage_row *row = ctx;
	const struct where *w = row->lineage->where;
	const ptrdiff_t depth = row->own - row->root;
	const unsigned bit = w->bit[leaf - e->node];
	ptrdiff_t up = 0;

	if (leaf->kind == EXPRESSION_CALL)
		return row->own->calls >> bit & 1;
	switch (w->words[leaf->id].scope) {
	case WHERE_OWN:
		break;
	case WHERE_PARENT:
		up = 1;
		break;
	case WHERE_GRANDPARENT:
		up = 2;
		break;
	case WHERE_ROOT:
		up = depth;
		break;
	case WHERE_AROUND_ROOT:
		up = depth + 1;
		break;
	}
	if (up > depth)
		return leaf->kind == EXPRESSION_ABSENT;
	return row->own[-up].selection >> bit & 1;
}

static bool lineage_holds(const struct lineage *l, const struct thread_stack *t, uint16_t node)
{
	const struct lineage_entry *stack = t->at;
	struct lineage_row row = {l, stack, &stack[t->count - 1]};

	return expression_holds_at(&l->where->expression, node, lineage_test_leaf, &row);
}

/* Sets the leaves of the entry that ask for the figure. */
static void lineage_set_leaves(const struct lineage *l, struct lineage_entry *own,
	enum where_source source, uint64_t figure)
{
	const struct expression *e = &l->where->expression;
	const struct expression_value value = {
		.kind = figure == NOT_MEASURED ? EXPRESSION_VALUE_NONE : EXPRESSION_VALUE_WHOLE,
		.size = figure};

	for (uint16_t i = 0; i < e->nodes; i++) {
		const struct expression_node *n = &e->node[i];

		if ((n->kind == EXPRESSION_COMPARE || n->kind == EXPRESSION_ABSENT) &&
			l->where->words[n->id].source == source && expression_test(e, n, &value))
			own->selection |= UINT64_C(1) << l->where->bit[i];
	}
}

/* Of ticks, or NOT_MEASURED. */
static void lineage_set_duration(const struct lineage *l, struct lineage_entry *own,
	enum where_source source, uint64_t ticks)
{
	const struct trace_file *f = trace_file(l->trace, own->file);

	lineage_set_leaves(l, own, source,
		ticks == NOT_MEASURED ? ticks : exact_round(trace_duration_ns(f, ticks)));
}

/* The leaves that are known once the intervals nested in it are. */
static void lineage_set_inside(const struct lineage *l, struct lineage_entry *own)
{
	if (l->asks_self)
		lineage_set_duration(l, own, WHERE_SELF,
			own->elapsed > own->children ? own->elapsed - own->children : 0);
	if (l->asks_cost)
		lineage_set_duration(l, own, WHERE_OWN_NESTED, nested_sum_get(&own->cost));
}

/* Those of under(), which hold of an interval if they do of the one around; the others are set. */
static void lineage_set_under(const struct lineage *l, struct thread_stack *t)
{
	struct lineage_entry *stack = t->at, *own = &stack[t->count - 1];
	const uint64_t around = own > stack ? own[-1].calls & l->under : 0;

	own->calls |= around;
	/* In order: a call may be within a later one. */
	for (uint64_t left = l->under & ~around; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);

		if (lineage_holds(l, t, l->where->expression.node[l->where->calls[i]].left))
			own->calls |= UINT64_C(1) << i;
	}
}

/* Passes the calls of contains() that hold for the innermost interval on to its parent, for which
 * they hold too. */
static void lineage_set_contains(const struct lineage *l, struct thread_stack *t)
{
	struct lineage_entry *own = (struct lineage_entry *)t->at + t->count - 1, *around = own - 1;

	around->calls |= own->calls & l->contains;
	for (uint64_t left = l->contains & ~around->calls; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);

		if (lineage_holds(l, t, l->where->expression.node[l->where->calls[i]].left))
			around->calls |= UINT64_C(1) << i;
	}
}

/* Pops the innermost interval, after all that is nested in it. */
static void lineage_close_interval(struct lineage *l, struct thread_stack *t)
{
	struct lineage_entry *own = (struct lineage_entry *)t->at + t->count - 1;

	lineage_set_inside(l, own);
	if (l->asks_cost && t->count > 1)
		nested_sum_add(&own[-1].cost, &own->cost);
	if (l->where->asks_inside_around)
		((struct lineage_inside *)l->inside.p)[own->at] =
			(struct lineage_inside){own->calls, own->selection};
	else
		((bool *)l->inside.p)[own->at] = lineage_holds(l, t, l->where->expression.root);
	if (l->contains && t->count > 1)
		lineage_set_contains(l, t);
	t->count--;
}

static void lineage_close_thread(void *ctx, struct thread_stack *t)
{
	struct lineage *l = ctx;

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
	struct lineage_entry *stack = t->at, *own = &stack[t->count++];
	*own = (struct lineage_entry){.end = key->end,
		.selection = selection,
		.elapsed = key->end - key->start,
		.cost = nested_sum_begin(key),
		.at = l->at++,
		.file = file};
	if (own > stack)
		own[-1].children += own->elapsed;
	if (l->asks_depth)
		lineage_set_leaves(l, own, WHERE_DEPTH, t->count - 1);
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
		lineage_set_under(l, t);
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
	if (l->where->asks_inside_around) {
		const struct lineage_inside *inside = (struct lineage_inside *)l->inside.p + at;
		struct lineage_entry *own = &((struct lineage_entry *)t->at)[t->count - 1];

		/* Those of under() may have been set before these were known. */
		own->calls |= inside->calls & l->contains;
		own->selection |= inside->selection;
	}
	if (l->under)
		lineage_set_under(l, t);
	*selected = lineage_holds(l, t, l->where->expression.root);
	return 0;
}

static void lineage_end_walk(void *ctx)
{
	struct lineage *l = ctx;

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
		.end = lineage_end_walk};
}

void lineage_free(struct lineage *l)
{
	l->gathering = false;
	thread_stacks_free(&l->threads);
	spill_free(&l->inside);
}
