#include "nesting.h"

#include "../../base/grow.h"

struct open_interval {
	uint64_t end;
	uint32_t depth, name;
	int64_t place; /* of the innermost of it and its containers that is handed out */
	struct interval_hook hook;
};

/* Pops intervals that end before the current one: they contain neither it nor a later one. */
static const struct open_interval *find_outer(
	struct open_interval *stack, size_t *open, uint64_t end)
{
	while (*open && stack[*open - 1].end < end)
		--*open;
	return *open ? &stack[*open - 1] : NULL;
}

int nesting_add(struct nesting *n, const struct nest_key *key, struct nest_found *found)
{
	struct thread_stack *t = thread_stacks_find(
		&n->threads, key->era / 2, key->tid, key->era & 1 ? key->start : 0);

	if (!t || array_grow(&t->at, t->count, &t->cap, sizeof(struct open_interval)))
		return CPIDECODE_ENOMEM;
	struct open_interval *stack = t->at;
	const struct open_interval *outer = find_outer(stack, &t->count, key->end);
	found->depth = 0;
	found->parent = -1;
	found->name = 0;
	if (outer) {
		found->depth = outer->depth + 1;
		found->parent = outer->place;
		found->hook = outer->hook;
		found->name = outer->name;
		/* An outer interval that ends here too contains no later one. */
		if (outer->end == key->end)
			t->count--;
	}
	if (!t->count)
		t->until = key->end;
	stack[t->count++] = (struct open_interval){.end = key->end,
		.depth = found->depth,
		.name = key->name,
		.place = key->place >= 0 ? key->place : found->parent,
		.hook = key->hook};
	return 0;
}

/* Intervals on the stack have indexes, too, in the order of the search for depths. */
struct placed_interval {
	uint64_t end;
	int64_t found, place;
};

/* CLOCK_REALTIME as an unsigned key in the same order. */
static uint64_t nesting_bias_time(int64_t ns)
{
	return (uint64_t)ns ^ UINT64_C(1) << 63;
}

static int64_t nesting_find_index(const struct placed_interval *stack, size_t n, int64_t found)
{
	while (n-- > 0)
		if (stack[n].found == found)
			return stack[n].place;
	return -1;
}

int nesting_renumber(struct nesting *n, struct interval *iv, int64_t index)
{
	n->threads.mixed = true;
	struct thread_stack *t = thread_stacks_find(
		&n->threads, iv->machine, iv->tid, n->keeps ? 0 : nesting_bias_time(iv->start_ns));
	if (!t)
		return CPIDECODE_ENOMEM;
	struct placed_interval *stack = t->at, own = {iv->end_ticks, iv->place, index};
	while (t->count && stack[t->count - 1].end < own.end)
		t->count--;
	if (!t->count)
		t->until = nesting_bias_time(iv->end_ns);
	if (iv->parent >= 0)
		iv->parent = nesting_find_index(stack, t->count, iv->parent);
	iv->place = index;
	if (array_grow(&t->at, t->count, &t->cap, sizeof own))
		return CPIDECODE_ENOMEM;
	((struct placed_interval *)t->at)[t->count++] = own;
	return 0;
}

void nesting_free(struct nesting *n)
{
	thread_stacks_free(&n->threads);
}
