/* Events as candidates of explanation. */
#include <math.h>
#include <stdlib.h>

#include "why.h"

enum { PER_INSTRUCTIONS = 1000 };

static bool why_has_rate(const struct why_event *e)
{
	for (unsigned side = 0; side < WHY_SIDES; side++)
		if (!e->known[side] || e->counted[side] != e->known[side] || !e->instructions[side])
			return false;
	return true;
}

static struct why_candidate why_make_candidate(const struct why_event *e)
{
	struct why_candidate c = {.event = e->event, .is_rate = why_has_rate(e)};

	for (unsigned side = 0; side < WHY_SIDES; side++)
		c.value[side] = c.is_rate ? PER_INSTRUCTIONS * (double)e->sum[side] /
						    (double)e->instructions[side]
				: e->known[side] ? (double)e->sum[side] / (double)e->known[side]
						 : NAN;
	c.change = why_change(c.value);
	return c;
}

/* One that is not known on a side comes last. */
static double why_rank_candidate(const struct why_candidate *c)
{
	if (!isnan(c->change))
		return c->change;
	return c->value[WHY_MIDDLE] == 0 && c->value[WHY_TAIL] == 0 ? 0 : -INFINITY;
}

static int why_compare_candidates(const void *a, const void *b)
{
	const struct why_candidate *x = a, *y = b;
	const double rx = why_rank_candidate(x), ry = why_rank_candidate(y);

	if (rx != ry)
		return rx > ry ? -1 : 1;
	return tally_compare_events(
		x->event->name, x->event->length, y->event->name, y->event->length);
}

void why_find_candidates(const struct why_group *g, struct why_candidate *all)
{
	const uint32_t n = tally_extra(g->group)->num_events;

	for (uint32_t i = 0; i < n; i++)
		all[i] = why_make_candidate(&g->events[i]);
	if (n)
		qsort(all, n, sizeof *all, why_compare_candidates);
}
