/*
 * What a flat program takes of hooks that are alike: which way it goes depends on its slots
 * alone (which types, how many processors), and those hardly ever change. So for each set of their
 * values that was met the fields stand in a line, and hooks are read without deciding anything.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_LINE_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_LINE_H

#include "group_flat.h"

enum {
	LINE_SLOTS = 4, /* programs with more slots have no lines */
	LINE_PLACES = 16,
	/* Lines do not pay off if slots change with every hook. */
	LINES_MADE = 1000,
};

struct line_field {
	uint32_t from; /* bytes from the hook's first word */
	uint16_t at;   /* offset in struct interval */
	bool na0;
	bool wide; /* of two words */
};

struct group_line {
	uint64_t slot[LINE_SLOTS];
	uint32_t words; /* hooks with fewer words are read by the program */
	bool label;	/* reads the first string, too */
	/* In the hook's order, but first all ratios, then counts, then the flags of its quality. */
	uint16_t nratios, ncounts, nflags;
	struct line_field fields[];
};

struct group_lines {
	struct group_line *at[LINE_PLACES]; /* by slots; NULL: none yet */
	const struct group_line *last;	    /* found */
	uint32_t made;
	uint32_t nslots, slot_words; /* the words that hold all slots */
	struct {
		uint16_t word;
		uint8_t type, slot;
	} slots[LINE_SLOTS];
};

/* For a plan that is flat: plan->lines, unless it has fields for which lines do not do.
 * false: no memory. */
bool group_lines_make(struct group_plan *plan);
void group_lines_free(struct group_lines *lines); /* NULL is fine */
/* The line for a hook of a plan with lines. NULL: read it by the program. */
const struct group_line *group_line_find(const struct group_plan *plan, const struct hook *h);

#endif
