#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/hash.h"
#include "../../../../formats/schema_program.h"
#include "../../hooks/record.h"
#include "group.h"

_Static_assert(REC_TID == REC_MINOR + 4, "one load for both");
_Static_assert(PART_UTIL_LABEL_START == PART_ARGS + 1 && PARTS - PART_UTIL_LABEL_START <= PART_ARGS,
	"no group has more than SHAPE_RECORDS");

/* The thread and mm, which are the same for all of a group. */
static inline uint64_t shape_load_owner(const uint8_t *p)
{
	return get_le64(p + REC_MINOR) & ~(uint64_t)CPI_MINOR_KIND;
}

/* The bits of the first eight bytes that records of one form share: with strings, the size differs.
 */
static inline uint64_t shape_head_bits(const uint8_t *p)
{
	return p[REC_NSTRINGS] ? ~(uint64_t)REC_SIZE_MASK : UINT64_MAX;
}

/* The part of the record at p, if it may continue the group of `before`; else PART_NONE. */
static inline enum group_part shape_next_part(
	const uint8_t *p, const uint8_t *stop, const uint8_t *before, enum group_part last)
{
	if (stop - p < REC_HEADER_SIZE || get_le64(p + REC_STAMP) != get_le64(before + REC_STAMP) ||
		shape_load_owner(p) != shape_load_owner(before))
		return PART_NONE;
	const enum group_part part = group_part(p[REC_MAJOR], get_le32(p + REC_MINOR));

	return group_part_follows(last, part) ? part : PART_NONE;
}

/* Whether hooks of that mm have the shape's plans. */
static bool shape_has_mm(struct group_shape *shape, const struct schema_set *set, uint32_t mm)
{
	uint64_t *mms = &shape->mms[mm / 64], bit = UINT64_C(1) << mm % 64;

	if (*mms & bit)
		return true;
	for (uint32_t i = 0; i < shape->count; i++) {
		const struct shape_record *r = &shape->records[i];

		if (schema_set_find(set, group_kinds[r->part].major, r->minor | mm) != r->plan->key)
			return false;
	}
	*mms |= bit;
	return true;
}

static inline bool group_has_shape(struct group_shape *shape, const struct schema_set *set,
	const uint8_t *p, const uint8_t *stop, struct shape_found *found)
{
	const uint64_t owner = shape_load_owner(p), stamp = get_le64(p + REC_STAMP);
	const struct shape_record *r = shape->records, *const end = r + shape->count;
	const uint8_t *const begin = p, **at = found->at;
	uint64_t elapsed = 0;

	for (; r < end; r++) {
		if (stop - p < r->least)
			return false;
		const uint64_t head = get_le64(p);
		const uint32_t size = (uint32_t)head & REC_SIZE_MASK;
		if ((head & r->bits) != r->head || get_le64(p + REC_MINOR) != (owner | r->minor) ||
			get_le64(p + REC_STAMP) != stamp)
			return false;
		/* Without strings, the size is that of a record that fitted. */
		if (r->has_strings && (size > stop - p || !record_fits(p, size)))
			return false;
		/* Raw words: their order does not matter for equality. */
		const uint64_t own = get_le64(p + r->elapsed);
		if (r > shape->records && own != elapsed)
			return false;
		elapsed = own;
		*at++ = p;
		p += size;
	}
	for (uint32_t i = 0; i < shape->checks; i++) {
		const struct shape_check *c = &shape->check[i];

		if ((get_le32(found->at[c->record] + c->at) & c->bits) != c->value)
			return false;
	}
	found->shape = shape;
	found->elapsed = elapsed << 32 | elapsed >> 32;
	found->end = p;
	return shape_next_part(p, stop, begin, (enum group_part)end[-1].part) == shape->next &&
	       shape_has_mm(shape, set, (uint32_t)owner & CPI_MINOR_MM);
}

static bool shape_add_check(struct group_shape *shape, const uint8_t *p, uint32_t at, uint32_t bits)
{
	if (!bits)
		return true;
	if (shape->checks == SHAPE_CHECKS)
		return false;
	shape->check[shape->checks++] =
		(struct shape_check){shape->count, at, bits, get_le32(p + at) & bits};
	return true;
}

/* Figures are read in loops of their own; the other fields have DECODE_NOTHING for a kind. */
static enum group_op shape_kind_of(enum group_op op)
{
	return op >= DECODE_COUNT && op <= DECODE_UTIL_RATIO ? op : DECODE_NOTHING;
}

