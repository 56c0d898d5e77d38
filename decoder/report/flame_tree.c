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
	if (t->count == FLAME_MOST || more_room(t))
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

/* One of several. */
static uint32_t find_child(struct flame_tree *t, uint32_t parent, uint64_t path, uint32_t name)
{
	uint32_t hash = hash_of(flame_tree_path(t, path, name));
	if (flame_slots_room(&t->slots, 1))
		return 0;
	struct flame_slot *slot = slot_of(t, hash, parent, name);
	if (slot->number)
		return slot->number;
	uint32_t frame = new_frame(t, parent, name);
	if (frame)
		flame_slots_set(&t->slots, slot, frame, hash);
	return frame;
}

/* An only child does without a slot, until there is a second one. */
static int end_only_child(struct flame_tree *t, uint32_t parent, uint64_t path)
{
	uint32_t child = flame_tree_node(t, parent)->child, name = flame_tree_node(t, child)->name;
	uint32_t hash = hash_of(flame_tree_path(t, path, name));
	if (flame_slots_room(&t->slots, 1))
		return CPIDECODE_ENOMEM;
	flame_slots_set(&t->slots, slot_of(t, hash, parent, name), child, hash);
	flame_tree_node(t, parent)->child = FLAME_SEVERAL;
	return 0;
}

uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint64_t path, uint32_t name)
{
	uint32_t child = flame_tree_node(t, parent)->child;
	if (!child) {
		child = new_frame(t, parent, name);
		flame_tree_node(t, parent)->child = child;
		return child;
	}
	if (child != FLAME_SEVERAL) {
		if (flame_tree_node(t, child)->name == name)
			return child;
		if (end_only_child(t, parent, path))
			return 0;
	}
	return find_child(t, parent, path, name);
}

void flame_tree_ask(const struct flame_tree *t, uint64_t path)
{
	__builtin_prefetch(flame_slots_at(&t->slots, hash_of(path)), 1);
}

void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path)
{
	__builtin_prefetch(flame_tree_node(t, flame_slots_at(&t->slots, hash_of(path))->number), 1);
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
