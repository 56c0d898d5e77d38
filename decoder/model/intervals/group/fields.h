/*
 * The table of fields: what each field of a group's hooks means. Fields are found by their
 * schema's names, so no offset of such a hook is known here.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H

#include "../../../../formats/cpi_group.h"
#include "../../hooks/schema.h"

/* The use of a field's value. */
enum group_op {
	TAKE_NOTHING,
	TAKE_ELAPSED,
	/* The following are read only if wanted. */
	TAKE_TYPES,
	TAKE_NUM_CPUS,
	TAKE_QUALITY,
	TAKE_LABEL, /* the hook's first string */
	TAKE_LABEL_NUMBER,
	TAKE_KNOWN, /* of a light interval */
	TAKE_COUNT, /* to `at` of struct interval */
	TAKE_RATIO,
	/* Figures of a processor: one value per turn of a repeat. */
	TAKE_CPU_COUNT, /* to `at` of struct interval_cpu */
	TAKE_CPU_RATIO,
	TAKE_UTIL_COUNT, /* to `at` of struct interval_util */
	TAKE_UTIL_RATIO,
	/* Named values: a turn each, then their texts. */
	TAKE_ARG_NAME,
	TAKE_EVENT_NAME,
	TAKE_EVENT_FLAGS,
	TAKE_EVENT_ENABLED,
	TAKE_EVENT_RUNNING,
	TAKE_VALUE_TYPE,
	TAKE_VALUE_BITS,
	TAKE_TEXT, /* a light interval's label may be the first one */
};

/* For figures: */
static inline bool group_op_is_ratio(enum group_op op)
{
	return op == TAKE_RATIO || op == TAKE_CPU_RATIO || op == TAKE_UTIL_RATIO;
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