/* Adds a wanted field to those learned. */
static bool shape_add_field(struct group_shapes *shapes, struct group_shape *shape, uint32_t at,
	const struct group_field *means, const struct field_value *v)
{
	const enum group_op kind = shape_kind_of((enum group_op)means->op);
	uint32_t to = means->at;

	if (shape->nfields == SHAPE_FIELDS ||
		!array_reserve(&shapes->learned, &shapes->learned_room, shape->nfields + 1,
			sizeof *shapes->learned))
		return false;
	if (kind == DECODE_CPU_RATIO || kind == DECODE_CPU_COUNT) {
		to += v->turn * (uint32_t)sizeof(struct interval_cpu);
		shape->cpus = v->turn >= shape->cpus ? v->turn + 1 : shape->cpus;
	}
	if (kind == DECODE_UTIL_RATIO || kind == DECODE_UTIL_COUNT) {
		to += v->turn * (uint32_t)sizeof(struct interval_util);
		shape->utils = v->turn >= shape->utils ? v->turn + 1 : shape->utils;
	}
	shapes->learned[shape->nfields++] = (struct shape_field){.at = at,
		.to = to,
		.record = (uint8_t)shape->count,
		.op = means->op,
		.type = (uint8_t)v->field->type,
		.na0 = v->field->attributes & FIELD_NA0};
	shape->n[kind]++;
	return true;
}

/* Adds the fields of the shape's next record. False: only the cursor reads it. */
static bool shape_add_fields(struct group_shapes *shapes, struct group_shape *shape,
	const struct group_plan *plan, const uint8_t *p, const struct hook *h)
{
	struct field_cursor c;
	struct field_value v;
	uint64_t known = 0;

	field_start(&c, h);
	while (field_next(&c, &v)) {
		const struct group_field *means = plan->means[v.index];
		const uint32_t words = schema_type_words(v.field->type);
		const uint32_t at = REC_DATA + 4 * (c.words_used - words);
		uint32_t bits[2];

		schema_slot_bits(plan->schema, v.field, bits);
		if (means->op == DECODE_KNOWN) {
			known = v.u;
			bits[words == 2] |= SCOPE_KNOWN_TEXT;
		}
		/* The text may be the label. */
		if ((means->op >= DECODE_ARG_NAME && group_plan_has_values(plan)) ||
			(means->op == DECODE_TEXT && known & SCOPE_KNOWN_TEXT) ||
			(means->op == DECODE_LABEL && c.strings_used != 1))
			return false;
		shape->records[shape->count].has_label |= means->op == DECODE_LABEL;
		if (!words)
			continue;
		if (!shape_add_check(shape, p, at, bits[0]) ||
			!shape_add_check(shape, p, at + 4, bits[1]) ||
			(group_field_is_wanted(means, plan->wants) &&
				!shape_add_field(shapes, shape, at, means, &v)))
			return false;
	}
	return !(c.fit & FIT_SHORT);
}

static void shape_add_record(struct group_shape *shape, const uint8_t *p, const struct hook *h,
	const struct group_plan *plan)
{
	struct shape_record *r = &shape->records[shape->count++];

	*r = (struct shape_record){.head = get_le64(p) & shape_head_bits(p),
		.bits = shape_head_bits(p),
		.minor = h->minor & CPI_MINOR_KIND,
		.least = h->nstrings ? REC_DATA + 4 * (uint32_t)h->nwords : h->size,
		.elapsed = REC_DATA + 4 * (uint32_t)plan->elapsed_word,
		.part = plan->part,
		.has_strings = h->nstrings != 0,
		.has_label = r->has_label,
		.plan = plan};
	group_raise_flags((enum group_part)plan->part, &shape->flags, &shape->types);
}

/* A copy with the fields learned. NULL: no memory. */
static struct group_shape *shape_complete(
	const struct group_shape *shape, const struct shape_field *learned)
{
	struct group_shape *made = malloc(sizeof *made + shape->nfields * sizeof *learned);
	uint32_t at = 0;

	if (!made)
		return NULL;
	memcpy(made, shape, sizeof *made);
	for (int kind = 0; kind < SHAPE_KINDS; kind++)
		for (uint32_t i = 0; i < made->nfields; i++)
			if (shape_kind_of((enum group_op)learned[i].op) == (enum group_op)kind)
				made->fields[at++] = learned[i];
	return made;
}

/* The shape of the group at p. NULL: it has none. */
static struct group_shape *shape_learn(
	struct group_shapes *shapes, const uint8_t *p, const uint8_t *stop)
{
	struct group_shape learning = {0}, *const shape = &learning;
	const uint8_t *const begin = p;
	enum group_part part = group_part(p[REC_MAJOR], get_le32(p + REC_MINOR));
	bool has_label = false;
	uint64_t elapsed = 0;

