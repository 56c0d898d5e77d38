#include "plan.h"

#include <stdlib.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/hash.h"
#include "../../../../formats/schema_program.h"
#include "../intervals.h"

/* The elapsed time has a fixed offset if no optional field precedes it. */
static void plan_find_elapsed(struct group_plan *plan)
{
	const struct schema_hook *s = plan->schema;
	uint32_t word = 0;

	for (uint32_t pc = 0; pc < s->nops && s->ops[pc].kind == OP_FIELD; pc++) {
		const struct schema_field *f = &s->fields[s->ops[pc].field];
		uint32_t end = word + schema_type_words(f->type);

		if (plan->means[s->ops[pc].field]->op == DECODE_ELAPSED) {
			plan->elapsed_word = (uint16_t)word;
			plan->elapsed_words = end;
			plan->elapsed_wide = end - word == 2;
			return;
		}
		word = end;
	}
}

static bool plan_has_wanted(const struct group_plan *plan, unsigned wants)
{
	/* Completeness of the hook is a flag, too. */
	bool wanted = wants & WANT_FLAGS;

	for (unsigned i = 0; i < plan->schema->nfields; i++)
		wanted |= group_field_is_wanted(plan->means[i], wants);
	return wanted;
}

static bool is_usable(const struct schema_hook *s, enum group_part part)
{
	bool elapsed = false, needed = false;

	for (unsigned i = 0; i < s->nfields; i++) {
		const struct group_field *means = group_field_of(&s->fields[i], part);

		elapsed |= means->op == DECODE_ELAPSED;
		needed |= group_field_is_needed(means, part);
	}
	return elapsed && needed;
}

static struct group_plan *group_plan_make(
	const struct group_plans *p, const struct schema_hook *key, enum group_part part)
{
	const struct schema_hook *s = key;

	if (!s || !is_usable(s, part))
		s = schema_find(p->builtin, group_kinds[part].major, group_kinds[part].minor);
	struct group_plan *plan = calloc(1, sizeof *plan + s->nfields * sizeof *plan->means);
	if (!plan)
		return NULL;
	plan->key = key;
	plan->schema = s;
	plan->part = (uint8_t)part;
	plan->wants = p->wants;
	for (unsigned i = 0; i < s->nfields; i++)
		plan->means[i] = group_field_of(&s->fields[i], part);
	plan->wanted = plan_has_wanted(plan, p->wants);
	plan->elapsed_words = UINT32_MAX;
	if (!(p->wants & WANT_BY_CURSOR))
		plan_find_elapsed(plan);
	return plan;
}

static uint64_t group_plan_hash(const struct schema_hook *key, enum group_part part)
{
	return hash_u64((uintptr_t)key / sizeof(void *) * PARTS + part);
}

static const struct group_plan *group_plans_add(
	struct group_plans *p, const struct schema_hook *key, enum group_part part)
{
	size_t i;

	if (!array_reserve(&p->plans, &p->room, p->count + 1, sizeof(struct group_plan *)))
		return NULL;
	struct group_plan *plan = group_plan_make(p, key, part);
	if (!plan)
		return NULL;
	if (!hash_index_grow(&p->index, p->count + 1, &i)) {
		free(plan);
		return NULL;
	}
	p->plans[p->count++] = plan;
	for (; i < p->count; i++)
		hash_index_add(&p->index,
			group_plan_hash(p->plans[i]->key, (enum group_part)p->plans[i]->part),
			(uint32_t)i);
	return plan;
}

const struct group_plan *group_plans_find(
	struct group_plans *p, const struct schema_hook *schema, enum group_part part)
{
	uint64_t hash = group_plan_hash(schema, part);

	for (uint32_t found; (found = hash_index_next(&p->index, &hash));) {
		const struct group_plan *plan = p->plans[found - 1];

		if (plan->key == schema && plan->part == part)
			return plan;
	}
	return group_plans_add(p, schema, part);
}

void group_plans_free(struct group_plans *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->plans[i]);
	free(p->plans);
	hash_index_free(&p->index);
}
