#include "task_losses.h"

#include <xxhash.h>

#include "../../base/grow.h"
#include "../../base/seed.h"
#include "tasks.h"

static uint64_t task_losses_hash(const struct task_losses *t, const struct task_loss *entry)
{
	const uint64_t key[2] = {entry->first, entry->tid};

	return XXH3_64bits_withSeed(key, sizeof key, t->seed);
}

static struct task_loss *task_losses_find(const struct task_losses *t, const struct task_loss *like)
{
	uint64_t slot = task_losses_hash(t, like);

	for (uint32_t found; (found = hash_index_next(&t->index, &slot));) {
		struct task_loss *entry = &t->at[found - 1];

		if (entry->tid == like->tid && entry->first == like->first)
			return entry;
	}
	return NULL;
}

static int task_losses_make_room(struct task_losses *t)
{
	size_t i;

	if (!t->room)
		t->seed = seed_make();
	if (array_grow(&t->at, t->count, &t->room, sizeof *t->at) ||
		!hash_index_grow(&t->index, t->count + 1, &i))
		return CPIDECODE_ENOMEM;
	for (; i < t->count; i++)
		hash_index_add(&t->index, task_losses_hash(t, &t->at[i]), (uint32_t)i);
	return 0;
}

int task_losses_add(struct task_losses *t, const struct task_loss *entry)
{
	struct task_loss *known = task_losses_find(t, entry);
	uint64_t before = known && known->before > entry->before ? known->before : entry->before;

	if (!known) {
		if (t->count > TASKS_MAX)
			return 1;
		if (task_losses_make_room(t))
			return CPIDECODE_ENOMEM;
		hash_index_add(&t->index, task_losses_hash(t, entry), (uint32_t)t->count);
		known = &t->at[t->count++];
	}
	*known = *entry;
	known->before = before < entry->lost ? before : entry->lost;
	return 0;
}

void task_losses_free(struct task_losses *t)
{
	free(t->at);
	hash_index_free(&t->index);
	*t = (struct task_losses){0};
}
