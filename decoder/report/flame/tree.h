/*
 * The frames of a flame graph while intervals are added to them.
 *
 * decoder/report/flame owns flame graphs, but for their pictures (sink/svg). It includes report,
 * base, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_FLAME_TREE_H
#define SWT_DECODER_REPORT_FLAME_TREE_H

#include "measures.h"
#include "names.h"

/* A frame. Kept small: there may be as many as intervals. */
struct flame_node {
	uint32_t parent;
	uint32_t name; /* in names; flame_picture replaces it by the frame's index if it is shown */
	uint64_t self;
	uint64_t count : 44;  /* of its own intervals */
	uint64_t is_task : 1; /* a process or a thread */
	uint64_t is_process : 1;
	uint64_t is_container : 1; /* of processes: of a partial result alone */
	uint64_t has_counted : 1;  /* set by flame_lines: a descendant has intervals that count */
	struct flame_state state;  /* of its measures */
};

/* The most frames, including the root. */
#define FLAME_MOST FLAME_SLOTS_MOST

/* Starts zeroed. The root is node 0; a process' parent is the root or its container. */
struct flame_tree {
	struct pages nodes; /* struct flame_node */
	uint32_t count;
	struct flame_slots slots; /* by path */
	uint64_t seed[2];	  /* of paths */
	bool measured;		  /* keeps measures, for a picture */
	struct flame_measures measures;
	struct flame_names names;
	const uint64_t *before; /* of a differential graph: each frame's total in it; NULL: none */
};

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool measured);
/* Makes room for n more frames in the index. 0 or CPIDECODE_ENOMEM. */
int flame_tree_expect(struct flame_tree *t, uint32_t n);
/*
 * The frame of that name (a number in t->names) and parent, new or not; path: the hash of its own
 * path. 0: out of memory.
 */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, uint32_t name, uint64_t path);
/* Prefetch hints for flame_tree_add, to be given in this order: its slot, then its node. */
void flame_tree_ask(const struct flame_tree *t, uint64_t path);
void flame_tree_ask_frame(const struct flame_tree *t, uint64_t path);
void flame_tree_free(struct flame_tree *t);

static inline struct flame_node *flame_tree_node(const struct flame_tree *t, uint32_t frame)
{
	return (struct flame_node *)t->nodes.at + frame;
}

/*
 * Counts an interval of that frame, with its self weight as far as it is known. part: NULL unless
 * t->measured. 0 or CPIDECODE_ENOMEM.
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
 * The hash of a frame's path, from its parent's (the root's is 0) and its name: needs no lookup of
 * the parent.
 */
static inline uint64_t flame_tree_path(const struct flame_tree *t, uint64_t parent, uint32_t name)
{
	unsigned __int128 path = (unsigned __int128)(parent ^ t->seed[0]) * (name ^ t->seed[1]);

	return (uint64_t)path ^ (uint64_t)(path >> 64);
}

/*
 * Sets f->frames, the frames that a picture shows, and its totals. Call once, after the
 * last interval: it consumes the tree. The caller frees f->frames; their names belong to the tree.
 * 0 or CPIDECODE_ENOMEM.
 */
int flame_picture(struct flame_tree *t, struct flame *f);
/* All frames for lines, an array of struct flame_stack. The caller frees the pages. 0 or
 * CPIDECODE_ENOMEM. */
int flame_lines(const struct flame_tree *t, struct pages *frames);

#endif
