#include "group_plan.h"

#include <stdlib.h>

#include "../../../formats/base/array.h"
#include "../../../formats/schema_program.h"
#include "group_line.h"
#include "intervals.h"

#define NOWHERE UINT32_MAX

struct compiler {
	struct group_plan *plan;
	unsigned wants;
	struct flat_op *ops;
	uint32_t run;	 /* index of the open run; NOWHERE: none */
	uint32_t useful; /* ops up to the last wanted one */
	uint32_t *map;	 /* maps the schema's ops to ops here */
	uint32_t repeat; /* index of the open repeat; NOWHERE: none */
	bool wanted_in_repeat;
	bool elapsed, any_string;
};

static struct flat_op *group_plan_append_op(struct compiler *c, enum group_op kind)
{
	struct flat_op *op = &c->ops[c->plan->nops++];

	*op = (struct flat_op){.kind = (uint8_t)kind, .slot = -1};
	return op;
}

static unsigned words_of(enum field_type type)
{
	return type == FIELD_U32 || type == FIELD_I32 ? 1 : 2;
}

static bool is_wanted(const struct compiler *c, const struct group_field *means)
{
	return means->op > TAKE_ELAPSED && (c->wants & (means->wants | WANT_FLAGS));
}

/* The offset of its first words is known if nothing before it is optional. */
static bool place_elapsed(struct compiler *c, const struct schema_field *f)
{
	if (c->elapsed)
		return true;
	if (c->run != 0)
		return false;
	c->elapsed = true;
	c->plan->elapsed_word = c->ops[0].words;
	c->plan->elapsed_wide = words_of(f->type) == 2;
	return true;
}

static bool compile_string(struct compiler *c, const struct group_field *means)
{
	if (means->op != TAKE_LABEL || c->any_string || c->run != 0)
		return false;
	c->any_string = true;
	group_plan_append_op(c, TAKE_LABEL);
	c->useful = c->plan->nops;
	return true;
}

static bool compile_field(
	struct compiler *c, const struct schema_field *f, const struct group_field *means)
{
	if (f->type == FIELD_STRING)
		return compile_string(c, means);
	if (c->run == NOWHERE) {
		c->run = c->plan->nops;
		group_plan_append_op(c, FLAT_RUN);
	}
	if (means->op == TAKE_ELAPSED && !place_elapsed(c, f))
		return false;
	uint16_t word = c->ops[c->run].words;
	struct flat_op field = {.type = (uint8_t)f->type,
		.na0 = f->attributes & FIELD_NA0,
		.slot = f->slot,
		.word = word,
		.at = means->at};
	if (f->slot >= 0) {
		if (c->repeat != NOWHERE) /* a turn may change how the next one is read, so it is
					     not skippable */
			return false;
		field.kind = FLAT_SLOT;
		*group_plan_append_op(c, FLAT_SLOT) = field;
	}
	if (is_wanted(c, means)) {
		field.kind = means->op;
		*group_plan_append_op(c, FLAT_SLOT) = field;
		c->useful = c->plan->nops;
		c->wanted_in_repeat = true;
	}
	c->ops[c->run].words = (uint16_t)(word + words_of(f->type));
	return true;
}

static void compile_jump(struct compiler *c, const struct schema_op *op)
{
	static const uint8_t kinds[] = {
		[OP_IF] = FLAT_IF, [OP_REPEAT] = FLAT_REPEAT, [OP_AGAIN] = FLAT_AGAIN};
	uint32_t at = c->plan->nops;
	struct flat_op *jump = group_plan_append_op(c, kinds[op->kind]);

	jump->slot = op->slot;
	jump->number = op->number;
	jump->jump = op->jump; /* a target in the schema's program, until all indexes are known */
	c->run = NOWHERE;
	if (op->kind == OP_REPEAT) {
		c->repeat = at;
		c->wanted_in_repeat = false;
	} else if (op->kind == OP_AGAIN) {
		if (c->wanted_in_repeat)
			c->useful = c->plan->nops;
		else
			c->ops[c->repeat].kind = FLAT_REPEAT_SKIP;
		c->repeat = NOWHERE;
	}
}

static bool is_jump(const struct flat_op *op)
{
	return op->kind >= FLAT_IF;
}

/* Completeness of the hook is a flag: without flags, nothing after the last wanted field is
 * read. */
static void finish(struct compiler *c)
{
	uint32_t n = c->wants & WANT_FLAGS ? c->plan->nops : c->useful;

	for (uint32_t i = 0; i < n; i++) {
		struct flat_op *op = &c->ops[i];

		if (is_jump(op))
			op->jump = c->map[op->jump] < n ? c->map[op->jump] : n;
	}
	c->plan->nops = n;
	group_plan_append_op(c, FLAT_END);
}

