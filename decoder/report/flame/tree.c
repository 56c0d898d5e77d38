#include "tree.h"

#include <stdlib.h>

#include "../../../formats/base/hash.h"
#include "../../../include/cpidecode.h"
#include "../../base/seed.h"

enum { TREE_AHEAD = 32 };

void flame_tree_ask(const struct flame_tree *t, uint64_t path)
{
	__builtin_prefetch(hash_index_at(&t->slots.index, path), 1);
}

/* Nodes do not keep the hashes of their paths; their parents come before them. */
static int flame_tree_rehash_nodes(struct flame_tree *t)
{
	uint64_t *path = malloc(t->count * sizeof *path);

	if (!path)
		return CPIDECODE_ENOMEM;
	path[0] = 0;
	for (uint32_t i = 1, put = 1; i < t->count; i++) {
		const struct flame_node *node = flame_tree_node(t, i);

		path[i] = flame_tree_path(t, path[node->parent], node->name);
		flame_tree_ask(t, path[i]);
		for (; put <= i && (put + TREE_AHEAD <= i || i + 1 == t->count); put++)
			flame_slots_add(&t->slots, put, path[put]);
	}
	free(path);
	return 0;
}

int flame_tree_expect(struct flame_tree *t, uint32_t n)
{
	uint64_t count = (uint64_t)t->count + n;
	int rc = flame_slots_renew(&t->slots, count, count);

	return rc ? rc : flame_tree_rehash_nodes(t);
}

/* The next one, with its measures 0. 0 or CPIDECODE_ENOMEM. */
static int new_node(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	if (pages_room(&t->nodes, t->count, sizeof(struct flame_node)) ||
		(t->measured && flame_measures_room(&t->measures, t->count)))
		return CPIDECODE_ENOMEM;
	*flame_tree_node(t, t->count++) = (struct flame_node){.parent = parent, .name = name};
	return 0;
}

int flame_tree_begin(struct flame_tree *t, bool measured)
{
	t->measured = measured;
	t->seed[0] = seed_make() ^ HASH_FACTOR;
	t->seed[1] = seed_make() ^ UINT64_C(0xbf58476d1ce4e5b9);
	int rc = new_node(t, 0, 0);
	return rc ? rc : flame_tree_expect(t, 1);
}

uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint32_t name, uint64_t path)
{
	if (!flame_slots_fit(&t->slots, 1, t->count) && flame_tree_expect(t, 1))
		return 0;
	for (uint64_t at = path;; at++) {
		at = flame_slots_likely(&t->slots, at, path);
		uint32_t frame = flame_slots_number(&t->slots, at);
		if (!frame) {
			frame = t->count;
			if (frame == FLAME_MOST || new_node(t, parent, name))
				return 0;
			flame_slots_set(&t->slots, at, frame, path);
			return frame;
		}
		const struct flame_node *node = flame_tree_node(t, frame);
		if (node->parent == parent && node->name == name)
			return frame;
	}
}

void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path)
{
	__builtin_prefetch(flame_tree_node(t, flame_slots_number(&t->slots, path)), 1);
}

void flame_tree_free(struct flame_tree *t)
{
	flame_names_free(&t->names);
	flame_measures_free(&t->measures);
	pages_free(&t->nodes);
	flame_slots_free(&t->slots);
	*t = (struct flame_tree){0};
}
