/*
 * Compiles schema hooks into plans, each once.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_PLAN_H

#include "../../../formats/base/hash_index.h"
#include "group_flat.h"

/* Plans by schema hook and part, made as they are asked for. Starts zeroed. */
struct group_plans {
	unsigned wants; /* enum interval_want */
	const struct schema *builtin;
	struct group_plan **plans;
	size_t count, room;
	struct hash_index index; /* of plans */
};

/*
 * By that schema or, should it be none or not name what a group is made of, by the built-in
 * one. NULL: out of memory.
 */
const struct group_plan *group_plans_find(
	struct group_plans *p, const struct schema_hook *schema, enum group_part part);
void group_plans_free(struct group_plans *p);

#endif
