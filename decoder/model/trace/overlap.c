#include "overlap.h"

#include "../../../formats/base/compare.h"
#include "../../base/sort.h"

static int overlap_compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	int c = compare_u64_pair(x->position, y->position, y->raw, x->raw);

	if (!c)
		c = compare_u64_pair(x->torn, y->torn, x->member, y->member);
	return c ? c : compare_u64(x->section, y->section);
}

static uint64_t end_of(const struct claim *c)
{
	return c->position + c->raw;
}

/*
 * Whether both claims can be true if b begins within a. A record torn in one may be a hook in
 * the other, so a section's outermost stamps are certain only if nothing in it is torn.
 */
static bool same_records(const struct claim *a, const struct claim *b)
{
	bool sure = !a->torn && !b->torn;

	if (!a->has_range || !b->has_range)
		return true;
	if (!sure)
		return b->first <= a->last || b->last >= a->first;
	if (a->position == b->position ? a->first != b->first : b->first < a->first)
		return false;
	if (end_of(a) == end_of(b))
		return a->last == b->last;
	return b->first <= a->last &&
	       (end_of(b) < end_of(a) ? b->last <= a->last : b->last >= a->last);
}

int overlap_settle(
	struct claim *claims, size_t n, int (*holds)(void *ctx, const struct claim *), void *ctx)
{
	struct claim *holder = NULL;
	bool asked = false;

	sort_in_place(claims, n, sizeof *claims, overlap_compare_claims);
	for (size_t i = 0; i < n; i++) {
		struct claim *c = &claims[i];

		c->skip = 0;
		c->refuted = false;
		if (holder && c->position < end_of(holder)) {
			c->refuted = !same_records(holder, c);
			int rc = c->refuted || asked ? 1 : holds(ctx, holder);
			if (rc < 0)
				return rc;
			asked |= !c->refuted;
			if (rc && !c->refuted)
				c->skip = end_of(c) <= end_of(holder)
						  ? c->raw
						  : (uint32_t)(end_of(holder) - c->position);
			if (rc && end_of(c) <= end_of(holder))
				continue;
		}
		holder = c;
		asked = false;
	}
	return 0;
}
