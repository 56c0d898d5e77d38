/* The frames of a flame graph while intervals are added to them. */
#ifndef SWT_DECODER_FLAME_TREE_H
#define SWT_DECODER_FLAME_TREE_H

#include "flame_measures.h"
#include "flame_names.h"

/* A frame, as small as can be: there may be as many as there are intervals. */
struct flame_node {
	uint32_t parent, name;
	uint32_t child;		  /* 0: none; FLAME_SEVERAL */
	struct flame_state state; /* of its measures */
	uint64_t self;
	uint64_t count; /* of its own intervals */
};

#define FLAME_SEVERAL UINT32_MAX
/* The root among them. Where these do not do, nor does the memory. */
#define FLAME_MOST (UINT32_C(1) << 31)

/* Starts zeroed. The root is node 0; a task's parent is the root. */
struct flame_tree {
	struct pages nodes;
	uint32_t count;
	struct flame_slots slots; /* of those that have siblings, by path */
	uint64_t seed[2];	  /* of paths: nobody can write a trace whose frames collide */
	bool measured;		  /* somebody wants measures */
	struct flame_measures measures;
	struct flame_names names;
};

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool measured);
/*
 * The frame of that name (a number in t->names) on that parent, whose path has that hash;
 * 0: out of memory.
 */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint64_t path, uint32_t name);
/* A frame of that path will be asked for soon: hints, in this order. */
void flame_tree_ask(const struct flame_tree *t, uint64_t path);
void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path);
/* Another interval of that frame; part: unless nobody wants measures. 0 or CPIDECODE_ENOMEM. */
int flame_tree_count(struct flame_tree *t, uint32_t frame, const struct flame_part *part);
void flame_tree_free(struct flame_tree *t);

static inline struct flame_node *flame_tree_node(const struct flame_tree *t, uint32_t frame)
{
	return (struct flame_node *)t->nodes.at + frame;
}

/*
 * The hash of a frame by that of its parent (the root's is 0), so that where it stands is
 * known before its parent was found.
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
