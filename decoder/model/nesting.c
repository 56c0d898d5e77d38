#include "nesting.h"

#include "grow.h"

struct open_interval {
	uint64_t end;
	uint32_t depth;
	int64_t index; /* of the innermost of it and its containers that is in the set */
};

/* Those that ended before the interval at hand does do not hold it, nor any that follows. */
static const struct open_interval *find_outer(
	struct open_interval *stack, size_t *open, uint64_t end)
{
	while (*open && stack[*open - 1].end < end)
		--*open;
	return *open ? &stack[*open - 1] : NULL;
}

int nesting_add(struct nesting *n, uint32_t era, uint32_t tid, uint64_t start, uint64_t end,
	uint32_t *depth)
{
	struct thread_stack *t = thread_stacks_find(&n->threads, era / 2, tid, era & 1 ? start : 0);
	if (!t)
		return CPIDECODE_ENOMEM;
	const struct open_interval *outer = find_outer(t->at, &t->count, end);
	struct open_interval own = {.end = end, .depth = outer ? outer->depth + 1 : 0};
	/* One that ends here too is never again the innermost container of anything. */
	if (outer && outer->end == end)
		t->count--;
	if (grow(&t->at, t->count, &t->cap, sizeof own))
		return CPIDECODE_ENOMEM;
	((struct open_interval *)t->at)[t->count++] = own;
	if (t->count == 1)
		t->until = end;
	*depth = own.depth;
	return 0;
}

void nesting_free(struct nesting *n)
{
	thread_stacks_free(&n->threads);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By thread, then by start, longer first, then as they stand in the trace. */
static int by_thread(const void *a, const void *b)
{
	const struct nest_node *x = a, *y = b;
	int c = compare(x->era / 2, y->era / 2);
	if (!c)
		c = compare(x->tid, y->tid);
	if (!c)
		c = compare(x->era, y->era);
	if (!c)
		c = compare(x->start, y->start);
	if (!c)
		c = compare(y->end, x->end);
	if (!c)
		c = compare(x->ring, y->ring);
	if (!c)
		c = compare(x->position, y->position);
	return c ? c : compare(x->file, y->file);
}

int nest(struct nest_node *nodes, size_t n, struct interval *intervals)
{
	struct open_interval *stack = NULL;
	size_t open = 0, cap = 0;
	if (n)
		qsort(nodes, n, sizeof *nodes, by_thread);
	for (size_t i = 0; i < n; i++) {
		const struct nest_node *node = &nodes[i];
		if (i && (node->tid != node[-1].tid || node->era / 2 != node[-1].era / 2))
			open = 0;
		const struct open_interval *outer = find_outer(stack, &open, node->end);
		struct open_interval own = {.end = node->end,
			.depth = outer ? outer->depth + 1 : 0,
			.index = outer ? outer->index : -1};
		if (node->index >= 0) {
			intervals[node->index].depth = own.depth;
			intervals[node->index].parent = own.index;
			own.index = node->index;
		}
		if (outer && outer->end == node->end)
			open--;
		if (grow(&stack, open, &cap, sizeof *stack)) {
			free(stack);
			return CPIDECODE_ENOMEM;
		}
		stack[open++] = own;
	}
	free(stack);
	return 0;
}
