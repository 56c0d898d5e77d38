#include "grid.h"

enum { GRID_INTERVALS = 512, GRID_LEAST_STEPS = 1024 };

unsigned grid_bits(uint64_t until, uint64_t intervals)
{
	const uint64_t few = intervals / GRID_INTERVALS;
	const uint64_t most = few > GRID_LEAST_STEPS ? few : GRID_LEAST_STEPS;
	unsigned bits = 0;

	while (until >> bits > most)
		bits++;
	return bits;
}

/* One more interval of the step: its duration, and its start since the step's. */
static void grid_step_add(struct grid_step *to, uint64_t duration, uint64_t start, uint32_t name)
{
	if (!to->count || duration > to->longest) {
		to->second = to->longest;
		to->second_name = to->name;
		to->longest = duration;
		to->start = start;
		to->name = name;
	} else if (to->count == 1 || duration > to->second) {
		to->second = duration;
		to->second_name = name;
	}
	to->count++;
}

static void grid_put(struct grid *g)
{
	const struct grid_step *s = &g->open;

	if (!g->count)
		g->first = s->step;
	varint_put(&g->bytes, g->count ? s->step - g->last : 0);
	varint_put(&g->bytes, s->count);
	varint_put(&g->bytes, s->sum);
	varint_put(&g->bytes, s->longest);
	varint_put(&g->bytes, s->start);
	varint_put(&g->bytes, s->name);
	if (s->count > 1) {
		varint_put(&g->bytes, s->second);
		varint_put(&g->bytes, s->second_name);
	}
	g->last = s->step;
	g->intervals += s->count;
	g->count++;
}

/* Ends the level's open step, which becomes part of one of the level above. */
static void grid_end_step(struct grid *levels, unsigned level, unsigned bits)
{
	const struct grid_step *s = &levels[level].open;

	if (!s->count)
		return;
	grid_put(&levels[level]);
	if (level + 1 < GRID_LEVELS) {
		struct grid_step *above = &levels[level + 1].open;
		const uint64_t step = s->step >> GRID_FAN_BITS;
		const uint64_t since = (s->step << bits) - (step << (bits + GRID_FAN_BITS));

		if (above->step != step)
			grid_end_step(levels, level + 1, bits + GRID_FAN_BITS);
		above->step = step;
		above->sum += s->sum;
		grid_step_add(above, s->longest, since + s->start, s->name);
		if (s->count > 1) {
			/* Only the longest one's start is kept, and this is not longer. */
			grid_step_add(above, s->second, 0, s->second_name);
			above->count += s->count - 2;
		}
	}
	levels[level].open = (struct grid_step){0};
}

void grid_add(struct grid levels[GRID_LEVELS], unsigned bits, uint64_t start, uint64_t duration,
	uint32_t name)
{
	struct grid_step *s = &levels[0].open;
	const uint64_t step = start >> bits;

	if (s->step != step)
		grid_end_step(levels, 0, bits);
	s->step = step;
	s->sum += duration;
	grid_step_add(s, duration, start - (step << bits), name);
}

void grid_end(struct grid levels[GRID_LEVELS], unsigned bits)
{
	for (unsigned level = 0; level < GRID_LEVELS; level++)
		grid_end_step(levels, level, bits + GRID_FAN_BITS * level);
}
