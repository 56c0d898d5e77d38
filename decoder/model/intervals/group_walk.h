/* Walks a hook by a flat program (group_flat.h). */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_WALK_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_WALK_H

#include <math.h>

#include "../../../formats/cpi_hooks.h"
#include "group.h"

/* A figure in two hooks of a group must agree; the later, more detailed one wins. */
static inline void set_ratio(struct interval *iv, void *to, uint64_t v)
{
	double *at = to, ratio = (double)v / CPI_FRACTION;

	if (!isnan(*at) && *at != ratio)
		iv->flags |= IV_INCONSISTENT;
	*at = ratio;
}

static inline void set_count(struct interval *iv, void *to, uint64_t v)
{
	uint64_t *at = to;

	if (*at != NOT_MEASURED && *at != v)
		iv->flags |= IV_INCONSISTENT;
	*at = v;
}

static inline uint64_t value_at(const uint8_t *p, enum field_type type)
{
	switch (type) {
	case FIELD_U32:
		return get_le32(p);
	case FIELD_I32:
		return (uint64_t)(int32_t)get_le32(p);
	case FIELD_FIX4:
		return (uint64_t)get_le32(p) * CPI_FRACTION + get_le32(p + 4);
	default:
		return get_hl64(p);
	}
}

/* The position of a flat program in a hook. */
struct walk {
	const uint8_t *run, *next; /* the open run's words; those after it */
	uint32_t left;		   /* words from next on */
	uint32_t turn;
	uint64_t turns;
	const uint8_t *turn_began;
	uint64_t slot[SCHEMA_MAX_FIELDS];
};

static inline uint64_t walk_value(const struct walk *w, const struct flat_op *op)
{
	return value_at(w->run + 4 * (size_t)op->word, (enum field_type)op->type);
}

static inline uint64_t turns_of(const struct walk *w, const struct flat_op *op)
{
	if (op->slot < 0)
		return op->number;
	return (int64_t)w->slot[op->slot] < 0 ? 0 : w->slot[op->slot];
}

/* Skips a repeat whose turns are all alike. False if the words do not suffice. */
static inline bool skip_repeat(
	struct walk *w, const struct group_plan *plan, const struct flat_op *op)
{
	uint64_t turns = turns_of(w, op);
	uint32_t words = 0;

	for (const struct flat_op *in = op + 1; turns && in->kind != FLAT_AGAIN;) {
		bool over = in->kind == FLAT_IF && !(w->slot[in->slot] & in->number);

		words += in->kind == FLAT_RUN ? in->words : 0;
		in = over ? plan->ops + in->jump : in + 1;
	}
	if (words && turns > w->left / words)
		return false;
	/* Turns that read nothing end after the first. */
	w->next += 4 * (words * turns);
	w->left -= (uint32_t)(words * turns);
	return true;
}

#endif
