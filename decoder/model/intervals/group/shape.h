/*
 * The compiled form of a group. Most groups of a trace are a sequence of records like that of a
 * group before: the same kinds, sizes and slots. A shape is such a sequence, with its fields at
 * known offsets: the schema's cursor finds them in the first group of each shape. The following
 * ones are recognized by comparing a few words of each record. Fields that no consumer asked for
 * are not in it.
 *
 * A shape ends before the first record that only the cursor reads: one with named values, with a
 * text that may be the label, or shorter than its schema. Groups without a shape, and hooks after a
 * shape, are read hook by hook.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_SHAPE_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_SHAPE_H

#include "plan.h"

enum {
	SHAPE_RECORDS = PART_ARGS, /* no group has more: its parts ascend */
	/* Records with more are read by the cursor. */
	SHAPE_CHECKS = 32,
	SHAPE_FIELDS = 1 << 14,
	/* Bound the memory of a builder's shapes: a table with as many is full. */
	SHAPES_MAX = 256,
	SHAPES_FIELDS = 1 << 18,
	/* After groups that have no shape, twice as many pass each time until the next one is
	   tried. */
	SHAPES_REST_MAX = 1 << 6,
	/* The groups without a shape that pass before a full table is cleared. */
	SHAPES_REST_FULL = 1 << 11,
	SHAPE_KINDS = DECODE_UTIL_RATIO + 1,
};

struct shape_field {
	uint32_t at; /* offset in the record */
	uint32_t to; /* offset in struct interval, or in the processors' array */
	uint8_t record;
	uint8_t op;   /* enum group_op */
	uint8_t type; /* enum field_type */
	bool na0;
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
	uint8_t types;	/* CPI_HOOK_...: that its parts raise */
	uint8_t next;	/* enum group_part: of the record that follows, if there is one */
	uint32_t nfields, n[SHAPE_KINDS]; /* by shape_kind_of */
	uint32_t cpus, utils;		  /* how many processors it has */
	struct shape_record records[SHAPE_RECORDS];
	struct shape_check check[SHAPE_CHECKS];
	struct shape_field fields[]; /* by kind, and in the order of the group */
};

/* Starts zeroed. */
struct group_shapes {
	struct group_plans *plans;
	const struct schema_set *set;		   /* of the shapes' files */
	struct group_shape *at[SHAPES_MAX], *last; /* found; NULL: none */
	uint32_t count, fields;
	struct hash_index index;     /* of `at` */
	uint32_t rest, resting;	     /* groups to pass, and how many are left of them */
	struct shape_field *learned; /* fields of the shape in the making */
	size_t learned_room;
};

/* A group in a section's bytes. */
struct shape_found {
	const struct group_shape *shape;
	uint64_t elapsed;
	const uint8_t *at[SHAPE_RECORDS], *end;
};

/*
 * Recognizes the group at p, of a file with these schemas, or learns its shape. False: it has none.
 * Without memory there is no shape, which only costs speed.
 */
bool group_shapes_find(struct group_shapes *shapes, const struct schema_set *set, const uint8_t *p,
	const uint8_t *stop, struct shape_found *found);
void group_shapes_free(struct group_shapes *shapes);

#endif
