/* The frames of a flame graph while intervals are added to them. */
#ifndef SWT_DECODER_FLAME_TREE_H
#define SWT_DECODER_FLAME_TREE_H

#include "../model/intern.h"
#include "../model/ratio.h"
#include "../sink/flame.h"

struct flame_slot {
	uint32_t frame; /* 0: free */
	uint32_t hash;
};

/* Starts zeroed. */
struct flame_tree {
	struct flame flame;
	struct ratio *ratios; /* per frame, of its cpi_kind; NULL: nobody wants them */
	uint32_t allocated;
	struct flame_slot *table; /* open hash of frames by parent and name */
	uint32_t mask;
	struct intern names;
};

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool ratios);
/* The frame of that name under that parent; 0: there is none. */
uint32_t flame_tree_find(const struct flame_tree *t, uint32_t parent, const char *name, size_t n);
/* ... made if need be; 0: out of memory. */
uint32_t flame_tree_add(
	struct flame_tree *t, uint32_t parent, enum flame_kind kind, const char *name, size_t n);
/* The CPI of an interval of that frame, if there are ratios. */
void flame_tree_add_cpi(struct flame_tree *t, uint32_t frame, const struct interval *iv);
/* Once all is added: children in the order of their names, totals, CPIs. 0 or CPIDECODE_ENOMEM. */
int flame_tree_finish(struct flame_tree *t);
void flame_tree_free(struct flame_tree *t);

#endif