	/* A time hook begins no group. */
	if (part == PART_TIME)
		return NULL;
	while (part != PART_NONE) {
		struct hook h;
		uint32_t size;

		if (record_parse(p, (size_t)(stop - p), &h, &size) != RECORD_HOOK)
			return NULL;
		const struct group_plan *plan = group_plans_find(
			shapes->plans, schema_set_find(shapes->set, h.major, h.minor), part);
		uint64_t own;
		if (!plan || !plan->elapsed_wide ||
			!group_elapsed_at(plan, h.words, h.nwords, &own) ||
			(shape->count && own != elapsed))
			return NULL;
		elapsed = own;
		h.schema = plan->schema;
		if (group_plan_is_asked(plan, has_label)) {
			const struct group_shape before = *shape;

			if (!shape_add_fields(shapes, shape, plan, p, &h)) {
				*shape = before;
				break;
			}
		}
		shape_add_record(shape, p, &h, plan);
		has_label |= shape->records[shape->count - 1].has_label;
		p += size;
		part = shape_next_part(p, stop, begin, part);
	}
	shape->next = (uint8_t)part;
	return shape->count ? shape_complete(shape, shapes->learned) : NULL;
}

static void shapes_clear(struct group_shapes *shapes)
{
	while (shapes->count)
		free(shapes->at[--shapes->count]);
	shapes->last = NULL;
	shapes->fields = 0;
	shapes->rest = shapes->resting = 0;
}

static bool shapes_are_full(const struct group_shapes *shapes)
{
	return shapes->count == SHAPES_MAX || shapes->fields >= SHAPES_FIELDS;
}

/* NULL: the group has no shape, or it is not learned now. */
static struct group_shape *shapes_learn(
	struct group_shapes *shapes, uint64_t hash, const uint8_t *p, const uint8_t *stop)
{
	if (shapes->resting) {
		shapes->resting--;
		return NULL;
	}
	struct group_shape *shape = shape_learn(shapes, p, stop);
	if (!shape) {
		if (shapes->rest < SHAPES_REST_MAX)
			shapes->rest = 2 * shapes->rest + 1;
		shapes->resting = shapes->rest;
		return NULL;
	}
	if (shapes_are_full(shapes))
		shapes_clear(shapes);
	if (!shapes->count && !hash_index_reset(&shapes->index, SHAPES_MAX)) {
		free(shape);
		return NULL;
	}
	hash_index_add(&shapes->index, hash, shapes->count);
	shapes->at[shapes->count++] = shape;
	shapes->fields += shape->nfields;
	shapes->rest = 0;
	shapes->resting = shapes_are_full(shapes) ? SHAPES_REST_FULL : 0;
	return shape;
}

/* Hashes a group's sequence of records. Named values that are wanted count by their presence alone:
 * their number varies, and the cursor reads them. */
static uint64_t shape_hash(const uint8_t *p, const uint8_t *stop, unsigned wants)
{
	const bool has_args = wants & (WANT_VALUES | WANT_FLAGS);
	const bool has_events = has_args || wants & WANT_EVENTS;
	const uint8_t *const begin = p;
	enum group_part part = group_part(p[REC_MAJOR], get_le32(p + REC_MINOR));
	uint64_t hash = 0;

	for (uint32_t size; part != PART_NONE; part = shape_next_part(p, stop, begin, part)) {
		const bool varies =
			(part == PART_EVENTS && has_events) || (part == PART_ARGS && has_args);
		const uint64_t head = get_le64(p);

		hash = hash_add_u64(hash, part);
		if (!varies)
			hash = hash_add_u64(hash, head & shape_head_bits(p));
		size = (uint32_t)head & REC_SIZE_MASK;
		if (size < REC_HEADER_SIZE || size > stop - p)
			break;
		p += size;
	}
	return hash;
}

bool group_shapes_find(struct group_shapes *shapes, const struct schema_set *set, const uint8_t *p,
	const uint8_t *stop, struct shape_found *found)
{
	if (shapes->set != set)
		shapes_clear(shapes);
	shapes->set = set;
	if (shapes->last && group_has_shape(shapes->last, set, p, stop, found))
		return true;
	const uint64_t hash = shape_hash(p, stop, shapes->plans->wants);
	for (uint64_t h = hash, i; shapes->count && (i = hash_index_next(&shapes->index, &h));) {
		if (group_has_shape(shapes->at[i - 1], set, p, stop, found)) {
			shapes->last = shapes->at[i - 1];
			return true;
		}
	}
	struct group_shape *learned = shapes_learn(shapes, hash, p, stop);
	return learned && group_has_shape(learned, set, p, stop, found);
}

void group_shapes_free(struct group_shapes *shapes)
{
	shapes_clear(shapes);
	hash_index_free(&shapes->index);
	free(shapes->learned);
}
