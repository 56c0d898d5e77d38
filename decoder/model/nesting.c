#include "nesting.h"

#include "grow.h"

struct open_interval {
	uint64_t end;
	uint32_t depth;
	int64_t index; /* of the innermost of it and its containers that is in the set */
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By thread, then by start, longer first, then as they stand in the trace. */
static int by_thread(const void *a, const void *b)
{
	const struct nest_node *x = a, *y = b;
	int c = compare(x->machine, y->machine);
	if (!c)
		c = compare(x->tid, y->tid);
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
		if (i && (node->tid != node[-1].tid || node->machine != node[-1].machine))
			open = 0;
		while (open && stack[open - 1].end < node->end)
			open--;
		const struct open_interval *outer = open ? &stack[open - 1] : NULL;
		struct open_interval own = {.end = node->end,
			.depth = outer ? outer->depth + 1 : 0,
			.index = outer ? outer->index : -1};
		if (node->index >= 0) {
			intervals[node->index].depth = own.depth;
			intervals[node->index].parent = own.index;
			own.index = node->index;
		}
		/* One that ends here too is never again the innermost container of anything. */
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
