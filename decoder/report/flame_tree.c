#include "flame_tree.h"

#include "../../include/cpidecode.h"

_Static_assert(sizeof(struct flame_node) == 32, "two in a cache line");

struct slot {
	uint32_t frame; /* 0: free */
	uint32_t hash;
};

static uint32_t hash_of(uint32_t parent, uint32_t name)
{
	uint64_t hash = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

static int more_slots(struct flame_tree *t)
{
	const struct slot *from = t->table.at;
	struct pages bigger = {0};
	size_t before = from ? (size_t)t->mask + 1 : 0, places = from ? 2 * before : 256;
	if (places > UINT32_MAX || pages_grow(&bigger, places * sizeof *from))
		return CPIDECODE_ENOMEM;
	struct slot *to = bigger.at;
	uint32_t mask = (uint32_t)places - 1;
	for (size_t i = 0; i < before; i++) {
		uint32_t at = from[i].hash;
		if (!from[i].frame)
			continue;
		while (to[at & mask].frame)
			at++;
		to[at & mask] = from[i];
	}
	pages_free(&t->table);
	t->table = bigger;
	t->mask = mask;
	return 0;
}

int flame_tree_begin(struct flame_tree *t, bool measured)
{
	if (pages_room(&t->nodes, 0, sizeof(struct flame_node)) || more_slots(t))
		return CPIDECODE_ENOMEM;
	t->measured = measured;
	t->count = 1;
	return 0;
}

static uint32_t new_frame(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	if (t->count == UINT32_MAX || pages_room(&t->nodes, t->count, sizeof(struct flame_node)))
		return 0;
	struct flame_node *node = flame_tree_node(t, t->count);
	node->parent = parent;
	node->name = name;
	return t->count++;
}

/* One that is not the first child. */
static uint32_t find(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	uint32_t hash = hash_of(parent, name);
	if (t->tabled > t->mask / 2 && more_slots(t))
		return 0;
	for (uint32_t at = hash;; at++) {
		struct slot *slot = (struct slot *)t->table.at + (at & t->mask);
		if (!slot->frame) {
			uint32_t frame = new_frame(t, parent, name);
			*slot = (struct slot){frame, hash};
			t->tabled++;
			return frame;
		}
		if (slot->hash != hash)
			continue;
		const struct flame_node *node = flame_tree_node(t, slot->frame);
		if (node->parent == parent && node->name == name)
			return slot->frame;
	}
}

uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	uint32_t child = flame_tree_node(t, parent)->child;
	if (child)
		return flame_tree_node(t, child)->name == name ? child : find(t, parent, name);
	child = new_frame(t, parent, name);
	flame_tree_node(t, parent)->child = child;
	return child;
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
	pages_free(&t->table);
	*t = (struct flame_tree){0};
}
