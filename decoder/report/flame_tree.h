/* The frames of a flame graph while intervals are added to them. */
#ifndef SWT_DECODER_FLAME_TREE_H
#define SWT_DECODER_FLAME_TREE_H

#include "flame_measures.h"
#include "flame_names.h"

/* A frame, as small as can be: there may be as many as there are intervals. */
struct flame_node {
	uint32_t parent, name;
	uint32_t child;		  /* the first that it got, 0: none */
	struct flame_state state; /* of its measures */
	uint64_t self;
	uint64_t count; /* of its own intervals */
};

/* Starts zeroed. The root is node 0; a task's parent is the root. */
struct flame_tree {
	struct pages nodes;
	uint32_t count;
	uint32_t tabled;    /* those in the table */
	struct pages table; /* open hash, by parent and name, of all but the first children */
	uint32_t mask;
	bool measured; /* somebody wants measures */
	struct flame_measures measures;
	struct flame_names names;
};

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool measured);
/* The frame of that name (a number in t->names) under that parent; 0: out of memory. */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint32_t name);
/* Another interval of that frame; part: unless nobody wants measures. 0 or CPIDECODE_ENOMEM. */
int flame_tree_count(struct flame_tree *t, uint32_t frame, const struct flame_part *part);
void flame_tree_free(struct flame_tree *t);

static inline struct flame_node *flame_tree_node(const struct flame_tree *t, uint32_t frame)
{
	return (struct flame_node *)t->nodes.at + frame;
}

/*
 * Once all is added, and only once: the frames that a picture shows, f->frames and what is
 * said of them all. Names belong to the tree. 0 or CPIDECODE_ENOMEM.
 */
int flame_picture(struct flame_tree *t, struct flame *f);
/* The same, of lines: all frames. */
int flame_lines(struct flame_tree *t, struct flame *f);

#endif
