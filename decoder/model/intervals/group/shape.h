/*
 * Groups that repeat. Most groups of a trace are a sequence of records like that of a group before:
 * the same kinds, sizes and slots. A shape is such a sequence, learned from a group that was read
 * hook by hook. A group of that shape is recognized by comparing a few words of each record, and
 * read from known offsets: the meaning of its hooks, and how they form a group, were decided for
 * the first one.
 *
 * Other groups are read hook by hook, and so are hooks after a group of a shape: the shape may be
 * only its beginning. It ends before the first record that is read by the schema's cursor.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_SHAPE_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_SHAPE_H

#include "line.h"

enum {
	/* Groups with more have no shape. */
	SHAPE_RECORDS = 12,
	SHAPE_CHECKS = 16,
	SHAPE_FIELDS = 1024,
	SHAPES_MAX = 8,
	/* Once the table is full, a shape replaces another one after this many groups without a
	   shape, and the next one after twice as many. */
	SHAPES_PATIENCE = 64,
	/* After groups that have no shape, twice as many pass each time until the next one is
	   tried. */
	SHAPES_REST_MAX = 1 << 10,
};

struct shape_record {
	uint64_t head;	  /* its first eight bytes */
	uint64_t bits;	  /* those of them that count: with strings, the size differs */
	uint32_t minor;	  /* without the mm, which is the same for all of a group */
	uint32_t least;	  /* its bytes, or up to its strings */
	uint32_t elapsed; /* offset of its elapsed time, two words */
	uint8_t part;	  /* enum group_part */
	bool has_strings, has_label;
	const struct group_plan *plan;
};

/* A word that decides which fields a record has. */
struct shape_check {
	uint32_t record, at, bits, value;
};

struct group_shape {
	uint64_t mms[(CPI_MINOR_MM + 1) / 64]; /* bitmap: whose plans are these */
	uint32_t count, checks;
	uint32_t flags; /* enum interval_flag: that its parts raise */
	uint8_t types;	/* the same */
	struct line_form form;
	struct shape_record records[SHAPE_RECORDS];
	struct shape_check check[SHAPE_CHECKS];
	struct line_field *fields;
};

/* Starts zeroed. */
struct group_shapes {
	struct group_shape at[SHAPES_MAX];
	uint32_t count;
	uint32_t last; /* found */
	uint32_t replaced;
	uint64_t missed;
	uint32_t rest, resting; /* groups to pass, and how many are left of them */
};

/* A group in a section's bytes. */
struct shape_found {
	const struct group_shape *shape;
	uint64_t elapsed;
	const uint8_t *at[SHAPE_RECORDS], *end;
};

/*
 * Recognizes the group at p. plans: those for hooks of its mm, by part. False: it has no known
 * shape.
 */
bool group_shapes_find(struct group_shapes *shapes, const uint8_t *p, const uint8_t *stop,
	const struct group_plan *const *plans, struct shape_found *found);
/* Whether the next group is worth learning. */
static inline bool group_shapes_may_learn(struct group_shapes *shapes)
{
	if (!shapes->resting)
		return true;
	shapes->resting--;
	return false;
}
/* The records of a group that was read hook by hook from p to `end`, by these plans. Without memory
 * there is no shape, which only costs speed. */
void group_shapes_learn(struct group_shapes *shapes, const uint8_t *p, const uint8_t *end,
	const struct group_plan *const *plans);
/* Forgets all. */
void group_shapes_free(struct group_shapes *shapes);

#endif
