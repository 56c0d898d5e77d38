/* The frames of a flame graph while intervals are added to them. */
#ifndef SWT_DECODER_FLAME_TREE_H
#define SWT_DECODER_FLAME_TREE_H

#include "../model/ratio.h"
#include "../sink/flame.h"
#include "flame_names.h"

struct flame_slot {
	uint32_t frame; /* 0: free */
	uint32_t hash;
};

/* What an interval adds to its frame's sums: the first kind of CPI that it has. */
struct flame_part {
	enum flame_cpi kind;
	uint64_t above, below; /* NOT_MEASURED: the ratio is all there is */
	double value;
	uint64_t elapsed; /* ticks */
	double elapsed_ns;
};

/* The same in whatever order intervals are added. */
struct flame_sums {
	struct ratio cpi;  /* of the frame's cpi_kind */
	exact_sum elapsed; /* as exact_time */
};

/* Sums are large, and frames of one interval may be most of all. */
struct flame_measures {
	struct flame_part first;
	uint32_t sums; /* 0: the first interval is all there is */
};

/* Starts zeroed. */
struct flame_tree {
	struct flame flame;		 /* until the end, a frame's next is its name's number */
	struct flame_measures *measures; /* per frame; NULL: nobody wants them */
	uint32_t allocated;
	struct flame_slot *table; /* open hash of frames by parent and name */
	uint32_t mask;
	struct flame_names names;
	struct flame_sums *sums;
	size_t nsums, sums_cap;
};

struct flame_part flame_part_of(const struct interval *iv);

/* Makes the root. 0 or CPIDECODE_ENOMEM. */
int flame_tree_begin(struct flame_tree *t, bool measures);
/* The frame of that name (a number in t->names) under that parent; 0: out of memory. */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, enum flame_kind kind, uint32_t name);
/* It will be asked for soon: hints, in this order. */
void flame_tree_ask(const struct flame_tree *t, uint32_t parent, uint32_t name);
void flame_tree_ask_frame(const struct flame_tree *t, uint32_t parent, uint32_t name);
/* Another interval of that frame; part: unless nobody wants measures. 0 or CPIDECODE_ENOMEM. */
int flame_tree_count(struct flame_tree *t, uint32_t frame, const struct flame_part *part);
/* Once all is added: children in the order of their names, totals, CPIs. 0 or CPIDECODE_ENOMEM. */
int flame_tree_finish(struct flame_tree *t);
void flame_tree_free(struct flame_tree *t);

#endif
