/*
 * The compiled form of a schema hook: a line of fields at known offsets. Which fields a hook has
 * depends only on its slots (the types, the number of processors), and these hardly ever change. So
 * the schema's cursor reads one hook for each set of their values, and hooks with the same values
 * are read by the line made from it. Fields that no consumer asked for are not in it.
 *
 * The cursor reads hooks without a line: those shorter than their schema, and those of schemas with
 * slots after an optional field or strings besides the label. Named values are read by the cursor,
 * too, and a light interval with arguments, but for its label as text, has a line if they are not
 * wanted.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_LINE_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_LINE_H

#include "plan.h"

enum {
	LINE_SLOTS = 4, /* schemas with more slots have no lines */
	LINES_MAX = 16, /* of a schema hook; hooks with other slots are read by the cursor */
};

struct line_field {
	uint32_t at;	/* offset in the hook's words; of a shape, in the record */
	uint8_t record; /* of a shape */
	uint8_t op;	/* enum group_op */
	uint8_t type;	/* enum field_type */
	bool na0;
	bool again;  /* the place may have a value by now: the two must agree */
	uint32_t to; /* offset in struct interval, or in the processors' array */
};

/* Ratios and counts of struct interval and of processors have loops of their own. */
enum line_kind {
	LINE_RATIO,
	LINE_COUNT,
	LINE_CPU_RATIO,
	LINE_CPU_COUNT,
	LINE_UTIL_RATIO,
	LINE_UTIL_COUNT,
	LINE_OTHER,
	LINE_KINDS
};

/* The fields of a line or shape are by kind, and in the order of the hook or group. */
struct line_form {
	uint32_t n[LINE_KINDS];
	uint32_t cpus, utils; /* how many processors it has */
};

struct group_line {
	uint64_t slot[LINE_SLOTS];
	uint32_t words; /* hooks with fewer words are read by the cursor */
	struct line_form form;
	struct line_field fields[];
};

struct group_lines {
	struct group_line *at[LINES_MAX];
	const struct group_line *last; /* found */
	uint32_t count;
	unsigned wants;		     /* enum interval_want */
	bool label;		     /* the first string is the label */
	int known;		     /* the slot that says whether a text is; -1: none */
	uint32_t nslots, slot_words; /* the words that hold all slots */
	struct {
		uint64_t mask; /* bits that a hook's form depends on */
		uint16_t word;
		uint8_t type;
	} slots[LINE_SLOTS];
};

/* Sets plan->lines, unless the schema has none. False: out of memory. */
bool group_lines_make(struct group_plan *plan, unsigned wants);
void group_lines_free(struct group_lines *lines); /* NULL is fine */

static inline uint64_t line_value(const uint8_t *p, enum field_type type)
{
	switch (type) {
	case FIELD_U32:
		return get_le32(p);
	case FIELD_I32:
		return (uint64_t)(int32_t)get_le32(p);
	case FIELD_FIX4:
		return (uint64_t)get_le32(p) * CPI_FRACTION + get_le32(p + 4);
	default:
		return get_hl64(p);
	}
}

/* Finds the line for a hook whose form depends on its slots, or for the first hook. NULL: read it
 * by the cursor. */
const struct group_line *group_line_search(const struct group_plan *plan, const struct hook *h);

/* The line for a hook of a plan with lines. NULL: read it by the cursor. */
static inline const struct group_line *group_line_find(
	const struct group_plan *plan, const struct hook *h)
{
	const struct group_lines *lines = plan->lines;
	const struct group_line *line = lines->last;

	if (!line || lines->nslots)
		return group_line_search(plan, h);
	return h->nwords >= line->words && (!lines->label || h->nstrings) ? line : NULL;
}

#endif
