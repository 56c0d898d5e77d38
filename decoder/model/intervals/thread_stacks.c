#include "thread_stacks.h"

#include "../../../formats/base/hash.h"
#include "../../base/grow.h"

static uint64_t thread_stacks_hash(uint32_t machine, uint32_t tid)
{
	return hash_u64((uint64_t)machine << 32 | tid);
}

static void thread_stacks_drop(struct thread_stacks *s, struct thread_stack *stack)
{
	if (s->drop)
		s->drop(s->ctx, stack);
	free(stack->at);
}

static bool is_open(const struct thread_stacks *s, const struct thread_stack *at, uint32_t machine,
	uint64_t start)
{
	return (s->mixed || at->machine == machine) && at->until >= start;
}

/* Drops ended stacks, and indexes the others with room for as many more. */
static bool thread_stacks_make_room(struct thread_stacks *s, uint32_t machine, uint64_t start)
{
	size_t open = 0, kept = 0;

	for (size_t i = 0; i < s->count; i++)
		open += is_open(s, &s->stacks[i], machine, start);
	if (!hash_index_reset(&s->by_thread, 2 * (open + 1)))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		struct thread_stack *at = &s->stacks[i];

		if (!is_open(s, at, machine, start)) {
			thread_stacks_drop(s, at);
			continue;
		}
		hash_index_add(
			&s->by_thread, thread_stacks_hash(at->machine, at->tid), (uint32_t)kept);
		s->stacks[kept++] = *at;
	}
	s->count = kept;
	return true;
}

/* Before the stacks move. */
static void thread_stacks_forget(struct thread_stacks *s)
{
	memset(s->recent, 0, sizeof s->recent);
}

struct thread_stack *thread_stacks_find(
	struct thread_stacks *s, uint32_t machine, uint32_t tid, uint64_t start)
{
	struct thread_stack **recent = &s->recent[tid % THREAD_STACKS_RECENT], *at = *recent;

	if (at && at->tid == tid && at->machine == machine)
		return at;
	if (s->count >= s->by_thread.slots / 2) {
		thread_stacks_forget(s);
		if (!thread_stacks_make_room(s, machine, start))
			return NULL;
	}
	const uint64_t hash = thread_stacks_hash(machine, tid);
	uint64_t next = hash;
	for (uint32_t found; (found = hash_index_next(&s->by_thread, &next));) {
		at = &s->stacks[found - 1];
		if (at->tid == tid && at->machine == machine)
			return *recent = at;
	}
	if (s->count == s->room)
		thread_stacks_forget(s);
	if (array_grow(&s->stacks, s->count, &s->room, sizeof *s->stacks))
		return NULL;
	hash_index_add(&s->by_thread, hash, (uint32_t)s->count);
	at = &s->stacks[s->count++];
	*at = (struct thread_stack){.machine = machine, .tid = tid};
	return *recent = at;
}

void thread_stacks_free(struct thread_stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		thread_stacks_drop(s, &s->stacks[i]);
	free(s->stacks);
	hash_index_free(&s->by_thread);
	s->stacks = NULL;
	thread_stacks_forget(s);
	s->count = s->room = 0;
}
