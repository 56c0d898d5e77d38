/*
 * The table of fields: the meaning of each field of a group's hooks. Fields are found by their
 * schema's names, so no offset of such a hook is known here.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H

#include "../../../../formats/cpi_group.h"
#include "../../hooks/schema.h"

/* The use of a field's value. */
enum group_op {
	DECODE_NOTHING,
	DECODE_ELAPSED,
	/* The following are read only if wanted. */
	DECODE_TYPES,
	DECODE_NUM_CPUS,
	DECODE_QUALITY,
	DECODE_LABEL, /* the hook's first string */
	DECODE_LABEL_NUMBER,
	DECODE_KNOWN, /* of a light interval */
	/* From here to DECODE_UTIL_RATIO: figures. */
	DECODE_COUNT, /* to `at` of struct interval */
	DECODE_RATIO,
	/* Figures of a processor: one value per turn of a repeat. */
	DECODE_CPU_COUNT, /* to `at` of struct interval_cpu */
	DECODE_CPU_RATIO,
	DECODE_UTIL_COUNT, /* to `at` of struct interval_util */
	DECODE_UTIL_RATIO,
	/* Named values: a turn each, then their texts. */
	DECODE_ARG_NAME,
	DECODE_EVENT_NAME,
	DECODE_EVENT_FLAGS,
	DECODE_EVENT_ENABLED,
	DECODE_EVENT_RUNNING,
	DECODE_VALUE_TYPE,
	DECODE_VALUE_BITS,
	DECODE_TEXT, /* a light interval's label may be the first one */
};

/* For figures: */
static inline bool group_op_is_ratio(enum group_op op)
{
	return op == DECODE_RATIO || op == DECODE_CPU_RATIO || op == DECODE_UTIL_RATIO;
}

struct group_field {
	const char *name;
	uint8_t op;	 /* enum group_op; it says the field's type, too */
	uint8_t classes; /* the parts whose hooks have it: bits of enum group_class */
	uint16_t wants;	 /* enum interval_want: any of these bits requests it */
	uint16_t at;	 /* offset in struct interval, interval_cpu or interval_util */
};

/* The meaning of a field in the schema of that part; never NULL, may be the row without a
 * meaning. */
const struct group_field *group_field_of(const struct schema_field *f, enum group_part part);
/* Whether the field is read for a consumer that asks for this (enum interval_want). */
bool group_field_is_wanted(const struct group_field *field, unsigned wants);
/* A schema without this field does not describe the part. */
bool group_field_is_needed(const struct group_field *field, enum group_part part);

#endif
