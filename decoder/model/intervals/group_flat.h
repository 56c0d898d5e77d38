/*
 * How to read the hooks of a group. A schema hook becomes a flat program once: fields that
 * follow each other are read at known offsets, and fields no consumer asked for are skipped.
 * The schema's own cursor reads what such a program cannot express (strings in odd places), and
 * hooks shorter than their schema.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_FLAT_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_FLAT_H

#include "group_fields.h"

struct flat_op {
	uint8_t kind; /* enum group_op */
	uint8_t type; /* enum field_type */
	bool na0;
	int16_t slot;
	uint16_t words, word;
	uint16_t at; /* offset in struct interval, interval_cpu or interval_util */
	uint32_t jump;
	uint64_t number;
};

struct group_plan {
	const struct schema_hook *key; /* the schema in force */
	const struct schema_hook *schema;
	uint8_t part;	   /* enum group_part */
	bool flat;	   /* read by ops; else by the schema's cursor */
	bool elapsed_wide; /* two words */
	uint16_t elapsed_word;
	uint32_t elapsed_words; /* for the elapsed time; UINT32_MAX: by the cursor */
	uint16_t nslots;
	uint32_t nops;
	struct flat_op *ops;
	struct group_lines *lines;	   /* NULL: none */
	const struct group_field *means[]; /* by the schema's field */
};

#endif
