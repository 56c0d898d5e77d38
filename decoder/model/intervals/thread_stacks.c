#include "thread_stacks.h"

#include <stdlib.h>

static struct thread_stack *thread_stacks_find_bucket(
	const struct thread_stacks *s, uint32_t machine, uint32_t tid)
{
	uint64_t key = (uint64_t)machine << 32 | tid;
	size_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	for (;; i++) {
		struct thread_stack *at = &s->table[i & (s->places - 1)];
		if (!at->used || (at->tid == tid && at->machine == machine))
			return at;
	}
}

static void give_up(struct thread_stacks *s, struct thread_stack *stack)
{
	if (s->drop)
		s->drop(s->ctx, stack);
	free(stack->at);
}

static bool is_open(const struct thread_stacks *s, const struct thread_stack *at, uint32_t machine,
	uint64_t start)
{
	return at->used && (s->mixed || at->machine == machine) && at->until >= start;
}

static size_t still_open(const struct thread_stacks *s, uint32_t machine, uint64_t start)
{
	size_t n = 0;
	for (size_t i = 0; i < s->places; i++)
		n += is_open(s, &s->table[i], machine, start);
	return n;
}

static bool thread_stacks_grow_table(struct thread_stacks *s, uint32_t machine, uint64_t start)
{
	size_t open = still_open(s, machine, start);
	struct thread_stacks fresh = *s;
	fresh.places = s->places ? s->places : 64;
	while (fresh.places < 4 * (open + 1))
		fresh.places *= 2;
	fresh.table = calloc(fresh.places, sizeof *fresh.table);
	if (!fresh.table)
		return false;
	for (size_t i = 0; i < s->places; i++) {
		struct thread_stack *at = &s->table[i];
		if (is_open(s, at, machine, start))
			*thread_stacks_find_bucket(&fresh, at->machine, at->tid) = *at;
		else if (at->used)
			give_up(s, at);
	}
	free(s->table);
	s->table = fresh.table;
	s->places = fresh.places;
	s->threads = open;
	return true;
}

struct thread_stack *thread_stacks_find(
	struct thread_stacks *s, uint32_t machine, uint32_t tid, uint64_t start)
{
	struct thread_stack *at = s->last;
	if (at && at->tid == tid && at->machine == machine)
		return at;
	s->last = NULL;
	if (s->threads >= s->places / 2 && !thread_stacks_grow_table(s, machine, start))
		return NULL;
	at = thread_stacks_find_bucket(s, machine, tid);
	if (!at->used) {
		*at = (struct thread_stack){.machine = machine, .tid = tid, .used = true};
		s->threads++;
	}
	return s->last = at;
}

void thread_stacks_free(struct thread_stacks *s)
{
	for (size_t i = 0; i < s->places; i++)
		if (s->table[i].used)
			give_up(s, &s->table[i]);
	free(s->table);
	s->table = NULL;
	s->last = NULL;
	s->places = s->threads = 0;
}
