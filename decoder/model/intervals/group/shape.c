#include "shape.h"

#include "../../../../formats/cpi_group.h"
#include "../../hooks/record.h"
#include "group.h"

static bool shape_has_plans(const struct group_shape *shape, const struct group_plan *const *plans)
{
	for (uint32_t i = 0; i < shape->count; i++)
		if (plans[shape->records[i].part] != shape->records[i].plan)
			return false;
	return true;
}

static bool shape_has_mm(
	struct group_shape *shape, uint32_t mm, const struct group_plan *const *plans)
{
	uint64_t *mms = &shape->mms[mm / 64], bit = UINT64_C(1) << mm % 64;

	if (!(*mms & bit) && shape_has_plans(shape, plans))
		*mms |= bit;
	return *mms & bit;
}

static inline bool group_has_shape(struct group_shape *shape, const uint8_t *p, const uint8_t *stop,
	const struct group_plan *const *plans, struct shape_found *found)
{
	_Static_assert(REC_TID == REC_MINOR + 4, "one load for both");
	const uint64_t who = get_le64(p + REC_MINOR) & ~(uint64_t)CPI_MINOR_KIND;
	const uint64_t stamp = get_le64(p + REC_STAMP);
	const struct shape_record *r = shape->records, *const end = r + shape->count;
	const uint8_t **at = found->at;
	uint64_t elapsed = 0;

	for (; r < end; r++) {
		if (stop - p < r->least)
			return false;
		const uint64_t head = get_le64(p);
		const uint32_t size = (uint32_t)head & REC_SIZE_MASK;
		if ((head & r->bits) != r->head || get_le64(p + REC_MINOR) != (who | r->minor) ||
			get_le64(p + REC_STAMP) != stamp)
			return false;
		/* Without strings, the size is that of a record that fitted. */
		if (r->has_strings && (size > stop - p || !record_fits(p, size)))
			return false;
		/* Compared as it lies. */
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
	return shape_has_mm(shape, (uint32_t)who & CPI_MINOR_MM, plans);
}

bool group_shapes_find(struct group_shapes *shapes, const uint8_t *p, const uint8_t *stop,
	const struct group_plan *const *plans, struct shape_found *found)
{
	const uint32_t last = shapes->last;

	if (!shapes->count || stop - p < REC_HEADER_SIZE)
		return false;
	if (group_has_shape(&shapes->at[last], p, stop, plans, found))
		return true;
	for (uint32_t i = 0; i < shapes->count; i++) {
		if (i != last && group_has_shape(&shapes->at[i], p, stop, plans, found)) {
			shapes->last = i;
			return true;
		}
	}
	return false;
}

#define SIGN_I32 (UINT32_C(1) << 31)

static bool shape_add_check(
	struct group_shape *shape, uint32_t at, uint64_t mask, uint64_t value, enum field_type type)
{
	const bool wide = schema_type_words(type) == 2;

	/* The higher word is the first one. */
	if (wide && !shape_add_check(shape, at, mask >> 32, value >> 32, FIELD_U32))
		return false;
	/* The bits above an i32 are its sign. */
	if (type == FIELD_I32 && mask >> 32) {
		mask |= SIGN_I32;
		value |= value >> 32 ? SIGN_I32 : 0;
	}
	if (shape->checks == SHAPE_CHECKS)
		return false;
	shape->check[shape->checks++] = (struct shape_check){
		shape->count, at + 4 * (uint32_t)wide, (uint32_t)mask, (uint32_t)value};
	return true;
}

/* The properties of a hook that have that line. */
static bool shape_add_line_checks(
	struct group_shape *shape, const struct group_lines *lines, const struct group_line *line)
{
	for (uint32_t i = 0; i < lines->nslots; i++) {
		uint64_t mask = lines->slots[i].mask;

		if ((int)i == lines->known)
			mask |= SCOPE_KNOWN_TEXT;
		if (!shape_add_check(shape, REC_DATA + 4 * (uint32_t)lines->slots[i].word, mask,
			    line->slot[i], (enum field_type)lines->slots[i].type))
			return false;
	}
	return true;
}

/* line: NULL, unless the hook is wanted. False: a group with this record has no shape. */
static bool shape_add_record(struct group_shape *shape, const uint8_t *p, const struct hook *h,
	const struct group_plan *plan, const struct group_line *line)
{
	struct shape_record *r = &shape->records[shape->count];

	if (!plan->elapsed_wide || (line && !shape_add_line_checks(shape, plan->lines, line)))
		return false;
	*r = (struct shape_record){.head = get_le64(p),
		.bits = UINT64_MAX,
		.minor = h->minor & CPI_MINOR_KIND,
		.least = h->size,
		.elapsed = REC_DATA + 4 * (uint32_t)plan->elapsed_word,
		.part = plan->part,
		.has_strings = h->nstrings != 0,
		.has_label = line && plan->lines->label,
		.plan = plan};
	if (r->has_strings) {
		r->bits &= ~(uint64_t)REC_SIZE_MASK;
		r->least = REC_DATA + 4 * (uint32_t)h->nwords;
	}
	r->head &= r->bits;
	group_raise_flags((enum group_part)plan->part, &shape->flags, &shape->types);
	shape->count++;
	return true;
}

static void shape_count_fields(struct group_shape *shape, const struct group_line *line)
{
	for (int kind = 0; kind < LINE_KINDS; kind++)
		shape->form.n[kind] += line->form.n[kind];
	if (line->form.cpus > shape->form.cpus)
		shape->form.cpus = line->form.cpus;
	if (line->form.utils > shape->form.utils)
		shape->form.utils = line->form.utils;
}

/* Sets the fields of a kind in order of their records. Returns the end of them. */
static struct line_field *shape_set_fields(const struct group_shape *shape,
	const struct group_line *const *lines, enum line_kind kind, struct line_field *first)
{
	struct line_field *to = first;

	for (uint32_t i = 0; i < shape->count; i++) {
		const struct group_line *line = lines[i];
		const struct line_field *f = line ? line->fields : NULL;

		for (enum line_kind k = 0; line && k < kind; k++)
			f += line->form.n[k];
		for (uint32_t j = 0; line && j < line->form.n[kind]; j++, f++, to++) {
			*to = *f;
			to->at += REC_DATA;
			to->record = (uint8_t)i;
			to->again = false;
			for (const struct line_field *other = first; f->again && other < to;
				other++)
				to->again |= other->to == f->to;
		}
	}
	return to;
}

static bool shape_make_fields(struct group_shape *shape, const struct group_line *const *lines)
{
	uint32_t total = 0;

	for (int kind = 0; kind < LINE_KINDS; kind++)
		total += shape->form.n[kind];
	if (total > SHAPE_FIELDS)
		return false;
	struct line_field *at = malloc((total + 1) * sizeof *at);
	shape->fields = at;
	for (enum line_kind kind = 0; at && kind < LINE_KINDS; kind++)
		at = shape_set_fields(shape, lines, kind, at);
	return at;
}

/* Where the next shape goes; SHAPES_MAX: nowhere yet. */
static uint32_t shapes_find_room(struct group_shapes *shapes)
{
	if (shapes->count < SHAPES_MAX)
		return shapes->count;
	if (++shapes->missed < (uint64_t)SHAPES_PATIENCE << shapes->replaced)
		return SHAPES_MAX;
	return shapes->replaced % SHAPES_MAX;
}

static void shapes_set(struct group_shapes *shapes, uint32_t at, const struct group_shape *shape)
{
	if (at == shapes->count) {
		shapes->count++;
	} else {
		free(shapes->at[at].fields);
		shapes->missed = 0;
		shapes->replaced += shapes->replaced < 32;
	}
	shapes->at[at] = *shape;
	shapes->last = at;
}

/* False: the group has no shape. */
static bool shapes_learn_at(struct group_shapes *shapes, uint32_t to, const uint8_t *p,
	const uint8_t *end, const struct group_plan *const *plans)
{
	const struct group_line *lines[SHAPE_RECORDS];
	struct group_shape shape = {0};
	bool has_label = false;

	for (uint32_t size; p < end; p += size) {
		struct hook h;

		size = get_le32(p) & REC_SIZE_MASK;
		record_decode(p, size, &h);
		const struct group_plan *plan = plans[group_part(h.major, h.minor)];
		if (!plan || h.nwords < plan->elapsed_words || shape.count == SHAPE_RECORDS)
			return false;
		const struct group_line *line = NULL;
		if (group_plan_is_asked(plan, has_label)) {
			line = plan->lines ? group_line_find(plan, &h) : NULL;
			if (!line)
				break;
			has_label |= plan->lines->label;
		}
		lines[shape.count] = line;
		if (!shape_add_record(&shape, p, &h, plan, line))
			return false;
		if (line)
			shape_count_fields(&shape, line);
	}
	if (!shape.count)
		return false;
	if (shape_make_fields(&shape, lines))
		shapes_set(shapes, to, &shape);
	else
		free(shape.fields);
	return true;
}

void group_shapes_learn(struct group_shapes *shapes, const uint8_t *p, const uint8_t *end,
	const struct group_plan *const *plans)
{
	struct shape_found found;

	/* Its mm may have been the first one of its kind. */
	if (group_shapes_find(shapes, p, end, plans, &found))
		return;
	const uint32_t to = shapes_find_room(shapes);
	if (to == SHAPES_MAX)
		return;
	if (shapes_learn_at(shapes, to, p, end, plans))
		shapes->rest = 0;
	else if (shapes->rest < SHAPES_REST_MAX)
		shapes->rest = 2 * shapes->rest + 1;
	shapes->resting = shapes->rest;
}

void group_shapes_free(struct group_shapes *shapes)
{
	for (uint32_t i = 0; i < shapes->count; i++)
		free(shapes->at[i].fields);
	shapes->count = shapes->last = 0;
}
