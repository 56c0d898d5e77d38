/* The frames of a flame graph while intervals are added to them. */
#ifndef SWT_DECODER_REPORT_FLAME_TREE_H
#define SWT_DECODER_REPORT_FLAME_TREE_H

#include "measures.h"
#include "names.h"

/* A frame, as small as can be: there may be as many as there are intervals. */
struct flame_node {
	uint32_t parent;
	uint32_t name; /* in a picture, of those that it shows: the number there */
	uint64_t self;
	uint64_t count : 47;	  /* of its own intervals */
	uint64_t has_counted : 1; /* set by flame_lines: a frame nested in it counts intervals */
	struct flame_state state; /* of its measures */
};

/* The root among them. */
#define FLAME_MOST FLAME_SLOTS_MOST

/* Starts zeroed. The root is node 0; a task's parent is the root. */
struct flame_tree {
	struct pages nodes; /* struct flame_node */
	uint32_t count;
	struct flame_slots slots; /* by path */
	uint64_t seed[2];	  /* of paths */
	bool measured;		  /* somebody wants measures */
	struct flame_measures measures;
	struct flame_names names;
};

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool measured);
/* So many frames may come. 0 or CPIDECODE_ENOMEM. */
int flame_tree_expect(struct flame_tree *t, uint32_t n);
/*
 * The frame of that name (a number in t->names) on that parent, whose own path has that hash; 0:
 * out of memory.
 */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint32_t name, uint64_t path);
/* A frame of that path will be asked for soon: hints, in this order. */
void flame_tree_ask(const struct flame_tree *t, uint64_t path);
void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path);
void flame_tree_free(struct flame_tree *t);

static inline struct flame_node *flame_tree_node(const struct flame_tree *t, uint32_t frame)
{
	return (struct flame_node *)t->nodes.at + frame;
}

/*
 * Another interval of that frame, and what is known of its own weight; part: unless nobody wants
 * measures. 0 or CPIDECODE_ENOMEM.
 */
static inline int flame_tree_count(
	struct flame_tree *t, uint32_t frame, uint64_t self, const struct flame_part *part)
{
	struct flame_node *node = flame_tree_node(t, frame);

	node->self += self;
	node->count++;
	return t->measured ? flame_measures_add(&t->measures, frame, &node->state, part) : 0;
}

/*
 * The hash of a frame's path by those of its parent's (the root's is 0) and its name, so that its
 * slot is known before its parent was found.
 */
static inline uint64_t flame_tree_path(const struct flame_tree *t, uint64_t parent, uint32_t name)
{
	unsigned __int128 path = (unsigned __int128)(parent ^ t->seed[0]) * (name ^ t->seed[1]);

	return (uint64_t)path ^ (uint64_t)(path >> 64);
}

/*
 * Once all is added, and only once: the frames that a picture shows, f->frames and what is
 * said of them all. The frames are the caller's, names the tree's. 0 or CPIDECODE_ENOMEM.
 */
int flame_picture(struct flame_tree *t, struct flame *f);
/*
 * The same, of lines: all of them, struct flame_stack each. The caller frees the pages.
 */
int flame_lines(const struct flame_tree *t, struct pages *frames);

#endif
