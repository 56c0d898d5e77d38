#include "flame_tree.h"

#include <sys/random.h>

#include "../../include/cpidecode.h"

_Static_assert(sizeof(struct flame_node) == 32, "two in a cache line");

static int more_room(struct flame_tree *t)
{
	int rc = pages_room(&t->nodes, t->count, sizeof(struct flame_node));
	return rc || !t->measured ? rc : flame_measures_room(&t->measures, t->count);
}

int flame_tree_begin(struct flame_tree *t, bool measured)
{
	t->measured = measured;
	if (more_room(t) || flame_slots_room(&t->slots, 1))
		return CPIDECODE_ENOMEM;
	/* Before the system has random numbers, hashes can be foreseen: that costs time at worst.
	 */
	uint64_t random[2] = {0};
	if (getrandom(random, sizeof random, GRND_NONBLOCK) < 0)
		random[0] = random[1] = 0;
	t->seed[0] = random[0] ^ UINT64_C(0x9e3779b97f4a7c15);
	t->seed[1] = random[1] ^ UINT64_C(0xbf58476d1ce4e5b9);
	t->count = 1;
	return 0;
}

static uint32_t new_frame(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	if (t->count == FLAME_SEVERAL || more_room(t))
		return 0;
	struct flame_node *node = flame_tree_node(t, t->count);
	node->parent = parent;
	node->name = name;
	return t->count++;
}

static uint32_t hash_of(uint64_t path)
{
	return (uint32_t)(path >> 32);
}

/* Its slot, or the free one where it belongs. */
static struct flame_slot *slot_of(
	const struct flame_tree *t, uint32_t hash, uint32_t parent, uint32_t name)
{
	for (uint32_t at = hash;; at++) {
		struct flame_slot *slot = flame_slots_at(&t->slots, at);
		if (!slot->number)
			return slot;
		if (slot->hash != hash)
			continue;
		const struct flame_node *node = flame_tree_node(t, slot->number);
		if (node->parent == parent && node->name == name)
			return slot;
	}
}

static int put_in_slot(struct flame_tree *t, uint32_t frame, uint64_t parent_path)
{
	const struct flame_node *node = flame_tree_node(t, frame);
	uint32_t hash = hash_of(flame_tree_path(t, parent_path, node->name));
	if (flame_slots_room(&t->slots, 1))
		return CPIDECODE_ENOMEM;
	flame_slots_set(&t->slots, slot_of(t, hash, node->parent, node->name), frame, hash);
	return 0;
}

/* One that is in no slot. */
static uint32_t only_child(struct flame_tree *t, uint32_t parent, uint64_t path, uint32_t name)
{
	uint32_t child = flame_tree_node(t, parent)->child;
	if (child && child != FLAME_SEVERAL && flame_tree_node(t, child)->name == name)
		return child;
	uint32_t frame = new_frame(t, parent, name);
	if (!frame)
		return 0;
	if (child && child != FLAME_SEVERAL && put_in_slot(t, child, path))
		return 0;
	if (child && put_in_slot(t, frame, path))
		return 0;
	flame_tree_node(t, parent)->child = child ? FLAME_SEVERAL : frame;
	return frame;
}

uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint64_t path, uint32_t name)
{
	if (!flame_tree_node(t, parent)->child)
		return only_child(t, parent, path, name);
	uint32_t hash = hash_of(flame_tree_path(t, path, name));
	const struct flame_slot *slot = slot_of(t, hash, parent, name);
	return slot->number ? slot->number : only_child(t, parent, path, name);
}

void flame_tree_ask(const struct flame_tree *t, uint64_t path)
{
	__builtin_prefetch(flame_slots_at(&t->slots, hash_of(path)), 1);
}

void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path)
{
	uint32_t frame = flame_slots_at(&t->slots, hash_of(path))->number;
	__builtin_prefetch(flame_tree_node(t, frame), 1);
	if (t->measured)
		flame_measures_ask(&t->measures, frame);
}

int flame_tree_count(struct flame_tree *t, uint32_t frame, const struct flame_part *part)
{
	struct flame_node *node = flame_tree_node(t, frame);
	node->count++;
	return t->measured ? flame_measures_add(&t->measures, frame, &node->state, part) : 0;
}

void flame_tree_free(struct flame_tree *t)
{
	flame_names_free(&t->names);
	flame_measures_free(&t->measures);
	pages_free(&t->nodes);
	pages_free(&t->slots.at);
	*t = (struct flame_tree){0};
}