/* Whether a jump leads here: then the preceding op may have been skipped. */
static bool is_target(const struct schema_hook *s, uint32_t pc)
{
	for (uint32_t i = 0; i < s->nops; i++)
		if (s->ops[i].kind != OP_FIELD && s->ops[i].jump == pc)
			return true;
	return false;
}

static bool compile(struct compiler *c)
{
	const struct schema_hook *s = c->plan->schema;

	c->run = c->repeat = NOWHERE;
	for (uint32_t pc = 0; pc < s->nops; pc++) {
		const struct schema_op *op = &s->ops[pc];

		if (is_target(s, pc))
			c->run = NOWHERE;
		c->map[pc] = c->plan->nops;
		if (op->kind != OP_FIELD)
			compile_jump(c, op);
		else if (!compile_field(c, &s->fields[op->field], c->plan->means[op->field]))
			return false;
	}
	c->map[s->nops] = c->plan->nops;
	finish(c);
	return true;
}

static bool make_flat(struct group_plan *plan, unsigned wants)
{
	uint32_t n = plan->schema->nops;
	struct compiler c = {.plan = plan, .wants = wants};

	/* A field may need up to three ops: a run, a slot and a value. */
	c.ops = calloc(3 * (size_t)n + 1, sizeof *c.ops);
	c.map = calloc((size_t)n + 1, sizeof *c.map);
	bool room = c.ops && c.map;
	plan->flat = room && compile(&c) && c.elapsed;
	free(c.map);
	if (plan->flat) {
		plan->ops = c.ops;
		plan->elapsed_words = plan->elapsed_word + (plan->elapsed_wide ? 2u : 1u);
	} else {
		plan->nops = 0;
		free(c.ops);
	}
	if (!plan->flat || wants & WANT_FLAGS || group_lines_make(plan))
		return room;
	free(plan->ops);
	return false;
}

static bool is_usable(const struct schema_hook *s, enum group_part part)
{
	bool elapsed = false, needed = false;

	for (unsigned i = 0; i < s->nfields; i++) {
		const struct group_field *means = group_field_of(&s->fields[i], part);

		elapsed |= means->op == TAKE_ELAPSED;
		needed |= group_field_is_needed(means, part);
	}
	return elapsed && needed;
}

static struct group_plan *make(
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
	plan->elapsed_words = UINT32_MAX;
	plan->nslots = s->nslots;
	for (unsigned i = 0; i < s->nfields; i++)
		plan->means[i] = group_field_of(&s->fields[i], part);
	if (!(p->wants & WANT_BY_CURSOR) && !make_flat(plan, p->wants)) {
		free(plan);
		return NULL;
	}
	return plan;
}

static uint64_t group_plan_hash(const struct schema_hook *key, enum group_part part)
{
	return ((uintptr_t)key / sizeof(void *) * PARTS + part) * UINT64_C(0x9e3779b97f4a7c15) >>
	       32;
}

static const struct group_plan *group_plans_add(
	struct group_plans *p, const struct schema_hook *key, enum group_part part)
{
	if (!array_reserve(&p->plans, &p->room, p->count + 1, sizeof(struct group_plan *)))
		return NULL;
	if (2 * (p->count + 1) > p->index.slots) {
		if (!hash_index_reset(&p->index, 2 * (p->count + 1)))
			return NULL;
		for (size_t i = 0; i < p->count; i++)
			hash_index_add(&p->index,
				group_plan_hash(
					p->plans[i]->key, (enum group_part)p->plans[i]->part),
				(uint32_t)i);
	}
	struct group_plan *plan = make(p, key, part);
	if (!plan)
		return NULL;
	hash_index_add(&p->index, group_plan_hash(key, part), (uint32_t)p->count);
	p->plans[p->count++] = plan;
	return plan;
}

const struct group_plan *group_plans_find(
	struct group_plans *p, const struct schema_hook *schema, enum group_part part)
{
	uint64_t hash = group_plan_hash(schema, part);

	for (uint32_t found; p->count && (found = *hash_index_at(&p->index, hash)); hash++) {
		const struct group_plan *plan = p->plans[found - 1];

		if (plan->key == schema && plan->part == part)
			return plan;
	}
	return group_plans_add(p, schema, part);
}

void group_plans_free(struct group_plans *p)
{
	for (size_t i = 0; i < p->count; i++) {
		group_lines_free(p->plans[i]->lines);
		free(p->plans[i]->ops);
		free(p->plans[i]);
	}
	free(p->plans);
	hash_index_free(&p->index);
}
