/*
 * How to read the hooks of a group: for each schema hook and part a plan, made on first use. It has
 * the meanings of the schema's fields and the offset of the elapsed time.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H

#include "../../../../formats/base/hash_index.h"
#include "fields.h"
#include "../intervals.h"

struct group_plan {
	const struct schema_hook *key; /* the schema in force */
	const struct schema_hook *schema;
	uint8_t part;	   /* enum group_part */
	bool wanted;	   /* has fields that the consumer asked for */
	unsigned wants;	   /* enum interval_want */
	bool elapsed_wide; /* two words */
	uint16_t elapsed_word;
	uint32_t elapsed_words; /* for the elapsed time; UINT32_MAX: by the schema's cursor */
	const struct group_field *means[]; /* by the schema's field */
};

/* Whether the hooks' named values are read. */
static inline bool group_plan_has_values(const struct group_plan *plan)
{
	/* A value that is cut short is a flag, too. */
	return plan->wants & (WANT_VALUES | WANT_FLAGS) ||
	       (plan->part == PART_EVENTS && plan->wants & WANT_EVENTS);
}

/* Whether a hook has something that the caller wants. has_label: the group has one by now. */
static inline bool group_plan_is_asked(const struct group_plan *plan, bool has_label)
{
	/* Skips the second label, which could only contradict the first. */
	if (plan->part == PART_LABEL_END && has_label && !(plan->wants & WANT_FLAGS))
		return false;
	return plan->wanted;
}

/* Plans by schema hook and part. Starts zeroed. */
struct group_plans {
	unsigned wants; /* enum interval_want */
	const struct schema *builtin;
	struct group_plan **plans;
	size_t count, room;
	struct hash_index index; /* of plans */
};

/*
 * The plan by that schema, or by the built-in one if it is NULL or lacks the fields that make up
 * a group. NULL: out of memory.
 */
const struct group_plan *group_plans_find(
	struct group_plans *p, const struct schema_hook *schema, enum group_part part);
void group_plans_free(struct group_plans *p);

#endif
