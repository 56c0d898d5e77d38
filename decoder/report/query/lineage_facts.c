#include "lineage_facts.h"

#include "../../base/exact.h"

/* The subject of a condition: stack[own]. */
struct lineage_row {
	const struct lineage *lineage;
	const struct lineage_entry *stack, *own;
};

static const struct lineage_entry *lineage_find_parent(
	const struct lineage_row *row, const struct lineage_entry *e)
{
	return e && e->parent != LINEAGE_NO_PARENT ? &row->stack[e->parent] : NULL;
}

static const struct lineage_entry *lineage_find_scope(
	const struct lineage_row *row, enum where_scope scope)
{
	switch (scope) {
	case WHERE_OWN:
		return row->own;
	case WHERE_PARENT:
		return lineage_find_parent(row, row->own);
	case WHERE_GRANDPARENT:
		return lineage_find_parent(row, lineage_find_parent(row, row->own));
	case WHERE_ROOT:
		return &row->stack[row->own->root];
	case WHERE_AROUND_ROOT:
		break;
	}
	return NULL;
}

static bool lineage_test_leaf(
	void *ctx, const struct expression *e, const struct expression_node *leaf)
{
	const struct lineage_row *row = ctx;
	const struct where *w = row->lineage->where;
	const unsigned bit = w->bit[leaf - e->node];

	if (leaf->kind == EXPRESSION_CALL)
		return row->own->calls >> bit & 1;
	const struct lineage_entry *asked = lineage_find_scope(row, w->words[leaf->id].scope);
	return asked ? asked->selection >> bit & 1 : leaf->kind == EXPRESSION_ABSENT;
}

bool lineage_holds(
	const struct lineage *l, const struct lineage_entry *stack, size_t own, uint16_t node)
{
	struct lineage_row row = {l, stack, &stack[own]};

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

/* Sets a duration from ticks, or NOT_MEASURED. */
static void lineage_set_duration(const struct lineage *l, struct lineage_entry *own,
	enum where_source source, uint64_t ticks)
{
	const struct trace_file *f = trace_file(l->trace, own->file);

	lineage_set_leaves(l, own, source,
		ticks == NOT_MEASURED ? ticks : exact_round(trace_duration_ns(f, ticks)));
}

void lineage_set_parent(
	const struct lineage *l, struct lineage_entry *stack, size_t own, size_t parent)
{
	struct lineage_entry *e = &stack[own];

	e->parent = parent;
	e->root = own;
	if (parent != LINEAGE_NO_PARENT) {
		e->root = stack[parent].root;
		e->depth = stack[parent].depth + 1;
		stack[parent].children += e->end - e->start;
	}
	if (l->asks_depth)
		lineage_set_leaves(l, e, WHERE_DEPTH, e->depth);
}

void lineage_set_under(const struct lineage *l, struct lineage_entry *stack, size_t own)
{
	struct lineage_entry *e = &stack[own];
	const uint64_t around =
		e->parent != LINEAGE_NO_PARENT ? stack[e->parent].calls & l->under : 0;

	e->calls |= around;
	/* In order: a call may be within a later one. */
	for (uint64_t left = l->under & ~around; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);
		const uint16_t call = l->where->calls[i];

		if (lineage_holds(l, stack, own, l->where->expression.node[call].left))
			e->calls |= UINT64_C(1) << i;
	}
}

void lineage_set_inside(const struct lineage *l, struct lineage_entry *stack, size_t own)
{
	struct lineage_entry *e = &stack[own];

	const uint64_t elapsed = e->end - e->start;

	if (l->asks_self)
		lineage_set_duration(
			l, e, WHERE_SELF, elapsed > e->children ? elapsed - e->children : 0);
	if (!l->asks_cost)
		return;
	lineage_set_duration(l, e, WHERE_OWN_NESTED, nested_sum_get(&e->cost));
	if (e->parent != LINEAGE_NO_PARENT)
		nested_sum_add(&stack[e->parent].cost, &e->cost);
}

void lineage_set_contains(const struct lineage *l, struct lineage_entry *stack, size_t own)
{
	const struct lineage_entry *e = &stack[own];

	if (!l->contains || e->parent == LINEAGE_NO_PARENT)
		return;
	struct lineage_entry *around = &stack[e->parent];
	around->calls |= e->calls & l->contains;
	for (uint64_t left = l->contains & ~around->calls; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);
		const uint16_t call = l->where->calls[i];

		if (lineage_holds(l, stack, own, l->where->expression.node[call].left))
			around->calls |= UINT64_C(1) << i;
	}
}
