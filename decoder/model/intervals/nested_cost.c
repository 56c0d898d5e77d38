#include "nested_cost.h"

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"

/* Intervals between calls that drop the mapped sums from memory. */
enum { DROP_SUMS = 1 << 17 };

/* An interval that may contain later ones. */
struct open_cost {
	uint64_t end;
	int64_t place; /* -1: not kept */
	struct nested_sum sum;
};

static void nested_cost_drop_sums(struct nested_cost *c)
{
	if (++c->added % DROP_SUMS == 0 && c->sums.mapped)
		spill_drop(&c->sums);
}

int nested_cost_begin(struct nested_cost *c, uint64_t places)
{
	if (places > SIZE_MAX / sizeof(uint64_t))
		return CPIDECODE_ENOMEM;
	return spill_reserve(&c->sums, (size_t)places * sizeof(uint64_t));
}

/* Adds the innermost open interval to the one that contains it. */
static void nested_cost_close_interval(void *ctx, struct thread_stack *t)
{
	struct nested_cost *c = ctx;
	struct open_cost *stack = t->at, *own = &stack[--t->count];

	if (own->place >= 0)
		((uint64_t *)c->sums.p)[own->place] = nested_sum_get(&own->sum);
	if (t->count)
		nested_sum_add(&own[-1].sum, &own->sum);
}

static void nested_cost_close_thread(void *ctx, struct thread_stack *t)
{
	while (t->count)
		nested_cost_close_interval(ctx, t);
}

int nested_cost_add(struct nested_cost *c, const struct nest_key *key)
{
	c->threads.drop = nested_cost_close_thread;
	c->threads.ctx = c;
	nested_cost_drop_sums(c);
	struct thread_stack *t = thread_stacks_find(
		&c->threads, key->era / 2, key->tid, key->era & 1 ? key->start : 0);
	if (!t)
		return CPIDECODE_ENOMEM;
	while (t->count && ((struct open_cost *)t->at)[t->count - 1].end < key->end)
		nested_cost_close_interval(c, t);
	if (!t->count)
		t->until = key->end;
	if (array_grow(&t->at, t->count, &t->cap, sizeof(struct open_cost)))
		return CPIDECODE_ENOMEM;
	struct open_cost *own = (struct open_cost *)t->at + t->count++;
	own->end = key->end;
	own->place = key->place;
	nested_sum_begin(&own->sum, key);
	return 0;
}

void nested_cost_end(struct nested_cost *c)
{
	thread_stacks_free(&c->threads);
}

uint64_t nested_cost_get(struct nested_cost *c, int64_t place)
{
	nested_cost_drop_sums(c);
	return ((const uint64_t *)c->sums.p)[place];
}

void nested_cost_free(struct nested_cost *c)
{
	c->threads.drop = NULL;
	thread_stacks_free(&c->threads);
	spill_free(&c->sums);
	*c = (struct nested_cost){0};
}
