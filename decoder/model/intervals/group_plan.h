/*
 * Compiles schema hooks into plans, each once.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H

#include "../../../formats/base/hash_index.h"
#include "group_flat.h"

/* Plans by schema hook and part, made on first use. Starts zeroed. */
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
